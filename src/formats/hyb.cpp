#include "formats/hyb.hpp"

#include "formats/parts/row_lengths.hpp"
#include "formats/parts/sizes.hpp"

namespace sparsecast::formats {

std::int64_t hyb_bytes(const Structure& structure, int value_bytes) {
  const HybSplit split = hyb_split(structure);
  return saturating_sum(ell_bytes(structure.rows, structure.cols, split.width, value_bytes),
                        coo_bytes(structure.rows, structure.cols, split.overflow, value_bytes));
}

template <class Value, class Index>
Hyb<Value, Index> to_hyb(const Matrix& matrix, int threads) {
  // The rule reads no more of a Structure than sizes and row lengths.
  Structure lengths;
  lengths.rows = matrix.rows();
  lengths.cols = matrix.cols();
  lengths.nonzeros = matrix.nonzeros();
  lengths.row_histogram = row_length_histogram(matrix, threads);
  const std::int64_t width = hyb_split(lengths).width;
  return {to_ell<Value, Index>(matrix, threads, width), to_coo<Value, Index>(matrix, threads, width)};
}

template Hyb<float, std::int32_t> to_hyb(const Matrix&, int);
template Hyb<float, std::int64_t> to_hyb(const Matrix&, int);
template Hyb<double, std::int32_t> to_hyb(const Matrix&, int);
template Hyb<double, std::int64_t> to_hyb(const Matrix&, int);

}  // namespace sparsecast::formats
