#include "formats/parts/row_lengths.hpp"

#include <numeric>

#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {
namespace {
// Counting sort of rows [first, last) by descending length; stable.
template <class Csr, class Index>
void counting_sort(const Csr& csr, std::int64_t first, std::int64_t last, std::vector<std::int64_t>& begin,
                   Index* order) {
  const auto length = [&](std::int64_t row) { return csr.row_pointers[row + 1] - csr.row_pointers[row]; };
  std::int64_t longest = 0;
  for (std::int64_t row = first; row < last; ++row) longest = std::max<std::int64_t>(longest, length(row));
  begin.assign(static_cast<std::size_t>(longest) + 2, 0);
  for (std::int64_t row = first; row < last; ++row) ++begin[longest - length(row) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::int64_t row = first; row < last; ++row)
    order[first + begin[longest - length(row)]++] = static_cast<Index>(row);
}

// A window with a row much longer than the window has rows: sort by comparison instead of counting lengths.
template <class Csr, class Index>
void comparison_sort(const Csr& csr, std::int64_t first, std::int64_t last, Index* order) {
  std::iota(order + first, order + last, static_cast<Index>(first));
  std::sort(order + first, order + last, [&](Index a, Index b) {
    const auto length_a = csr.row_pointers[a + 1] - csr.row_pointers[a],
               length_b = csr.row_pointers[b + 1] - csr.row_pointers[b];
    return length_a != length_b ? length_a > length_b : a < b;
  });
}
}  // namespace

std::int64_t longest_row(const Matrix& matrix, int threads) {
  return matrix.visit_pattern([&](const auto& csr) {
    std::vector<std::int64_t> longest(static_cast<std::size_t>(threads), 0);
    for_each_part(threads, [&](int part) {
      std::int64_t most = 0;
      const std::int64_t last = part_begin(csr.rows, part + 1, threads);
      for (std::int64_t row = part_begin(csr.rows, part, threads); row < last; ++row)
        most = std::max<std::int64_t>(most, csr.row_pointers[row + 1] - csr.row_pointers[row]);
      longest[static_cast<std::size_t>(part)] = most;
    });
    return *std::max_element(longest.begin(), longest.end());
  });
}

std::vector<RowLengthCount> row_length_histogram(const Matrix& matrix, int threads) {
  return matrix.visit_pattern([&](const auto& csr) {
    // At most one counter per non-zero, so a single long row cannot ask for more memory than the matrix has; of long
    // ones a part's counters would cost more than its rows.
    const std::int64_t longest = longest_row(matrix, threads);
    const int parts = longest > csr.rows / std::max(1, threads) ? 1 : threads;
    std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(parts));
    for_each_part(parts, [&](int part) {
      std::vector<std::int64_t>& count = counts[static_cast<std::size_t>(part)];
      count.assign(static_cast<std::size_t>(longest) + 1, 0);
      const std::int64_t last = part_begin(csr.rows, part + 1, parts);
      for (std::int64_t row = part_begin(csr.rows, part, parts); row < last; ++row)
        ++count[csr.row_pointers[row + 1] - csr.row_pointers[row]];
    });
    std::vector<RowLengthCount> histogram;
    for (std::size_t length = 0; length < counts.front().size(); ++length) {
      std::int64_t rows = 0;
      for (const auto& count : counts) rows += count[length];
      if (rows > 0) histogram.push_back({static_cast<std::int64_t>(length), rows});
    }
    return histogram;
  });
}

template <class Index>
Array<Index> rows_by_length(const Matrix& matrix, std::int64_t window, int threads) {
  Array<Index> order;
  allocate(order, matrix.rows(), "row order");
  const std::int64_t rows = matrix.rows();
  window = std::max<std::int64_t>(1, std::min(window, rows));
  const std::int64_t windows = (rows + window - 1) / window;
  matrix.visit_pattern([&](const auto& csr) {
    const int parts = static_cast<int>(std::clamp<std::int64_t>(windows, 1, threads));
    for_each_part(parts, [&](int part) {
      std::vector<std::int64_t> begin;
      const std::int64_t last_window = part_begin(windows, part + 1, parts);
      for (std::int64_t w = part_begin(windows, part, parts); w < last_window; ++w) {
        const std::int64_t first = w * window, last = std::min(rows, first + window);
        const std::int64_t nonzeros = csr.row_pointers[last] - csr.row_pointers[first];
        // Counting costs rows + longest ≤ rows + non-zeros: nothing beside the conversion, unless one row is huge.
        if (nonzeros / 64 > last - first) {
          comparison_sort(csr, first, last, order.data());
        } else {
          counting_sort(csr, first, last, begin, order.data());
        }
      }
    });
  });
  return order;
}

template Array<std::int32_t> rows_by_length(const Matrix&, std::int64_t, int);
template Array<std::int64_t> rows_by_length(const Matrix&, std::int64_t, int);
}  // namespace sparsecast::formats
