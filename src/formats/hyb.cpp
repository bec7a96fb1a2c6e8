#include "formats/hyb.hpp"

#include "formats/gpu/gpu_shape.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/row_lengths.hpp"

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

// Host product `hyb`: the regular part writes y, the overflow is added.

namespace {
template <class Value, class Index>
class HybProduct final : public HostProduct<Value> {
 public:
  HybProduct(const Matrix& matrix, int threads) : hyb_(to_hyb<Value, Index>(matrix, threads)), threads_(threads) {}
  void apply(std::span<const Value> x, std::span<Value> y) const override {
    if (hyb_.regular.width == 0) {
      multiply_coo(hyb_.overflow, threads_, x, y);
    } else {
      multiply_ell(hyb_.regular, threads_, x, y);
      if (!hyb_.overflow.values.empty()) add_coo(hyb_.overflow, threads_, x, y);
    }
  }
  [[nodiscard]] std::int64_t bytes() const override { return hyb_.bytes(); }
  [[nodiscard]] int transposed_parts() const override { return threads_; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    add_transposed_ell(hyb_.regular, part, threads_, alpha, x, y);
    add_transposed_coo(hyb_.overflow, part, threads_, alpha, x, y);
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    update_ell(hyb_.regular, matrix, threads_);
    update_coo(hyb_.overflow, matrix, hyb_.regular.width, threads_);
    return true;
  }

 private:
  Hyb<Value, Index> hyb_;
  int threads_;
};
}  // namespace

// Kernel `hyb`: ELL's product and then COO's. Rows of ELL are as long as each other, so parts are even.

namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const HybSplit split = hyb_split(s);
  w.overflow = number(split.overflow);
  w.slots = std::max(1.0, w.slots - w.overflow);
  w.padding = std::max(0.0, w.slots - (w.nonzeros - w.overflow));
  count_ell(split.width, context, w);
  w.long_rows = number(s.rows_at_least(split.width + 1));
  const bool all_overflow = split.width == 0;
  if (all_overflow) w.row_steps = 0;
  w.mispredictions = all_overflow ? mispredicted_filled_share(s) * number(s.rows - s.empty_rows) : w.long_rows;
  const RowGroups groups = row_groups(s);
  w.partial = number(groups.cut_longest - groups.cut_shortest);
  w.empty = number(split.width * groups.groups - groups.cut_longest);
  w.small_mispredictions = padding_mispredictions(groups, split.width, groups.cut_turns);
  count_remembered(s, false, w);
  count_branches(w.overflow + w.slots / RowGroups::rows, w);  // eight slots, a branch
}
}  // namespace

KernelInfo hyb_kernel() {
  return {.name = "hyb",
          .format = hyb_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::hyb,
          .summary = "ELL up to a width, the rest COO",
          .source = "Bell & Garland 2009",
          .host = {hyb_bytes, build_with_index<HybProduct, float>, build_with_index<HybProduct, double>},
          .transposes = true,
          .padding = Padding::hyb_split,
          .count = count,
          .gpu = {GpuForm::hyb, hyb_bytes, count_hyb_on_gpu, 48, gpu_tile_items + gpu_group_threads},
          .regular = ell_format,
          .overflow = "coo"};
}
}  // namespace sparsecast::formats
