
#include <sparsecast_constants.hpp>

#include "formats/csr_merge.hpp"
#include "formats/csr_vectors.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::formats {
template <class Value>
std::int64_t CsrLayout<Value>::bytes() const {
  const std::int64_t indices = matrix.visit_pattern([](const auto& csr) {
    return static_cast<std::int64_t>(csr.row_pointers.size_bytes() + csr.column_indices.size_bytes());
  });
  return indices + matrix.nonzeros() * static_cast<std::int64_t>(sizeof(Value));
}

std::int64_t csr_bytes(const Structure& structure, int value_bytes) {
  // The widths of Matrix::Storage: 32-bit offsets only together with 32-bit columns.
  const std::int64_t column = Matrix::fits32(structure.cols) ? 4 : 8;
  const std::int64_t offset = column == 4 && Matrix::fits32(structure.nonzeros) ? 4 : 8;
  return saturating_sum(saturating_product(structure.rows + 1, offset),
                        saturating_product(structure.nonzeros, column + value_bytes));
}

template <class Value>
void CsrLayout<Value>::update(const Matrix& other, int threads) {
  matrix = other;
  if (std::holds_alternative<std::span<const Value>>(matrix.values())) return;
  if (converted_values.empty()) allocate(converted_values, matrix.nonzeros(), "csr");
  // Dealt by rows as the products deal them, so that each part's memory is near the core that will read it.
  matrix.visit_for<Value>([&](const auto& csr) {
    const auto rows = rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    for_each_part(threads, [&](int part) {
      const auto begin = csr.row_pointers[rows[part]], end = csr.row_pointers[rows[part + 1]];
      for (auto k = begin; k < end; ++k) converted_values[k] = value_from<Value>(csr.values[k]);
    });
  });
}

template <class Value>
CsrLayout<Value> to_csr(const Matrix& matrix, int threads) {
  CsrLayout<Value> layout;
  layout.update(matrix, threads);
  return layout;
}

#define SPARSECAST_INSTANTIATE(Value) \
  template struct CsrLayout<Value>;   \
  template CsrLayout<Value> to_csr(const Matrix&, int);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE

// Host products on CSR: `csr` (rows dealt by non-zeros, vectorised) and `csr-scalar` (rows dealt by number, a plain
// loop).

namespace {
template <class Value>
class CsrProduct final : public CsrBased<Value> {
 public:
  CsrProduct(const Matrix& matrix, int threads) : CsrBased<Value>(matrix, threads) {
    csr_.visit([&](const auto& csr) { rows_ = rows_by_nonzeros(csr.row_pointers, csr.rows, threads); });
  }
  void apply(std::span<const Value> x, std::span<Value> y) const override {
    csr_.visit([&](const auto& csr) {
      using View = std::decay_t<decltype(csr)>;
      const auto sums = row_sums<Value, typename View::Offset, typename View::Index>();
      for_each_part(static_cast<int>(rows_.size()) - 1,
                    [&](int part) { sums.rows(csr, rows_[part], rows_[part + 1], x.data(), y.data()); });
    });
  }

  [[nodiscard]] std::int64_t row_step() const override { return 1; }
  void apply_rows(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    csr_.visit([&](const auto& csr) {
      using View = std::decay_t<decltype(csr)>;
      row_sums<Value, typename View::Offset, typename View::Index>().rows(csr, first, last, x, y);
    });
  }
  [[nodiscard]] RowParts row_parts() const override { return {rows_, 1}; }

  void apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                    Workspace<Value>& /*workspace*/) const override {
    this->scale_by_rows(scaling, x, y);
  }

 private:
  using CsrBased<Value>::csr_, CsrBased<Value>::rows_;
};

template <class Value>
class CsrScalarProduct final : public CsrBased<Value> {
 public:
  CsrScalarProduct(const Matrix& matrix, int threads) : CsrBased<Value>(matrix, threads) {
    for (int part = 0; part <= threads; ++part) rows_.push_back(part_begin(matrix.rows(), part, threads));
  }
  void apply(std::span<const Value> x, std::span<Value> y) const override {
    csr_.visit([&](const auto& csr) {
      for_each_part(static_cast<int>(rows_.size()) - 1, [&](int part) {
        for (std::int64_t row = rows_[part], last = rows_[part + 1]; row < last; ++row) {
          Value sum = 0;
          const auto end = csr.row_pointers[row + 1];
          for (auto k = csr.row_pointers[row]; k < end; ++k) sum += csr.values[k] * x[csr.column_indices[k]];
          y[row] = sum;
        }
      });
    });
  }

