#include "forecast/machines/gpu_doubt.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
constexpr Eigen::Index of_kernel = 4;
}  // namespace

GpuSlopes::GpuSlopes(const GpuBase& base, double by_trees) {
  const double launch = base.parts[0] / base.seconds, stream = base.parts[1] / base.seconds,
               cores = (base.parts[2] + base.parts[3]) / base.seconds;
  by = {launch, stream, cores, by_trees, launch, stream, cores, 1};
}

const std::array<double, 8>& GpuDoubt::widths() const {
  return has_tables_ ? constants::gpu_known_widths : constants::gpu_unknown_widths;
}

GpuDoubt::GpuDoubt(bool has_tables) : has_tables_(has_tables), precision_(Eigen::MatrixXd::Zero(of_all, of_all)) {
  for (Eigen::Index i = 0; i < of_all; ++i) precision_(i, i) = std::pow(widths()[static_cast<std::size_t>(i)], -2);
}

Eigen::Index GpuDoubt::at(const std::string& kernel) {
  const auto [found, added] = first_.emplace(kernel, precision_.rows());
  const Eigen::Index at = found->second;
  if (added) {
    precision_.conservativeResizeLike(Eigen::MatrixXd::Zero(at + of_kernel, at + of_kernel));
    for (Eigen::Index i = 0; i < of_kernel; ++i)
      precision_(at + i, at + i) = std::pow(widths()[static_cast<std::size_t>(of_all + i)], -2);
  }
  return at;
}

std::array<Eigen::Index, 8> GpuDoubt::places(const std::string& kernel) const {
  const Eigen::Index at = first_.at(kernel);
  return {0, 1, 2, of_trees, at, at + 1, at + 2, at + 3};
}

void GpuDoubt::add(const std::string& kernel, const GpuSlopes& slopes, double weight) {
  at(kernel);
  const auto where = places(kernel);
  for (std::size_t a = 0; a < where.size(); ++a)
    for (std::size_t b = 0; b < where.size(); ++b)
      precision_(where[a], where[b]) += weight * slopes.by[a] * slopes.by[b];
}

double GpuDoubt::variance(const std::string& kernel, const GpuSlopes& slopes) const {
  GpuDoubt with = *this;
  with.at(kernel);
  const auto where = with.places(kernel);
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(with.precision_.rows());
  for (std::size_t a = 0; a < where.size(); ++a) slope(where[a]) = slopes.by[a];
  return slope.dot(with.precision_.ldlt().solve(slope));
}
}  // namespace sparsecast::forecast
