#include "matrix/io/packed/decompressor.hpp"

#include <zlib.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <utility>

namespace sparsecast::matrix {
namespace {
bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

class Inflater : public Decompressor {
 public:
  explicit Inflater(std::string_view compressed) : input_(compressed) {
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw Error(ErrorCode::failed, "zlib has no memory");
  }
  ~Inflater() override { inflateEnd(&stream_); }
  Inflater& operator=(Inflater&&) = delete;  // nor copied

  [[nodiscard]] bool ended() const override { return ended_; }

  std::string fill(char* out, std::size_t size, std::size_t& filled) override {
    filled = 0;
    while (filled < size && !ended_) {
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data() + consumed_));
      const auto in_step = static_cast<uInt>(std::min<std::size_t>(input_.size() - consumed_, 1U << 30));
      stream_.avail_in = in_step;
      stream_.next_out = reinterpret_cast<Bytef*>(out + filled);
      const auto out_step = static_cast<uInt>(std::min<std::size_t>(size - filled, 1U << 30));
      stream_.avail_out = out_step;
      const int code = inflate(&stream_, Z_NO_FLUSH);
      consumed_ += in_step - stream_.avail_in;
      filled += out_step - stream_.avail_out;
      if (code == Z_STREAM_END) {
        // Members may follow one another (gzip -c a >> b); zeros may pad the end (tape blocks), nothing else.
        if (is_gzip(input_.substr(consumed_))) {
          if (inflateReset(&stream_) != Z_OK) return "cannot be decompressed";
        } else {
          if (input_.find_first_not_of('\0', consumed_) != std::string_view::npos)
            return "has bytes after its gzip stream";
          ended_ = true;
        }
      } else if (code == Z_BUF_ERROR || (code == Z_OK && consumed_ == input_.size() && stream_.avail_out != 0)) {
        return "is cut off: its gzip stream does not end";
      } else if (code != Z_OK) {
        return "is corrupt: its gzip stream cannot be decompressed";
      }
    }
    return {};
  }

 private:
  z_stream stream_{};
  std::string_view input_;
  std::size_t consumed_ = 0;
  bool ended_ = false;
};
}  // namespace

std::string_view compression_of(std::string_view bytes) {
  if (is_gzip(bytes)) return "gzip";
  if (bytes.starts_with("BZh")) return "bzip2";
  if (bytes.starts_with(std::string_view("\xFD\x37zXZ\0", 6))) return "xz";
  if (bytes.starts_with("\x28\xB5\x2F\xFD")) return "zstd";
  return {};
}

std::int64_t most_decompressed(std::string_view bytes) {
  const std::int64_t ratio = is_gzip(bytes) ? deflate_ratio : 1'000'000;
  const auto size = static_cast<std::int64_t>(bytes.size());
  return size > INT64_MAX / ratio ? INT64_MAX - 1 : size * ratio;
}

std::unique_ptr<Decompressor> open_gzip(std::string_view bytes) { return std::make_unique<Inflater>(bytes); }

std::unique_ptr<Decompressor> open_compressed(std::string_view bytes, const std::string& file) {
  return is_gzip(bytes) ? open_gzip(bytes) : open_by_libarchive(bytes, file);
}
}  // namespace sparsecast::matrix
