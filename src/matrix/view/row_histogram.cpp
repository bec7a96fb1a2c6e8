#include "matrix/view/row_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/page/text_table.hpp"
#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
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
}  // namespace

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
}  // namespace sparsecast::matrix
