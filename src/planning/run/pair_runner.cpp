// A plan for A and Aᵀ in turns: what multiplies by A, and beside it what multiplies by Aᵀ.

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/transpose.hpp>

#include "fields/plan.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/symmetry.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast {
std::string_view to_string(TransposeStorage storage) { return word_of(storage); }

namespace planning {
namespace {
bool stores_more(TransposeStorage storage) {
  return storage == TransposeStorage::second_form || storage == TransposeStorage::transpose;
}

bool is_symmetric(const Matrix& matrix, int threads) {
  return !matrix.is_complex() && matrix.rows() == matrix.cols() &&
         matrix::value_symmetry(matrix, threads).symmetric == 1;
}

class PairRunner final : public Runner {
 public:
  PairRunner(Strategy chosen, const Matrix& matrix, std::shared_ptr<Runner> normal, std::shared_ptr<Runner> other)
      : Runner(std::move(chosen), matrix, false),
        matrix_(matrix),
        normal_(std::move(normal)),
        other_(std::move(other)),
        storage_(strategy.transpose->storage) {
    conversion_s = normal_->conversion_s + (other_ ? other_->conversion_s : 0);
  }

  void apply(std::span<const double> x, std::span<double> y) const override { normal_->apply(x, y); }
  void apply(std::span<const float> x, std::span<float> y) const override { normal_->apply(x, y); }
  void run(const Call<double>& call) const override { run_call(call); }
  void run(const Call<float>& call) const override { run_call(call); }
  void run(const Call<std::complex<double>>& call) const override { run_call(call); }
  void run(const Call<std::complex<float>>& call) const override { run_call(call); }

  [[nodiscard]] bool one_pass(std::span<const double> x, std::span<double> y) const override { return once(x, y); }
  [[nodiscard]] bool one_pass(std::span<const float> x, std::span<float> y) const override { return once(x, y); }
  [[nodiscard]] bool one_pass(std::span<const std::complex<double>> x,
                              std::span<std::complex<double>> y) const override {
    return once(x, y);
  }
  [[nodiscard]] bool one_pass(std::span<const std::complex<float>> x, std::span<std::complex<float>> y) const override {
    return once(x, y);
  }

  [[nodiscard]] bool run_with_dots(const Call<double>& call, std::span<const double> w,
                                   formats::DotSums<double>& sums) const override {
    return normal_->run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool run_with_dots(const Call<float>& call, std::span<const float> w,
                                   formats::DotSums<float>& sums) const override {
    return normal_->run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool run_with_dots(const Call<std::complex<double>>& call, std::span<const std::complex<double>> w,
                                   formats::DotSums<std::complex<double>>& sums) const override {
    return normal_->run_with_dots(call, w, sums);
  }
  [[nodiscard]] bool run_with_dots(const Call<std::complex<float>>& call, std::span<const std::complex<float>> w,
                                   formats::DotSums<std::complex<float>>& sums) const override {
    return normal_->run_with_dots(call, w, sums);
  }

  [[nodiscard]] bool update_values(const Matrix& matrix) override {
    if (storage_ == TransposeStorage::symmetric && !is_symmetric(matrix, strategy.threads)) return false;
    if (!normal_->update_values(matrix)) return false;
    if (other_ && !other_->update_values(held(matrix))) other_ = make_transpose_runner(matrix, strategy);
    matrix_ = matrix;
    in_csr_.reset();
    return true;
  }
  [[nodiscard]] std::int64_t bytes() const override { return normal_->bytes() + (other_ ? other_->bytes() : 0); }
  [[nodiscard]] std::int64_t device_memory_bytes() const override { return normal_->device_memory_bytes(); }
  [[nodiscard]] std::optional<TrialReport> trials() const override { return normal_->trials(); }
  [[nodiscard]] std::vector<PlannedBlock> blocks() const override { return normal_->blocks(); }

 private:
  template <class Value>
  void run_call(Call<Value> call) const {
    if (!call.transposed) return normal_->run(call);
    call.transposed = storage_ == TransposeStorage::shared || storage_ == TransposeStorage::second_form;
    (other_ ? other_ : normal_)->run(call);
  }

  // By the form of A, or by its own arrays.
  template <class Value>
  [[nodiscard]] bool once(std::span<const Value> x, std::span<Value> y) const {
    if (normal_->one_pass(x, y)) return true;
    std::shared_ptr<Runner> csr;
    {
      const std::lock_guard lock(mutex_);
      if (!in_csr_)
        in_csr_ = host_runner(
            one_kernel(matrix_, std::string(formats::default_kernel().name), strategy.precision, strategy.threads),
            matrix_, {.summed = false});
      csr = in_csr_;
    }
    return csr->one_pass(x, y);
  }

  [[nodiscard]] Matrix held(const Matrix& matrix) const {
    return storage_ == TransposeStorage::transpose ? transpose(matrix) : matrix;
  }

  Matrix matrix_;  // shares its arrays
  std::shared_ptr<Runner> normal_, other_;
  TransposeStorage storage_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<Runner> in_csr_;  // made for the first product in one pass that wants it
};
}  // namespace

std::shared_ptr<Runner> make_transpose_runner(const Matrix& matrix, const Strategy& strategy) {
  const PlannedTranspose& planned = *strategy.transpose;
  if (!stores_more(planned.storage)) return nullptr;
  Strategy other;
  other.device = strategy.device;
  other.precision = strategy.precision;
  other.threads = planned.threads;
  other.blocks = planned.blocks;
  other.transposed = planned.storage == TransposeStorage::second_form;
  return make_runner(other.transposed ? matrix : transpose(matrix), std::move(other), {.summed = false});
}

std::shared_ptr<Runner> pair_runner(Strategy strategy, const Matrix& matrix, std::shared_ptr<Runner> normal,
                                    std::shared_ptr<Runner> other) {
  if (strategy.device != "host")
    throw Error(ErrorCode::unavailable, "plans for A and Aᵀ in turns are for the host only", {},
                "omit the products, or the device");
  PlannedTranspose& planned = *strategy.transpose;
  // What was planned is of a matrix with other values, or comes out of a file.
  if (planned.storage == TransposeStorage::symmetric && !is_symmetric(matrix, strategy.threads)) {
    planned.storage = TransposeStorage::shared;
    planned.seconds = planned.beside_s = 0;
    planned.reason = "A is no longer symmetric: its storage serves both products";
  }
  if (!normal) {
    Strategy of_normal = strategy;
    of_normal.transpose.reset();
    normal = make_runner(matrix, std::move(of_normal), {.summed = false});
  }
  if (!other) other = make_transpose_runner(matrix, strategy);
  auto runner = std::make_shared<PairRunner>(std::move(strategy), matrix, std::move(normal), std::move(other));
  runner->set_checksums(matrix_checksums(matrix));
  return runner;
}
}  // namespace planning
}  // namespace sparsecast
