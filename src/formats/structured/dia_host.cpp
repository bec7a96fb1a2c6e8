// Host product `dia`: slices dealt to threads by their number. Slices all of whose diagonals lie within the matrix are
// multiplied as vectors, the few at its borders entry by entry; the rest off the diagonals is added row by row.

#include <algorithm>

#include "formats/csr_vectors.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/index_choice.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/many_vectors.hpp"
#include "formats/simd/past_caches.hpp"
#include "formats/simd/row_sums.hpp"
#include "formats/structured/dia.hpp"
#include "formats/structured/diagonal_sums.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class DiaProduct final : public HostProduct<Value> {
 public:
  DiaProduct(const Matrix& matrix, int threads) : dia_(to_dia<Value, Index>(matrix, threads)), threads_(threads) {
    if (dia_.diagonals.empty()) return;
    // Rows r … r + 7 with 0 ≤ r + lowest diagonal and r + 7 + highest < cols.
    const std::int64_t first = std::max<std::int64_t>(0, -dia_.diagonals.front());
    const std::int64_t last = std::min(dia_.rows, dia_.cols - std::max<std::int64_t>(0, dia_.diagonals.back()));
    inner_first_ = (first + lanes - 1) / lanes;
    inner_last_ = std::max(inner_first_, last / lanes);
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = diagonal_sums<Value>();
    for_each_part(threads_, [&](int part) {
      const std::int64_t first = part_begin(dia_.slices(), part, threads_);
      const std::int64_t last = part_begin(dia_.slices(), part + 1, threads_);
      const std::int64_t inner = std::clamp(inner_first_, first, last), outer = std::clamp(inner_last_, inner, last);
      const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
      if (count > 0) {
        border(first, inner, x.data(), y.data());
        sums.slices(dia_.values.data() + inner * count * lanes, dia_.diagonals.data(), count, outer - inner,
                    x.data() + inner * lanes, y.data() + inner * lanes);
        border(outer, last, x.data(), y.data());
      } else {  // x may have no entries and stand nowhere
        std::fill(y.begin() + std::min(first * lanes, dia_.rows), y.begin() + std::min(last * lanes, dia_.rows),
                  Value{0});
      }
      add_rest(dia_.rest[static_cast<std::size_t>(part)], x.data(), y.data());
    });
  }
  [[nodiscard]] std::int64_t bytes() const override { return dia_.bytes(); }

  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    const ByRows<Value> by_rows(x, workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes());
    const auto sums = block_diagonals<Value>();
    const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
    for_each_part(threads_, [&](int part) {
      const std::int64_t last = part_begin(dia_.slices(), part + 1, threads_);
      for (std::int64_t slice = part_begin(dia_.slices(), part, threads_); slice < last; ++slice)
        sums.slice(dia_.values.data() + slice * count * lanes, dia_.diagonals.data(), count, slice * lanes,
                   std::min(lanes, dia_.rows - slice * lanes), task);
      add_rest(dia_.rest[static_cast<std::size_t>(part)], task);
      if (task.past_caches) finish_past_caches();
    });
  }

 private:
  static constexpr std::int64_t lanes = Dia<Value, Index>::slice_rows;
  static_assert(lanes == dia_lanes, "the block's loops are made for these slices");

  void border(std::int64_t first, std::int64_t last, const Value* x, Value* y) const {
    const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
    for (std::int64_t slice = first; slice < last; ++slice)
      sum_slice_carefully(dia_.values.data() + slice * count * lanes, dia_.diagonals.data(), count,
                          std::min(lanes, dia_.rows - slice * lanes), x + slice * lanes, y + slice * lanes);
  }

  void add_rest(const DiaRest<Value, Index>& rest, const Value* x, Value* y) const {
    const CsrArrays<Value, std::int64_t, Index> view{dia_.rows, dia_.cols, nullptr, rest.column_indices.data(),
                                                     rest.values.data()};
    const auto sums = row_sums<Value, std::int64_t, Index>();
    for (std::size_t i = 0; i < rest.rows.size(); ++i)
      y[rest.rows[i]] += sums.part(view, i > 0 ? rest.ends[i - 1] : 0, rest.ends[i], x);
  }

  static void add_rest(const DiaRest<Value, Index>& rest, const BlockTask<Value>& task) {
    for (std::size_t i = 0; i < rest.rows.size(); ++i) {
      Value* to = task.y + rest.rows[i] * task.y_row;
      for (std::int64_t k = i > 0 ? rest.ends[i - 1] : 0; k < rest.ends[i]; ++k) {
        const Value value = task.alpha * rest.values[k];
        const Value* from = task.x + rest.column_indices[k] * task.x_stride;
        for (std::int64_t v = 0; v < task.vectors; ++v) to[v * task.y_vector] += value * from[v];
      }
    }
  }

  Dia<Value, Index> dia_;
  int threads_;
  std::int64_t inner_first_ = 0, inner_last_ = 0;  // slices without a border
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_dia(const Matrix& matrix, int threads) {
  return build_with_index<DiaProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_dia(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_dia(const Matrix&, int);

}  // namespace sparsecast::formats
