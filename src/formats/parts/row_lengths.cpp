#include "formats/parts/row_lengths.hpp"

#include <numeric>

#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {
namespace {
// Rows [first, last) by descending length; stable.
class WindowSort {
 public:
  template <class Csr, class Index>
  void sort(const Csr& csr, std::int64_t first, std::int64_t last, Index* order) {
    const auto rows = static_cast<std::size_t>(last - first);
    lengths_.resize(rows);
    std::int64_t shortest = csr.row_pointers[first + 1] - csr.row_pointers[first], longest = shortest;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t row = first + static_cast<std::int64_t>(r);
      const std::int64_t length = csr.row_pointers[row + 1] - csr.row_pointers[row];
      lengths_[r] = length;
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    if (longest == shortest) return std::iota(order + first, order + last, static_cast<Index>(first));
    if (longest - shortest < few_lengths) return length_by_length(shortest, longest, first, order + first);
    begin_.assign(static_cast<std::size_t>(longest - shortest) + 2, 0);
    for (const std::int64_t length : lengths_) ++begin_[static_cast<std::size_t>(longest - length + 1)];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    for (std::size_t r = 0; r < rows; ++r)
      order[first + begin_[static_cast<std::size_t>(longest - lengths_[r])]++] =
          static_cast<Index>(first + static_cast<std::int64_t>(r));
  }

 private:
  // A pass for each costs less than counting, where the next row of a length waits for the one before.
  static constexpr std::int64_t few_lengths = 4;

  template <class Index>
  void length_by_length(std::int64_t shortest, std::int64_t longest, std::int64_t first, Index* order) {
    found_.resize(lengths_.size() + 1);  // a row that is not of the length is overwritten by the next
    for (std::int64_t length = longest; length >= shortest; --length) {
      std::size_t count = 0;
      for (std::size_t r = 0; r < lengths_.size(); ++r) {
        found_[count] = static_cast<std::int64_t>(r);
        count += lengths_[r] == length ? 1 : 0;
      }
      for (std::size_t k = 0; k < count; ++k) *order++ = static_cast<Index>(first + found_[k]);
    }
  }

  std::vector<std::int64_t> lengths_, begin_, found_;
};

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
      WindowSort by_length;
      const std::int64_t last_window = part_begin(windows, part + 1, parts);
      for (std::int64_t w = part_begin(windows, part, parts); w < last_window; ++w) {
        const std::int64_t first = w * window, last = std::min(rows, first + window);
        const std::int64_t nonzeros = csr.row_pointers[last] - csr.row_pointers[first];
        // Counting costs rows + longest ≤ rows + non-zeros: nothing beside the conversion, unless one row is huge.
        if (nonzeros / 64 > last - first) {
          comparison_sort(csr, first, last, order.data());
        } else {
          by_length.sort(csr, first, last, order.data());
        }
      }
    });
  });
  return order;
}

template Array<std::int32_t> rows_by_length(const Matrix&, std::int64_t, int);
template Array<std::int64_t> rows_by_length(const Matrix&, std::int64_t, int);
}  // namespace sparsecast::formats
