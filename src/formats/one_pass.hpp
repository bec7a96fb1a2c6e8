#pragma once
// y = Aᵀ·(A·x) with every entry of A read from memory once: of a few rows at a time the dot products, and while the
// rows are in the cache their multiples are added to y (Vuduc et al. 2002, "Memory hierarchy optimizations and
// performance bounds for sparse AᵀAx").
//
// Several threads add to one y. Where rows of one part and columns of another hardly meet, as in a band, every part
// owns a stretch of y: it first does the rows that stay within, and after a barrier the few at its end that reach into
// the next part's. Else the parts behind the first have pieces of y of their own, which are summed in their order.
// Either way the sums depend on the parts alone. y is set to 0 just before it is added to.

#include "formats/host_product.hpp"

namespace sparsecast::formats {
template <class Value>
class OnePass {
 public:
  /// Of a product with one_pass_units() > 0, which must outlive it, for a matrix of so many columns. Looks at every
  /// entry's column.
  OnePass(const HostProduct<Value>& product, std::int64_t cols);
  /// x and y have cols entries and do not overlap.
  void apply(const Value* x, Value* y, Workspace<Value>& workspace) const;

 private:
  struct Chunk {
    std::int64_t first = 0, last = 0;  // units
    std::int64_t columns_end = 0;      // of these and all before in the part
  };
  struct Part {
    std::vector<Chunk> inner;         // whose columns are this part's own
    std::vector<Chunk> outer;         // what reaches further
    ColumnRange columns;              // of both
    std::int64_t begin = 0, end = 0;  // columns that it owns
  };
  void share_columns();
  void add(const std::vector<Chunk>& chunks, std::int64_t begin, std::int64_t end, const Value* x, Value* y) const;

  const HostProduct<Value>& product_;
  std::int64_t cols_;
  std::vector<Part> parts_;
  bool owned_ = true;  // stretches of y, else pieces
};

extern template class OnePass<float>;
extern template class OnePass<double>;
extern template class OnePass<std::complex<float>>;
extern template class OnePass<std::complex<double>>;
}  // namespace sparsecast::formats
