// Host product `csr-delta`: the rows of `csr` by the same loops, with columns of one byte or two that are counted from
// a place in x which moves on from block to block.

#include <algorithm>

#include "formats/csr_vectors.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/row_sums.hpp"
#include "formats/structured/csr_delta.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Delta>
class CsrDeltaProduct final : public CsrBased<Value> {
 public:
  CsrDeltaProduct(const Matrix& matrix, int threads, const DeltaShape& shape)
      : CsrBased<Value>(matrix, threads), shape_(shape) {
    csr_.visit([&](const auto& csr) { rows_ = rows_by_nonzeros(csr.row_pointers, csr.rows, threads); });
    allocate(columns_, matrix.nonzeros(), "csr-delta");
    static_cast<void>(take_columns());
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    csr_.visit([&]<class Offset, class Index>(const CsrArrays<Value, Offset, Index>& csr) {
      const CsrArrays<Value, Offset, Delta> near{csr.rows, csr.cols, csr.row_pointers, columns_.data(), csr.values};
      const auto sums = row_sums<Value, Offset, Delta>();
      for_each_part(this->transposed_parts(), [&](int part) {
        for_each_block(part, [&](std::int64_t first, std::int64_t last) {
          // Rows below the last column are empty.
          const std::int64_t from = std::min(shape_.first_column(first), csr.cols);
          sums.rows(near, first, last, x.data() + from, y.data());
        });
      });
    });
  }
  void apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                    Workspace<Value>& /*workspace*/) const override {
    this->scale_by_rows(scaling, x, y);
  }
  // The columns too: those of another pattern would lie outside of x.
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    return CsrBased<Value>::update_values(matrix) && take_columns();
  }
  [[nodiscard]] std::int64_t bytes() const override {
    const std::size_t saved = csr_.visit([](const auto& csr) { return sizeof(*csr.column_indices); }) - sizeof(Delta);
    return csr_.bytes() - csr_.matrix.nonzeros() * static_cast<std::int64_t>(saved);
  }

 private:
  using CsrBased<Value>::csr_, CsrBased<Value>::rows_;

  // Calls work(first, last) for the rows of a part that lie in one block.
  template <class Work>
  void for_each_block(int part, const Work& work) const {
    const std::int64_t end = rows_[part + 1];
    for (std::int64_t row = rows_[part], last = row; row < end; row = last) {
      last = std::min(end, (row / shape_.block_rows + 1) * shape_.block_rows);
      work(row, last);
    }
  }
  // False where an entry is farther from the diagonal than the shape allows.
  [[nodiscard]] bool take_columns() {
    std::vector<char> within(static_cast<std::size_t>(this->transposed_parts()), 1);
    csr_.visit([&](const auto& csr) {
      for_each_part(this->transposed_parts(), [&](int part) {
        std::int64_t beyond = 0;
        for_each_block(part, [&](std::int64_t first, std::int64_t last) {
          const std::int64_t from = shape_.first_column(first);
          for (auto k = csr.row_pointers[first]; k < csr.row_pointers[last]; ++k) {
            const std::int64_t difference = csr.column_indices[k] - from;
            columns_[k] = static_cast<Delta>(difference);
            beyond |= difference - static_cast<std::int64_t>(columns_[k]);
          }
        });
        within[static_cast<std::size_t>(part)] = beyond == 0 ? 1 : 0;
      });
    });
    return std::ranges::all_of(within, [](char one) { return one != 0; });
  }

  DeltaShape shape_;
  Array<Delta> columns_;  // of every entry, from first_column() of its row on
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_delta(const Matrix& matrix, int threads) {
  const DeltaShape shape = delta_shape(reach_of(matrix, threads));
  if (shape.column_bytes == 1) return std::make_unique<CsrDeltaProduct<Value, std::uint8_t>>(matrix, threads, shape);
  if (shape.column_bytes == 2) return std::make_unique<CsrDeltaProduct<Value, std::uint16_t>>(matrix, threads, shape);
  return build_csr<Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_csr_delta(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_csr_delta(const Matrix&, int);

}  // namespace sparsecast::formats
