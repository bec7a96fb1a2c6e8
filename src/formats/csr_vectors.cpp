#include "formats/csr_vectors.hpp"

#include "formats/parts/split.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/prefetch.hpp"

namespace sparsecast::formats {
namespace {
// Rows whose products stay in the first cache until they are scaled into y.
constexpr std::int64_t scaled_at_once = 512;

template <class Value>
bool lies_by_rows(const Vectors<const Value>& block) {
  return block.vectors == 1 || block.vector_stride == 1;
}

// Rows of x that could fill lines, or halves of them, lie across two in memory of malloc(), whose large arrays begin 16
// bytes behind a line: nearly every read takes both. Where rows are read often, a copy pays (eight vectors, double, CSR
// on a Granite Rapids guest: blogcatalog3, read 65 times, 1,075 µs without, 594 with it; fe_body, 7 times, 561 and
// 736). How often was found on these and eight more real matrices, on one thread.
template <class Value>
bool to_be_copied(const Vectors<const Value>& block, std::int64_t format_bytes) {
  if (!lies_by_rows(block)) return true;
  constexpr double often = 20;
  const double reads = static_cast<double>(format_bytes) / (sizeof(Value) + 4) / static_cast<double>(block.rows);
  const std::uintptr_t row = static_cast<std::uintptr_t>(block.vectors) * sizeof(Value), part = row % 64 == 0 ? 64 : 32;
  return row % 32 == 0 && block.row_stride == block.vectors && reads >= often &&
         reinterpret_cast<std::uintptr_t>(block.data) % part != 0;
}
}  // namespace

template <class Value>
void scaled_rows(const CsrLayout<Value>& csr, std::int64_t first, std::int64_t last, const Scaling<Value>& scaling,
                 const Value* x, Value* y) {
  csr.visit([&]<class Offset, class Index>(const CsrArrays<Value, Offset, Index>& all) {
    const auto sums = row_sums<Value, Offset, Index>();
    if (scaling.plain()) return sums.rows(all, first, last, x, y);
    alignas(64) std::array<Value, scaled_at_once> product;
    for (std::int64_t begin = first; begin < last; begin += scaled_at_once) {
      const std::int64_t count = std::min(scaled_at_once, last - begin);
      const CsrArrays<Value, Offset, Index> some{count, all.cols, all.row_pointers + begin, all.column_indices,
                                                 all.values};
      sums.rows(some, 0, count, x, product.data());
      Value* to = y + begin;
      for (std::int64_t i = 0; i < count; ++i) to[i] = scaled_sum(scaling.alpha, product[i], scaling.beta, to[i]);
    }
  });
}

template <class Value>
BlockTask<Value> block_task(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                            std::int64_t format_bytes, bool in_order) {
  constexpr std::int64_t line = 64, size = sizeof(Value);
  BlockTask<Value> task{x.data,       x.row_stride,    x.vectors,     y.data,
                        y.row_stride, y.vector_stride, scaling.alpha, scaling.beta};
  // Halves and quarters of a line become whole ones where they follow each other.
  const std::int64_t row = y.vectors * size;
  const bool whole_lines = row % line == 0 && y.row_stride * size % line == 0,
             parts_of_lines = in_order && (row == line / 2 || row == line / 4) && y.row_stride == y.vectors;
  const std::int64_t vectors = saturating_product(saturating_sum(x.rows, y.rows), y.vectors * size);
  const std::int64_t bytes = saturating_sum(format_bytes, vectors);
  task.past_caches = scaling.beta == 0 && y.vector_stride == 1 && (whole_lines || parts_of_lines) &&
                     reinterpret_cast<std::uintptr_t>(y.data) % line == 0 && last_cache_bytes() > 0 &&
                     bytes > last_cache_bytes();
  // Asking costs where x is near (eight vectors, double, CSR on a Zen 4 guest: arrow, 6 MB, 264 µs with it, 222
  // without) and pays where it is not (poisson2d:size=1000, 128 MB: 8.0 and 10.1 ms).
  task.far_vectors = vectors >= last_cache_bytes() / 2;
  return task;
}

template <class Value>
void block_of_rows(const CsrLayout<Value>& csr, std::int64_t first, std::int64_t last, const BlockTask<Value>& task) {
  csr.visit([&]<class Offset, class Index>(const CsrArrays<Value, Offset, Index>& all) {
    block_rows<Value, Offset, Index>().rows(all, first, last, task);
  });
  if (task.past_caches) finish_past_caches();
}

template <class Value>
void add_transposed_rows(const CsrLayout<Value>& csr, std::int64_t first, std::int64_t last, Value alpha,
                         const Value* x, Value* y) {
  csr.visit([&](const auto& all) {
    for (std::int64_t row = first; row < last; ++row) {
      const Value of_row = scaled_by(alpha, x[row]);
      const std::int64_t end = all.row_pointers[row + 1];
      for (std::int64_t k = all.row_pointers[row]; k < end; ++k)
        y[all.column_indices[k]] = multiply_add(of_row, all.values[k], y[all.column_indices[k]]);
    }
  });
}

template <class Value>
ByRows<Value>::ByRows(const Vectors<const Value>& block, std::int64_t format_bytes, Workspace<Value>& workspace)
    : copy_(workspace.borrow(to_be_copied(block, format_bytes) ? saturating_product(block.rows, block.vectors) : 0)),
      by_rows_(block) {
  if (!to_be_copied(block, format_bytes)) return;
  const int threads = workspace.threads();
  for_each_part(threads, [&](int part) {
    const std::int64_t last = part_begin(block.rows, part + 1, threads);
    for (std::int64_t row = part_begin(block.rows, part, threads); row < last; ++row) {
      Value* to = copy_.data() + row * block.vectors;
      const Value* from = block.data + row * block.row_stride;
      for (std::int64_t v = 0; v < block.vectors; ++v) to[v] = from[v * block.vector_stride];
    }
  });
  by_rows_ = {copy_.data(), block.rows, block.vectors, block.vectors, 1};
}

template <class Value>
void CsrBased<Value>::scale_by_rows(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y) const {
  if (scaling.plain()) return this->apply(x, y);
  for_each_part(transposed_parts(),
                [&](int part) { scaled_rows(csr_, rows_[part], rows_[part + 1], scaling, x.data(), y.data()); });
}

template <class Value>
void CsrBased<Value>::apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                                  Workspace<Value>& workspace) const {
  if constexpr (is_complex_value<Value>) {
    HostProduct<Value>::apply_block(scaling, x, y, workspace);
  } else {
    const ByRows<Value> by_rows(x, bytes(), workspace);
    const BlockTask<Value> task = block_task(scaling, by_rows.vectors(), y, bytes(), true);
    for_each_part(transposed_parts(), [&](int part) { block_of_rows(csr_, rows_[part], rows_[part + 1], task); });
  }
}

