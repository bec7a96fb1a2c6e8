#pragma once
// Decompressors of one stream: gzip by zlib; bzip2, xz and zstd by libarchive, where the build has it. What a file is
// follows from its first bytes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

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
}  // namespace sparsecast::matrix
