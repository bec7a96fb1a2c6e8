#include "formats/ell.hpp"

#include <numeric>

#include "formats/kernel_list.hpp"
#include "formats/parts/row_lengths.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/lane_sums.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
std::int64_t Ell<Value, Index>::bytes() const {
  return array_bytes(column_indices) + array_bytes(values);
}

std::int64_t ell_bytes(std::int64_t rows, std::int64_t cols, std::int64_t width, int value_bytes) {
  return saturating_product(saturating_product(rows, width), index_bytes(rows, cols) + value_bytes);
}

std::int64_t ell_bytes(const Structure& structure, int value_bytes) {
  return ell_bytes(structure.rows, structure.cols, structure.row_max, value_bytes);
}

template <class Value, class Index>
Ell<Value, Index> to_ell(const Matrix& matrix, int threads, std::int64_t width) {
  threads = converting_threads(matrix, threads);
  // Rows are transposed block by block: their entries stay in cache while each column's slots are written in a run.
  constexpr std::int64_t block = 64;
  Ell<Value, Index> ell{matrix.rows(), matrix.cols(), width, {}, {}};
  const std::int64_t slots = saturating_product(ell.rows, width);
  allocate(ell.column_indices, slots, "ell");
  allocate(ell.values, slots, "ell");
  matrix.visit([&](const auto& csr) {
    const std::int64_t blocks = (ell.rows + block - 1) / block;
    for_each_part(threads, [&](int part) {
      const std::int64_t first_row = part_begin(blocks, part, threads) * block;
      const std::int64_t last_row = std::min(ell.rows, part_begin(blocks, part + 1, threads) * block);
      for (std::int64_t first = first_row; first < last_row; first += block) {
        const std::int64_t last = std::min(last_row, first + block);
        std::int64_t shortest = width;
        for (std::int64_t row = first; row < last; ++row)
          shortest = std::min<std::int64_t>(shortest, csr.row_pointers[row + 1] - csr.row_pointers[row]);
        for (std::int64_t k = 0; k < width; ++k) {
          Index* columns = ell.column_indices.data() + k * ell.rows;
          Value* values = ell.values.data() + k * ell.rows;
          if (k < shortest) {  // no row of the block ends here
            for (std::int64_t row = first; row < last; ++row) {
              const auto from = csr.row_pointers[row] + k;
              columns[row] = static_cast<Index>(csr.column_indices[from]);
              values[row] = static_cast<Value>(csr.values[from]);
            }
            continue;
          }
          for (std::int64_t row = first; row < last; ++row) {
            const auto from = csr.row_pointers[row] + k;
            const bool filled = from < csr.row_pointers[row + 1];
            columns[row] = filled ? static_cast<Index>(csr.column_indices[from]) : Index{padding_column};
            values[row] = filled ? static_cast<Value>(csr.values[from]) : Value{0};
          }
        }
      }
    });
  });
  return ell;
}

template <class Value, class Index>
Ell<Value, Index> to_ell(const Matrix& matrix, int threads) {
  return to_ell<Value, Index>(matrix, threads, longest_row(matrix, threads));
}

// Host product `ell`. A few columns are walked through side by side, eight rows at a time, whose sums stay in a
// register. Many columns would be more streams than the memory and its TLB follow: there, the sums of a block
// of rows stay in cache while its piece of every column is added.

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

// NOLINTBEGIN(bugprone-macro-parentheses): types.
#define SPARSECAST_INSTANTIATE(Value, Index)                                                           \
  template struct Ell<Value, Index>;                                                                   \
  template Ell<Value, Index> to_ell(const Matrix&, int, std::int64_t);                                 \
  template Ell<Value, Index> to_ell(const Matrix&, int);                                               \
  template void multiply_ell(const Ell<Value, Index>&, int, std::span<const Value>, std::span<Value>); \
  template void update_ell(Ell<Value, Index>&, const Matrix&, int);                                    \
  template void add_transposed_ell(const Ell<Value, Index>&, int, int, Value, const Value*, Value*);
SPARSECAST_FOR_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

// Kernel `ell`, and what its product counts, which is that of HYB's regular part as well.

namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  count_ell(s.row_max, context, w);
  const RowGroups groups = row_groups(s);
  w.partial = number(groups.longest - groups.shortest);
  w.empty = number(s.row_max * groups.groups - groups.longest);
  w.mispredictions = padding_mispredictions(groups, s.row_max, groups.turns);
  count_remembered(s, false, w);
}
}  // namespace

// Columns up to most_streams are read side by side. Where a column's bytes are a multiple of half a page, say, the
// streams alias at 4K, and caches tell lines apart by their places in a page first.
void count_ell(std::int64_t width, const WorkContext& context, Workload& w) {
  constexpr std::int64_t page = 4096, line = 64;
  const double columns = number(width), parts = std::max(1, context.threads);
  w.calls = width > most_streams ? parts * std::ceil(w.rows / parts / number(lane_block)) * columns : 0;
  const std::int64_t stride = static_cast<std::int64_t>(w.rows) * context.value_bytes;
  w.unaligned = w.rows * columns * (1 - number(std::gcd(stride, line)) / number(line));
  if (width < 2 || width > most_streams) return;
  const double places = std::min(columns, number(page / std::max(line, std::gcd(stride, page))));
  w.stream_bytes = w.rows * columns * (4 + context.value_bytes);
  w.aliased = w.rows * columns * (1 - places / columns);
}

double padding_mispredictions(const RowGroups& groups, std::int64_t width, std::int64_t turns) {
  return groups.mispredicted * number(width > most_streams ? turns : groups.groups);
}

KernelInfo ell_kernel() {
  return {.name = "ell",
          .format = ell_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::ell,
          .summary = "padded to the longest row, column-major",
          .source = "Bell & Garland 2009",
          .host = {ell_bytes, build_with_index<EllProduct, float>, build_with_index<EllProduct, double>},
          .transposes = true,
          .padding = Padding::longest_row,
          .count = count,
          .gpu = {GpuForm::ell, ell_bytes, count_ell_on_gpu}};
}
}  // namespace sparsecast::formats
