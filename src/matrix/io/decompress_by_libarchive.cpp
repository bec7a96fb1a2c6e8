// bzip2, xz and zstd, where the build has libarchive: the file as an archive of format "raw", which is one stream.

#include <fmt/format.h>

#include <sparsecast/error.hpp>

#include "matrix/io/decompressor.hpp"

#ifdef SPARSECAST_HAS_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace sparsecast::matrix {

#ifndef SPARSECAST_HAS_ARCHIVE

std::unique_ptr<Decompressor> open_by_libarchive(std::string_view bytes, const std::string& file) {
  const std::string_view format = compression_of(bytes);
  throw Error(ErrorCode::unavailable,
              fmt::format("is compressed by {}, and this build has no libarchive to read that", format), {file},
              fmt::format("`{} -d` decompresses it; or install libarchive-dev and build again", format));
}

#else

namespace {

struct StreamEnd {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

class ArchiveStream : public Decompressor {
 public:
  explicit ArchiveStream(std::string_view bytes) : format_(compression_of(bytes)) {
    if (!reader_) throw Error(ErrorCode::failed, "libarchive has no memory");
    archive_read_support_filter_bzip2(reader_.get());
    archive_read_support_filter_xz(reader_.get());
    archive_read_support_filter_zstd(reader_.get());
    archive_read_support_format_raw(reader_.get());
    archive_entry* entry = nullptr;
    opened_ = archive_read_open_memory(reader_.get(), bytes.data(), bytes.size()) == ARCHIVE_OK &&
              archive_read_next_header(reader_.get(), &entry) == ARCHIVE_OK;
  }

  [[nodiscard]] bool ended() const override { return ended_; }

  std::string fill(char* out, std::size_t size, std::size_t& filled) override {
    filled = 0;
    while (opened_ && filled < size && !ended_) {
      const la_ssize_t got = archive_read_data(reader_.get(), out + filled, size - filled);
      if (got < 0) return reason();
      ended_ = got == 0;
      filled += static_cast<std::size_t>(got);
    }
    return opened_ ? std::string() : reason();
  }

 private:
  [[nodiscard]] std::string reason() const {
    const char* const said = archive_error_string(reader_.get());
    return fmt::format("is cut off or corrupt: its {} stream cannot be decompressed{}{}", format_,
                       said != nullptr ? ", " : "", said != nullptr ? said : "");
  }

  std::string_view format_;
  std::unique_ptr<archive, StreamEnd> reader_{archive_read_new()};
  bool opened_ = false, ended_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> open_by_libarchive(std::string_view bytes, const std::string& /*file*/) {
  return std::make_unique<ArchiveStream>(bytes);
}

#endif

}  // namespace sparsecast::matrix
