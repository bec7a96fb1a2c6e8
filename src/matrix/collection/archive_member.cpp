#include "matrix/collection/archive_member.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#ifdef SPARSECAST_HAS_ARCHIVE
#include <memory>
#include <vector>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "matrix/io/packed/libarchive.hpp"
#endif

namespace sparsecast::matrix {
#ifndef SPARSECAST_HAS_ARCHIVE

void read_member(const std::filesystem::path& archive, const MemberToTake& /*member*/,
                 const std::function<void(std::string_view)>& /*take*/) {
  throw Error(ErrorCode::unavailable, "this build cannot open archives: it has no libarchive", {archive.string()},
              "install libarchive-dev and build again, or unpack the archive by other means");
}

#else

namespace {
constexpr std::size_t piece_bytes = std::size_t{256} << 10;
constexpr int most_members = 10'000;

class Unpacking {
 public:
  Unpacking(const std::filesystem::path& file, const MemberToTake& member) : file_(file.string()), member_(member) {
    if (!reader_) throw Error(ErrorCode::failed, "libarchive has no memory");
    library_.read_support_filter_gzip(reader_.get());
    library_.read_support_filter_bzip2(reader_.get());
    library_.read_support_filter_xz(reader_.get());
    library_.read_support_filter_zstd(reader_.get());
    library_.read_support_format_tar(reader_.get());
    if (library_.read_open_filename(reader_.get(), file_.c_str(), piece_bytes) != ARCHIVE_OK) refuse(said());
  }

  void run(const std::function<void(std::string_view)>& take) {
    std::vector<char> piece(piece_bytes);
    archive_entry* entry = nullptr;
    for (int seen = 0;; ++seen) {
      base::throw_if_interrupted();
      const int code = library_.read_next_header(reader_.get(), &entry);
      if (code == ARCHIVE_EOF) refuse(fmt::format("it contains no {}", member_.path));
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) refuse(said());
      if (seen >= most_members) refuse(fmt::format("holds more than {} members", base::format_count(most_members)));
      const std::string path = checked_path(entry);
      const bool wanted = path == member_.path && library_.entry_filetype(entry) == AE_IFREG;
      if (wanted && library_.entry_size_is_set(entry) != 0 && library_.entry_size(entry) > member_.most_bytes)
        refuse_length(static_cast<double>(library_.entry_size(entry)));
      pass(piece, wanted ? member_.most_bytes : member_.most_unpacked, [&](std::string_view bytes) {
        if (wanted) take(bytes);
      });
      if (wanted) return;
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorCode::bad_input, reason, {file_},
                "nothing of it was kept; check that the server is the right one");
  }
  [[noreturn]] void refuse_length(double bytes) const {
    refuse(fmt::format("its {} is {} or larger; according to the index it cannot exceed {}", member_.path,
                       base::format_bytes(bytes), base::format_bytes(static_cast<double>(member_.most_bytes))));
  }
  [[nodiscard]] std::string said() const {
    const char* const text = library_.error_string(reader_.get());
    return fmt::format("is cut off or not an archive: {}", text != nullptr ? text : "it cannot be read");
  }

  // The path within the archive, once it is sure that the member is a plain file or a folder inside of it.
  [[nodiscard]] std::string checked_path(archive_entry* entry) const {
    const char* const text = library_.entry_pathname(entry);
    if (text == nullptr || *text == '\0') refuse("holds a member without a name");
    std::string path(text);
    const auto unusual = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; };
    if (std::ranges::any_of(path, unusual)) refuse("holds a member whose name has control characters or backslashes");
    if (path.front() == '/') refuse(fmt::format("holds a member outside of its folder, {}", path));
    for (const std::string_view part : base::split(path, '/'))
      if (part == "..") refuse(fmt::format("holds a member outside of its folder, {}", path));
    const auto type = library_.entry_filetype(entry);
    if (library_.entry_hardlink(entry) != nullptr || library_.entry_symlink(entry) != nullptr || type == AE_IFLNK)
      refuse(fmt::format("holds a link, {}", path));
    if (type != AE_IFREG && type != AE_IFDIR) refuse(fmt::format("holds a device or a pipe, {}", path));
    while (path.starts_with("./")) path.erase(0, 2);
    return path;
  }

  // Reads a member to its end. Members are not skipped but read, so that all that is unpacked is counted.
  template <class Take>
  void pass(std::vector<char>& piece, std::int64_t most, Take&& take) {
    std::int64_t bytes = 0;
    for (;;) {
      base::throw_if_interrupted();
      const la_ssize_t got = library_.read_data(reader_.get(), piece.data(), piece.size());
      if (got < 0) refuse(said());
      if (got == 0) return;
      bytes += got;
      unpacked_ += got;
      if (bytes > most) refuse_length(static_cast<double>(bytes));
      if (unpacked_ > member_.most_unpacked)
        refuse(fmt::format("unpacks to more than {}", base::format_bytes(static_cast<double>(member_.most_unpacked))));
      take(std::string_view(piece.data(), static_cast<std::size_t>(got)));
    }
  }

  std::string file_;
  const MemberToTake& member_;
  const LibArchive& library_ = *libarchive();
  std::unique_ptr<archive, ArchiveReaderEnd> reader_{library_.read_new()};
  std::int64_t unpacked_ = 0;
};
}  // namespace

void read_member(const std::filesystem::path& archive, const MemberToTake& member,
                 const std::function<void(std::string_view)>& take) {
  if (libarchive() == nullptr)
    throw Error(ErrorCode::unavailable, "cannot be unpacked: libarchive is not found", {archive.string()},
                "install libarchive13, or unpack the archive by other means");
  Unpacking(archive, member).run(take);
}

#endif
}  // namespace sparsecast::matrix
