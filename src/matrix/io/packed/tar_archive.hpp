#pragma once
// The members of a tar archive (POSIX.1-1988 ustar, with GNU's and pax's long names), as the collection's matrices
// come. A reader of its own and not libarchive's, as for zip: it needs no library, and every size is bounded by what is
// there.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/io/packed/decompressor.hpp"

namespace sparsecast::matrix {
/// A plain file in it.
struct TarMember {
  std::string path;
  std::int64_t offset = 0;  ///< of its bytes in the archive
  std::int64_t size = 0;
};

/// True where the bytes begin with a tar header whose checksum holds.
bool is_tar(std::string_view first);

/// The plain files for which `wanted` is true of their first bytes, a few thousand at most, how many others there are,
/// and which of these are called as a matrix. `source` is the archive from its beginning. Error bad_input where it is
/// cut off or damaged; too_large where it has more than most_bytes.
struct TarListing {
  std::vector<TarMember> wanted;
  std::vector<std::string> unread = {};
  std::int64_t others = 0;
};
TarListing list_tar(Decompressor& source, const std::string& file, std::int64_t most_bytes,
                    const std::function<bool(std::string_view first)>& wanted);

/// Bytes that need no unpacking, read as those that do.
class StoredBytes : public Decompressor {
 public:
  explicit StoredBytes(std::string_view bytes) : bytes_(bytes) {}
  std::string fill(char* out, std::size_t size, std::size_t& filled) override;
  [[nodiscard]] bool ended() const override { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};
}  // namespace sparsecast::matrix
