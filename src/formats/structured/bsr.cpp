
#include <fmt/format.h>
#include <sparsecast_constants.hpp>

#include "base/text.hpp"
#include "formats/csr_vectors.hpp"
#include "formats/kernel_list.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/structured/block_sums.hpp"
#include "matrix/structure/block_walk.hpp"
#include "matrix/structure/blocks.hpp"

namespace sparsecast::formats {
namespace {
// Without a shape, blocks of one entry: every matrix can be stored, though no forecast will offer it.
DenseBlocks shape_or_entries(const DenseBlocks& found, std::int64_t nonzeros) {
  return found.rows > 0 ? found : DenseBlocks{1, 1, nonzeros, 1};
}

// Whether all rows of a group have the same entries, which fall into full blocks: the columns of the first one ascend,
// so those of a block are neighbours where its last is as far from its first as it is wide.
template <class Csr>
bool is_full_group(const Csr& csr, std::int64_t first_row, int height, int width) {
  if (first_row + height > csr.rows) return false;
  const std::int64_t begin = csr.row_pointers[first_row], length = csr.row_pointers[first_row + 1] - begin;
  if (length % width != 0) return false;
  const auto* columns = csr.column_indices.data() + begin;
  for (std::int64_t i = 1; i < height; ++i) {
    if (csr.row_pointers[first_row + i + 1] != begin + (i + 1) * length) return false;
    if (!std::equal(columns, columns + length, columns + i * length)) return false;
  }
  for (std::int64_t k = 0; k < length; k += width)
    if (columns[k + width - 1] - columns[k] != width - 1) return false;
  return true;
}

// The blocks of such a group.
template <class Csr, class Value, class Index>
void fill_full_group(const Csr& csr, std::int64_t first_row, int height, int width, Index* columns, Value* block) {
  const std::int64_t begin = csr.row_pointers[first_row], length = csr.row_pointers[first_row + 1] - begin;
  const auto* values = csr.values.data() + begin;
  for (std::int64_t k = 0; k < length; k += width) {
    *columns++ = static_cast<Index>(csr.column_indices[begin + k]);
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < height; ++i) *block++ = stored<Value>(values[i * length + k + j]);
  }
}
}  // namespace

template <class Value, class Index>
std::int64_t Bsr<Value, Index>::bytes() const {
  return array_bytes(block_pointers) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t bsr_bytes(const Structure& structure, int value_bytes) {
  const DenseBlocks shape = shape_or_entries(structure.dense_blocks, structure.nonzeros);
  const std::int64_t block = std::int64_t{value_bytes} * shape.rows * shape.cols;
  const std::int64_t groups = (structure.rows + shape.rows - 1) / shape.rows;
  return saturating_sum(saturating_product(shape.blocks, block + index_bytes(structure.rows, structure.cols)),
                        (groups + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)));
}

std::string bsr_refusal(const Structure& structure) {
  constexpr double worthwhile = 0.9;  // of the bytes of CSR
  const DenseBlocks& blocks = structure.dense_blocks;
  if (blocks.rows < 0) return "the structure does not say which blocks it has";
  if (blocks.rows == 0) return "no shape of 2 to 8 rows and columns fills its blocks well";
  if (static_cast<double>(bsr_bytes(structure, 8)) <= worthwhile * static_cast<double>(csr_bytes(structure, 8)))
    return {};
  return fmt::format("blocks of {} × {}, {} full, save too little", blocks.rows, blocks.cols,
                     base::format_percent(blocks.fill));
}

template <class Value>
AlignedBlocks<Value> to_aligned_blocks(const Matrix& matrix, std::int64_t side) {
  AlignedBlocks<Value> blocks;
  std::vector<std::size_t> block_of(static_cast<std::size_t>((matrix.cols() + side - 1) / side));
  matrix.visit_for<Value>([&](const auto& csr) {
    for (std::int64_t top = 0; top < csr.rows; top += side) {
      const std::int64_t end = std::min(top + side, csr.rows);
      const std::size_t first = blocks.columns.size();
      for (std::int64_t k = csr.row_pointers[top]; k < csr.row_pointers[end]; ++k)
        blocks.columns.push_back(static_cast<std::int32_t>(csr.column_indices[k] / side));
      const auto begin = blocks.columns.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, blocks.columns.end());
      blocks.columns.erase(std::unique(begin, blocks.columns.end()), blocks.columns.end());
      for (std::size_t i = first; i < blocks.columns.size(); ++i) block_of[blocks.columns[i]] = i;
      blocks.values.resize(blocks.columns.size() * side * side);
      for (std::int64_t row = top; row < end; ++row)
        for (std::int64_t k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
          blocks.values[(block_of[csr.column_indices[k] / side] * side + row - top) * side +
                        csr.column_indices[k] % side] += static_cast<Value>(csr.values[k]);
      blocks.pointers.push_back(static_cast<std::int32_t>(blocks.columns.size()));
    }
  });
  return blocks;
}
template AlignedBlocks<float> to_aligned_blocks(const Matrix&, std::int64_t);
template AlignedBlocks<double> to_aligned_blocks(const Matrix&, std::int64_t);

