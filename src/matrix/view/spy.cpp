#include "matrix/view/spy.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/team.hpp"
#include "base/markup.hpp"
#include "base/page/ascii.hpp"
#include "base/page/text_table.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"

#ifdef SPARSECAST_HAS_SPNG
#include <spng.h>
#endif

#include <algorithm>
#include <cstdlib>

namespace sparsecast::matrix {
namespace {
struct Grid {
  int width, height;
};

Grid grid_for(std::int64_t rows, std::int64_t cols, int longest) {
  const std::int64_t larger = std::max<std::int64_t>({rows, cols, 1});
  if (larger <= longest) {
    const std::int64_t zoom = std::max<std::int64_t>(1, longest / 2 / larger);
    return {static_cast<int>(std::max<std::int64_t>(1, cols * zoom)),
            static_cast<int>(std::max<std::int64_t>(1, rows * zoom))};
  }
  const double scale = static_cast<double>(longest) / static_cast<double>(larger);
  const auto cells = [&](std::int64_t length) {
    return std::clamp(static_cast<int>(std::lround(static_cast<double>(length) * scale)), 1, longest);
  };
  return {cells(cols), cells(rows)};
}

// Non-zeros of the rows of one raster line, cell by cell. Where entries are larger than cells, each fills its square.
template <class C>
void count_line(const C& csr, int y, SpyRaster& raster) {
  std::int64_t* line = raster.counts.data() + static_cast<std::ptrdiff_t>(y) * raster.width;
  const std::int64_t first = y * csr.rows / raster.height;
  const std::int64_t last = std::max(first + 1, (y + 1) * csr.rows / raster.height);
  for (std::int64_t r = first; r < std::min(last, csr.rows); ++r)
    for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
      const std::int64_t column = csr.column_indices[k];
      const std::int64_t from = column * raster.width / csr.cols;
      const std::int64_t to = std::max(from + 1, (column + 1) * raster.width / csr.cols);
      for (std::int64_t x = from; x < to; ++x) ++line[x];
    }
}

// Thresholds of a 4 × 4 ordered dither (Bayer 1973), in sixteenths.
constexpr int bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

bool is_dot(const SpyRaster& raster, int x, int y) {
  if (x >= raster.width || y >= raster.height) return false;
  return raster.shade(x, y) > bayer[y % 4][x % 4] / 16.0 * 0.9;
}

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

constexpr int spy_dots = 64;

std::string lengths_text(const Structure& s, const base::Layout& page) {
  base::TextTable table(
      {"row lengths", "least", "25 %", "median", "75 %", "99 %", "most", "mean", "deviation", "mode", "empty rows"});
  table.add({"", base::format_count(s.row_min), base::format_count(s.row_quantile(0.25)),
             base::format_count(s.row_quantile(0.5)), base::format_count(s.row_quantile(0.75)),
             base::format_count(s.row_quantile(0.99)), base::format_count(s.row_max), fmt::format("{:.2f}", s.row_mean),
             fmt::format("{:.2f}", s.row_std), base::format_count(s.row_mode), base::format_count(s.empty_rows)});
  return table.text(page);
}

std::string features_text(const Structure& s) {
  const auto line = [](const char* name, const std::string& value, const char* meaning) {
    return fmt::format("{:<19}{:>10}  {}\n", name, value, meaning);
  };
  const auto number = [](double x) { return fmt::format("{:.4g}", x); };
  return line("skew", number(s.row_skew), "(longest row - mean) / mean") +
         line("Gini", number(s.row_gini), "0: rows equally long, towards 1: all in one row") +
         line("bandwidth", number(s.bandwidth_scaled), "mean distance from first to last column, over the columns") +
         line("diagonal bandwidth", base::format_count(s.diagonal_bandwidth), "greatest |row - column|") +
         line("neighbours", number(s.neighbours), "non-zeros directly beside a non-zero, 0 to 2") +
         line("row similarity", number(s.cross_row_similarity),
              "share of a row's non-zeros with one below, +-1 column") +
         line("runs per row", number(s.runs_per_row), "runs of adjacent columns");
}

std::string padding_text(const Structure& s, const base::Layout& page) {
  const auto factor = [&](double slots) { return fmt::format("{:.2f}", slots / static_cast<double>(s.nonzeros)); };
  const auto slices = [&](int rows, int sorted) { return factor(static_cast<double>(s.slice(rows, sorted)->slots)); };
  const HybSplit hyb = hyb_split(s);
  base::TextTable table(
      {"stored / non-zeros", "ELL", "SELL-8", "SELL-32", "SELL-32-1024", "HYB width", "HYB overflow"});
  table.add({"", factor(static_cast<double>(s.row_max) * static_cast<double>(s.rows)), slices(8, 1), slices(32, 1),
             slices(32, 1024), base::format_count(hyb.width),
             base::format_percent(static_cast<double>(hyb.overflow) / static_cast<double>(s.nonzeros))});
  return table.text(page);
}

std::string forms_text(const Structure& s, const base::Layout& page) {
  const DenseDiagonals& dense = s.dense_diagonals;
  const DenseBlocks& blocks = s.dense_blocks;
  base::TextTable table({"made for structure", "dense diagonals", "non-zeros on them", "blocks", "full", "symmetric"});
  table.add({"", base::format_count(dense.diagonals),
             base::format_percent(static_cast<double>(dense.nonzeros) / static_cast<double>(s.nonzeros)),
             blocks.rows > 0 ? fmt::format("{} × {}", blocks.rows, blocks.cols) : "–",
             blocks.rows > 0 ? base::format_percent(blocks.fill) : "–", s.symmetry.symmetric == 1 ? "yes" : "no"});
  return table.text(page);
}

std::string reuse_text(const Structure& s, const base::Layout& page) {
  const XReuse& lines = s.x_reuse[1];  // 64-byte lines of double
  const auto missed = [&](double bytes) { return base::format_percent(lines.miss_share(bytes / 64)); };
  base::TextTable table({"reads of x (double)", "64-byte lines", "first reads", "missed by 32 KiB", "1 MiB", "32 MiB"});
  table.add({"", base::format_count(lines.lines), base::format_percent(lines.cold), missed(32 << 10), missed(1 << 20),
             missed(32 << 20)});
  return table.text(page);
}

constexpr std::size_t few_lengths = 16;

// Eighths of a character cell.
std::string bar(double share, int width) {
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = std::max(1, static_cast<int>(std::lround(share * 8 * width)));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += parts[eighths % 8];
  for (int i = (eighths + 7) / 8; i < width; ++i) text += ' ';
  return text;
}

constexpr int letter_columns = 5, letter_lines = 7;

constexpr std::array<std::array<std::uint8_t, letter_columns>, 95> letters{{
#include "matrix/view/letters.def"
}};
}  // namespace

