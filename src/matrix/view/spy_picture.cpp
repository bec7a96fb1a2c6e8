#include "matrix/view/spy_picture.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cmath>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/markup.hpp"

namespace sparsecast::matrix {
namespace {

constexpr int png_cells = 1024, svg_cells = 256;
constexpr int svg_shades = 8;

void append_word(std::string& bytes, std::uint32_t word) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(word >> shift & 0xFF);
}

// A PNG chunk: length, type, content, checksum of type and content (PNG specification, section 5.3).
void append_chunk(std::string& png, const std::string& type, const std::string& content) {
  append_word(png, static_cast<std::uint32_t>(content.size()));
  const std::string checked = type + content;
  png += checked;
  append_word(png, static_cast<std::uint32_t>(
                       crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()))));
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), 9) != Z_OK)
    throw Error(ErrorCode::failed, "cannot compress the picture");
  out.resize(size);
  return out;
}

// 255 white … 0 black; a single non-zero is already clearly visible.
int grey(double shade) { return shade <= 0 ? 255 : static_cast<int>(std::lround(190 * (1 - shade))); }

}  // namespace

std::string spy_png(const SpyRaster& raster) {
  std::string png = "\x89PNG\r\n\x1a\n";
  std::string header;
  append_word(header, static_cast<std::uint32_t>(raster.width));
  append_word(header, static_cast<std::uint32_t>(raster.height));
  header += '\x08';        // bits per sample
  header.append(4, '\0');  // greyscale; deflate; no prediction but each line's filter byte; not interlaced
  append_chunk(png, "IHDR", header);
  std::string lines;
  for (int y = 0; y < raster.height; ++y) {
    lines += '\0';  // filter: none
    for (int x = 0; x < raster.width; ++x) lines += static_cast<char>(grey(raster.shade(x, y)));
  }
  append_chunk(png, "IDAT", compressed(lines));
  append_chunk(png, "IEND", "");
  return png;
}

std::string spy_svg(const SpyRaster& raster, const std::string& title) {
  constexpr int margin = 4, caption = 16, zoom = 3;
  const int width = raster.width + 2 * margin, height = raster.height + 2 * margin + caption;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{2}\" height=\"{3}\">\n"
      "<title>{4}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{5}\" y=\"12\" font-family=\"sans-serif\" font-size=\"9\">{4}</text>\n"
      "<g transform=\"translate({5} {6})\" shape-rendering=\"crispEdges\">\n",
      width, height, zoom * width, zoom * height, base::markup_escaped(title), margin, margin + caption);
  const auto level = [&](int x, int y) { return static_cast<int>(std::ceil(raster.shade(x, y) * svg_shades)); };
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width;) {
      const int shade = level(x, y);
      int end = x + 1;
      while (end < raster.width && level(end, y) == shade) ++end;
      if (shade > 0) {
        const int tone = grey(static_cast<double>(shade) / svg_shades);
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"1\" fill=\"#{:02x}{:02x}{:02x}\"/>\n", x, y,
                           end - x, tone, tone, tone);
      }
      x = end;
    }
  return svg + fmt::format(
                   "<rect width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\" stroke-width=\"0.5\"/>\n"
                   "</g>\n</svg>\n",
                   raster.width, raster.height);
}

void write_spy_picture(const Matrix& matrix, const std::filesystem::path& file, int threads) {
  const std::string ending = file.extension().string();
  if (ending != ".png" && ending != ".svg")
    throw Error(ErrorCode::usage, fmt::format("a picture is a .png or a .svg, not \"{}\"", file.string()));
  const std::string bytes = ending == ".png" ? spy_png(rasterize(matrix, png_cells, threads))
                                             : spy_svg(rasterize(matrix, svg_cells, threads), matrix.name());
  base::write_file_atomically(file, bytes, {.what = "picture"});
}

}  // namespace sparsecast::matrix
