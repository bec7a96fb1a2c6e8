
#include <numeric>

#include "formats/csr_vectors.hpp"
#include "formats/kernel_list.hpp"
#include "formats/structured/mirrored_sums.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast::formats {
namespace {
// Deals rows of one length to slices so that those of a slice are far apart. An odd distance: one of 512 rows would be
// a page of double values, and all eight in the same few lines of the first cache.
template <class Index>
void deal_apart(Index* rows, std::int64_t count, std::vector<Index>& before) {
  constexpr std::int64_t lanes = 8;
  if (count < 2 * lanes) return;
  const std::int64_t distance = (count / lanes - 1) | 1;
  before.assign(rows, rows + distance * lanes);
  for (std::int64_t slice = 0; slice < distance; ++slice)
    for (std::int64_t lane = 0; lane < lanes; ++lane) rows[slice * lanes + lane] = before[lane * distance + slice];
}

// Slices in the order of their first rows, so that they go through x and y once and not once for every length. Where
// lengths are far apart the order of the lengths stays, since the ends of slices would be hard to predict.
template <class Index>
void order_whole_slices(Index* rows, std::int64_t count, std::vector<Index>& before) {
  constexpr std::int64_t lanes = 8;
  const std::int64_t slices = count / lanes;
  std::vector<std::pair<Index, std::int64_t>> order;
  for (std::int64_t slice = 0; slice < slices; ++slice) order.emplace_back(rows[slice * lanes], slice);
  std::ranges::sort(order);
  before.assign(rows, rows + slices * lanes);
  for (const auto& [row, slice] : order) rows = std::copy_n(before.begin() + slice * lanes, lanes, rows);
}

// The rows of a window, first … last − 1, longest first. `before`: entries below the diagonal of all earlier rows.
template <class Index>
void order_window(const Array<std::int64_t>& before, std::int64_t first, std::int64_t last, Index* rows,
                  std::vector<Index>& work) {
  const auto length = [&](Index row) { return before[row + 1] - before[row]; };
  std::iota(rows, rows + (last - first), static_cast<Index>(first));
  std::stable_sort(rows, rows + (last - first), [&](Index a, Index b) { return length(a) > length(b); });
  for (std::int64_t begin = 0, end = 0; begin < last - first; begin = end) {
    while (end < last - first && length(rows[end]) == length(rows[begin])) ++end;
    deal_apart(rows + begin, end - begin, work);
  }
  constexpr std::int64_t far = 3;  // times the mean
  const std::int64_t entries = before[last] - before[first], count = last - first;
  if (length(rows[0]) * count <= far * (entries + count)) order_whole_slices(rows, count, work);
}

template <class Value, class Csr>
Value on_diagonal(const Csr& csr, std::int64_t row, std::int64_t below) {
  const std::int64_t at = csr.row_pointers[row] + below;
  const bool filled = at < csr.row_pointers[row + 1] && csr.column_indices[at] == row;
  return filled ? stored<Value>(csr.values[at]) : padding_value<Value>;
}
}  // namespace

template <class Value, class Index>
std::int64_t SellSym<Value, Index>::bytes() const {
  return array_bytes(slice_pointers) + array_bytes(permutation) + array_bytes(lengths) + array_bytes(column_indices) +
         array_bytes(values) + array_bytes(diagonal);
}

template <class Value, class Index>
void SellSym<Value, Index>::update(const Matrix& matrix) {
  matrix.visit([&](const auto& csr) {
    const int count = static_cast<int>(parts.size()) - 1;
    for_each_part(count, [&](int part) {
      const std::int64_t last = (parts[part + 1] + slice_rows - 1) / slice_rows;
      for (std::int64_t slice = parts[part] / slice_rows; slice < last; ++slice) {
        for_each_slot(slice, [&](std::int64_t slot, std::int64_t row, std::int64_t k) {
          const std::int64_t from = csr.row_pointers[row] + k;
          if (from < csr.row_pointers[row + 1]) values[slot] = static_cast<Value>(csr.values[from]);
        });
        const std::int64_t end = std::min(rows, (slice + 1) * slice_rows);
        for (std::int64_t position = slice * slice_rows; position < end; ++position)
          diagonal[permutation[position]] = on_diagonal<Value>(csr, permutation[position], lengths[position]);
      }
    });
  });
}