  void apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                    Workspace<Value>& /*workspace*/) const override {
    this->scale_by_rows(scaling, x, y);
  }

 private:
  using CsrBased<Value>::csr_, CsrBased<Value>::rows_;
};
}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_scalar(const Matrix& matrix, int threads) {
  return std::make_unique<CsrScalarProduct<Value>>(matrix, threads);
}

namespace {
// Whether a thread that takes whole rows gets more than this beyond its share: a few long rows cannot be dealt evenly.
constexpr double most_uneven = 1.05;
// What cutting a row costs, an array and a sum at the end, is as much as so few entries of one share.
constexpr std::int64_t least_cut_nonzeros = 20'000;

bool are_uneven(const Matrix& matrix, int threads) {
  if (threads <= 1) return false;
  return matrix.visit_pattern([&](const auto& csr) {
    const auto rows = rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    std::int64_t most = 0;
    for (int part = 0; part < threads; ++part)
      most = std::max<std::int64_t>(most, csr.row_pointers[rows[part + 1]] - csr.row_pointers[rows[part]]);
    return static_cast<double>(most) * threads > most_uneven * static_cast<double>(matrix.nonzeros());
  });
}
}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr(const Matrix& matrix, int threads) {
  if (matrix.nonzeros() > least_cut_nonzeros && are_uneven(matrix, threads))
    return build_csr_merge<Value>(matrix, threads);
  return std::make_unique<CsrProduct<Value>>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_csr(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_csr(const Matrix&, int);

// Kernels on CSR. `csr` and `csr-merge` go through their rows by simd/row_sums, `csr-scalar` by a plain loop.

namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

// Groups of short rows are added eight rows at a time, other rows one by one.
void count_row_sums(const Structure& s, const WorkContext& context, Workload& w) {
  if (context.complex_values) {  // row by row, in fours with two sums each
    w.slots *= constants::complex_slot;
    w.long_rows = constants::complex_row * number(s.rows);
    w.mispredictions = mispredicted_share(s) * number(s.rows);
    count_remembered(s, false, w);
    return;
  }
  const RowGroups groups = row_groups(s);
  const double mispredicted = mispredicted_share(s);
  const double short_rows = number(groups.short_groups) * RowGroups::rows;
  w.more_vectors = number(groups.more_vectors);
  w.long_rows = number(s.rows) - short_rows;
  w.rest = number(groups.rest_nonzeros);
  w.mispredictions = mispredicted * w.long_rows;
  // A branch for every row of a group that has a further vector.
  const double rows = number(groups.more_rows), branches = w.more_vectors * RowGroups::rows;
  w.small_mispredictions = mispredicted * (std::min(rows, branches - rows) + std::min(w.more_vectors, rows));
  count_remembered(s, false, w);
}

void count_csr(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_sums(s, context, w);
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
}

void count_csr_merge(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_sums(s, context, w);
  w.thread_parts = parts_in_order(s, by_merge_path, context.threads);
}

// In a plain loop each addition to a row's sum waits for the one before. A processor looks some hundred entries ahead:
// so many rows' sums overlap as fit there, and of a row as long as that every entry waits.
double chained_entries(const Structure& s) {
  constexpr double free = Workload::chain_free, ahead = 96;
  double chained = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    const double length = number(entry.length);
    chained += std::max(0.0, std::min(length, ahead) - free) / (ahead - free) * length * number(entry.rows);
  }
  return chained;
}

// csr-scalar asks for nothing ahead. The processor does, until misses of x stand between those of the stream: already
// with some per cent of them an entry from memory takes twice as long, with many no longer than that.
double unprefetched_entries(const WorkContext& context, const Workload& w) {
  constexpr double enough_misses = 0.05;
  const double misses = w.misses[0] / w.nonzeros;
  // Half of the cache, as for x.
  const double beyond = 1 / (1 + std::pow(context.last_cache_bytes / 2 / std::max(w.format_bytes, 1.0), 4));
  return w.nonzeros * beyond * misses / (misses + enough_misses);
}

void count_csr_scalar(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_ends(s, w);
  w.chained = chained_entries(s);
  w.unprefetched = unprefetched_entries(context, w);
  w.thread_parts = parts_in_order(s, by_rows, context.threads);
  count_branches(w.nonzeros, w);  // an entry, a branch
}
// The arrays of CSR, and where the path enters every tile.
std::int64_t gpu_merge_bytes(const Structure& s, int value_bytes) {
  const std::int64_t tiles = parts_of(saturating_sum(s.rows, s.nonzeros), gpu_tile_items);
  return saturating_sum(csr_bytes(s, value_bytes), 4 * (tiles + 1));
}

// The arrays of CSR, and where the tiles begin: as many as there are at least.
std::int64_t gpu_row_tile_bytes(const Structure& s, int value_bytes) {
  const std::int64_t tiles = std::max(parts_of(s.nonzeros, gpu_row_tile), parts_of(s.rows, gpu_group_threads));
  const std::int64_t offset = Matrix::fits32(s.cols) && Matrix::fits32(s.nonzeros) ? 4 : 8;
  return saturating_sum(csr_bytes(s, value_bytes), saturating_product(tiles + 1, 4 + offset));
}
}  // namespace

