#pragma once
// The text in a compressed file as a stream of pieces, so that it is never in memory as a whole. Every piece ends with
// a line end (the last line gets one where the file has none) and is readable beyond its end.

#include "matrix/io/packed/decompressor.hpp"

namespace sparsecast::matrix {
class CompressedText {
 public:
  /// `compressed` must outlive it. `file` is for messages. Error unavailable where the build cannot read its format.
  CompressedText(std::string_view compressed, std::string file);

  /// A piece of whole lines of about so many bytes; empty at the end. Error bad_input, with the line reached, where the
  /// file is cut off or corrupt, or has a line longer than a megabyte or than `bytes`.
  std::string next(std::size_t bytes);
  /// Bytes of text brought so far.
  [[nodiscard]] std::int64_t text_bytes() const { return text_bytes_; }

 private:
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const;

  std::unique_ptr<Decompressor> source_;
  std::string file_;
  std::string rest_;  ///< the beginning of the next piece's first line
  std::int64_t text_bytes_ = 0;
  std::int64_t lines_ = 0;
};
}  // namespace sparsecast::matrix
