#pragma once
// What the kernels that read CSR do beside y = A·x, whatever their split: blocks of vectors, α and β, the transposed
// product, new values.

#include "formats/host_product.hpp"
#include "formats/simd/many_vectors.hpp"

namespace sparsecast::formats {
/// Rows first … last − 1 of y = alpha·A·x + beta·y on the calling thread.
template <class Value>
void scaled_rows(const CsrLayout<Value>& csr, std::int64_t first, std::int64_t last, const Scaling<Value>& scaling,
                 const Value* x, Value* y);
/// A block of vectors whose x lies by rows (ByRows), as the inner loops take it. `format_bytes`: of the matrix, which
/// is read beside the vectors; `in_order`: rows of y are written one after another.
template <class Value>
[[nodiscard]] BlockTask<Value> block_task(const Scaling<Value>& scaling, const Vectors<const Value>& x,
                                          const Vectors<Value>& y, std::int64_t format_bytes, bool in_order);
/// The rows of such a product; row r of the matrix goes to row r of y.
template <class Value>
void block_of_rows(const CsrLayout<Value>& csr, std::int64_t first, std::int64_t last, const BlockTask<Value>& task);
/// y += alpha·(those rows)ᵀ·x on the calling thread; entry r of x belongs to row r of the matrix.
template <class Value>
void add_transposed_rows(const CsrLayout<Value>& csr, std::int64_t first, std::int64_t last, Value alpha,
                         const Value* x, Value* y);

/// The product `csr`, which others fall back on.
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr(const Matrix& matrix, int threads);

/// A block of vectors by rows, as the inner loops take it: itself, or a copy where it lies by columns, or within lines
/// and a matrix of so many bytes reads its rows so often that the copy pays.
template <class Value>
class ByRows {
 public:
  ByRows(const Vectors<const Value>& block, std::int64_t format_bytes, Workspace<Value>& workspace);
  [[nodiscard]] const Vectors<const Value>& vectors() const { return by_rows_; }

 private:
  typename Workspace<Value>::Loan copy_;
  Vectors<const Value> by_rows_;
};

/// A kernel on CSR: y = A·x is its own, the rest is here.
template <class Value>
class CsrBased : public HostProduct<Value> {
 public:
  void apply_block(const Scaling<Value>& scaling, const Vectors<const Value>& x, const Vectors<Value>& y,
                   Workspace<Value>& workspace) const override;
  [[nodiscard]] int transposed_parts() const override { return static_cast<int>(rows_.size()) - 1; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override;
  [[nodiscard]] ColumnRange transposed_columns(int part) const override;
  [[nodiscard]] std::int64_t one_pass_units() const override { return csr_.matrix.rows(); }  // a row each
  [[nodiscard]] std::vector<std::int64_t> one_pass_parts() const override { return rows_; }
  void add_one_pass(std::int64_t first, std::int64_t last, const Value* x, Value* y) const override;
  [[nodiscard]] ColumnRange one_pass_columns(std::int64_t first, std::int64_t last) const override;
  [[nodiscard]] bool update_values(const Matrix& matrix) override;
  [[nodiscard]] std::int64_t bytes() const override { return csr_.bytes(); }

 protected:
  CsrBased(const Matrix& matrix, int threads) : csr_(to_csr<Value>(matrix, threads)) {}

  /// apply_scaled() of a kernel whose parts are whole rows.
  void scale_by_rows(const Scaling<Value>& scaling, std::span<const Value> x, std::span<Value> y) const;

  CsrLayout<Value> csr_;
  std::vector<std::int64_t> rows_;  ///< of every part, and their end: the kernel fills it in

 private:
  mutable std::mutex columns_mutex_;
  mutable std::vector<ColumnRange> columns_;  // empty until the first transposed product asks
};

extern template class CsrBased<float>;
extern template class CsrBased<double>;
extern template class CsrBased<std::complex<float>>;
extern template class CsrBased<std::complex<double>>;
}  // namespace sparsecast::formats
