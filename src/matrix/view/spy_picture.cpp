#include "matrix/view/spy_picture.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/markup.hpp"
#include "base/page/ascii.hpp"
#include "base/text.hpp"
#include "matrix/view/grey_image.hpp"

namespace sparsecast::matrix {
namespace {
constexpr int png_cells = 1024, svg_cells = 256;
constexpr int svg_shades = 8;
constexpr int axis_about = 5;

// 255 white … 0 black; a single non-zero is already clearly visible.
int grey(double shade) { return shade <= 0 ? 255 : static_cast<int>(std::lround(190 * (1 - shade))); }

std::string sizes_text(const SpyLabels& labels) {
  return fmt::format("{} × {}, {} non-zeros", base::format_count(labels.rows), base::format_count(labels.cols),
                     base::format_count(labels.nonzeros));
}

// Where on an axis of so many cells a row or column stands.
double place(std::int64_t number, std::int64_t size, int cells) {
  return static_cast<double>(number) / static_cast<double>(std::max<std::int64_t>(size, 1)) * cells;
}

std::size_t longest_number(std::int64_t size) {
  const std::vector<std::int64_t> numbers = axis_numbers(size, axis_about);
  return numbers.empty() ? 1 : base::format_count(numbers.back()).size();
}

void draw_cells(const SpyRaster& raster, int left, int top, GreyImage& image) {
  for (int y = 0; y < raster.height; ++y)
    for (int x = 0; x < raster.width; ++x) image.set(left + x, top + y, grey(raster.shade(x, y)));
}
}  // namespace

std::vector<std::int64_t> axis_numbers(std::int64_t size, int about) {
  // 1, 2, 5, 10, 20, 50, …
  std::int64_t step = 1;
  for (int k = 0; size / step > about; ++k) step = k % 3 == 1 ? step / 2 * 5 : 2 * step;
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; number < size; number += step) numbers.push_back(number);
  return numbers;
}

std::string spy_png(const SpyRaster& raster) {
  GreyImage image(raster.width, raster.height);
  draw_cells(raster, 0, 0, image);
  return image.png();
}

std::string spy_png(const SpyRaster& raster, const SpyLabels& labels) {
  constexpr int zoom = 2, line = 10 * zoom, margin = 12, tick = 6;
  const std::string title = base::to_ascii(labels.title), sizes = base::to_ascii(sizes_text(labels));
  const int numbers = GreyImage::text_width(std::string(longest_number(labels.rows), '0'), zoom);
  const int left = margin + numbers + tick + 4, top = margin + 3 * line + tick;
  const int text = left + std::max(GreyImage::text_width(title, zoom), GreyImage::text_width(sizes, zoom));
  GreyImage image(std::max(left + raster.width, text) + 4 * margin, top + raster.height + margin);
  image.write(left, margin, title, zoom);
  image.write(left, margin + line, sizes, zoom);
  draw_cells(raster, left, top, image);
  image.fill(left - 1, top - 1, raster.width + 2, 1, 0);
  image.fill(left - 1, top + raster.height, raster.width + 2, 1, 0);
  image.fill(left - 1, top - 1, 1, raster.height + 2, 0);
  image.fill(left + raster.width, top - 1, 1, raster.height + 2, 0);
  for (const std::int64_t number : axis_numbers(labels.cols, axis_about)) {
    const int x = left + static_cast<int>(place(number, labels.cols, raster.width));
    image.fill(x, top - tick, 1, tick, 0);
    image.write(x, top - tick - line + 2, base::format_count(number), zoom);
  }
  for (const std::int64_t number : axis_numbers(labels.rows, axis_about)) {
    const int y = top + static_cast<int>(place(number, labels.rows, raster.height));
    const std::string digits = base::format_count(number);
    image.fill(left - tick, y, tick, 1, 0);
    image.write(left - tick - 4 - GreyImage::text_width(digits, zoom), y, digits, zoom);
  }
  return image.png();
}

std::string spy_svg(const SpyRaster& raster, const SpyLabels& labels) {
  constexpr int margin = 4, zoom = 3, letter = 4, tick = 2;
  const int left = margin + letter * static_cast<int>(longest_number(labels.rows)) + tick + 1, top = 32;
  const int text = letter * static_cast<int>(std::max(labels.title.size() * 5 / 4, sizes_text(labels).size()));
  const int width = left + std::max(raster.width, text) + 4 * margin, height = top + raster.height + margin;
  const std::string title = base::markup_escaped(labels.title);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{2}\" height=\"{3}\" "
      "font-family=\"sans-serif\" font-size=\"6\">\n"
      "<title>{4}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{5}\" y=\"10\" font-size=\"9\">{4}</text>\n<text x=\"{5}\" y=\"18\">{6}</text>\n",
      width, height, zoom * width, zoom * height, title, left, sizes_text(labels));
  const auto mark = [&](double x1, double y1, double x2, double y2) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"black\" stroke-width=\"0.5\"/>\n", x1,
        y1, x2, y2);
  };
  for (const std::int64_t number : axis_numbers(labels.cols, axis_about)) {
    const double x = left + place(number, labels.cols, raster.width);
    mark(x, top - tick, x, top);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\">{}</text>\n", x, top - tick - 1, base::format_count(number));
  }
  for (const std::int64_t number : axis_numbers(labels.rows, axis_about)) {
    const double y = top + place(number, labels.rows, raster.height);
    mark(left - tick, y, left, y);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - tick - 1, y + 5,
                       base::format_count(number));
  }
  svg += fmt::format("<g transform=\"translate({} {})\" shape-rendering=\"crispEdges\">\n", left, top);
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
  const SpyLabels labels{matrix.name(), matrix.rows(), matrix.cols(), matrix.nonzeros()};
  const SpyRaster raster = rasterize(matrix, ending == ".png" ? png_cells : svg_cells, threads);
  base::write_file_atomically(file, ending == ".png" ? spy_png(raster, labels) : spy_svg(raster, labels),
                              {.what = "picture"});
}
}  // namespace sparsecast::matrix
