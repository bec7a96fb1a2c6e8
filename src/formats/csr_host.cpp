// Host products on CSR: `csr` (rows dealt by non-zeros, vectorised) and `csr-scalar` (rows dealt by number, a plain
// loop).

#include "formats/host_builders.hpp"
#include "formats/parts/split.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::formats {
namespace {

template <class Value>
class CsrProduct final : public HostProduct<Value> {
 public:
  CsrProduct(const Matrix& matrix, int threads) : csr_(to_csr<Value>(matrix, threads)) {
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
  [[nodiscard]] std::int64_t bytes() const override { return csr_.bytes(); }

 private:
  CsrLayout<Value> csr_;
  std::vector<std::int64_t> rows_;
};

template <class Value>
class CsrScalarProduct final : public HostProduct<Value> {
 public:
  CsrScalarProduct(const Matrix& matrix, int threads) : csr_(to_csr<Value>(matrix, threads)), threads_(threads) {}
  void apply(std::span<const Value> x, std::span<Value> y) const override {
    csr_.visit([&](const auto& csr) {
      for_each_part(threads_, [&](int part) {
        const std::int64_t last = part_begin(csr.rows, part + 1, threads_);
        for (std::int64_t row = part_begin(csr.rows, part, threads_); row < last; ++row) {
          Value sum = 0;
          const auto end = csr.row_pointers[row + 1];
          for (auto k = csr.row_pointers[row]; k < end; ++k) sum += csr.values[k] * x[csr.column_indices[k]];
          y[row] = sum;
        }
      });
    });
  }
  [[nodiscard]] std::int64_t bytes() const override { return csr_.bytes(); }

 private:
  CsrLayout<Value> csr_;
  int threads_;
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
