#include "formats/structured/dia.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "formats/csr_vectors.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/row_sums.hpp"
#include "formats/structured/diagonal_sums.hpp"
#include "matrix/structure/diagonals.hpp"

namespace sparsecast::formats {
namespace {
constexpr std::int64_t lanes = Dia<double, std::int32_t>::slice_rows;

// Whether a row has an entry on every diagonal and no other, as most rows of a stencil do.
template <class Csr>
bool is_full(const Csr& csr, std::int64_t row, const Array<std::int64_t>& diagonals) {
  const auto begin = csr.row_pointers[row];
  const auto count = static_cast<std::int64_t>(diagonals.size());
  if (csr.row_pointers[row + 1] - begin != count) return false;
  const auto* columns = csr.column_indices.data() + begin;
  std::int64_t differs = 0;
  for (std::int64_t d = 0; d < count; ++d) differs |= (columns[d] - row) ^ diagonals[d];
  return differs == 0;
}

// Whether that is so of all eight rows of a slice. Their columns then lie one after the other, and `pattern` is what
// they are in a slice from row 0 on.
template <class Csr>
bool is_full_slice(const Csr& csr, std::int64_t slice,
                   const std::vector<std::make_unsigned_t<typename Csr::Index>>& pattern) {
  const std::int64_t first = slice * lanes;
  if (first + lanes > csr.rows) return false;
  const auto begin = csr.row_pointers[first];
  const auto count = static_cast<std::int64_t>(pattern.size());
  if (csr.row_pointers[first + lanes] - begin != count) return false;
  const auto* columns = csr.column_indices.data() + begin;
  using Bits = std::make_unsigned_t<typename Csr::Index>;  // near the borders a sum may not be a column
  const auto row = static_cast<Bits>(first);
  Bits differs = 0;
  for (std::int64_t k = 0; k < count; ++k) differs |= static_cast<Bits>(columns[k]) ^ (pattern[k] + row);
  // Entries of one row may be where the next one's should: only the rows' own lengths tell.
  for (std::int64_t i = 1; i < lanes; ++i) differs |= csr.row_pointers[first + i] - begin != i * count / lanes ? 1 : 0;
  return differs == 0;
}

// The columns of eight full rows from row 0 on.
template <class Index>
std::vector<std::make_unsigned_t<Index>> full_pattern(const Array<std::int64_t>& diagonals) {
  std::vector<std::make_unsigned_t<Index>> pattern;
  for (std::int64_t row = 0; row < lanes; ++row)
    for (const std::int64_t diagonal : diagonals)
      pattern.push_back(static_cast<std::make_unsigned_t<Index>>(diagonal + row));
  return pattern;
}

template <class Csr, class Value>
void fill_full_slice(const Csr& csr, std::int64_t slice, std::int64_t count, Value* slots) {
  const auto* values = csr.values.data() + csr.row_pointers[slice * lanes];
  for (std::int64_t d = 0; d < count; ++d, slots += lanes)
    for (std::int64_t i = 0; i < lanes; ++i) slots[i] = stored<Value>(values[i * count + d]);
}

// Spreads the rows of one slice over its slots; what lies on no dense diagonal goes to the rest.
template <class Csr, class Value, class Index>
void fill_slice(const Csr& csr, std::int64_t slice, const Array<std::int64_t>& diagonals, Value* slots,
                DiaRest<Value, Index>& rest) {
  const auto count = static_cast<std::int64_t>(diagonals.size());
  std::fill_n(slots, count * lanes, padding_value<Value>);
  for (std::int64_t row = slice * lanes; row < std::min(csr.rows, (slice + 1) * lanes); ++row) {
    Value* lane = count == 0 ? slots : slots + row % lanes;  // without diagonals there are no slots to point at
    if (is_full(csr, row, diagonals)) {
      const auto* values = csr.values.data() + csr.row_pointers[row];
      for (std::int64_t d = 0; d < count; ++d) lane[d * lanes] = stored<Value>(values[d]);
      continue;
    }
    const std::size_t before = rest.values.size();
    std::int64_t d = 0;
    for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
      const std::int64_t diagonal = csr.column_indices[k] - row;
      while (d < count && diagonals[d] < diagonal) ++d;
      if (d < count && diagonals[d] == diagonal) {
        lane[d++ * lanes] = stored<Value>(csr.values[k]);
      } else {
        rest.column_indices.push_back(static_cast<Index>(csr.column_indices[k]));
        rest.values.push_back(static_cast<Value>(csr.values[k]));
      }
    }
    if (rest.values.size() == before) continue;
    rest.rows.push_back(static_cast<Index>(row));
    rest.ends.push_back(static_cast<std::int64_t>(rest.values.size()));
  }
}
}  // namespace

