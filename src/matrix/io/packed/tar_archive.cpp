#include "matrix/io/packed/tar_archive.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "matrix/io/numbers/number_field.hpp"
#include "matrix/io/packed/archive_choice.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::size_t block_bytes = 512, looked_at = 4096;
constexpr std::int64_t longest_name = 64 << 10, most_members = 10'000;

/// A number in octal digits, or in binary where the first bit is set. nullopt where it is neither.
std::optional<std::int64_t> number_of(std::string_view field) {
  if ((static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    std::int64_t value = static_cast<unsigned char>(field[0]) & 0x3F;
    for (const char c : field.substr(1)) {
      if (value > INT64_MAX >> 10) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  std::int64_t value = 0;
  bool digits = false;
  for (const char c : field) {
    if (c == ' ' && !digits) continue;
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | (c - '0');  // at most 12 digits
    digits = true;
  }
  return digits ? std::optional(value) : std::nullopt;
}

std::string text_of(std::string_view field) { return std::string(field.substr(0, field.find('\0'))); }

/// One header.
struct Header {
  std::string path;
  std::int64_t size = 0;
  char type = '0';
};

std::optional<Header> header_of(std::string_view block) {
  const auto checksum = number_of(block.substr(148, 8)), size = number_of(block.substr(124, 12));
  std::int64_t sum = 8 * ' ';
  for (std::size_t k = 0; k < block_bytes; ++k)
    if (k < 148 || k >= 156) sum += static_cast<unsigned char>(block[k]);
  if (!checksum || *checksum != sum || !size) return std::nullopt;
  Header header{text_of(block.substr(0, 100)), *size, block[156]};
  if (block.substr(257, 6) == std::string_view("ustar\0", 6))
    if (const std::string prefix = text_of(block.substr(345, 155)); !prefix.empty())
      header.path.insert(0, prefix + "/");
  return header;
}

class TarReader {
 public:
  TarReader(Decompressor& source, const std::string& file, std::int64_t most_bytes)
      : source_(source), file_(file), most_bytes_(most_bytes) {}

  TarListing list(const std::function<bool(std::string_view)>& wanted) {
    TarListing listing;
    std::string long_path;
    std::int64_t long_size = -1;  // of the next member; -1: its header tells it
    std::array<char, block_bytes> block;
    for (std::int64_t seen = 0; take(block.data(), block_bytes, true); ++seen) {
      if (std::ranges::all_of(block, [](char c) { return c == '\0'; })) break;
      if (seen >= most_members) refuse("holds more than 10 000 members");
      auto header = header_of({block.data(), block_bytes});
      if (!header)
        refuse(fmt::format("is damaged: no member begins at byte {}", at_ - static_cast<std::int64_t>(block_bytes)));
      if (header->type == 'L') {
        long_path = text_of(body(*header));
        continue;
      }
      if (header->type == 'x') {
        take_records(body(*header), long_path, long_size);
        continue;
      }
      if (!long_path.empty()) header->path = std::exchange(long_path, {});
      if (long_size >= 0) header->size = std::exchange(long_size, -1);
      const bool plain = header->type == '0' || header->type == '\0' || header->type == '7';
      const bool empty = header->type >= '1' && header->type <= '6';  // links, devices and folders have no bytes
      if (empty) header->size = 0;
      const std::int64_t begin = at_;
      std::string first(static_cast<std::size_t>(std::min<std::int64_t>(header->size, looked_at)), '\0');
      take(first.data(), first.size());
      if (plain && header->size > 0 && wanted(first)) {
        listing.wanted.push_back({header->path, begin, header->size});
      } else if (plain) {
        ++listing.others;
        if (is_called_as_matrix(header->path)) listing.unread.push_back(header->path);
      }
      pass(padded(header->size) - static_cast<std::int64_t>(first.size()));
    }
    return listing;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorCode::bad_input, "the tar archive " + reason, {file_}, "fetch it again");
  }

  [[nodiscard]] std::int64_t padded(std::int64_t size) const {
    if (size > most_bytes_) {
      throw Error(
          ErrorCode::too_large,
          fmt::format("the tar archive holds more than {}", base::format_bytes(static_cast<double>(most_bytes_))),
          {file_}, "unpack it to a folder");
    }
    constexpr auto block = static_cast<std::int64_t>(block_bytes);
    return (size + block - 1) / block * block;
  }

  /// The next bytes. False where the archive ends before them, which it may between members.
  bool take(char* out, std::size_t size, bool may_end = false) {
    std::size_t filled = 0;
    if (const std::string reason = source_.fill(out, size, filled); !reason.empty()) refuse(reason);
    at_ += static_cast<std::int64_t>(filled);
    (void)padded(at_);
    if (filled == size) return true;
    if (may_end && filled == 0) return false;
    refuse("is cut off");
  }

  void pass(std::int64_t size) {
    std::array<char, std::size_t{1} << 15> room;
    for (std::int64_t left = size; left > 0;) {
      base::throw_if_interrupted();
      const auto step = std::min<std::int64_t>(left, room.size());
      take(room.data(), static_cast<std::size_t>(step));
      left -= step;
    }
  }

  /// What a header says of the member behind it.
  std::string body(const Header& header) {
    if (header.size > longest_name) refuse("has a name of more than 64 kB");
    std::string text(static_cast<std::size_t>(header.size), '\0');
    take(text.data(), text.size());
    pass(padded(header.size) - header.size);
    return text;
  }

  /// pax: lines of "LENGTH KEY=VALUE".
  void take_records(std::string_view text, std::string& path, std::int64_t& size) const {
    while (!text.empty()) {
      const std::size_t blank = text.find(' ');
      const auto length = integer_field(text.substr(0, std::min(blank, text.size())));
      if (blank == std::string_view::npos || !length.reason.empty() ||
          length.value <= static_cast<std::int64_t>(blank) + 1 || length.value > static_cast<std::int64_t>(text.size()))
        refuse("has a damaged header of attributes");
      const std::string_view record = text.substr(blank + 1, static_cast<std::size_t>(length.value) - blank - 2);
      text.remove_prefix(static_cast<std::size_t>(length.value));
      if (record.starts_with("path=")) path = record.substr(5);
      if (!record.starts_with("size=")) continue;
      const auto bytes = integer_field(record.substr(5));
      if (!bytes.reason.empty() || bytes.value < 0) refuse("has a damaged header of attributes");
      size = bytes.value;
    }
  }

  Decompressor& source_;
  const std::string& file_;
  std::int64_t most_bytes_, at_ = 0;
};
}  // namespace

bool is_tar(std::string_view first) {
  return first.size() >= block_bytes && first[0] != '\0' && header_of(first.substr(0, block_bytes)).has_value();
}

TarListing list_tar(Decompressor& source, const std::string& file, std::int64_t most_bytes,
                    const std::function<bool(std::string_view first)>& wanted) {
  return TarReader(source, file, most_bytes).list(wanted);
}

std::string StoredBytes::fill(char* out, std::size_t size, std::size_t& filled) {
  filled = std::min(size, bytes_.size());
  std::memcpy(out, bytes_.data(), filled);
  bytes_.remove_prefix(filled);
  return {};
}
}  // namespace sparsecast::matrix
