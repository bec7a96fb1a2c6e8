#include "matrix/io/packed/zip_archive.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "matrix/io/numbers/number_field.hpp"
#include "matrix/io/packed/decompressor.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::uint32_t wide = 0xFFFFFFFF;  // "see the zip64 field"
constexpr auto unpacked = "unpack it and name the matrix";

/// Little-endian fields of a record; reading beyond the archive gives nullopt-like zeros and marks it bad.
struct Record {
  std::string_view bytes;
  std::size_t at = 0;
  bool bad = false;

  template <class T>
  T take() {
    T value{};
    if (at > bytes.size() || bytes.size() - at < sizeof value)
      bad = true;
    else
      std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string_view text(std::size_t size) {
    if (at > bytes.size() || bytes.size() - at < size) {
      bad = true;
      return {};
    }
    at += size;
    return bytes.substr(at - size, size);
  }
};

struct Directory {
  std::uint64_t offset = 0, size = 0, members = 0;
};

class Archive {
 public:
  Archive(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::vector<ZipMember> members() {
    const Directory directory = find_directory();
    if (directory.offset > bytes_.size() || directory.size > bytes_.size() - directory.offset)
      refuse("its directory is damaged");
    Record record{bytes_.substr(directory.offset, directory.size)};
    std::vector<ZipMember> found;
    for (std::uint64_t k = 0; k < directory.members; ++k) {
      found.push_back(member(record));
      if (found.size() > 1000) refuse("it has more than 1000 members", unpacked);
    }
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy = "fetch it or save it again") const {
    throw Error(ErrorCode::bad_input, "the zip archive cannot be read: " + reason, {file_}, remedy);
  }

  Directory find_directory() const {
    constexpr std::size_t end_bytes = 22, longest_comment = 65535;
    constexpr std::string_view end_mark("PK\x05\x06", 4);
    const std::size_t from =
        bytes_.size() > end_bytes + longest_comment ? bytes_.size() - end_bytes - longest_comment : 0;
    const std::string_view tail = bytes_.substr(from);
    std::size_t end = tail.rfind(end_mark);
    if (end == std::string_view::npos) refuse("it is cut off, its directory is missing");
    // A comment may hold the mark too: the true one's comment reaches to the end. Where none does, something was
    // appended, and the last is taken.
    for (std::size_t at = end; at != std::string_view::npos; at = at > 0 ? tail.rfind(end_mark, at - 1) : tail.npos) {
      Record comment{tail, at + end_bytes - 2};
      if (at + end_bytes + comment.take<std::uint16_t>() != tail.size() || comment.bad) continue;
      end = at;
      break;
    }
    Record record{bytes_, from + end + 8};
    Directory directory;
    record.take<std::uint16_t>();
    directory.members = record.take<std::uint16_t>();
    directory.size = record.take<std::uint32_t>();
    directory.offset = record.take<std::uint32_t>();
    if (record.bad) refuse("its directory is damaged");
    if (directory.members != 0xFFFF && directory.size != wide && directory.offset != wide) return directory;

    constexpr std::size_t locator_bytes = 20;
    if (from + end < locator_bytes) refuse("its zip64 directory is missing");
    Record locator{bytes_, from + end - locator_bytes};
    if (locator.take<std::uint32_t>() != 0x07064b50) refuse("its zip64 directory is missing");
    locator.take<std::uint32_t>();
    Record wide_end{bytes_, locator.take<std::uint64_t>()};
    if (wide_end.take<std::uint32_t>() != 0x06064b50) refuse("its zip64 directory is damaged");
    wide_end.text(28);
    directory.members = wide_end.take<std::uint64_t>();
    directory.size = wide_end.take<std::uint64_t>();
    directory.offset = wide_end.take<std::uint64_t>();
    if (wide_end.bad) refuse("its zip64 directory is damaged");
    return directory;
  }

  ZipMember member(Record& record) const {
    if (record.take<std::uint32_t>() != 0x02014b50) refuse("its directory is damaged");
    record.text(4);
    const auto flags = record.take<std::uint16_t>();
    const auto method = record.take<std::uint16_t>();
    record.text(4);
    ZipMember found;
    found.checksum = record.take<std::uint32_t>();
    std::uint64_t packed = record.take<std::uint32_t>();
    found.size = record.take<std::uint32_t>();
    const auto name_bytes = record.take<std::uint16_t>();
    const auto extra_bytes = record.take<std::uint16_t>();
    const auto comment_bytes = record.take<std::uint16_t>();
    record.text(8);
    std::uint64_t offset = record.take<std::uint32_t>();
    found.name = record.text(name_bytes);
    const std::string_view extra = record.text(extra_bytes);
    record.text(comment_bytes);
    if (record.bad) refuse("its directory is damaged");
    take_wide_sizes(extra, found.size, packed, offset);

    const std::string what = "member " + shown(found.name);
    if ((flags & 1) != 0) refuse(what + " is encrypted", unpacked);
    if (method != 0 && method != 8)
      refuse(fmt::format("{} is compressed by method {}, and deflate (8) is read", what, method), unpacked);
    found.deflated = method == 8;
    Record local{bytes_, offset};
    if (local.take<std::uint32_t>() != 0x04034b50) refuse(what + " is not where the directory says");
    local.text(22);
    const auto local_name = local.take<std::uint16_t>();
    const auto local_extra = local.take<std::uint16_t>();
    local.text(local_name);
    local.text(local_extra);
    found.packed = local.text(packed);
    if (local.bad) refuse(what + " is cut off");
    const std::uint64_t most = found.deflated ? (packed + 1) * static_cast<std::uint64_t>(deflate_ratio) : packed;
    if (found.size > most || (!found.deflated && found.size != packed))
      refuse(what + " states a size that it cannot have");
    return found;
  }

  void take_wide_sizes(std::string_view extra, std::uint64_t& size, std::uint64_t& packed,
                       std::uint64_t& offset) const {
    Record fields{extra};
    while (fields.at + 4 <= extra.size()) {
      const auto kind = fields.take<std::uint16_t>();
      const std::string_view body = fields.text(fields.take<std::uint16_t>());
      if (kind != 1) continue;
      Record sizes{body};
      for (std::uint64_t* value : {&size, &packed, &offset})
        if (*value == wide) *value = sizes.take<std::uint64_t>();
      if (sizes.bad) refuse("a zip64 field is too short");
    }
  }

  std::string_view bytes_;
  const std::string& file_;
};
}  // namespace

bool is_zip(std::string_view bytes) {
  return bytes.starts_with(std::string_view("PK\x03\x04", 4)) || bytes.starts_with(std::string_view("PK\x05\x06", 4));
}

std::vector<ZipMember> zip_members(std::string_view archive, const std::string& file) {
  return Archive(archive, file).members();
}

struct ZipStream::Inflater {
  z_stream stream{};
  ~Inflater() { inflateEnd(&stream); }
};

ZipStream::ZipStream(const ZipMember& member, std::string file) : file_(std::move(file)), member_(member) {
  checksum_ = crc32(0, nullptr, 0);
  if (!member.deflated) return;
  inflater_ = std::make_unique<Inflater>();
  constexpr int raw_window = -15;
  if (inflateInit2(&inflater_->stream, raw_window) != Z_OK) throw Error(ErrorCode::failed, "zlib has no memory");
}

ZipStream::~ZipStream() = default;

void ZipStream::refuse(const std::string& reason) const {
  throw Error(ErrorCode::bad_input, fmt::format("member {} {}", shown(member_.name), reason), {file_},
              "fetch the file or save it again");
}

void ZipStream::read(char* out, std::size_t size) {
  if (size > member_.size - at_) refuse("is shorter than its header says");
  if (inflater_) {
    z_stream& stream = inflater_->stream;
    for (std::size_t filled = 0; filled < size;) {
      const auto in_step = static_cast<uInt>(std::min<std::size_t>(member_.packed.size(), 1U << 30));
      const auto out_step = static_cast<uInt>(std::min<std::size_t>(size - filled, 1U << 30));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member_.packed.data()));
      stream.avail_in = in_step;
      stream.next_out = reinterpret_cast<Bytef*>(out + filled);
      stream.avail_out = out_step;
      const int code = inflate(&stream, Z_NO_FLUSH);
      member_.packed.remove_prefix(in_step - stream.avail_in);
      filled += out_step - stream.avail_out;
      if (code != Z_OK && !(code == Z_STREAM_END && filled == size)) refuse("is corrupt or cut off");
    }
  } else {
    std::memcpy(out, member_.packed.data() + at_, size);
  }
  at_ += size;
  for (std::size_t done = 0; done < size;) {
    const std::size_t step = std::min<std::size_t>(size - done, 1U << 30);
    checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(out + done), static_cast<uInt>(step));
    done += step;
  }
  if (at_ == member_.size && static_cast<std::uint32_t>(checksum_) != member_.checksum)
    refuse("is corrupt: its checksum differs");
}
}  // namespace sparsecast::matrix