template <class Value, class Index>
std::int64_t Dia<Value, Index>::bytes() const {
  std::int64_t sum = array_bytes(diagonals) + array_bytes(values);
  for (const DiaRest<Value, Index>& part : rest)
    sum +=
        array_bytes(part.rows) + array_bytes(part.ends) + array_bytes(part.column_indices) + array_bytes(part.values);
  return sum;
}

std::int64_t dia_bytes(const Structure& structure, int value_bytes) {
  const DenseDiagonals& dense = structure.dense_diagonals;
  const std::int64_t diagonals = std::max<std::int64_t>(0, dense.diagonals);
  const std::int64_t rest = structure.nonzeros - dense.nonzeros;
  const std::int64_t index = index_bytes(structure.rows, structure.cols), offset = sizeof(std::int64_t);
  const std::int64_t slots = saturating_product((structure.rows + lanes - 1) / lanes * lanes, diagonals);
  const std::int64_t outside =
      saturating_sum(saturating_product(rest, index + value_bytes), dense.rest_rows * (index + offset));
  return saturating_sum(saturating_sum(saturating_product(slots, value_bytes), diagonals * offset), outside);
}

std::string dia_refusal(const Structure& structure) {
  constexpr double worthwhile = 0.9;  // of the bytes of CSR
  const DenseDiagonals& dense = structure.dense_diagonals;
  if (dense.diagonals < 0) return "the structure does not say which diagonals are dense";
  if (dense.diagonals == 0) return "no dense diagonals";
  if (static_cast<double>(dia_bytes(structure, 8)) <= worthwhile * static_cast<double>(csr_bytes(structure, 8)))
    return {};
  const double share = static_cast<double>(dense.nonzeros) / static_cast<double>(structure.nonzeros);
  return fmt::format("{} dense diagonals with {} of the non-zeros save too little", dense.diagonals,
                     base::format_percent(share));
}

