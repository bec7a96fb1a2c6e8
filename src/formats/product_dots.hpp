#pragma once
// A product with the dot products that a solver takes next, w·y and y·y: each thread takes those of some rows when it
// has just written them, while y is in its cache, instead of reading y and w again in a pass of their own. Sums are
// added in the order of the rows within a part and in that of the parts, so that they are the same in every run.

#include "formats/host_product.hpp"

namespace sparsecast::formats {
struct KernelInfo;

/// Whether products of that kernel take dot products on so many threads: its rows are whole in steps
/// (KernelInfo::dots_step), and parts have so many steps that dealing whole ones leaves none behind.
[[nodiscard]] bool takes_dots(const KernelInfo& kernel, std::int64_t rows, int threads);

/// Rows whose y, and mostly x, stay in the nearest caches until their dots are taken: with 256 to 4,096 of them solves
/// took as long, within what runs differ by.
inline constexpr std::int64_t dotted_rows = 2048;

/// Of `count` entries.
template <class Value>
[[nodiscard]] DotSums<Value> dots_of_rows(std::int64_t count, const Value* w, const Value* y);

/// The same in equal parts on so many threads: a pass of its own.
template <class Value>
[[nodiscard]] DotSums<Value> dots_apart(std::span<const Value> w, std::span<const Value> y, int threads);

template <class Value>
class ProductDots {
 public:
  /// Of a product that takes dots, which must outlive it.
  explicit ProductDots(const HostProduct<Value>& product) : product_(product), parts_(product.row_parts()) {}
  /// y = alpha·A·x + beta·y, and its dots with w and itself; w has as many entries as y and may be x.
  [[nodiscard]] DotSums<Value> apply(const Scaling<Value>& scaling, std::span<const Value> w, std::span<const Value> x,
                                     std::span<Value> y, Workspace<Value>& workspace) const;

 private:
  const HostProduct<Value>& product_;
  RowParts parts_;
};

extern template class ProductDots<float>;
extern template class ProductDots<double>;
extern template class ProductDots<std::complex<float>>;
extern template class ProductDots<std::complex<double>>;
}  // namespace sparsecast::formats
