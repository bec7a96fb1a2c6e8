#include "matrix/view/grey_image.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <sparsecast/error.hpp>
#include <utility>

#ifdef SPARSECAST_HAS_SPNG
#include <spng.h>
#endif

namespace sparsecast::matrix {
namespace {
constexpr int letter_columns = 5, letter_lines = 7;

constexpr std::array<std::array<std::uint8_t, letter_columns>, 95> letters{{
#include "matrix/view/letters.def"
}};
}  // namespace

GreyImage::GreyImage(int width, int height)
    : width_(width), height_(height), tones_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255) {}

void GreyImage::set(int x, int y, int tone) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  tones_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)] =
      static_cast<std::uint8_t>(std::clamp(tone, 0, 255));
}

void GreyImage::fill(int x, int y, int width, int height, int tone) {
  for (int line = y; line < y + height; ++line)
    for (int column = x; column < x + width; ++column) set(column, line, tone);
}

void GreyImage::write(int x, int y, std::string_view text, int zoom) {
  for (const char c : text) {
    const bool known = c >= ' ' && c <= '~';
    const auto& letter = letters[static_cast<std::size_t>((known ? c : '?') - ' ')];
    for (int column = 0; column < letter_columns; ++column)
      for (int line = 0; line < letter_lines; ++line)
        if ((letter[static_cast<std::size_t>(column)] >> line & 1) != 0)
          fill(x + column * zoom, y + line * zoom, zoom, zoom, 0);
    x += (letter_columns + 1) * zoom;
  }
}

int GreyImage::text_width(std::string_view text, int zoom) {
  return std::max(0, static_cast<int>(text.size()) * (letter_columns + 1) - 1) * zoom;
}

bool GreyImage::has_png() {
#ifdef SPARSECAST_HAS_SPNG
  return true;
#else
  return false;
#endif
}

std::string GreyImage::png() const {
#ifdef SPARSECAST_HAS_SPNG
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
  spng_ihdr header{};
  header.width = static_cast<std::uint32_t>(width_);
  header.height = static_cast<std::uint32_t>(height_);
  header.bit_depth = 8;
  header.color_type = SPNG_COLOR_TYPE_GRAYSCALE;
  int failure = context ? spng_set_ihdr(context.get(), &header) : SPNG_EMEM;
  for (const auto& [option, value] : {std::pair{SPNG_ENCODE_TO_BUFFER, 1},
                                      {SPNG_IMG_COMPRESSION_LEVEL, 9},
                                      {SPNG_FILTER_CHOICE, int{SPNG_FILTER_CHOICE_NONE}}})
    if (failure == 0) failure = spng_set_option(context.get(), option, value);
  if (failure == 0)
    failure = spng_encode_image(context.get(), tones_.data(), tones_.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  std::size_t size = 0;
  const std::unique_ptr<void, decltype(&std::free)> bytes(
      failure == 0 ? spng_get_png_buffer(context.get(), &size, &failure) : nullptr, std::free);
  if (failure != 0 || !bytes)
    throw Error(ErrorCode::failed, std::string("cannot write the picture: ") + spng_strerror(failure));
  return {static_cast<const char*>(bytes.get()), size};
#else
  throw Error(ErrorCode::unavailable, "this build writes no PNG", {}, "use .svg, or build with libspng-dev");
#endif
}
}  // namespace sparsecast::matrix
