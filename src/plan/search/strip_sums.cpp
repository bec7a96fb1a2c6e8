#include "plan/search/strip_sums.hpp"

#include <algorithm>
#include <cmath>

#include "formats/sell.hpp"
#include "matrix/structure/near_entries.hpp"

namespace sparsecast::planning {
namespace {

constexpr std::int64_t most_of_a_row = 256;  // entries of one row that are looked at: a row may be the whole matrix
constexpr std::int64_t sort_rows = formats::host_sell.sort_rows;
static_assert(sort_rows == formats::gpu_sell.sort_rows, "one sorting serves both");

// Rows of one window by length. Four counters per short length, used in turn: rows of one length after another would
// otherwise wait for each other's increments.
class LengthCounter {
 public:
  LengthCounter() : rows_(banks * banked_length, 0) {}

  template <class Offset>
  void count(const Offset* row_pointers, std::int64_t first, std::int64_t last, std::vector<RowLengthCount>& lengths) {
    std::int64_t most = 0;
    long_.clear();
    const auto add = [&](std::int64_t row, std::int64_t bank) {
      const auto length = static_cast<std::int64_t>(row_pointers[row + 1] - row_pointers[row]);
      if (length < banked_length) {
        ++rows_[static_cast<std::size_t>(banks * length + bank)];
        most = std::max(most, length);
      } else {
        long_.push_back(length);
      }
    };
    std::int64_t row = first;
    for (; row + banks <= last; row += banks)
      for (std::int64_t bank = 0; bank < banks; ++bank) add(row + bank, bank);
    for (; row < last; ++row) add(row, 0);
    for (std::int64_t length = 0; length <= most; ++length) {
      std::int32_t* counters = rows_.data() + banks * length;
      const std::int64_t rows = std::int64_t{counters[0]} + counters[1] + counters[2] + counters[3];
      if (rows == 0) continue;
      lengths.push_back({length, rows});
      std::fill_n(counters, banks, 0);
    }
    std::ranges::sort(long_);
    for (std::size_t i = 0; i < long_.size(); ++i) {
      if (i == 0 || long_[i] != long_[i - 1]) lengths.push_back({long_[i], 0});
      ++lengths.back().rows;
    }
  }

 private:
  static constexpr std::int64_t banks = 4, banked_length = 1024;  // longer rows are sorted
  std::vector<std::int32_t> rows_;
  std::vector<std::int64_t> long_;
};

// Sorted by falling length: a slice begins at every slice_rows-th rank and is as wide as the row there.
template <int slice_rows>
double sorted_slots(std::span<const RowLengthCount> lengths) {
  std::int64_t rank = 0, slices = 0;
  double slots = 0;
  for (auto entry = lengths.rbegin(); entry != lengths.rend(); ++entry) {
    rank += entry->rows;
    const std::int64_t begun = (rank + slice_rows - 1) / slice_rows;
    slots += static_cast<double>((begun - slices) * slice_rows * entry->length);
    slices = begun;
  }
  return slots;
}

StripContent content_of(std::span<const RowLengthCount> lengths) {
  StripContent sums;
  double squared_counts = 0;
  for (const RowLengthCount& entry : lengths) {
    const auto rows = static_cast<double>(entry.rows), length = static_cast<double>(entry.length);
    sums.rows += rows;
    sums.nonzeros += rows * length;
    sums.squared_lengths += rows * length * length;
    const std::int64_t vectors = (entry.length + 7) / 8;
    sums.vectors += rows * static_cast<double>(vectors);
    squared_counts += rows * rows;
    sums.longest = std::max(sums.longest, entry.length);
  }
  if (sums.rows > 0) sums.mispredictions = sums.rows - squared_counts / sums.rows;
  sums.slots_8 = sorted_slots<formats::host_sell.slice_rows>(lengths);
  sums.slots_32 = sorted_slots<formats::gpu_sell.slice_rows>(lengths);
  return sums;
}

// Locality of the columns, from every step-th row of the strip.
template <class Csr>
void sample_columns(const Csr& csr, std::int64_t first, std::int64_t last, std::int64_t step, StripContent& sums) {
  double looked_at = 0, seen = 0, adjacent = 0, span = 0, similar = 0;
  const auto* columns = csr.column_indices.data();
  for (std::int64_t row = first; row < last; row += step) {
    const std::int64_t begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
    looked_at += 1;
    if (begin == end) continue;
    span += static_cast<double>(columns[end - 1] - columns[begin]);
    const std::int64_t stop = std::min(end, begin + most_of_a_row);
    std::int64_t pairs = 0;
    for (std::int64_t k = begin + 1; k < stop; ++k) pairs += columns[k] - columns[k - 1] == 1;
    // Of the part of the row that was looked at, for the whole row.
    const double part = static_cast<double>(end - begin) / static_cast<double>(stop - begin);
    adjacent += static_cast<double>(pairs) * part;
    seen += static_cast<double>(end - begin);
    if (row + 1 >= csr.rows) continue;
    const std::int64_t next_end = csr.row_pointers[row + 2];
    similar += static_cast<double>(matrix::near_entries(columns + begin, columns + stop, columns + end,
                                                        columns + std::min(next_end, end + most_of_a_row))) /
               static_cast<double>(stop - begin);
  }
  if (looked_at == 0) return;
  sums.span = span / looked_at * sums.rows / static_cast<double>(std::max<std::int64_t>(1, csr.cols));
  sums.similar = similar / looked_at * sums.rows;
  if (seen > 0) sums.adjacent = adjacent / seen * sums.nonzeros;
}

}  // namespace

void merge_lengths(std::vector<RowLengthCount>& lengths) {
  std::ranges::sort(lengths, {}, &RowLengthCount::length);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (kept > 0 && lengths[kept - 1].length == lengths[i].length) {
      lengths[kept - 1].rows += lengths[i].rows;
    } else {
      lengths[kept++] = lengths[i];
    }
  }
  lengths.resize(kept);
}

