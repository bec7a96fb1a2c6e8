// Host product `ell`. A few columns are walked through side by side, eight rows at a time, whose sums stay in a
// register. Many columns would be more streams than the memory and its TLB follow: there, the sums of a block
// of rows stay in cache while its piece of every column is added.

#include <algorithm>

#include "formats/ell_product.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class EllProduct final : public HostProduct<Value> {
 public:
  EllProduct(const Matrix& matrix, int threads) : ell_(to_ell<Value, Index>(matrix, threads)), threads_(threads) {}
  void apply(std::span<const Value> x, std::span<Value> y) const override { multiply_ell(ell_, threads_, x, y); }
  [[nodiscard]] std::int64_t bytes() const override { return ell_.bytes(); }
  [[nodiscard]] int transposed_parts() const override { return threads_; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    add_transposed_ell(ell_, part, threads_, alpha, x, y);
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    update_ell(ell_, matrix, threads_);
    return true;
  }

 private:
  Ell<Value, Index> ell_;
  int threads_;
};

}  // namespace

template <class Value, class Index>
void multiply_ell(const Ell<Value, Index>& ell, int parts, std::span<const Value> x, std::span<Value> y) {
  const auto sums = lane_sums<Value, Index>();
  for_each_part(parts, [&](int part) {
    const std::int64_t first = part_begin(ell.rows, part, parts), last = part_begin(ell.rows, part + 1, parts);
    const Value* values = ell.values.data();
    const Index* columns = ell.column_indices.data();
    if (ell.width == 0) {  // there are no slots to point at
      std::fill(y.begin() + first, y.begin() + last, Value{0});
      return;
    }
    if (ell.width <= most_streams) {
      sums.columns(values + first, columns + first, ell.rows, ell.width, last - first, x.data(), y.data() + first);
      return;
    }
    for (std::int64_t row = first; row < last; row += lane_block) {
      const std::int64_t count = std::min(lane_block, last - row);
      Value* block = y.data() + row;
      std::fill_n(block, count, Value{0});
      for (std::int64_t k = 0; k < ell.width; ++k) {
        const std::int64_t slot = k * ell.rows + row;
        const std::int64_t next = k + 1 < ell.width ? slot + ell.rows : row + count;
        sums.add_column(values + slot, columns + slot, count, values + next, columns + next, x.data(), block);
      }
    }
  });
}

template <class Value, class Index>
void add_transposed_ell(const Ell<Value, Index>& ell, int part, int parts, Value alpha, const Value* x, Value* y) {
  const std::int64_t first = part_begin(ell.rows, part, parts), last = part_begin(ell.rows, part + 1, parts);
  for (std::int64_t row = first; row < last; row += lane_block) {
    const std::int64_t end = std::min(last, row + lane_block);
    for (std::int64_t k = 0; k < ell.width; ++k) {
      const Value* values = ell.values.data() + k * ell.rows;
      const Index* columns = ell.column_indices.data() + k * ell.rows;
      for (std::int64_t i = row; i < end; ++i)
        if (columns[i] >= 0) y[columns[i]] += alpha * x[i] * values[i];
    }
  }
}

template <class Value, class Index>
void update_ell(Ell<Value, Index>& ell, const Matrix& matrix, int parts) {
  constexpr std::int64_t block = 64;  // rows at a time, as in to_ell
  matrix.visit([&](const auto& csr) {
    for_each_part(parts, [&](int part) {
      const std::int64_t last_row = part_begin(ell.rows, part + 1, parts);
      for (std::int64_t first = part_begin(ell.rows, part, parts); first < last_row; first += block) {
        const std::int64_t last = std::min(last_row, first + block);
        for (std::int64_t k = 0; k < ell.width; ++k)
          for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t from = csr.row_pointers[row] + k;
            if (from < csr.row_pointers[row + 1]) ell.values[k * ell.rows + row] = static_cast<Value>(csr.values[from]);
          }
      }
    });
  });
}

#define SPARSECAST_INSTANTIATE(Value, Index)                                                           \
  template void multiply_ell(const Ell<Value, Index>&, int, std::span<const Value>, std::span<Value>); \
  template void update_ell(Ell<Value, Index>&, const Matrix&, int);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)
template void add_transposed_ell(const Ell<float, std::int32_t>&, int, int, float, const float*, float*);
template void add_transposed_ell(const Ell<float, std::int64_t>&, int, int, float, const float*, float*);
template void add_transposed_ell(const Ell<double, std::int32_t>&, int, int, double, const double*, double*);
template void add_transposed_ell(const Ell<double, std::int64_t>&, int, int, double, const double*, double*);

template <class Value>
std::unique_ptr<HostProduct<Value>> build_ell(const Matrix& matrix, int threads) {
  return build_with_index<EllProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_ell(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_ell(const Matrix&, int);

}  // namespace sparsecast::formats
