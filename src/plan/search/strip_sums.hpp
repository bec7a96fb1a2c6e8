#pragma once
// What the strips of a matrix hold, gathered in one pass over the row pointers and a sample of the columns, so that the
// time of any range of strips follows without looking at rows again.

#include <cstdint>
#include <span>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <vector>

namespace sparsecast::planning {

/// Sums over some rows: of one strip, or of several added up.
struct StripContent {
  double rows = 0, nonzeros = 0;
  double squared_lengths = 0;  ///< Σ length²
  double vectors = 0;          ///< Σ ⌈length / 8⌉
  double mispredictions = 0;   ///< row ends that a branch predictor cannot predict (formats/workload.hpp)
  double slots_8 = 0;          ///< slots of SELL-8-1024, windows counted from the strip's first row
  double slots_32 = 0;         ///< of SELL-32-1024
  std::int64_t longest = 0;
  double span = 0;      ///< Σ over rows of last − first column, over cols
  double adjacent = 0;  ///< pairs of adjacent columns
  double similar = 0;   ///< Σ over rows of the share of entries with one near in the next row

  void add(const StripContent& other);
};

/// Adds up the rows of equal lengths; ascending in length afterwards.
void merge_lengths(std::vector<RowLengthCount>& lengths);

class StripSums {
 public:
  /// `strip_rows` ≥ 1. Of the columns about `sample` non-zeros are looked at, evenly over the strips.
  StripSums(const Matrix& matrix, std::int64_t strip_rows, std::int64_t sample);

  [[nodiscard]] std::int64_t strips() const { return static_cast<std::int64_t>(sums_.size()); }
  [[nodiscard]] std::int64_t strip_rows() const { return strip_rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  /// Of strip 1 … strips().
  [[nodiscard]] const StripContent& operator[](std::int64_t strip) const {
    return sums_[static_cast<std::size_t>(strip - 1)];
  }
  [[nodiscard]] const StripContent& whole() const { return whole_; }
  /// Row lengths of one strip, ascending.
  [[nodiscard]] std::span<const RowLengthCount> lengths(std::int64_t strip) const {
    const auto s = static_cast<std::size_t>(strip);
    return std::span(lengths_).subspan(first_length_[s - 1], first_length_[s] - first_length_[s - 1]);
  }

 private:
  std::int64_t strip_rows_, cols_;
  std::vector<StripContent> sums_;
  StripContent whole_;
  std::vector<RowLengthCount> lengths_;
  std::vector<std::size_t> first_length_;  // strips + 1
};

}  // namespace sparsecast::planning