void StripContent::add(const StripContent& other) {
  rows += other.rows;
  nonzeros += other.nonzeros;
  squared_lengths += other.squared_lengths;
  vectors += other.vectors;
  mispredictions += other.mispredictions;
  slots_8 += other.slots_8;
  slots_32 += other.slots_32;
  longest = std::max(longest, other.longest);
  span += other.span;
  adjacent += other.adjacent;
  similar += other.similar;
}

StripSums::StripSums(const Matrix& matrix, std::int64_t strip_rows, std::int64_t sample)
    : strip_rows_(strip_rows), cols_(matrix.cols()) {
  const std::int64_t rows = matrix.rows(), strips = std::max<std::int64_t>(1, (rows + strip_rows - 1) / strip_rows);
  sums_.reserve(static_cast<std::size_t>(strips));
  first_length_.reserve(static_cast<std::size_t>(strips) + 1);
  first_length_.push_back(0);
  LengthCounter counter;
  std::vector<RowLengthCount> windows, window_lengths;
  matrix.visit_pattern([&](const auto& csr) {
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      const std::int64_t first = strip * strip_rows, last = std::min(rows, first + strip_rows);
      // SELL sorts within windows, so its slots are counted by window; a strip seldom holds many.
      StripContent sums;
      windows.clear();
      for (std::int64_t window = first; window < last; window += sort_rows) {
        window_lengths.clear();
        counter.count(csr.row_pointers.data(), window, std::min(last, window + sort_rows), window_lengths);
        sums.add(content_of(window_lengths));
        windows.insert(windows.end(), window_lengths.begin(), window_lengths.end());
      }
      if (last - first > sort_rows) merge_lengths(windows);
      lengths_.insert(lengths_.end(), windows.begin(), windows.end());
      // So many rows of mean length make up the strip's share of the sample; at least eight.
      const double mean = std::max(1.0, sums.nonzeros / std::max(1.0, sums.rows));
      const std::int64_t of_the_sample = sample / strips;
      const double wanted = std::max(8.0, static_cast<double>(of_the_sample) / std::min(mean, 2.0 * most_of_a_row));
      // Odd, as rows often come in groups of two, four or six unknowns of one point.
      const std::int64_t step = static_cast<std::int64_t>(sums.rows / wanted) | 1;
      sample_columns(csr, first, last, step, sums);
      sums_.push_back(sums);
      first_length_.push_back(lengths_.size());
      whole_.add(sums);
    }
  });
}

}  // namespace sparsecast::planning
