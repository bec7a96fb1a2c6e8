#include "plan/search/allowance.hpp"

#include <algorithm>
#include <cmath>

#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

// What one step costs on a host of today, seconds. Rough figures will do: they bound work, they forecast nothing.
constexpr double quick_forecast_s = 8e-7, table_entry_s = 4e-8;

}  // namespace

Allowance::Allowance(const Matrix& matrix, const Profile& profile, std::size_t kernels) {
  const double footprint = 12 * number(matrix.nonzeros()) + 12 * number(matrix.rows()) + 8 * number(matrix.cols());
  double bandwidth = 1e11;  // of a core whose caches hold everything: an estimate that is too short is on the safe side
  for (const Curve& curve : profile.curves)
    if (curve.name == "read_bandwidth" && !curve.y.empty())
      bandwidth = std::max(curve.y.back(), number(matrix.nonzeros()) > 4e6 ? 0.0 : 1e11);
  const double product_s = footprint / bandwidth;
  const double strips = 3 * product_s / (quick_forecast_s * static_cast<double>(std::max<std::size_t>(1, kernels)));
  const double pairs = std::sqrt(2 * 3 * product_s / table_entry_s);
  most_strips = std::max<std::int64_t>(2, static_cast<std::int64_t>(std::min({strips, pairs, 1e6})));
  sampled_nonzeros = std::max<std::int64_t>(1024, std::min<std::int64_t>(matrix.nonzeros() / 64, 1 << 20));
}

}  // namespace sparsecast::planning
