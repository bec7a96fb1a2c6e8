// bzip2, xz and zstd, where the build has libarchive: the file as an archive of format "raw", which is one stream.

#include <fmt/format.h>
#include <sparsecast/error.hpp>

#include "matrix/io/packed/decompressor.hpp"
#include "matrix/io/packed/libarchive.hpp"

namespace sparsecast::matrix {
namespace {
[[noreturn]] void refuse_compression(std::string_view bytes, const std::string& file, const char* remedy) {
  const std::string_view format = compression_of(bytes);
  throw Error(ErrorCode::unavailable,
              fmt::format("is compressed by {}, and libarchive, which reads that, is not found", format), {file},
              fmt::format("`{} -d` decompresses it; or {}", format, remedy));
}
}  // namespace

#ifndef SPARSECAST_HAS_ARCHIVE

std::unique_ptr<Decompressor> open_by_libarchive(std::string_view bytes, const std::string& file) {
  refuse_compression(bytes, file, "install libarchive-dev and build again");
}

#else

namespace {
class ArchiveStream : public Decompressor {
 public:
  explicit ArchiveStream(std::string_view bytes) : format_(compression_of(bytes)) {
    if (!reader_) throw Error(ErrorCode::failed, "libarchive has no memory");
    library_.read_support_filter_bzip2(reader_.get());
    library_.read_support_filter_xz(reader_.get());
    library_.read_support_filter_zstd(reader_.get());
    library_.read_support_format_raw(reader_.get());
    archive_entry* entry = nullptr;
    opened_ = library_.read_open_memory(reader_.get(), bytes.data(), bytes.size()) == ARCHIVE_OK &&
              library_.read_next_header(reader_.get(), &entry) == ARCHIVE_OK;
  }

  [[nodiscard]] bool ended() const override { return ended_; }

  std::string fill(char* out, std::size_t size, std::size_t& filled) override {
    filled = 0;
    while (opened_ && filled < size && !ended_) {
      const la_ssize_t got = library_.read_data(reader_.get(), out + filled, size - filled);
      if (got < 0) return reason();
      ended_ = got == 0;
      filled += static_cast<std::size_t>(got);
    }
    return opened_ ? std::string() : reason();
  }

 private:
  [[nodiscard]] std::string reason() const {
    const char* const said = library_.error_string(reader_.get());
    return fmt::format("is cut off or corrupt: its {} stream cannot be decompressed{}{}", format_,
                       said != nullptr ? ", " : "", said != nullptr ? said : "");
  }

  std::string_view format_;
  const LibArchive& library_ = *libarchive();
  std::unique_ptr<archive, ArchiveReaderEnd> reader_{library_.read_new()};
  bool opened_ = false, ended_ = false;
};
}  // namespace

std::unique_ptr<Decompressor> open_by_libarchive(std::string_view bytes, const std::string& file) {
  if (libarchive() == nullptr) refuse_compression(bytes, file, "install libarchive13");
  return std::make_unique<ArchiveStream>(bytes);
}

#endif
}  // namespace sparsecast::matrix
