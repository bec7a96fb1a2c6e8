#include "formats/host_product.hpp"

#include <algorithm>

#include "formats/parts/split.hpp"

namespace sparsecast::formats {
namespace {

// Calls work(first, last) for ranges of about equal size, one per thread.
template <class Work>
void for_each_range(std::int64_t count, int threads, const Work& work) {
  for_each_part(threads,
                [&](int part) { work(part_begin(count, part, threads), part_begin(count, part + 1, threads)); });
}

// y = alpha·product + beta·y, entry by entry.
template <class Value>
void add_scaled(const Scaling<Value>& scaling, const Value* product, const Vectors<Value>& y, int threads) {
  for_each_range(y.rows, threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      Value& to = y.data[i * y.row_stride];
      to = scaling.beta == 0 ? scaling.alpha * product[i] : scaling.alpha * product[i] + scaling.beta * to;
    }
  });
}

template <class Value>
Vectors<Value> one_of(const Vectors<Value>& block, std::int64_t vector) {
  return {block.data + vector * block.vector_stride, block.rows, 1, block.row_stride, block.vector_stride};
}

// Calls multiply(x, product) for every vector of a block, with vectors that lie without gaps.
template <class Value, class Multiply>
void one_by_one(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                Workspace<Value>& workspace, const Multiply& multiply) {
  auto gathered = workspace.borrow(x.row_stride == 1 ? 0 : x.rows);
  auto product = workspace.borrow(y.rows);
  for (std::int64_t v = 0; v < x.vectors; ++v) {
    const Vectors<const Value> from = one_of(x, v);
    std::span<const Value> input(from.data, static_cast<std::size_t>(from.rows));
    if (from.row_stride != 1) {
      for_each_range(from.rows, workspace.threads(), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) gathered.data()[i] = from.data[i * from.row_stride];
      });
      input = gathered.first(from.rows);
    }
    multiply(input, product.first(y.rows));
    add_scaled(scaling, product.data(), one_of(y, v), workspace.threads());
  }
}

template <class Value>
void scale(Value beta, std::span<Value> y) {
  if (beta == 0) {
    std::ranges::fill(y, Value{0});
  } else if (beta != 1) {
    for (Value& entry : y) entry *= beta;
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
  add_scaled(scaling, product.data(), {y.data(), rows}, workspace.threads());
}

template <class Value>
void HostProduct<Value>::apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x,
                                     const Vectors<Value>& y, Workspace<Value>& workspace) const {
  one_by_one(scaling, x, y, workspace, [&](std::span<const Value> from, std::span<Value> to) { apply(from, to); });
}

template <class Value>
void HostProduct<Value>::add_transposed(int /*part*/, Value /*alpha*/, const Value* /*x*/, Value* /*y*/) const {}

template <class Value>
void apply_transposed(const HostProduct<Value>& product, const Scaling<Value>& scaling, std::span<const Value> x,
                      std::span<Value> y, Workspace<Value>& workspace) {
  const int parts = product.transposed_parts();
  if (parts == 1) {
    scale(scaling.beta, y);
    product.add_transposed(0, scaling.alpha, x.data(), y.data());
    return;
  }
  // The first part has its piece of y as well: y itself may hold what beta asks for.
  const auto cols = static_cast<std::int64_t>(y.size());
  auto pieces = workspace.borrow(saturating_product(cols, parts));
  for_each_part(parts, [&](int part) {
    Value* piece = pieces.data() + part * cols;
    std::fill_n(piece, cols, Value{0});
    product.add_transposed(part, scaling.alpha, x.data(), piece);
  });
  for_each_range(cols, parts, [&](std::int64_t first, std::int64_t last) {
    scale(scaling.beta, y.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    for (int part = 0; part < parts; ++part) {
      const Value* piece = pieces.data() + part * cols;
      for (std::int64_t i = first; i < last; ++i) y[static_cast<std::size_t>(i)] += piece[i];
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

}  // namespace sparsecast::formats
