#include "matrix/view/structure_report.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/guard/printable.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "matrix/view/row_histogram.hpp"
#include "matrix/view/spy.hpp"

namespace sparsecast::matrix {
namespace {
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
         line("Gini", number(s.row_gini), "0: all rows equally long; towards 1: all entries in one row") +
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
}  // namespace

std::string structure_report(const Matrix& matrix, const Structure& s, const base::Layout& page, int threads) {
  std::string text = fmt::format("{}: {} × {}, {} non-zeros", base::printable(s.name), base::format_count(s.rows),
                                 base::format_count(s.cols), base::format_count(s.nonzeros));
  if (s.nonzeros == 0) return text + "\n";
  const double cells = static_cast<double>(s.rows) * static_cast<double>(s.cols);
  text += fmt::format(" ({:.3g} % full)\n\n", 100 * static_cast<double>(s.nonzeros) / cells);
  const int bars = std::clamp(page.width - 32, 8, 40);  // beside lengths, rows and shares
  text += lengths_text(s, page) + "\n" + row_histogram_text(s, bars) + "\n" +
          base::folded(features_text(s), page.width) + "\n" + padding_text(s, page) + "\n" + forms_text(s, page) +
          "\n" + reuse_text(s, page) + "\n";
  return text + spy_text(rasterize(matrix, spy_dots, threads));
}
}  // namespace sparsecast::matrix
