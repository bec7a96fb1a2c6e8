// Host product `hyb`: the regular part writes y, the overflow is added.

#include "formats/coo_product.hpp"
#include "formats/ell_product.hpp"
#include "formats/host_builders.hpp"
#include "formats/hyb.hpp"
#include "formats/parts/index_choice.hpp"

namespace sparsecast::formats {
namespace {

template <class Value, class Index>
class HybProduct final : public HostProduct<Value> {
 public:
  HybProduct(const Matrix& matrix, int threads) : hyb_(to_hyb<Value, Index>(matrix, threads)), threads_(threads) {}
  void apply(std::span<const Value> x, std::span<Value> y) const override {
    if (hyb_.regular.width == 0) {
      multiply_coo(hyb_.overflow, threads_, x, y);
    } else {
      multiply_ell(hyb_.regular, threads_, x, y);
      if (!hyb_.overflow.values.empty()) add_coo(hyb_.overflow, threads_, x, y);
    }
  }
  [[nodiscard]] std::int64_t bytes() const override { return hyb_.bytes(); }
  [[nodiscard]] int transposed_parts() const override { return threads_; }
  void add_transposed(int part, Value alpha, const Value* x, Value* y) const override {
    add_transposed_ell(hyb_.regular, part, threads_, alpha, x, y);
    add_transposed_coo(hyb_.overflow, part, threads_, alpha, x, y);
  }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    update_ell(hyb_.regular, matrix, threads_);
    update_coo(hyb_.overflow, matrix, hyb_.regular.width, threads_);
    return true;
  }

 private:
  Hyb<Value, Index> hyb_;
  int threads_;
};

}  // namespace

template <class Value>
std::unique_ptr<HostProduct<Value>> build_hyb(const Matrix& matrix, int threads) {
  return build_with_index<HybProduct, Value>(matrix, threads);
}
template std::unique_ptr<HostProduct<float>> build_hyb(const Matrix&, int);
template std::unique_ptr<HostProduct<double>> build_hyb(const Matrix&, int);

}  // namespace sparsecast::formats