template <class Value, class Index>
Bsr<Value, Index> to_bsr(const Matrix& matrix, int threads) {
  const DenseBlocks shape = shape_or_entries(matrix::block_shape(matrix), matrix.nonzeros());
  const std::int64_t height = shape.rows, slots = height * shape.cols;
  const std::int64_t groups = (matrix.rows() + height - 1) / height, last_start = matrix.cols() - shape.cols;
  Bsr<Value, Index> bsr{matrix.rows(), matrix.cols(), shape.rows, shape.cols, {}, {}, {}};
  allocate(bsr.block_pointers, groups + 1, "bsr");
  bsr.block_pointers[0] = 0;
  matrix.visit_for<Value>([&](const auto& csr) {
    for_each_part(threads, [&](int part) {
      for (std::int64_t g = part_begin(groups, part, threads); g < part_begin(groups, part + 1, threads); ++g) {
        if (is_full_group(csr, g * height, shape.rows, shape.cols)) {
          bsr.block_pointers[g + 1] = (csr.row_pointers[g * height + 1] - csr.row_pointers[g * height]) / shape.cols;
          continue;
        }
        std::int64_t blocks = 0;
        matrix::walk_blocks(
            csr, g * height, shape.rows, shape.cols, [&](std::int64_t) { ++blocks; }, [](auto...) {});
        bsr.block_pointers[g + 1] = blocks;
      }
    });
    for (std::int64_t g = 0; g < groups; ++g) bsr.block_pointers[g + 1] += bsr.block_pointers[g];
    allocate(bsr.column_indices, bsr.block_pointers[groups], "bsr");
    allocate(bsr.values, saturating_product(bsr.block_pointers[groups], slots), "bsr");

    const auto bounds = rows_by_nonzeros(bsr.block_pointers.data(), groups, threads);  // groups by blocks
    for_each_part(threads, [&](int part) {
      for (std::int64_t g = bounds[part]; g < bounds[part + 1]; ++g) {
        Index* column = bsr.column_indices.data() + bsr.block_pointers[g];
        if (is_full_group(csr, g * height, shape.rows, shape.cols)) {
          fill_full_group(csr, g * height, shape.rows, shape.cols, column,
                          bsr.values.data() + bsr.block_pointers[g] * slots);
          continue;
        }
        Value* block = bsr.values.data() + (bsr.block_pointers[g] - 1) * slots;
        std::int64_t first = 0;
        matrix::walk_blocks(
            csr, g * height, shape.rows, shape.cols,
            [&](std::int64_t start) {
              first = std::min(start, last_start);
              *column++ = static_cast<Index>(first);
              block += slots;
              std::fill_n(block, slots, padding_value<Value>);
            },
            [&](int i, auto k, std::int64_t) {
              block[(csr.column_indices[k] - first) * height + i] = stored<Value>(csr.values[k]);
            });
      }
    });
  });
  return bsr;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct Bsr<Value, Index>;         \
  template Bsr<Value, Index> to_bsr(const Matrix&, int);
SPARSECAST_FOR_ALL_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE

// Host product `bsr`: groups of rows dealt to threads by their blocks.

namespace {
template <class Value, class Index>
class BsrProduct final : public HostProduct<Value> {
 public:
  BsrProduct(const Matrix& matrix, int threads)
      : bsr_(to_bsr<Value, Index>(matrix, threads)),
        groups_(rows_by_nonzeros(bsr_.block_pointers.data(), bsr_.row_groups(), threads)) {}

  void apply(std::span<const Value> x, std::span<Value> y) const override {
    const auto sums = block_sums<Value, Index>(bsr_.block_rows, bsr_.block_cols);
    for_each_part(static_cast<int>(groups_.size()) - 1,
                  [&](int part) { sums.groups(bsr_, groups_[part], groups_[part + 1], x.data(), y.data()); });
  }
  [[nodiscard]] std::int64_t row_step() const override { return bsr_.block_rows; }
  void apply_rows(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override {
    const std::int64_t height = bsr_.block_rows;
    block_sums<Value, Index>(bsr_.block_rows, bsr_.block_cols)
        .groups(bsr_, first / height, (last + height - 1) / height, x, y);
  }
  [[nodiscard]] RowParts row_parts() const override {
    RowParts parts{groups_, bsr_.block_rows};
    for (std::int64_t& bound : parts.bounds) bound = std::min(bsr_.rows, bound * bsr_.block_rows);
    return parts;
  }
  [[nodiscard]] std::int64_t bytes() const override { return bsr_.bytes(); }

  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override {
    if constexpr (is_complex_value<Value>) {
      HostProduct<Value>::apply_block(scaling, x, y, workspace);
    } else {
      block_by_rows(scaling, x, y, workspace);
    }
  }

 private:
  void block_by_rows(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                     Workspace<Value>& workspace) const {
    const ByRows<Value> by_rows(x, bytes(), workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes(), true);
    const auto sums = formats::block_groups<Value, Index>();
    const std::int64_t slots = std::int64_t{bsr_.block_rows} * bsr_.block_cols;
    for_each_part(static_cast<int>(groups_.size()) - 1, [&](int part) {
      for (std::int64_t group = groups_[part]; group < groups_[part + 1]; ++group) {
        const std::int64_t begin = bsr_.block_pointers[group], row = group * bsr_.block_rows;
        sums.group({bsr_.values.data() + begin * slots, bsr_.column_indices.data() + begin,
                    bsr_.block_pointers[group + 1] - begin, bsr_.block_rows, bsr_.block_cols, row,
                    static_cast<int>(std::min<std::int64_t>(bsr_.block_rows, bsr_.rows - row))},
                   task);
      }
      if (task.past_caches) finish_past_caches();
    });
  }

  Bsr<Value, Index> bsr_;
  std::vector<std::int64_t> groups_;
};
}  // namespace

// Kernel `bsr`: a block costs one index and one read of x whatever it holds, and its slots are gone through as vectors.

namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

void count(const Structure& s, const WorkContext& context, Workload& w) {
  const DenseBlocks& blocks = s.dense_blocks;
  const int height = std::max(1, blocks.rows), width = std::max(1, blocks.cols);
  w.slots = std::max(1.0, number(blocks.blocks * height * width));
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  if (context.complex_values) w.slots *= constants::complex_block_slot;
  w.calls = number(blocks.blocks);
  w.row_steps = w.rows / height;
  w.mispredictions = mispredicted_share(s) * w.row_steps;
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
  // The rows of a block, and its columns, read x once.
  for (double& misses : w.misses) misses *= std::min(1.0, number(blocks.blocks) / w.nonzeros);
  count_remembered(s, false, w);
}
}  // namespace

KernelInfo bsr_kernel() {
  return {
      .name = "bsr",
      .format = "bsr",
      .unit = WorkUnit::balanced,
      .form = PaperForm::csr,
      .summary = "blocks of 2 to 8 rows and columns",
      .source = "Im & Yelick 2001",
      .host = {bsr_bytes, build_with_index<BsrProduct, float>, build_with_index<BsrProduct, double>,
               build_with_index<BsrProduct, std::complex<float>>, build_with_index<BsrProduct, std::complex<double>>},
      .reads_once = true,
      .dots_step = 8,
      .made_for = MadeFor::blocks,
      .refusal = bsr_refusal,
      .index_bytes = 0,
      .count = count,
      .whole_only = true};
}

KernelInfo vendor_bsr_kernel() {
  return {.name = "vendor-bsr",
          .format = "bsr",
          .unit = WorkUnit::balanced,
          .on_gpu = true,
          .form = PaperForm::csr,
          .summary = "cuSPARSE BSR, square blocks at multiples of their size",
          .source = "NVIDIA",
          .vendor = true,
          .made_for = MadeFor::blocks,
          .refusal = bsr_refusal};
}
}  // namespace sparsecast::formats
