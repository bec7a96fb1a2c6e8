// Host products `sell`, SELL-8-1024, and of the other shapes: slices dealt to threads by their slots.

#include <algorithm>
#include <array>

#include "formats/csr_vectors.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/sell.hpp"
#include "formats/simd/lane_sums.hpp"
#include "formats/simd/many_vectors.hpp"
#include "formats/simd/past_caches.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index, SellShape shape>
class SellProduct final : public HostProduct<Value> {
  static constexpr int slice_rows = shape.slice_rows;
  static_assert(slice_rows % 8 == 0 && slice_rows <= tallest_slice);

 public:
  SellProduct(const Matrix& matrix, int threads)
      : sell_(to_sell<Value, Index>(matrix, slice_rows, shape.sort_rows, threads)),
        slices_(rows_by_nonzeros(sell_.slice_pointers.data(), sell_.slices(), threads)),
        full_(static_cast<std::size_t>(sell_.slices())) {
    for_each_slice([&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t) {
      full_[static_cast<std::size_t>(first / slice_rows)] =
          full_columns(sell_.column_indices.data() + begin, width, slice_rows);
    });
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = lane_sums<Value, Index>();
    const SliceArrays<Value, Index> arrays{sell_.values.data(),
                                           sell_.column_indices.data(),
                                           sell_.slice_pointers.data(),
                                           shape.sort_rows > 1 ? sell_.permutation.data() : nullptr,
                                           full_.data(),
                                           sell_.rows};
    for_each_part(static_cast<int>(slices_.size()) - 1, [&](int part) {
      if constexpr (shape == host_sell) {
        sums.slices(arrays, slices_[part], slices_[part + 1], x.data(), y.data());
      } else {
        sums.slices_of(arrays, slice_rows, slices_[part], slices_[part + 1], x.data(), y.data());
      }
    });
  }
  [[nodiscard]] std::int64_t bytes() const override { return sell_.bytes(); }

  void apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                    Workspace<Value>& workspace) const override {
    static_cast<void>(workspace);
    if (scaling.plain()) return apply(x, y);
    const auto sums = lane_sums<Value, Index>();
    for_each_slice([&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t count) {
      alignas(64) std::array<Value, slice_rows> slice_sums;
      sums.slice(sell_.values.data() + begin, sell_.column_indices.data() + begin, width, slice_rows, x.data(),
                 slice_sums.data());
      for (std::int64_t i = 0; i < count; ++i) {
        Value& to = y[row_at(first + i)];
        to = scaling.beta == 0 ? scaling.alpha * slice_sums[i] : scaling.alpha * slice_sums[i] + scaling.beta * to;
      }
    });
  }
  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    const ByRows<Value> by_rows(x, workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes());
    const auto sums = block_slices<Value, Index>();
    for_each_part(transposed_parts(), [&](int part) {
      slices_of(part, [&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t count) {
        const Index* places = shape.sort_rows > 1 ? sell_.permutation.data() + first : nullptr;
        sums.slice(
            {sell_.values.data() + begin, sell_.column_indices.data() + begin, width, slice_rows, places, first, count},
            task);
      });
      if (task.past_caches) finish_past_caches();
    });
  }
  [[nodiscard]] int transposed_parts() const override { return static_cast<int>(slices_.size()) - 1; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    slices_of(part, [&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const Value of_row = alpha * x[row_at(first + i)];
        for (std::int64_t slot = begin + i; slot < begin + width * slice_rows; slot += slice_rows) {
          const Index column = sell_.column_indices[slot];
          if (column < 0) break;
          y[column] += of_row * sell_.values[slot];
        }
      }
    });
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    matrix.visit([&](const auto& csr) {
      for_each_slice([&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t row = row_at(first + i), from = csr.row_pointers[row];
          const std::int64_t length = std::min<std::int64_t>(width, csr.row_pointers[row + 1] - from);
          for (std::int64_t k = 0; k < length; ++k)
            sell_.values[begin + k * slice_rows + i] = static_cast<Value>(csr.values[from + k]);
        }
      });
    });
    return true;
  }

 private:
  [[nodiscard]] std::int64_t row_at(std::int64_t position) const {
    if constexpr (shape.sort_rows > 1) {
      return sell_.permutation[position];
    } else {
      return position;
    }
  }
  // Calls work(first slot, width, first position, rows) for the slices of one part, or of each on its thread.
  template <class Work>
  void slices_of(int part, const Work& work) const {
    for (std::int64_t slice = slices_[part]; slice < slices_[part + 1]; ++slice) {
      const std::int64_t begin = sell_.slice_pointers[slice], first = slice * slice_rows;
      work(begin, (sell_.slice_pointers[slice + 1] - begin) / slice_rows, first,
           std::min<std::int64_t>(slice_rows, sell_.rows - first));
    }
  }
  template <class Work>
  void for_each_slice(const Work& work) const {
    for_each_part(transposed_parts(), [&](int part) { slices_of(part, work); });
  }

  Sell<Value, Index> sell_;
  std::vector<std::int64_t> slices_;
  Array<FullColumns> full_;  // a byte a slice, which bytes() leaves out
};

template <SellShape shape>
struct SellOf {
  template <class Value, class Index>
  using Product = SellProduct<Value, Index, shape>;
};

}  // namespace

template <class Value, SellShape shape>
std::unique_ptr<HostProduct<Value>> build_sell(const Matrix& matrix, int threads) {
  return build_with_index<SellOf<shape>::template Product, Value>(matrix, threads);
}

#define SPARSECAST_INSTANTIATE(shape)                                                        \
  template std::unique_ptr<HostProduct<float>> build_sell<float, shape>(const Matrix&, int); \
  template std::unique_ptr<HostProduct<double>> build_sell<double, shape>(const Matrix&, int);
SPARSECAST_INSTANTIATE(host_sell)
SPARSECAST_INSTANTIATE(unsorted_sell)
SPARSECAST_INSTANTIATE(tall_sell)
SPARSECAST_INSTANTIATE(taller_sell)
#undef SPARSECAST_INSTANTIATE

}  // namespace sparsecast::formats
