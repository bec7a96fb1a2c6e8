#include "support/npz.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "support/gzip.hpp"

namespace sparsecast::test {
namespace {

template <class T>
void put(std::string& out, std::uint64_t value) {
  const auto narrow = static_cast<T>(value);
  out.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
}

}  // namespace

std::string npy(const std::string& type, const std::string& shape, const std::string& raw, bool fortran, int version) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, fortran ? "True" : "False", shape);
  header.resize((header.size() + 75) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  if (version == 1)
    put<std::uint16_t>(out, header.size());
  else
    put<std::uint32_t>(out, header.size());
  return out + header + raw;
}

std::string zip(const std::vector<std::pair<std::string, std::string>>& members, bool deflate, bool wide) {
  std::string out, directory;
  for (const auto& [name, content] : members) {
    const std::string packed = deflate ? deflated(content) : content;
    const std::uint64_t checksum =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const std::uint64_t offset = out.size();
    for (const bool central : {false, true}) {
      std::string& to = central ? directory : out;
      put<std::uint32_t>(to, central ? 0x02014b50 : 0x04034b50);
      if (central) put<std::uint16_t>(to, 45);
      put<std::uint16_t>(to, 45);
      put<std::uint16_t>(to, 0);
      put<std::uint16_t>(to, deflate ? 8 : 0);
      put<std::uint32_t>(to, 0);
      put<std::uint32_t>(to, checksum);
      put<std::uint32_t>(to, wide ? 0xFFFFFFFF : packed.size());
      put<std::uint32_t>(to, wide ? 0xFFFFFFFF : content.size());
      put<std::uint16_t>(to, name.size());
      put<std::uint16_t>(to, wide ? 20 : 0);
      if (central) {
        to.append(10, '\0');
        put<std::uint32_t>(to, offset);
      }
      to += name;
      if (wide) {
        put<std::uint16_t>(to, 1);
        put<std::uint16_t>(to, 16);
        put<std::uint64_t>(to, content.size());
        put<std::uint64_t>(to, packed.size());
      }
    }
    out += packed;
  }
  const std::uint64_t offset = out.size();
  out += directory;
  if (wide) {
    const std::uint64_t end = out.size();
    put<std::uint32_t>(out, 0x06064b50);
    put<std::uint64_t>(out, 44);
    out.append(12, '\0');
    put<std::uint64_t>(out, members.size());
    put<std::uint64_t>(out, members.size());
    put<std::uint64_t>(out, directory.size());
    put<std::uint64_t>(out, offset);
    put<std::uint32_t>(out, 0x07064b50);
    put<std::uint32_t>(out, 0);
    put<std::uint64_t>(out, end);
    put<std::uint32_t>(out, 1);
  }
  put<std::uint32_t>(out, 0x06054b50);
  put<std::uint32_t>(out, 0);
  put<std::uint16_t>(out, wide ? 0xFFFF : members.size());
  put<std::uint16_t>(out, wide ? 0xFFFF : members.size());
  put<std::uint32_t>(out, wide ? 0xFFFFFFFF : directory.size());
  put<std::uint32_t>(out, wide ? 0xFFFFFFFF : offset);
  put<std::uint16_t>(out, 0);
  return out;
}

}  // namespace sparsecast::test