double SpyRaster::shade(int x, int y) const {
  return most == 0 ? 0.0 : std::log1p(static_cast<double>(at(x, y))) / std::log1p(static_cast<double>(most));
}

SpyRaster rasterize(const Matrix& matrix, int longest, int threads) {
  const Grid grid = grid_for(matrix.rows(), matrix.cols(), longest);
  SpyRaster raster;
  raster.width = grid.width;
  raster.height = grid.height;
  raster.counts.assign(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height), 0);
  if (matrix.nonzeros() == 0) return raster;
  matrix.visit_pattern([&](const auto& csr) {
#pragma omp parallel for schedule(dynamic, 8) num_threads(base::team_of(base::thread_count(threads)))
    for (int y = 0; y < raster.height; ++y) count_line(csr, y, raster);
  });
  raster.most = *std::ranges::max_element(raster.counts);
  return raster;
}

std::string spy_text(const SpyRaster& raster) {
  // Dots of a braille character by line and column, as bits of its code point above U+2800.
  constexpr int dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const int columns = (raster.width + 1) / 2, lines = (raster.height + 3) / 4;
  std::string rule;
  for (int c = 0; c < columns; ++c) rule += "─";
  std::string text = "┌" + rule + "┐\n";
  for (int line = 0; line < lines; ++line) {
    text += "│";
    for (int c = 0; c < columns; ++c) {
      int pattern = 0;
      for (int dy = 0; dy < 4; ++dy)
        for (int dx = 0; dx < 2; ++dx)
          if (is_dot(raster, 2 * c + dx, 4 * line + dy)) pattern |= dots[dy][dx];
      text += static_cast<char>(0xE2);  // the three bytes of U+2800 + pattern in UTF-8
      text += static_cast<char>(0xA0 | (pattern >> 6));
      text += static_cast<char>(0x80 | (pattern & 0x3F));
    }
    text += "│\n";
  }
  return text + "└" + rule + "┘\n";
}

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

std::string structure_report(const Matrix& matrix, const Structure& s, const base::Layout& page, int threads) {
  std::string text = fmt::format("{}: {} × {}, {} non-zeros", s.name, base::format_count(s.rows),
                                 base::format_count(s.cols), base::format_count(s.nonzeros));
  if (s.nonzeros == 0) return text + "\n";
  const double cells = static_cast<double>(s.rows) * static_cast<double>(s.cols);
  text += fmt::format(" ({:.3g} % full)\n\n", 100 * static_cast<double>(s.nonzeros) / cells);
  text += lengths_text(s, page) + "\n" + row_histogram_text(s) + "\n" + base::folded(features_text(s), page.width) +
          "\n" + padding_text(s, page) + "\n" + forms_text(s, page) + "\n" + reuse_text(s, page) + "\n";
  return text + spy_text(rasterize(matrix, spy_dots, threads));
}

std::vector<RowLengthBin> row_length_bins(std::span<const RowLengthCount> lengths) {
  const bool few = lengths.size() <= few_lengths;
  std::vector<RowLengthBin> bins;
  for (const RowLengthCount& entry : lengths) {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(entry.length)));
    const std::int64_t first = few ? entry.length : power;
    if (bins.empty() || bins.back().first != first)
      bins.push_back({first, few || power == 0 ? first : 2 * power - 1, 0});
    bins.back().rows += entry.rows;
  }
  return bins;
}

std::string row_histogram_text(const Structure& structure, int width) {
  const std::vector<RowLengthBin> bins = row_length_bins(structure.row_histogram);
  std::int64_t most = 1;
  for (const RowLengthBin& bin : bins) most = std::max(most, bin.rows);
  base::TextTable table({"row length", "", "rows", ""});
  for (const RowLengthBin& bin : bins) {
    const std::string lengths = bin.first == bin.last
                                    ? base::format_count(bin.first)
                                    : base::format_count(bin.first) + "–" + base::format_count(bin.last);
    table.add({lengths, bar(static_cast<double>(bin.rows) / static_cast<double>(most), width),
               base::format_count(bin.rows),
               base::format_percent(static_cast<double>(bin.rows) / static_cast<double>(structure.rows))});
  }
  return table.text();
}

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
  throw Error(ErrorCode::unavailable, "this build writes no PNG", {}, "name a .svg, or build with libspng-dev");
#endif
}
}  // namespace sparsecast::matrix
