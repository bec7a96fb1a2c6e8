#include "support/gzip.hpp"

#include <zlib.h>

#include <stdexcept>

namespace sparsecast::test {
namespace {

std::string compressed(std::string_view text, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

}  // namespace

std::string gzipped(std::string_view text) { return compressed(text, 15 + 16); }
std::string deflated(std::string_view text) { return compressed(text, -15); }

}  // namespace sparsecast::test
