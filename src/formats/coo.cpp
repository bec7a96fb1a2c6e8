#include "formats/coo.hpp"

#include "formats/gpu/gpu_shape.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
std::int64_t Coo<Value, Index>::bytes() const {
  return array_bytes(row_indices) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t coo_bytes(std::int64_t rows, std::int64_t cols, std::int64_t nonzeros, int value_bytes) {
  return saturating_product(nonzeros, 2 * index_bytes(rows, cols) + value_bytes);
}

std::int64_t coo_bytes(const Structure& structure, int value_bytes) {
  return coo_bytes(structure.rows, structure.cols, structure.nonzeros, value_bytes);
}

template <class Value, class Index>
Coo<Value, Index> to_coo(const Matrix& matrix, int threads, std::int64_t skip) {
  threads = converting_threads(matrix, threads);
  Coo<Value, Index> coo{matrix.rows(), matrix.cols(), {}, {}, {}};
  matrix.visit([&](const auto& csr) {
    const auto rows = rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    const auto kept = [&](std::int64_t row) {
      return std::max<std::int64_t>(0, csr.row_pointers[row + 1] - csr.row_pointers[row] - skip);
    };
    // Every part counts what it keeps; the running total tells where it writes.
    std::vector<std::int64_t> begin(static_cast<std::size_t>(threads) + 1, 0);
    for_each_part(threads, [&](int part) {
      std::int64_t count = 0;
      for (std::int64_t row = rows[part]; row < rows[part + 1]; ++row) count += kept(row);
      begin[static_cast<std::size_t>(part) + 1] = count;
    });
    for (int part = 0; part < threads; ++part) begin[part + 1] += begin[part];
    allocate(coo.row_indices, begin.back(), "coo");
    allocate(coo.column_indices, begin.back(), "coo");
    allocate(coo.values, begin.back(), "coo");
    for_each_part(threads, [&](int part) {
      std::int64_t slot = begin[part];
      for (std::int64_t row = rows[part]; row < rows[part + 1]; ++row) {
        const std::int64_t end = csr.row_pointers[row + 1];
        for (std::int64_t k = end - kept(row); k < end; ++k, ++slot) {
          coo.row_indices[slot] = static_cast<Index>(row);
          coo.column_indices[slot] = static_cast<Index>(csr.column_indices[k]);
          coo.values[slot] = static_cast<Value>(csr.values[k]);
        }
      }
    });
  });
  return coo;
}

// Host product `coo`: a segmented sum. A row belongs to the part that holds its first non-zero; a part that begins in
// the middle of a row carries that row's sum over, and carries are added afterwards in the order of the parts.

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

// NOLINTBEGIN(bugprone-macro-parentheses): types.
#define SPARSECAST_INSTANTIATE(Value, Index)                                                           \
  template struct Coo<Value, Index>;                                                                   \
  template Coo<Value, Index> to_coo(const Matrix&, int, std::int64_t);                                 \
  template void multiply_coo(const Coo<Value, Index>&, int, std::span<const Value>, std::span<Value>); \
  template void add_coo(const Coo<Value, Index>&, int, std::span<const Value>, std::span<Value>);      \
  template void update_coo(Coo<Value, Index>&, const Matrix&, std::int64_t, int);                      \
  template void add_transposed_coo(const Coo<Value, Index>&, int, int, Value, const Value*, Value*);
SPARSECAST_FOR_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

// Kernels on COO: `coo`, and the vendor's on GPUs.

namespace {
void count(const Structure& s, const WorkContext& context, Workload& w) {
  const double filled = static_cast<double>(s.rows - s.empty_rows);
  w.row_steps = filled;
  w.mispredictions = mispredicted_filled_share(s) * filled;
  w.thread_parts = parts_in_order(s, by_entries, context.threads);
  count_remembered(s, true, w);
  count_branches(w.nonzeros, w);  // an entry, a branch
}
}  // namespace

KernelInfo coo_kernel() {
  return {.name = "coo",
          .format = coo_format,
          .unit = WorkUnit::nonzero_per_thread,
          .on_gpu = true,
          .form = PaperForm::coo,
          .summary = "segmented reduction over non-zeros",
          .source = "Bell & Garland 2009",
          .host = {coo_bytes, build_with_index<CooProduct, float>, build_with_index<CooProduct, double>},
          .transposes = true,
          .index_bytes = 8,
          .count = count,
          .gpu = {GpuForm::coo, coo_bytes, count_coo_on_gpu, 48, gpu_tile_items + gpu_group_threads}};
}

KernelInfo vendor_coo_kernel() {
  return {.name = "vendor-coo",
          .format = coo_format,
          .unit = WorkUnit::nonzero_per_thread,
          .on_gpu = true,
          .form = PaperForm::coo,
          .summary = "cuSPARSE COO",
          .source = "NVIDIA",
          .vendor = true};
}
}  // namespace sparsecast::formats
