#include "formats/host_product.hpp"

#include <sparsecast/error.hpp>

#include "formats/parts/split.hpp"
#include "formats/simd/complex_sums.hpp"

namespace sparsecast::formats {
namespace {
// Calls work(first, last) for ranges of about equal size, one per thread.
template <class Work>
void for_each_range(std::int64_t count, int threads, const Work& work) {
  for_each_part(threads,
                [&](int part) { work(part_begin(count, part, threads), part_begin(count, part + 1, threads)); });
}

// Vectors that are taken out of a block by rows, and put back, at a time: a cache line of it.
template <class Value>
constexpr std::int64_t vectors_at_once = 64 / static_cast<std::int64_t>(sizeof(Value));

// The vectors of a block by rows, each without gaps: in one pass over the block, which is read line by line.
template <class Value>
void gather(const Vectors<const Value>& block, Value* to, int threads) {
  for_each_range(block.rows, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t v = 0; v < block.vectors; ++v)
        to[v * block.rows + i] = block.data[i * block.row_stride + v * block.vector_stride];
  });
}

// y = scaling of products that lie so.
template <class Value>
void scatter(const Scaling<Value>& scaling, const Value* products, const Vectors<Value>& y, int threads) {
  for_each_range(y.rows, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t v = 0; v < y.vectors; ++v) {
        Value& to = y.data[i * y.row_stride + v * y.vector_stride];
        to = scaled_sum(scaling.alpha, products[v * y.rows + i], scaling.beta, to);
      }
  });
}

template <class Value>
Vectors<Value> some_of(const Vectors<Value>& block, std::int64_t first, std::int64_t count) {
  return {block.begin_of(first), block.rows, count, block.row_stride, block.vector_stride};
}

// Calls multiply(x, product) for every vector of a block, with vectors that lie without gaps.
template <class Value, class Multiply>
void one_by_one(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                Workspace<Value>& workspace, const Multiply& multiply) {
  const bool gathered = x.row_stride != 1, in_place = y.row_stride == 1 && scaling.plain();
  const std::int64_t group = std::min(x.vectors, vectors_at_once<Value>);
  auto inputs = workspace.borrow(gathered ? saturating_product(x.rows, group) : 0);
  auto products = workspace.borrow(in_place ? 0 : saturating_product(y.rows, group));
  for (std::int64_t first = 0; first < x.vectors; first += group) {
    const std::int64_t count = std::min(group, x.vectors - first);
    const Vectors<const Value> from = some_of(x, first, count);
    const Vectors<Value> to = some_of(y, first, count);
    if (gathered) gather(from, inputs.data(), workspace.threads());
    for (std::int64_t v = 0; v < count; ++v) {
      const Value* input = gathered ? inputs.data() + v * x.rows : from.begin_of(v);
      Value* product = in_place ? to.begin_of(v) : products.data() + v * y.rows;
      multiply(std::span<const Value>(input, static_cast<std::size_t>(x.rows)),
               std::span<Value>(product, static_cast<std::size_t>(y.rows)));
    }
    if (!in_place) scatter(scaling, products.data(), to, workspace.threads());
  }
}

template <class Value>
void scale(Value beta, std::span<Value> y) {
  if (beta == Value{0}) {
    std::ranges::fill(y, Value{0});
  } else if (beta != Value{1}) {
    for (Value& entry : y) entry = scaled_by(beta, entry);
  }
}
}  // namespace

template <class Value>
void HostProduct<Value>::apply_scaled(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y,
                                      Workspace<Value>& workspace) const {
  if (scaling.plain()) return apply(x, y);
  const auto rows = static_cast<std::int64_t>(y.size());
  auto product = workspace.borrow(rows);
  apply(x, product.first(rows));
  scatter(scaling, product.data(), {y.data(), rows}, workspace.threads());
}

template <class Value>
void HostProduct<Value>::apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x,
                                     const Vectors<Value>& y, Workspace<Value>& workspace) const {
  one_by_one(scaling, x, y, workspace, [&](std::span<const Value> from, std::span<Value> to) { apply(from, to); });
}

template <class Value>
void HostProduct<Value>::apply_rows(std::int64_t /*first*/, std::int64_t /*last*/, const Value* /*x*/,
                                    Value* /*y*/) const {}

template <class Value>
void HostProduct<Value>::add_transposed(int /*part*/, Value /*alpha*/, const Value* /*x*/, Value* /*y*/) const {}

template <class Value>
void HostProduct<Value>::add_one_pass(std::int64_t /*first*/, std::int64_t /*last*/, const Value* /*x*/,
                                      Value* /*y*/) const {}

template <class Value>
void apply_transposed(const HostProduct<Value>& product, const Scaling<Value>& scaling, std::span<const Value> x,
                      std::span<Value> y, Workspace<Value>& workspace) {
  const int parts = product.transposed_parts();
  if (parts == 1) {
    scale(scaling.beta, y);
    product.add_transposed(0, scaling.alpha, x.data(), y.data());
    return;
  }
  // A piece of y for every part, as long as the columns that it has.
  const auto cols = static_cast<std::int64_t>(y.size());
  std::vector<ColumnRange> columns;
  std::vector<std::int64_t> begin{0};
  for (int part = 0; part < parts; ++part) {
    ColumnRange range = product.transposed_columns(part);
    range.last = std::min(range.last, cols);
    range.first = std::min(range.first, range.last);
    columns.push_back(range);
    begin.push_back(saturating_sum(begin.back(), range.last - range.first));
  }
  auto pieces = workspace.borrow(begin.back());
  for_each_part(parts, [&](int part) {
    const ColumnRange& range = columns[part];
    Value* piece = pieces.data() + begin[part];
    std::fill_n(piece, range.last - range.first, Value{0});
    product.add_transposed(part, scaling.alpha, x.data(), piece - range.first);
  });
  for_each_range(cols, parts, [&](std::int64_t first, std::int64_t last) {
    scale(scaling.beta, y.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    for (int part = 0; part < parts; ++part) {
      const ColumnRange& range = columns[part];
      const Value* piece = pieces.data() + begin[part] - range.first;
      const std::int64_t end = std::min(last, range.last);
      for (std::int64_t i = std::max(first, range.first); i < end; ++i) y[static_cast<std::size_t>(i)] += piece[i];
    }
  });
}

template <class Value>
void apply_transposed_block(const HostProduct<Value>& product, const Scaling<Value>& scaling,
                            const Vectors<const Value>& x, const Vectors<Value>& y, Workspace<Value>& workspace) {
  one_by_one(scaling, x, y, workspace, [&](std::span<const Value> from, std::span<Value> to) {
    apply_transposed<Value>(product, {}, from, to, workspace);
  });
}

#define SPARSECAST_INSTANTIATE(Value)                                                                                 \
  template class HostProduct<Value>;                                                                                  \
  template void apply_transposed(const HostProduct<Value>&, const Scaling<Value>&, std::span<const Value>,            \
                                 std::span<Value>, Workspace<Value>&);                                                \
  template void apply_transposed_block(const HostProduct<Value>&, const Scaling<Value>&, const Vectors<const Value>&, \
                                       const Vectors<Value>&, Workspace<Value>&);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE

void HostKernel::require_complex() const {
  if (build_complex_double == nullptr)
    throw Error(ErrorCode::failed, std::string(name) + " has no product of complex values", {},
                "csr, csr-merge, sell and bsr have one");
}
}  // namespace sparsecast::formats
