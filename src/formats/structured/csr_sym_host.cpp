// Host product `csr-sym`: rows dealt by their entries below the diagonal.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/mirrored_parts.hpp"
#include "formats/structured/mirrored_sums.hpp"
#include "matrix/structure/forms.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class CsrSymProduct final : public HostProduct<Value> {
 public:
  CsrSymProduct(const Matrix& matrix, int threads)
      : sym_(to_csr_sym<Value, Index>(matrix, threads)),
        rows_(rows_by_nonzeros(sym_.row_pointers.data(), sym_.rows, threads)),
        parts_(rows_, "csr-sym", [&](int part) {
          // Columns ascend within a row: the first of each is the lowest.
          std::int64_t low = rows_[part];
          for (std::int64_t row = rows_[part]; row < rows_[part + 1]; ++row)
            if (const std::int64_t k = sym_.row_pointers[row]; k < sym_.row_pointers[row + 1])
              low = std::min<std::int64_t>(low, sym_.column_indices[k]);
          return low;
        }) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = mirrored_sums<Value, Index>();
    parts_.run(y.data(),
               [&](int part, Value* far) { sums.rows(sym_, rows_[part], rows_[part + 1], x.data(), y.data(), far); });
  }
  [[nodiscard]] std::int64_t bytes() const override { return sym_.bytes(); }

 private:
  CsrSym<Value, Index> sym_;
  std::vector<std::int64_t> rows_;
  MirroredParts<Value> parts_;
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
