#include "planning/run/plan_runner.hpp"

#include <algorithm>

#include "formats/kernels.hpp"

namespace sparsecast {
void planning::Runner::run(const Call<std::complex<double>>& /*call*/) const { refuse_precision(strategy.precision); }
void planning::Runner::run(const Call<std::complex<float>>& /*call*/) const { refuse_precision(strategy.precision); }

namespace planning {
Runner::Runner(Strategy chosen, const Matrix& matrix, bool summed)
    : strategy(std::move(chosen)), rows(matrix.rows()), cols(matrix.cols()), nonzeros(matrix.nonzeros()) {
  if (!summed) return;
  const auto reads_csr = [](const PlannedBlock& block) {
    return !block.reordered && formats::kernel_or_plain(block.kernel).format == formats::csr_format;
  };
  const bool same_values =
      matrix.visit_any([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>&) {
        return precision_of<Value> == strategy.precision;
      });
  const bool few = strategy.iterations > 0 && strategy.iterations <= StrategyOptions::few_products;
  if (few && strategy.device == "host" && same_values && std::ranges::all_of(strategy.blocks, reads_csr))
    unsummed_ = matrix, summed_when_made_ = false;
  else
    checksums_ = matrix_checksums(matrix);
}

const MatrixChecksums& Runner::checksums() const {
  const std::lock_guard lock(checksums_mutex_);
  if (unsummed_) checksums_ = matrix_checksums(*unsummed_);
  unsummed_.reset();
  return checksums_;
}

void Runner::set_checksums(MatrixChecksums sums) {
  const std::lock_guard lock(checksums_mutex_);
  checksums_ = std::move(sums);
  unsummed_.reset();
}

void Runner::forget_values() { set_checksums({checksums().pattern, {}}); }
}  // namespace planning
}  // namespace sparsecast
