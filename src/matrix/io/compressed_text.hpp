#pragma once
// GzipText: the text in a gzip file as a stream of pieces, so that a compressed file is never in memory as a whole.
// Every piece ends with a line end (the last line gets one where the file has none) and is readable beyond its end.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sparsecast::matrix {

/// True where the bytes begin like a gzip file.
bool is_gzip(std::string_view bytes);

/// Bytes that deflate can make of one byte at most (zlib's technical details: 1032 : 1).
inline constexpr std::int64_t deflate_ratio = 1032;

class GzipText {
 public:
  /// `compressed` must outlive it. `file` is for messages.
  GzipText(std::string_view compressed, std::string file);
  ~GzipText();
  GzipText(const GzipText&) = delete;
  GzipText& operator=(const GzipText&) = delete;

  /// A piece of whole lines of about so many bytes; empty at the end. Error bad_input, with the line reached, where the
  /// file is cut off or corrupt, or has a line longer than a megabyte or than `bytes`.
  std::string next(std::size_t bytes);
  /// Bytes of text brought so far.
  [[nodiscard]] std::int64_t text_bytes() const { return text_bytes_; }

 private:
  struct Inflater;
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const;

  std::unique_ptr<Inflater> inflater_;
  std::string file_;
  std::string rest_;  ///< the beginning of the next piece's first line
  std::int64_t text_bytes_ = 0;
  std::int64_t lines_ = 0;
};

}  // namespace sparsecast::matrix
