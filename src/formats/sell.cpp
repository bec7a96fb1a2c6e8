
#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "formats/csr_vectors.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/row_lengths.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/slice_stores.hpp"

namespace sparsecast::formats {
namespace {
// Slices of sorted rows come from all over their window. Put in the order of their first rows, they follow each other
// through x as the rows of the matrix do: a product of a mesh takes a quarter less. Where lengths are far apart the
// order of the lengths stays, since the ends of slices would be hard to predict.
template <class Index>
void order_slices(const Matrix& matrix, int slice_rows, int sort_rows, int threads, Array<Index>& permutation) {
  constexpr std::int64_t far = 3;  // times the mean
  const std::int64_t rows = matrix.rows(), C = slice_rows, windows = (rows + sort_rows - 1) / sort_rows;
  matrix.visit_pattern([&](const auto& csr) {
    for_each_part(threads, [&](int part) {
      std::vector<std::pair<Index, Index>> slices;  // first row, and where the slice is
      std::vector<Index> before;
      const std::int64_t end = part_begin(windows, part + 1, threads);
      for (std::int64_t window = part_begin(windows, part, threads); window < end; ++window) {
        const std::int64_t first = window * sort_rows;
        const std::int64_t full = (std::min<std::int64_t>(rows - first, sort_rows)) / C * C;  // a rest stays last
        if (full == 0) continue;
        const Index longest = permutation[first];
        const std::int64_t length = csr.row_pointers[longest + 1] - csr.row_pointers[longest];
        const std::int64_t nonzeros = csr.row_pointers[first + full] - csr.row_pointers[first];
        if (length * full > far * (nonzeros + full)) continue;
        slices.clear();
        for (std::int64_t slice = 0; slice < full; slice += C)
          slices.emplace_back(permutation[first + slice], static_cast<Index>(slice));
        if (std::ranges::is_sorted(slices)) continue;
        std::ranges::sort(slices);
        before.assign(permutation.begin() + first, permutation.begin() + first + full);
        auto to = permutation.begin() + first;
        for (const auto& [row, slice] : slices) to = std::copy_n(before.begin() + slice, C, to);
      }
    });
  });
}
}  // namespace

template <class Value, class Index>
std::int64_t Sell<Value, Index>::bytes() const {
  return array_bytes(slice_pointers) + array_bytes(permutation) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t sell_bytes(const Structure& structure, int slice_rows, int sort_rows, int value_bytes) {
  const SliceWork* work = structure.slice(slice_rows, sort_rows);
  if (work == nullptr)
    throw Error(ErrorCode::failed, fmt::format("the structure of {} does not count the slots of SELL-{}-{}",
                                               structure.name, slice_rows, sort_rows));
  const std::int64_t index = index_bytes(structure.rows, structure.cols);
  const std::int64_t slices = (structure.rows + slice_rows - 1) / slice_rows;
  const std::int64_t order = sort_rows > 1 ? structure.rows * index : 0;
  return saturating_sum(saturating_product(work->slots, index + value_bytes),
                        (slices + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) + order);
}

template <class Value, class Index>
Sell<Value, Index> sell_slices(const Matrix& matrix, int slice_rows, int sort_rows, int threads) {
  Sell<Value, Index> sell{matrix.rows(), matrix.cols(), slice_rows, sort_rows, {}, {}, {}, {}};
  const std::int64_t C = slice_rows, slices = (sell.rows + C - 1) / C;
  if (sort_rows > 1) {
    sell.permutation = rows_by_length<Index>(matrix, sort_rows, threads);
    order_slices(matrix, slice_rows, sort_rows, threads, sell.permutation);
  }
  allocate(sell.slice_pointers, slices + 1, "sell");
  matrix.visit_pattern([&](const auto& csr) {
    const auto row_at = [&](std::int64_t position) {
      return sell.permutation.empty() ? position : static_cast<std::int64_t>(sell.permutation[position]);
    };
    sell.slice_pointers[0] = 0;
    const bool sorted = sort_rows > 1 && sort_rows % slice_rows == 0;
    for_each_part(threads, [&](int part) {
      const std::int64_t last_slice = part_begin(slices, part + 1, threads);
      for (std::int64_t slice = part_begin(slices, part, threads); slice < last_slice; ++slice) {
        std::int64_t width = 0;
        // Of sorted rows the first of a slice is the longest.
        const std::int64_t last = std::min(sell.rows, sorted ? slice * C + 1 : (slice + 1) * C);
        for (std::int64_t position = slice * C; position < last; ++position) {
          const std::int64_t row = row_at(position);
          width = std::max<std::int64_t>(width, csr.row_pointers[row + 1] - csr.row_pointers[row]);
        }
        sell.slice_pointers[slice + 1] = width;
      }
    });
    for (std::int64_t slice = 0; slice < slices; ++slice)
      sell.slice_pointers[slice + 1] =
          saturating_sum(sell.slice_pointers[slice], saturating_product(C, sell.slice_pointers[slice + 1]));
  });
  return sell;
}

template <class Value, class Index>
Sell<Value, Index> to_sell(const Matrix& matrix, int slice_rows, int sort_rows, int threads) {
  threads = converting_threads(matrix, threads);
  Sell<Value, Index> sell = sell_slices<Value, Index>(matrix, slice_rows, sort_rows, threads);
  const std::int64_t C = slice_rows, slices = sell.slices();
  const auto row_at = [&](std::int64_t position) {
    return sell.permutation.empty() ? position : static_cast<std::int64_t>(sell.permutation[position]);
  };
  matrix.visit_for<Value>([&](const auto& csr) {
    using View = std::decay_t<decltype(csr)>;
    const std::int64_t slots = sell.slice_pointers[slices];
    allocate(sell.column_indices, slots, "sell");
    allocate(sell.values, slots, "sell");

    const auto bounds = rows_by_nonzeros(sell.slice_pointers.data(), slices, threads);  // slices by slots
    for_each_part(threads, [&](int part) {
      for (std::int64_t slice = bounds[part]; slice < bounds[part + 1]; ++slice) {
        const std::int64_t begin = sell.slice_pointers[slice], width = (sell.slice_pointers[slice + 1] - begin) / C;
        if (width == 0) continue;  // there may be no slots at all to point at
        if constexpr (sizeof(Index) == 4 && sizeof(typename View::Index) == 4 && !is_complex_value<Value>) {
          if (C == SliceRows::rows) {
            const SliceRows rows = rows_of_slice(csr, sell.permutation, slice, width);
            static const auto put_columns = store_columns<std::int32_t>();
            static const auto put_values = store_values<typename View::Value, Value>();
            put_columns(csr.column_indices.data(), rows, 0, sell.column_indices.data() + begin);
            put_values(csr.values.data(), rows, sell.values.data() + begin);
            continue;
          }
        }
        // The slots of a slice stay in the first cache, so a row is written down its column of them at once.
        for (std::int64_t i = 0; i < C; ++i) {
          const std::int64_t position = slice * C + i, row = position < sell.rows ? row_at(position) : -1;
          const std::int64_t from = row < 0 ? 0 : csr.row_pointers[row];
          const std::int64_t length = row < 0 ? 0 : csr.row_pointers[row + 1] - from;
          const auto* entry_columns = csr.column_indices.data() + from;
          const auto* entry_values = csr.values.data() + from;
          Index* column = sell.column_indices.data() + begin + i;
          Value* value = sell.values.data() + begin + i;
          for (std::int64_t k = 0; k < length; ++k, column += C, value += C) {
            *column = static_cast<Index>(entry_columns[k]);
            *value = value_from<Value>(entry_values[k]);
          }
          for (std::int64_t k = length; k < width; ++k, column += C, value += C) {
            *column = Index{padding_column};
            *value = Value{0};
          }
        }
      }
    });
  });
  return sell;
}

#define SPARSECAST_INSTANTIATE(Value, Index)                             \
  template struct Sell<Value, Index>;                                    \
  template Sell<Value, Index> sell_slices(const Matrix&, int, int, int); \
  template Sell<Value, Index> to_sell(const Matrix&, int, int, int);
SPARSECAST_FOR_ALL_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE

// Host products `sell`, SELL-8-1024, and of the other shapes: slices dealt to threads by their slots.

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
    const int parts = converting_threads(matrix, threads);
    for_each_part(parts, [&](int part) {
      const std::int64_t last = part_begin(sell_.slices(), part + 1, parts);
      for (std::int64_t s = part_begin(sell_.slices(), part, parts); s < last; ++s) {
        const std::int64_t begin = sell_.slice_pointers[s], slots = sell_.slice_pointers[s + 1] - begin;
        full_[static_cast<std::size_t>(s)] =
            full_columns(sell_.column_indices.data() + begin, slots / slice_rows, slice_rows);
      }
    });
  }

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    for_each_part(static_cast<int>(slices_.size()) - 1,
                  [&](int part) { sum_slices(slices_[part], slices_[part + 1], x.data(), y.data()); });
  }
  [[nodiscard]] std::int64_t row_step() const override { return std::max(slice_rows, shape.sort_rows); }
  void apply_rows(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    sum_slices(first / slice_rows, (last + slice_rows - 1) / slice_rows, x, y);
  }
  // Rows that are sorted are whole in y at the end of their window.
  [[nodiscard]] RowParts row_parts() const override {
    const std::int64_t step = row_step();
    RowParts parts{{}, step};
    for (const std::int64_t slice : slices_)
      parts.bounds.push_back(std::min(sell_.rows, (slice * slice_rows + step / 2) / step * step));
    parts.bounds.back() = sell_.rows;
    return parts;
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
        to = scaled_sum(scaling.alpha, slice_sums[i], scaling.beta, to);
      }
    });
  }
  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    if constexpr (is_complex_value<Value>) {
      HostProduct<Value>::apply_block(scaling, x, y, workspace);
    } else {
      block_by_rows(scaling, x, y, workspace);
    }
  }
  [[nodiscard]] int transposed_parts() const override { return static_cast<int>(slices_.size()) - 1; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    slices_of(part, [&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const Value of_row = scaled_by(alpha, x[row_at(first + i)]);
        for (std::int64_t slot = begin + i; slot < begin + width * slice_rows; slot += slice_rows) {
          const Index column = sell_.column_indices[slot];
          if (column < 0) break;
          y[column] = multiply_add(of_row, sell_.values[slot], y[column]);
        }
      }
    });
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    matrix.visit_for<Value>([&](const auto& csr) {
      for_each_slice([&](std::int64_t begin, std::int64_t width, std::int64_t first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t row = row_at(first + i), from = csr.row_pointers[row];
          const std::int64_t length = std::min<std::int64_t>(width, csr.row_pointers[row + 1] - from);
          for (std::int64_t k = 0; k < length; ++k)
            sell_.values[begin + k * slice_rows + i] = value_from<Value>(csr.values[from + k]);
        }
      });
    });
    return true;
  }

 private:
  void sum_slices(std::int64_t first, std::int64_t last, const Value* x, Value* y) const {
    const auto sums = lane_sums<Value, Index>();
    const SliceArrays<Value, Index> arrays{sell_.values.data(),
                                           sell_.column_indices.data(),
                                           sell_.slice_pointers.data(),
                                           shape.sort_rows > 1 ? sell_.permutation.data() : nullptr,
                                           full_.data(),
                                           sell_.rows};
    if constexpr (shape == host_sell) {
      sums.slices(arrays, first, last, x, y);
    } else {
      sums.slices_of(arrays, slice_rows, first, last, x, y);
    }
  }

  void block_by_rows(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                     Workspace<Value>& workspace) const {
    const ByRows<Value> by_rows(x, bytes(), workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes(), shape.sort_rows <= 1);
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

// Kernels on SELL-C-σ: `sell`, its variants in other shapes, and the vendor's on GPUs.

namespace {
// Slices of rows in a grid's order read x beside each other (read_in_runs); sorting keeps the order of equal rows.
void count_runs(const Structure& s, Workload& w) { w.in_runs = s.row_groups.in_runs * static_cast<double>(s.nonzeros); }

}  // namespace

void count_sell(const Structure& s, const WorkContext& context, Workload& w) {
  const SliceWork* slices = s.slice(host_sell.slice_rows, host_sell.sort_rows);
  count_row_ends(s, w);
  if (context.complex_values) {
    w.slots *= constants::complex_slot;
  } else {
    count_runs(s, w);
  }
  w.thread_parts = parts_of_slices(s, host_sell.slice_rows, slices == nullptr ? 0 : slices->slots, context.threads);
}

namespace {
template <SellShape shape>
std::int64_t bytes_of(const Structure& s, int value_bytes) {
  return sell_bytes(s, shape.slice_rows, shape.sort_rows, value_bytes);
}

// A variant: slots of its own shape, and a row end for each of its slices where `sell` has one for every eight rows.
template <SellShape shape>
void count_variant(const Structure& s, const WorkContext& context, Workload& w) {
  const SliceWork* slices = s.slice(shape.slice_rows, shape.sort_rows);
  if (slices != nullptr) w.slots = std::max(1.0, static_cast<double>(slices->slots));
  count_row_ends(s, w);
  w.mispredictions *= static_cast<double>(host_sell.slice_rows) / shape.slice_rows;
  count_remembered(s, false, w);
  count_runs(s, w);
  w.thread_parts = parts_of_slices(s, shape.slice_rows, slices == nullptr ? 0 : slices->slots, context.threads);
}

// Structures from before a shape was counted do not tell.
template <SellShape shape>
std::string refuse_uncounted(const Structure& s) {
  return s.slice(shape.slice_rows, shape.sort_rows) == nullptr ? "its structure does not tell the slots of such slices"
                                                               : "";
}

template <SellShape shape>
KernelInfo variant(std::string_view name, std::string_view summary) {
  return {.name = name,
          .format = sell_format,
          .unit = WorkUnit::row_per_thread,
          .form = PaperForm::csr,
          .summary = summary,
          .source = "Kreutzer et al. 2014",
          .host = {bytes_of<shape>, build_with_index<SellOf<shape>::template Product, float>,
                   build_with_index<SellOf<shape>::template Product, double>},
          .reads_once = true,
          .transposes = true,
          .dots_step = std::max(shape.slice_rows, shape.sort_rows),
          .refusal = refuse_uncounted<shape>,
          .padding = Padding::slices,
          .count = count_variant<shape>,
          .variant_of = "sell",
          .converts_like = "sell",
          .whole_only = true};
}
}  // namespace

KernelInfo sell_8_1_kernel() { return variant<unsorted_sell>("sell-8-1", "sell with the rows in their own order"); }
KernelInfo sell_16_kernel() { return variant<tall_sell>("sell-16-1024", "sell in slices of 16 rows"); }
KernelInfo sell_32_kernel() { return variant<taller_sell>("sell-32-1024", "sell in slices of 32 rows"); }

KernelInfo sell_kernel() {
  return {.name = "sell",
          .format = sell_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "SELL-C-sigma: slices sorted in windows",
          .source = "Kreutzer et al. 2014",
          .host = {bytes_of<host_sell>, build_with_index<SellOf<host_sell>::template Product, float>,
                   build_with_index<SellOf<host_sell>::template Product, double>,
                   build_with_index<SellOf<host_sell>::template Product, std::complex<float>>,
                   build_with_index<SellOf<host_sell>::template Product, std::complex<double>>},
          .reads_once = true,
          .transposes = true,
          .dots_step = host_sell.sort_rows,
          .padding = Padding::slices,
          .count = count_sell,
          .gpu = {GpuForm::sell, bytes_of<gpu_sell>, count_sell_on_gpu}};
}

KernelInfo vendor_sell_kernel() {
  return {.name = "vendor-sell",
          .format = sell_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "cuSPARSE sliced ELL",
          .source = "NVIDIA",
          .vendor = true};
}
}  // namespace sparsecast::formats