template <class Value, class Index>
Dia<Value, Index> to_dia(const Matrix& matrix, int threads) {
  Dia<Value, Index> dia{matrix.rows(), matrix.cols(), {}, {}, {}};
  const std::vector<std::int64_t> diagonals = matrix::dense_diagonals(matrix);
  dia.diagonals.assign(diagonals.begin(), diagonals.end());
  const std::int64_t width = static_cast<std::int64_t>(diagonals.size()) * lanes, slices = dia.slices();
  allocate(dia.values, saturating_product(slices, width), "dia");
  dia.rest.resize(static_cast<std::size_t>(threads));
  matrix.visit([&](const auto& csr) {
    const auto pattern = full_pattern<typename std::decay_t<decltype(csr)>::Index>(dia.diagonals);
    for_each_part(threads, [&](int part) {
      DiaRest<Value, Index>& rest = dia.rest[static_cast<std::size_t>(part)];
      const std::int64_t last = part_begin(slices, part + 1, threads);
      for (std::int64_t slice = part_begin(slices, part, threads); slice < last; ++slice) {
        Value* slots = dia.values.data() + slice * width;
        if (is_full_slice(csr, slice, pattern)) {
          fill_full_slice(csr, slice, width / lanes, slots);
        } else {
          fill_slice(csr, slice, dia.diagonals, slots, rest);
        }
      }
    });
  });
  return dia;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct Dia<Value, Index>;         \
  template Dia<Value, Index> to_dia(const Matrix&, int);
SPARSECAST_FOR_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE

// Host product `dia`: slices dealt to threads by their number. Slices all of whose diagonals lie within the matrix are
// multiplied as vectors, the few at its borders entry by entry; the rest off the diagonals is added row by row.

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
    for_each_part(threads_, [&](int part) {
      sum_slices(part_begin(dia_.slices(), part, threads_), part_begin(dia_.slices(), part + 1, threads_), x.data(),
                 y.data());
      const DiaRest<Value, Index>& rest = dia_.rest[static_cast<std::size_t>(part)];
      add_rest(rest, 0, rest.rows.size(), x.data(), y.data());
    });
  }
  // What is on no dense diagonal lies by parts, not by rows.
  [[nodiscard]] std::int64_t row_step() const override {
    const auto is_empty = [](const DiaRest<Value, Index>& rest) { return rest.rows.empty(); };
    return std::ranges::all_of(dia_.rest, is_empty) ? lanes : 0;
  }
  void apply_rows(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    const std::int64_t first_slice = first / lanes, last_slice = (last + lanes - 1) / lanes;
    sum_slices(first_slice, last_slice, x, y);
    const auto [rest, begin] = rest_of(first_slice, last_slice);
    const auto end = std::ranges::lower_bound(rest->rows, static_cast<Index>(last)) - rest->rows.begin();
    add_rest(*rest, begin, static_cast<std::size_t>(end), x, y);
  }
  // Within a part what is on no dense diagonal lies by rows.
  [[nodiscard]] RowParts row_parts() const override {
    RowParts parts{one_pass_parts(), lanes};
    for (std::int64_t& bound : parts.bounds) bound = std::min(dia_.rows, bound * lanes);
    return parts;
  }
  [[nodiscard]] std::int64_t bytes() const override { return dia_.bytes(); }

  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    const ByRows<Value> by_rows(x, bytes(), workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes(), true);
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

  [[nodiscard]] std::int64_t one_pass_units() const override { return dia_.slices(); }
  [[nodiscard]] std::vector<std::int64_t> one_pass_parts() const override {
    std::vector<std::int64_t> bounds;
    for (int part = 0; part <= threads_; ++part) bounds.push_back(part_begin(dia_.slices(), part, threads_));
    return bounds;
  }
  void add_one_pass(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
    // Of all diagonals as much as is asked for ahead: the next slices are on their way while these are added.
    const std::int64_t slice_bytes =
        std::max<std::int64_t>(count, 1) * lanes * static_cast<std::int64_t>(sizeof(Value));
    const std::int64_t step = std::clamp<std::int64_t>(prefetch_bytes / slice_bytes, 4, most_at_once);
    const Rest rest = rest_of(first, last);
    std::size_t summed = rest.first;
    for (std::int64_t slice = first; slice < last; slice += step) {
      const std::int64_t end = std::min(last, slice + step);
      summed = add_some(slice, end, *rest.part, summed, x, y);
    }
  }
  [[nodiscard]] ColumnRange one_pass_columns(std::int64_t first, std::int64_t last) const override {
    ColumnRange range{dia_.cols, 0};
    if (!dia_.diagonals.empty()) {
      range.first = std::clamp<std::int64_t>(first * lanes + dia_.diagonals.front(), 0, dia_.cols);
      range.last = std::clamp<std::int64_t>(last * lanes + dia_.diagonals.back(), 0, dia_.cols);
    }
    const auto [part, begin] = rest_of(first, last);
    for (std::size_t i = begin; i < part->rows.size() && part->rows[i] < last * lanes; ++i)
      for (std::int64_t k = rest_begin(*part, i); k < part->ends[i]; ++k) {
        range.first = std::min<std::int64_t>(range.first, part->column_indices[k]);
        range.last = std::max<std::int64_t>(range.last, std::int64_t{part->column_indices[k]} + 1);
      }
    return range;
  }

 private:
  static constexpr std::int64_t most_at_once = 64;
  // Rows off the diagonals of slices of one part, from the first one on.
  struct Rest {
    const DiaRest<Value, Index>* part;
    std::size_t first;
  };
  [[nodiscard]] Rest rest_of(std::int64_t first, std::int64_t last) const {
    int part = 0;
    while (part + 1 < threads_ && part_begin(dia_.slices(), part + 1, threads_) < last) ++part;
    const DiaRest<Value, Index>& rest = dia_.rest[static_cast<std::size_t>(part)];
    const auto row = std::ranges::lower_bound(rest.rows, static_cast<Index>(first * lanes));
    return {&rest, static_cast<std::size_t>(row - rest.rows.begin())};
  }
  static std::int64_t rest_begin(const DiaRest<Value, Index>& rest, std::size_t i) {
    return i > 0 ? rest.ends[i - 1] : 0;
  }

  // AᵀA·x of some slices; `i`: the first of the rest's rows there. Returns the next one.
  std::size_t add_some(std::int64_t first, std::int64_t last, const DiaRest<Value, Index>& rest, std::size_t i,
                       const Value* x, Value* y) const {
    const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
    const std::int64_t row = first * lanes, rows = std::min(dia_.rows, last * lanes) - row;
    alignas(64) std::array<Value, most_at_once * lanes> products{};
    const std::int64_t inner = std::clamp(inner_first_, first, last), outer = std::clamp(inner_last_, inner, last);
    const auto values = [&](std::int64_t slice) { return dia_.values.data() + slice * count * lanes; };
    const auto careful = [&](std::int64_t from, std::int64_t to, const auto& work) {
      for (std::int64_t slice = from; slice < to; ++slice)
        work(values(slice), dia_.diagonals.data(), count, std::min(lanes, dia_.rows - slice * lanes), slice * lanes);
    };
    const auto sum = [&](const Value* slots, const std::int64_t* diagonals, std::int64_t of, std::int64_t lines,
                         std::int64_t at) {
      sum_slice_carefully(slots, diagonals, of, lines, x + at, products.data() + (at - row));
    };
    const auto scatter = [&](const Value* slots, const std::int64_t* diagonals, std::int64_t of, std::int64_t lines,
                             std::int64_t at) {
      scatter_slice_carefully(slots, diagonals, of, lines, products.data() + (at - row), y + at);
    };
    if (count > 0) {
      careful(first, inner, sum);
      diagonal_sums<Value>().slices(values(inner), dia_.diagonals.data(), count, outer - inner, x + inner * lanes,
                                    products.data() + (inner - first) * lanes);
      careful(outer, last, sum);
    }
    const CsrArrays<Value, std::int64_t, Index> view{dia_.rows, dia_.cols, nullptr, rest.column_indices.data(),
                                                     rest.values.data()};
    const auto sums = row_sums<Value, std::int64_t, Index>();
    const std::size_t begin = i;
    for (; i < rest.rows.size() && rest.rows[i] < row + rows; ++i)
      products[static_cast<std::size_t>(rest.rows[i] - row)] += sums.part(view, rest_begin(rest, i), rest.ends[i], x);
    const bool finite =
        std::all_of(products.begin(), products.begin() + rows, [](Value product) { return std::isfinite(product); });
    if (count > 0 && finite) {
      careful(first, inner, scatter);
      diagonal_scatter<Value>()(values(inner), dia_.diagonals.data(), count, outer - inner,
                                products.data() + (inner - first) * lanes, y + inner * lanes);
      careful(outer, last, scatter);
    } else if (count > 0) {
      careful(first, last, scatter);
    }
    for (std::size_t k = begin; k < i; ++k) {
      const Value product = products[static_cast<std::size_t>(rest.rows[k] - row)];
      for (std::int64_t entry = rest_begin(rest, k); entry < rest.ends[k]; ++entry)
        y[rest.column_indices[entry]] += rest.values[entry] * product;
    }
    return i;
  }

  void sum_slices(std::int64_t first, std::int64_t last, const Value* x, Value* y) const {
    const std::int64_t inner = std::clamp(inner_first_, first, last), outer = std::clamp(inner_last_, inner, last);
    const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
    if (count > 0) {
      border(first, inner, x, y);
      diagonal_sums<Value>().slices(dia_.values.data() + inner * count * lanes, dia_.diagonals.data(), count,
                                    outer - inner, x + inner * lanes, y + inner * lanes);
      border(outer, last, x, y);
    } else {  // x may have no entries and stand nowhere
      std::fill(y + std::min(first * lanes, dia_.rows), y + std::min(last * lanes, dia_.rows), Value{0});
    }
  }

  static constexpr std::int64_t lanes = Dia<Value, Index>::slice_rows;
  static_assert(lanes == dia_lanes, "the block's loops are made for these slices");

  void border(std::int64_t first, std::int64_t last, const Value* x, Value* y) const {
    const auto count = static_cast<std::int64_t>(dia_.diagonals.size());
    for (std::int64_t slice = first; slice < last; ++slice)
      sum_slice_carefully(dia_.values.data() + slice * count * lanes, dia_.diagonals.data(), count,
                          std::min(lanes, dia_.rows - slice * lanes), x + slice * lanes, y + slice * lanes);
  }

  // Of its rows `first` … last − 1.
  void add_rest(const DiaRest<Value, Index>& rest, std::size_t first, std::size_t last, const Value* x,
                Value* y) const {
    const CsrArrays<Value, std::int64_t, Index> view{dia_.rows, dia_.cols, nullptr, rest.column_indices.data(),
                                                     rest.values.data()};
    const auto sums = row_sums<Value, std::int64_t, Index>();
    for (std::size_t i = first; i < last; ++i) y[rest.rows[i]] += sums.part(view, rest_begin(rest, i), rest.ends[i], x);
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

// Kernel `dia`: a slot of a dense diagonal costs no index and no gather; what lies elsewhere costs as much as an
// overflow.

namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  constexpr std::int64_t lanes = Dia<double, std::int32_t>::slice_rows;
  const DenseDiagonals& dense = s.dense_diagonals;
  const std::int64_t slices = (s.rows + lanes - 1) / lanes, diagonals = std::max<std::int64_t>(0, dense.diagonals);
  w.slots = std::max(1.0, number(slices * lanes * diagonals));
  w.padding = std::max(0.0, w.slots - number(dense.nonzeros));
  w.overflow = number(s.nonzeros - dense.nonzeros);
  w.row_steps = number(slices);
  w.long_rows = number(dense.rest_rows);
  w.mispredictions = mispredicted_share(s) * number(dense.rest_rows);
  w.thread_parts = parts_in_order(s, by_rows, context.threads);
  // Eight reads of x beside each other are one.
  for (double& misses : w.misses) misses *= number(s.nonzeros - dense.nonzeros + dense.nonzeros / lanes) / w.nonzeros;
  count_remembered(s, false, w);
}
}  // namespace

KernelInfo dia_kernel() {
  return {.name = "dia",
          .format = "dia",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "dense diagonals, the rest by rows",
          .source = "Bell & Garland 2009",
          .host = {dia_bytes, build_with_index<DiaProduct, float>, build_with_index<DiaProduct, double>},
          .reads_once = true,
          .dots_step = 8,
          .made_for = MadeFor::diagonals,
          .refusal = dia_refusal,
          .index_bytes = 0,
          .count = count,
          .whole_only = true};
}
}  // namespace sparsecast::formats
