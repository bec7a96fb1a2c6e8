#pragma once
// Decompressors of one stream: gzip by zlib; bzip2, xz and zstd by libarchive, where the build has it. What a file is
// follows from its first bytes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#ifdef SPARSECAST_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace sparsecast::matrix {
/// "gzip", "bzip2", "xz", "zstd"; empty where the bytes begin like none of them.
std::string_view compression_of(std::string_view bytes);

/// Bytes that deflate can make of one byte at most (zlib's technical details: 1032 : 1).
inline constexpr std::int64_t deflate_ratio = 1032;

/// Bytes of text that so many compressed ones can hold at most. Other formats than gzip have no bound that would help:
/// a million to one is taken.
std::int64_t most_decompressed(std::string_view bytes);

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// Fills `out`; fewer bytes only at the end. Returns a reason where the data are bad, else nothing.
  virtual std::string fill(char* out, std::size_t size, std::size_t& filled) = 0;
  /// The last stream is complete.
  [[nodiscard]] virtual bool ended() const = 0;
};

/// For bytes that are compressed (compression_of() is not empty); they must outlive it. Error unavailable, with what to
/// do, where the build cannot read that format.
std::unique_ptr<Decompressor> open_compressed(std::string_view bytes, const std::string& file);

/// The two of them.
std::unique_ptr<Decompressor> open_gzip(std::string_view bytes);
std::unique_ptr<Decompressor> open_by_libarchive(std::string_view bytes, const std::string& file);

// CompressedText: the text in a compressed file as a stream of pieces, so that it is never in memory as a whole. Every
// piece ends with a line end (the last line gets one where the file has none) and is readable beyond its end.

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

#ifdef SPARSECAST_HAS_ARCHIVE
// libarchive, opened when it is needed: it brings two dozen libraries along, which every run of the command would load.

// clang-format off
#define SPARSECAST_LIBARCHIVE(F)                                                                              \
  F(read_new) F(read_free) F(read_support_filter_gzip) F(read_support_filter_bzip2) F(read_support_filter_xz) \
  F(read_support_filter_zstd) F(read_support_format_tar) F(read_support_format_raw) F(read_open_filename)     \
  F(read_open_memory) F(read_next_header) F(read_data) F(error_string) F(entry_pathname) F(entry_filetype)    \
  F(entry_size) F(entry_size_is_set) F(entry_hardlink) F(entry_symlink)
// clang-format on

/// Its functions, without the archive_ of their names.
struct LibArchive {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it names a member
#define SPARSECAST_FUNCTION(name) decltype(&::archive_##name) name = nullptr;
  SPARSECAST_LIBARCHIVE(SPARSECAST_FUNCTION)
#undef SPARSECAST_FUNCTION
};

/// nullptr where the library is not here.
const LibArchive* libarchive();

struct ArchiveReaderEnd {
  void operator()(archive* reader) const { libarchive()->read_free(reader); }
};
#endif
}  // namespace sparsecast::matrix
