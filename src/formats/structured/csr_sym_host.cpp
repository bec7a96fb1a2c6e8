// Host product `csr-sym`: rows dealt by their entries below the diagonal. What a part adds to rows of earlier parts
// goes to a piece of y of its own, and afterwards every part adds the others' pieces to its rows, in the order of the
// parts.

#include <algorithm>
#include <atomic>

#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/mirrored_sums.hpp"
#include "matrix/structure/forms.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class CsrSymProduct final : public HostProduct<Value> {
 public:
  CsrSymProduct(const Matrix& matrix, int threads)
      : sym_(to_csr_sym<Value, Index>(matrix, threads)),
        rows_(rows_by_nonzeros(sym_.row_pointers.data(), sym_.rows, threads)) {
    std::int64_t size = 0;
    for (int part = 0; part < threads; ++part) {
      // Columns ascend within a row: the first of each is the lowest.
      std::int64_t low = rows_[part];
      for (std::int64_t row = rows_[part]; row < rows_[part + 1]; ++row)
        if (const std::int64_t k = sym_.row_pointers[row]; k < sym_.row_pointers[row + 1])
          low = std::min<std::int64_t>(low, sym_.column_indices[k]);
      far_.push_back({low, size});
      size += rows_[part] - low;
    }
    // Places are counted from the first slot, even where none is used.
    allocate(pieces_, std::max<std::int64_t>(size, 1), "csr-sym");
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    // A second caller at the same time brings pieces of its own.
    const bool alone = !in_use_.exchange(true, std::memory_order_acquire);
    Array<Value> own;
    if (!alone) own.resize(pieces_.size());
    Value* pieces = alone ? pieces_.data() : own.data();
    const int parts = static_cast<int>(far_.size());
    const auto sums = mirrored_sums<Value, Index>();
    const auto multiply = [&](int part) {
      const std::int64_t first = rows_[part], low = far_[part].low;
      Value* piece = pieces + far_[part].begin;
      std::fill_n(piece, first - low, Value{0});
      sums.rows(sym_, first, rows_[part + 1], x.data(), y.data(), piece - low);
    };
    const auto collect = [&](int part) {
      for (int other = part + 1; other < parts; ++other) {
        const std::int64_t low = far_[other].low, last = std::min(rows_[part + 1], rows_[other]);
        const Value* piece = pieces + far_[other].begin - low;
        for (std::int64_t row = std::max(rows_[part], low); row < last; ++row) y[row] += piece[row];
      }
    };
    if (parts == 1) {
      multiply(0);
    } else {
#pragma omp parallel num_threads(parts)
      {
#pragma omp for schedule(static, 1)
        for (int part = 0; part < parts; ++part) multiply(part);
#pragma omp for schedule(static, 1)
        for (int part = 0; part < parts; ++part) collect(part);
      }
    }
    if (alone) in_use_.store(false, std::memory_order_release);
  }
  [[nodiscard]] std::int64_t bytes() const override { return sym_.bytes(); }

 private:
  struct Far {
    std::int64_t low = 0;    // lowest row that the part adds to
    std::int64_t begin = 0;  // of its piece, which ends at the part's first row
  };

  CsrSym<Value, Index> sym_;
  std::vector<std::int64_t> rows_;
  std::vector<Far> far_;  // of every part
  mutable Array<Value> pieces_;
  mutable std::atomic<bool> in_use_{false};
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_sym(const Matrix& matrix, int threads) {
  if (matrix::value_symmetry(matrix, threads).symmetric != 1) return build_csr<Value>(matrix, threads);
  return build_with_index<CsrSymProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_csr_sym(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_csr_sym(const Matrix&, int);

}  // namespace sparsecast::formats
