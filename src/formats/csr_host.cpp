// Host products on CSR: `csr` (rows dealt by non-zeros, vectorised) and `csr-scalar` (rows dealt by number, a plain
// loop).

#include "formats/csr_vectors.hpp"
#include "formats/host_builders.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::formats {
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
std::unique_ptr<HostProduct<Value>> build_csr(const Matrix& matrix, int threads) {
  return std::make_unique<CsrProduct<Value>>(matrix, threads);
}
template <class Value>
std::unique_ptr<HostProduct<Value>> build_csr_scalar(const Matrix& matrix, int threads) {
  return std::make_unique<CsrScalarProduct<Value>>(matrix, threads);
}

template std::unique_ptr<HostProduct<float>> build_csr(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_csr(const Matrix&, int);
template std::unique_ptr<HostProduct<float>> build_csr_scalar(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_csr_scalar(const Matrix&, int);

}  // namespace sparsecast::formats