std::int64_t sell_sym_bytes(const Structure& structure, int value_bytes) {
  if (structure.symmetry.symmetric != 1) return csr_bytes(structure, value_bytes);
  const std::int64_t below = (structure.nonzeros - structure.symmetry.diagonal) / 2;
  const std::int64_t index = index_bytes(structure.rows, structure.cols), slices = (structure.rows + 7) / 8;
  return saturating_sum(
      saturating_product(below, index + value_bytes),
      (slices + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) + structure.rows * (2 * index + value_bytes));
}

std::string sell_sym_refusal(const Structure& structure) { return csr_sym_refusal(structure); }

template <class Value, class Index>
SellSym<Value, Index> to_sell_sym(const Matrix& matrix, int parts) {
  SellSym<Value, Index> sym;
  const std::int64_t rows = matrix.rows(), C = sym.slice_rows, slices = (rows + C - 1) / C;
  sym.rows = rows;
  for (Array<Index>* of_rows : {&sym.permutation, &sym.lengths}) allocate(*of_rows, rows, "sell-sym");
  allocate(sym.slice_pointers, slices + 1, "sell-sym");
  allocate(sym.diagonal, rows, "sell-sym");
  matrix.visit([&](const auto& csr) {
    Array<std::int64_t> before;
    allocate(before, rows + 1, "sell-sym");
    before[0] = 0;
    for_each_part(parts, [&](int part) {
      const auto columns = csr.column_indices.begin();
      for (std::int64_t row = part_begin(rows, part, parts); row < part_begin(rows, part + 1, parts); ++row) {
        const auto first = columns + csr.row_pointers[row], last = columns + csr.row_pointers[row + 1];
        before[row + 1] = std::lower_bound(first, last, row) - first;
      }
    });
    for (std::int64_t row = 0; row < rows; ++row) before[row + 1] += before[row];
    allocate(sym.column_indices, before[rows], "sell-sym");
    allocate(sym.values, before[rows], "sell-sym");
    sym.parts = rows_by_nonzeros(before.data(), rows, parts);
    for (int part = 1; part < parts; ++part) sym.parts[part] = sym.parts[part] / C * C;

    sym.slice_pointers[slices] = before[rows];
    for_each_part(parts, [&](int part) {
      std::vector<Index> work;
      for (std::int64_t first = sym.parts[part]; first < sym.parts[part + 1]; first += sym.window_rows) {
        const std::int64_t last = std::min(sym.parts[part + 1], first + sym.window_rows);
        order_window(before, first, last, sym.permutation.data() + first, work);
        std::int64_t slot = before[first];  // a window holds the entries of its rows
        for (std::int64_t position = first; position < last; ++position) {
          const std::int64_t row = sym.permutation[position], length = before[row + 1] - before[row];
          if (position % C == 0) sym.slice_pointers[position / C] = slot;
          slot += length;
          sym.lengths[position] = static_cast<Index>(length);
          sym.diagonal[row] = on_diagonal<Value>(csr, row, length);
        }
        for (std::int64_t slice = first / C; slice * C < last; ++slice)
          sym.for_each_slot(slice, [&](std::int64_t at, std::int64_t row, std::int64_t k) {
            sym.column_indices[at] = static_cast<Index>(csr.column_indices[csr.row_pointers[row] + k]);
            sym.values[at] = static_cast<Value>(csr.values[csr.row_pointers[row] + k]);
          });
      }
    });
  });
  return sym;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct SellSym<Value, Index>;     \
  template SellSym<Value, Index> to_sell_sym(const Matrix&, int);
SPARSECAST_FOR_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE

// Host product `sell-sym`: rows dealt by their entries below the diagonal, in whole slices.

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

// Kernel `sell-sym`: half of the entries, each of which is added twice, eight rows at a time.

namespace {
constexpr double slice_rows = SellSym<double, std::int32_t>::slice_rows;

// Rows end once a slice, those of one length at one place.
void count(const Structure& s, const WorkContext& context, Workload& w) {
  count_mirrored(s, context, w);
  w.mispredictions /= slice_rows;
}
}  // namespace

KernelInfo sell_sym_kernel() {
  return {.name = "sell-sym",
          .format = "sell-sym",
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "symmetric: lower triangle, eight rows at a time",
          .source = "Schubert et al. 2011",
          .host = {sell_sym_bytes, build_sell_sym<float>, build_sell_sym<double>},
          .transposes = true,
          .made_for = MadeFor::symmetry,
          .refusal = sell_sym_refusal,
          .padding = Padding::triangle,
          .count = count,
          .whole_only = true};
}
}  // namespace sparsecast::formats