KernelInfo csr_kernel() {
  return {.name = "csr",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .form = PaperForm::csr,
          .summary = "rows split evenly by non-zeros, vectorised",
          .source = "host default",
          .host = {csr_bytes, build_csr<float>, build_csr<double>, build_csr<std::complex<float>>,
                   build_csr<std::complex<double>>},
          .reads_once = true,
          .transposes = true,
          .dots_step = 8,
          .count = count_csr,
          .sorted_like = "sell",
          .choice = 1};
}

KernelInfo csr_scalar_kernel() {
  return {.name = "csr-scalar",
          .format = csr_format,
          .unit = WorkUnit::row_per_thread,
          .on_gpu = true,
          .form = PaperForm::ell,
          .summary = "one thread per row",
          .source = "Bell & Garland 2009",
          .host = {csr_bytes, build_csr_scalar<float>, build_csr_scalar<double>},
          .reads_once = true,
          .transposes = true,
          .count = count_csr_scalar,
          .gpu = {GpuForm::csr_scalar, csr_bytes, count_csr_scalar_on_gpu},
          .whole_only = true,  // csr without its vector loops
          .choice = 3};
}

KernelInfo csr_vector_kernel() {
  return {.name = "csr-vector",
          .format = csr_format,
          .unit = WorkUnit::row_per_warp,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "one warp per row",
          .source = "Bell & Garland 2009",
          .gpu = {GpuForm::csr_vector, csr_bytes, count_csr_vector_on_gpu},
          .choice = 2};
}

KernelInfo csr_half_kernel() {
  return {.name = "csr-half",
          .format = csr_format,
          .unit = WorkUnit::row_per_half_warp,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "half a warp per row",
          .source = "Li & Saad 2013",
          .gpu = {GpuForm::csr_half, csr_bytes, count_csr_half_on_gpu}};
}

KernelInfo csr_tiles_kernel() {
  return {
      .name = "csr-tiles",
      .format = csr_format,
      .unit = WorkUnit::balanced,
      .on_gpu = true,
      .form = PaperForm::csr,
      .summary = "tiles of rows read side by side, long rows in several",
      .source = "Greathouse & Daga 2014",
      .gpu = {GpuForm::csr_tiles, gpu_row_tile_bytes, count_csr_tiles_on_gpu, 40, gpu_row_tile + gpu_group_threads}};
}

KernelInfo csr_merge_kernel() {
  return {.name = "csr-merge",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "equal work over rows + non-zeros",
          .source = "Merrill & Garland 2016",
          .host = {csr_bytes, build_csr_merge<float>, build_csr_merge<double>, build_csr_merge<std::complex<float>>,
                   build_csr_merge<std::complex<double>>},
          .reads_once = true,
          .transposes = true,
          .dots_step = 8,
          .count = count_csr_merge,
          .gpu = {GpuForm::csr_merge, gpu_merge_bytes, count_csr_merge_on_gpu, 48, gpu_tile_items + gpu_group_threads},
          .whole_only = true};  // with one part it is csr
}

KernelInfo csr_stream_kernel() {
  return {.name = "csr-stream",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "rows of a group read side by side; several vectors",
          .source = "Greathouse & Daga 2014",
          .gpu = {.form = GpuForm::csr_stream,
                  .bytes = csr_bytes,
                  .count = count_csr_stream_on_gpu,
                  .registers = 40,
                  .shared_entries = gpu_stream_tile * 2 / 3,
                  .blocks = true}};
}

KernelInfo vendor_csr_kernel() {
  return {.name = "vendor-csr",
          .format = csr_format,
          .unit = WorkUnit::balanced,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "cuSPARSE CSR",
          .source = "NVIDIA",
          .vendor = true};
}

KernelInfo vendor_csr_preprocessed_kernel() {
  KernelInfo info = vendor_csr_kernel();
  info.name = "vendor-csr-preprocessed";
  info.summary = "cuSPARSE CSR after its preprocessing";
  return info;
}
}  // namespace sparsecast::formats
