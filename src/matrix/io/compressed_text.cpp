#include "matrix/io/gzip_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <sparsecast/error.hpp>

#include "matrix/io/number_scan.hpp"

namespace sparsecast::matrix {

struct GzipText::Inflater {
  z_stream stream{};
  std::string_view input;
  std::size_t consumed = 0;
  bool ended = false;  ///< the last member is complete

  explicit Inflater(std::string_view compressed) : input(compressed) {
    constexpr int gzip_window = 15 + 16;
    if (inflateInit2(&stream, gzip_window) != Z_OK) throw Error(ErrorCode::failed, "zlib has no memory");
  }
  ~Inflater() { inflateEnd(&stream); }

  /// Fills `out`; fewer bytes only at the end. Returns a reason where the data are bad.
  const char* fill(char* out, std::size_t size, std::size_t& filled) {
    filled = 0;
    while (filled < size && !ended) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data() + consumed));
      const auto in_step = static_cast<uInt>(std::min<std::size_t>(input.size() - consumed, 1U << 30));
      stream.avail_in = in_step;
      stream.next_out = reinterpret_cast<Bytef*>(out + filled);
      const auto out_step = static_cast<uInt>(std::min<std::size_t>(size - filled, 1U << 30));
      stream.avail_out = out_step;
      const int code = inflate(&stream, Z_NO_FLUSH);
      consumed += in_step - stream.avail_in;
      filled += out_step - stream.avail_out;
      if (code == Z_STREAM_END) {
        // Members may follow one another (gzip -c a >> b); zeros may pad the end (tape blocks), nothing else.
        if (is_gzip(input.substr(consumed))) {
          if (inflateReset(&stream) != Z_OK) return "cannot be decompressed";
        } else {
          if (input.find_first_not_of('\0', consumed) != std::string_view::npos)
            return "has bytes after its gzip stream";
          ended = true;
        }
      } else if (code == Z_BUF_ERROR || (code == Z_OK && consumed == input.size() && stream.avail_out != 0)) {
        return "is cut off: its gzip stream does not end";
      } else if (code != Z_OK) {
        return "is corrupt: its gzip stream cannot be decompressed";
      }
    }
    return nullptr;
  }
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

GzipText::GzipText(std::string_view compressed, std::string file)
    : inflater_(std::make_unique<Inflater>(compressed)), file_(std::move(file)) {}

GzipText::~GzipText() = default;

void GzipText::refuse(const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, {file_, lines_ + 1}, remedy);
}

std::string GzipText::next(std::size_t bytes) {
  std::string piece = std::move(rest_);
  rest_.clear();
  const std::size_t begin = piece.size();
  piece.reserve(begin + bytes + readable_beyond);
  piece.resize(begin + bytes);
  std::size_t filled = 0;
  if (const char* reason = inflater_->fill(piece.data() + begin, bytes, filled); reason != nullptr) {
    lines_ += std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(begin + filled), '\n');
    refuse(reason, "fetch or compress it again");
  }
  piece.resize(begin + filled);
  text_bytes_ += static_cast<std::int64_t>(filled);
  if (inflater_->ended) {
    if (!piece.empty() && piece.back() != '\n') piece += '\n';
  } else {
    const std::size_t last = piece.rfind('\n');
    if (last == std::string::npos) refuse("a line does not end within a megabyte of text", "is it a text file?");
    rest_ = piece.substr(last + 1);
    piece.resize(last + 1);
  }
  lines_ += std::count(piece.begin(), piece.end(), '\n');
  piece.reserve(piece.size() + readable_beyond);
  return piece;
}

}  // namespace sparsecast::matrix
