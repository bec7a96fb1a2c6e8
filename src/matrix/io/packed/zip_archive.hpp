#pragma once
// Members of a zip archive (PKWARE APPNOTE 6.3) in memory, as much as numpy writes: stored or deflated, with zip64
// sizes. A reader of its own and not libarchive's: members are read in place out of the mapped file, every size is
// bounded by the file, and the one portable executable stays free of that library's many dependencies.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::matrix {
struct ZipMember {
  std::string name;
  std::string_view packed;  ///< its bytes in the archive
  bool deflated = false;
  std::uint64_t size = 0;  ///< unpacked; no more than deflate can make of `packed`
  std::uint32_t checksum = 0;
};

/// True where the bytes begin like a zip archive.
bool is_zip(std::string_view bytes);

/// The directory. Error bad_input where it is damaged, encrypted or uses another compression.
std::vector<ZipMember> zip_members(std::string_view archive, const std::string& file);

/// The unpacked bytes of one member, in order.
class ZipStream {
 public:
  ZipStream(const ZipMember& member, std::string file);
  ~ZipStream();
  ZipStream& operator=(ZipStream&&) = delete;  // nor copied

  /// The next `size` bytes; Error bad_input where there are fewer or they are damaged. After the last byte of the
  /// member the checksum has been compared.
  void read(char* out, std::size_t size);

 private:
  struct Inflater;
  [[noreturn]] void refuse(const std::string& reason) const;

  std::string file_;
  ZipMember member_;
  std::uint64_t at_ = 0;
  std::unique_ptr<Inflater> inflater_;  ///< of a deflated member
  unsigned long checksum_ = 0;
};
}  // namespace sparsecast::matrix
