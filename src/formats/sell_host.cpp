// Host product `sell`: SELL-8-1024, slices dealt to threads by their slots.

#include <algorithm>
#include <array>

#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/sell.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
namespace {

constexpr int slice_rows = host_sell.slice_rows, sort_rows = host_sell.sort_rows;

template <class Value, class Index>
class SellProduct final : public HostProduct<Value> {
 public:
  SellProduct(const Matrix& matrix, int threads)
      : sell_(to_sell<Value, Index>(matrix, slice_rows, sort_rows, threads)),
        slices_(rows_by_nonzeros(sell_.slice_pointers.data(), sell_.slices(), threads)) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = lane_sums<Value, Index>();
    for_each_part(static_cast<int>(slices_.size()) - 1, [&](int part) {
      alignas(64) std::array<Value, slice_rows> slice_sums;
      for (std::int64_t slice = slices_[part]; slice < slices_[part + 1]; ++slice) {
        const std::int64_t begin = sell_.slice_pointers[slice];
        const std::int64_t width = (sell_.slice_pointers[slice + 1] - begin) / slice_rows;
        const std::int64_t first = slice * slice_rows, count = std::min<std::int64_t>(slice_rows, sell_.rows - first);
        sums.slice(sell_.values.data() + begin, sell_.column_indices.data() + begin, width, slice_rows, x.data(),
                   slice_sums.data());
        for (std::int64_t i = 0; i < count; ++i) y[sell_.permutation[first + i]] = slice_sums[i];
      }
    });
  }
  [[nodiscard]] std::int64_t bytes() const override { return sell_.bytes(); }

 private:
  Sell<Value, Index> sell_;
  std::vector<std::int64_t> slices_;
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_sell(const Matrix& matrix, int threads) {
  return build_with_index<SellProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_sell(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_sell(const Matrix&, int);

std::int64_t host_sell_bytes(const Structure& structure, int value_bytes) {
  return sell_bytes(structure, slice_rows, sort_rows, value_bytes);
}

}  // namespace sparsecast::formats