template <class Value>
void CsrBased<Value>::add_transposed(int part, Value alpha, const Value* x, Value* y) const {
  add_transposed_rows(csr_, rows_[part], rows_[part + 1], alpha, x, y);
}

// Every entry is looked at: the order within rows is the caller's word and may be broken.
template <class Value>
ColumnRange CsrBased<Value>::transposed_columns(int part) const {
  const std::lock_guard lock(columns_mutex_);
  if (columns_.empty()) {
    columns_.resize(static_cast<std::size_t>(transposed_parts()));
    csr_.visit([&](const auto& all) {
      for_each_part(transposed_parts(), [&](int p) {
        std::int64_t first = all.cols, last = 0;
        const std::int64_t end = all.row_pointers[rows_[p + 1]];
        for (std::int64_t k = all.row_pointers[rows_[p]]; k < end; ++k) {
          first = std::min<std::int64_t>(first, all.column_indices[k]);
          last = std::max<std::int64_t>(last, std::int64_t{all.column_indices[k]} + 1);
        }
        columns_[p] = {first, last};
      });
    });
  }
  return columns_[part];
}

template <class Value>
void CsrBased<Value>::add_one_pass(std::int64_t first, std::int64_t last, const Value* x, Value* y) const {
  // As many entries as are asked for ahead: the next ones are on their way while these are added.
  constexpr std::int64_t most_rows = 256, most_entries = prefetch_bytes / static_cast<std::int64_t>(sizeof(Value));
  alignas(64) std::array<Value, most_rows> product;
  csr_.visit([&]<class Offset, class Index>(const CsrArrays<Value, Offset, Index>& all) {
    const auto sums = row_sums<Value, Offset, Index>();
    while (first < last) {
      std::int64_t end = first + 1;
      const std::int64_t most = std::min(last, first + most_rows), enough = all.row_pointers[first] + most_entries;
      while (end < most && all.row_pointers[end + 1] <= enough) ++end;
      sums.rows({end - first, all.cols, all.row_pointers + first, all.column_indices, all.values}, 0, end - first, x,
                product.data());
      add_transposed_rows(csr_, first, end, Value{1}, product.data() - first, y);
      first = end;
    }
  });
}

template <class Value>
ColumnRange CsrBased<Value>::one_pass_columns(std::int64_t first, std::int64_t last) const {
  return csr_.visit([&](const auto& all) {
    ColumnRange range{all.cols, 0};
    const std::int64_t end = all.row_pointers[last];
    for (std::int64_t k = all.row_pointers[first]; k < end; ++k) {
      range.first = std::min<std::int64_t>(range.first, all.column_indices[k]);
      range.last = std::max<std::int64_t>(range.last, std::int64_t{all.column_indices[k]} + 1);
    }
    return range;
  });
}

template <class Value>
bool CsrBased<Value>::update_values(const Matrix& matrix) {
  csr_.update(matrix, transposed_parts());
  columns_.clear();  // of another pattern they would be others
  return true;
}

#define SPARSECAST_INSTANTIATE(Value)                                                                             \
  template BlockTask<Value> block_task(const Scaling<Value>&, const Vectors<const Value>&, const Vectors<Value>&, \
                                       std::int64_t, bool);                                                       \
  template void block_of_rows(const CsrLayout<Value>&, std::int64_t, std::int64_t, const BlockTask<Value>&);      \
  template class ByRows<Value>;
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
#undef SPARSECAST_INSTANTIATE
#define SPARSECAST_INSTANTIATE(Value)                                                                          \
  template class CsrBased<Value>;                                                                              \
  template void scaled_rows<Value>(const CsrLayout<Value>&, std::int64_t, std::int64_t, const Scaling<Value>&, \
                                   std::add_pointer_t<const Value>, std::add_pointer_t<Value>);                \
  template void add_transposed_rows<Value>(const CsrLayout<Value>&, std::int64_t, std::int64_t, Value,         \
                                           std::add_pointer_t<const Value>, std::add_pointer_t<Value>);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE
}  // namespace sparsecast::formats
