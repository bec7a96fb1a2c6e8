// Host product `sell-sym`: rows dealt by their entries below the diagonal, in whole slices.

#include <algorithm>

#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/structured/mirrored_parts.hpp"
#include "formats/structured/mirrored_sums.hpp"
#include "formats/structured/sell_sym.hpp"
#include "matrix/structure/forms.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class SellSymProduct final : public HostProduct<Value> {
 public:
  SellSymProduct(const Matrix& matrix, int threads)
      : sym_(to_sell_sym<Value, Index>(matrix, threads)), parts_(parts_of(sym_)) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override { multiply({}, x, y); }
  void apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                    Workspace<Value>& /*workspace*/) const override {
    multiply(scaling, x, y);
  }
  [[nodiscard]] std::int64_t bytes() const override { return sym_.bytes(); }

  // The matrix is its own transpose, and so is what a part holds of it.
  [[nodiscard]] int transposed_parts() const override { return parts_.count(); }
  [[nodiscard]] ColumnRange transposed_columns(int part) const override {
    return {parts_.low(part), parts_.first(part + 1)};
  }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    mirrored_sums<Value, Index>().slices(sym_, parts_.first(part), parts_.first(part + 1), {x, y, y, alpha, 1});
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    if (matrix::value_symmetry(matrix, parts_.count()).symmetric != 1) return false;
    sym_.update(matrix);
    return true;
  }

 private:
  void multiply(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y) const {
    const auto sums = mirrored_sums<Value, Index>();
    parts_.run(y.data(), [&](int part, Value* far) {
      sums.slices(sym_, parts_.first(part), parts_.first(part + 1),
                  {x.data(), y.data(), far, scaling.alpha, scaling.beta});
    });
  }
  // Columns ascend within a row: the lowest one of a slice is in its first column.
  static MirroredParts<Value> parts_of(const SellSym<Value, Index>& sym) {
    return {sym.parts, "sell-sym", [&](int part) {
              std::int64_t low = sym.parts[part];
              for (std::int64_t position = low; position < sym.parts[part + 1]; ++position)
                if (sym.lengths[position] > 0)
                  low = std::min<std::int64_t>(
                      low,
                      sym.column_indices[sym.slice_pointers[position / sym.slice_rows] + position % sym.slice_rows]);
              return low;
            }};
  }

  SellSym<Value, Index> sym_;
  MirroredParts<Value> parts_;
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_sell_sym(const Matrix& matrix, int threads) {
  if (matrix::value_symmetry(matrix, threads).symmetric != 1) return build_csr<Value>(matrix, threads);
  return build_with_index<SellSymProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_sell_sym(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_sell_sym(const Matrix&, int);

}  // namespace sparsecast::formats
