// A strategy on the host's cores: the product of its blocks, in the precision of the plan, and what it works in.

#include <mutex>

#include "base/clock.hpp"
#include "formats/kernels.hpp"
#include "plan/run/host_blocks.hpp"
#include "plan/run/plan_runner.hpp"

namespace sparsecast::planning {
namespace {

template <class Value>
class HostOperator {
 public:
  HostOperator(const Matrix& matrix, const Strategy& strategy)
      : threads_(strategy.threads),
        product_(build_host_blocks<Value>(matrix, strategy.blocks, strategy.threads)),
        workspace_(strategy.threads) {
    if (product_->transposed_parts() == 0) matrix_ = matrix;
  }

  void apply(std::span<const Value> x, std::span<Value> y) const { product_->apply(x, y); }

  void run(const Call<Value>& call) const {
    const std::span<const Value> x(call.x.data, static_cast<std::size_t>(call.x.rows));
    const std::span<Value> y(call.y.data, static_cast<std::size_t>(call.y.rows));
    if (call.transposed && call.one_vector()) {
      formats::apply_transposed(transposed(), call.scaling, x, y, workspace_);
    } else if (call.transposed) {
      formats::apply_transposed_block(transposed(), call.scaling, call.x, call.y, workspace_);
    } else if (call.one_vector()) {
      product_->apply_scaled(call.scaling, x, y, workspace_);
    } else {
      product_->apply_block(call.scaling, call.x, call.y, workspace_);
    }
  }

  [[nodiscard]] bool update_values(const Matrix& matrix) {
    if (!product_->update_values(matrix)) return false;
    if (product_->transposed_parts() == 0) {
      matrix_ = matrix;
      csr_.reset();
    }
    return true;
  }

  [[nodiscard]] std::int64_t bytes() const { return product_->bytes(); }

 private:
  // Of formats without a transposed product: that of the default kernel, which reads the matrix's own arrays. Made when
  // it is asked for first, since in the other precision it has values of its own.
  const formats::HostProduct<Value>& transposed() const {
    if (product_->transposed_parts() > 0) return *product_;
    const std::lock_guard lock(csr_mutex_);
    if (!csr_) csr_ = formats::default_kernel().host.template build<Value>(matrix_, threads_);
    return *csr_;
  }

  int threads_;
  std::unique_ptr<formats::HostProduct<Value>> product_;
  mutable formats::Workspace<Value> workspace_;
  Matrix matrix_;
  mutable std::mutex csr_mutex_;
  mutable std::unique_ptr<formats::HostProduct<Value>> csr_;
};

class HostRunner final : public Runner {
 public:
  HostRunner(Strategy chosen, const Matrix& matrix) : Runner(std::move(chosen), matrix) {
    const double start = base::now_s();
    if (strategy.precision == Precision::double_) {
      double_ = std::make_unique<HostOperator<double>>(matrix, strategy);
    } else {
      single_ = std::make_unique<HostOperator<float>>(matrix, strategy);
    }
    conversion_s = base::now_s() - start;
  }
  void apply(std::span<const double> x, std::span<double> y) const override { of_double().apply(x, y); }
  void apply(std::span<const float> x, std::span<float> y) const override { of_single().apply(x, y); }
  void run(const Call<double>& call) const override { of_double().run(call); }
  void run(const Call<float>& call) const override { of_single().run(call); }
  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    return double_ ? double_->update_values(matrix) : single_->update_values(matrix);
  }
  [[nodiscard]] std::int64_t bytes() const override { return double_ ? double_->bytes() : single_->bytes(); }

 private:
  [[nodiscard]] const HostOperator<double>& of_double() const {
    if (!double_) refuse_precision(Precision::single_);
    return *double_;
  }
  [[nodiscard]] const HostOperator<float>& of_single() const {
    if (!single_) refuse_precision(Precision::double_);
    return *single_;
  }

  std::unique_ptr<HostOperator<double>> double_;
  std::unique_ptr<HostOperator<float>> single_;
};

}  // namespace

std::shared_ptr<Runner> host_runner(Strategy strategy, const Matrix& matrix) {
  return std::make_shared<HostRunner>(std::move(strategy), matrix);
}

}  // namespace sparsecast::planning
