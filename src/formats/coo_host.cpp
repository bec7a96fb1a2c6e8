// Host product `coo`: a segmented sum. A row belongs to the part that holds its first non-zero; a part that begins in
// the middle of a row carries that row's sum over, and carries are added afterwards in the order of the parts.

#include <algorithm>

#include "formats/coo_product.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/segment_sums.hpp"

namespace sparsecast::formats {
namespace {

template <bool overwrite, class Value, class Index>
void multiply(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y) {
  const auto nonzeros = static_cast<std::int64_t>(coo.values.size());
  const auto sums = segment_sums<Value, Index>();
  std::vector<Value> carry(static_cast<std::size_t>(parts), Value{0});
  for_each_part(parts, [&](int part) {
    std::int64_t begin = part_begin(nonzeros, part, parts);
    const std::int64_t end = part_begin(nonzeros, part + 1, parts);
    const Index* rows = coo.row_indices.data();
    // A row that began in an earlier part.
    std::int64_t own = begin;
    if (begin > 0 && begin < end && rows[begin - 1] == rows[begin])
      own = std::upper_bound(rows + begin, rows + end, rows[begin]) - rows;
    carry[part] = sums.run(coo.values.data() + begin, coo.column_indices.data() + begin, own - begin, x.data());
    if constexpr (overwrite) {
      // The rows after the last one that an earlier part touched, up to this part's last; the last part with non-zeros
      // also those behind.
      if (begin < end) {
        const std::int64_t from = begin == 0 ? 0 : std::int64_t{rows[begin - 1]} + 1;
        const std::int64_t to = end == nonzeros ? coo.rows : std::int64_t{rows[end - 1]} + 1;
        std::fill(y.begin() + from, y.begin() + to, Value{0});
      } else if (nonzeros == 0 && part == 0) {
        std::fill(y.begin(), y.end(), Value{0});
      }
    }
    sums.add(rows + own, coo.column_indices.data() + own, coo.values.data() + own, end - own, x.data(), y.data());
  });
  for (int part = 1; part < parts; ++part) {
    const std::int64_t begin = part_begin(nonzeros, part, parts);
    if (begin < part_begin(nonzeros, part + 1, parts)) y[coo.row_indices[begin]] += carry[part];
  }
}

template <class Value, class Index>
class CooProduct final : public HostProduct<Value> {
 public:
  CooProduct(const Matrix& matrix, int threads) : coo_(to_coo<Value, Index>(matrix, threads)), threads_(threads) {}
  void apply(std::span<const Value> x, std::span<Value> y) const override { multiply_coo(coo_, threads_, x, y); }
  [[nodiscard]] std::int64_t bytes() const override { return coo_.bytes(); }
  [[nodiscard]] int transposed_parts() const override { return threads_; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    add_transposed_coo(coo_, part, threads_, alpha, x, y);
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    update_coo(coo_, matrix, 0, threads_);
    return true;
  }

 private:
  Coo<Value, Index> coo_;
  int threads_;
};

}  // namespace

template <class Value, class Index>
void multiply_coo(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y) {
  multiply<true>(coo, parts, x, y);
}
template <class Value, class Index>
void add_coo(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y) {
  multiply<false>(coo, parts, x, y);
}

template <class Value, class Index>
void add_transposed_coo(const Coo<Value, Index>& coo, int part, int parts, Value alpha, const Value* x, Value* y) {
  const auto nonzeros = static_cast<std::int64_t>(coo.values.size());
  const std::int64_t end = part_begin(nonzeros, part + 1, parts);
  for (std::int64_t k = part_begin(nonzeros, part, parts); k < end; ++k)
    y[coo.column_indices[k]] += alpha * x[coo.row_indices[k]] * coo.values[k];
}

template <class Value, class Index>
void update_coo(Coo<Value, Index>& coo, const Matrix& matrix, std::int64_t skip, int parts) {
  const auto entries = static_cast<std::int64_t>(coo.values.size());
  const Index* rows = coo.row_indices.data();
  matrix.visit([&](const auto& csr) {
    for_each_part(parts, [&](int part) {
      std::int64_t slot = part_begin(entries, part, parts);
      const std::int64_t end = part_begin(entries, part + 1, parts);
      // Its place within its row: entries of a row follow each other.
      std::int64_t place = slot < end ? rows + slot - std::lower_bound(rows, rows + slot, rows[slot]) : 0;
      for (; slot < end; ++slot, ++place) {
        if (slot > 0 && rows[slot] != rows[slot - 1]) place = 0;
        const std::int64_t from = csr.row_pointers[rows[slot]] + skip + place;
        if (from < csr.row_pointers[rows[slot] + 1]) coo.values[slot] = static_cast<Value>(csr.values[from]);
      }
    });
  });
}

#define SPARSECAST_INSTANTIATE(Value, Index)                                                           \
  template void multiply_coo(const Coo<Value, Index>&, int, std::span<const Value>, std::span<Value>); \
  template void add_coo(const Coo<Value, Index>&, int, std::span<const Value>, std::span<Value>);      \
  template void update_coo(Coo<Value, Index>&, const Matrix&, std::int64_t, int);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)
template void add_transposed_coo(const Coo<float, std::int32_t>&, int, int, float, const float*, float*);
template void add_transposed_coo(const Coo<float, std::int64_t>&, int, int, float, const float*, float*);
template void add_transposed_coo(const Coo<double, std::int32_t>&, int, int, double, const double*, double*);
template void add_transposed_coo(const Coo<double, std::int64_t>&, int, int, double, const double*, double*);

template <class Value>
std::unique_ptr<HostProduct<Value>> build_coo(const Matrix& matrix, int threads) {
  return build_with_index<CooProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_coo(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_coo(const Matrix&, int);

}  // namespace sparsecast::formats
