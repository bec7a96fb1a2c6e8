#include "forecast/machines/gpu_device.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sparsecast::forecast {
namespace {
// Where nobody tells how many products are waited for together: a solver's dozens.
constexpr double usual_wait = 0.1;
// By how much (logarithms) launches, streams and cores of a device nobody measured are off, all kernels alike and one
// beside the others; of one that its own tables told; and what is left of a product after that.
struct Doubt {
  std::array<double, 3> all, one;
  double offset, trees;
};
constexpr Doubt of_unknown{{0.7, 0.3, 0.4}, {0.5, 0.35, 0.5}, 0.15, 0.3};
constexpr Doubt of_known{{0.2, 0.1, 0.2}, {0.2, 0.1, 0.2}, 0.08, 0.05};
constexpr double noise = 0.2, far_off = 3;
constexpr int rounds = 3, steps = 3;
constexpr Eigen::Index of_trees = 3, of_all = 4;  // launch, stream, cores, share of the trees
constexpr Eigen::Index numbers_of_kernel = 4;     // launch, stream, cores, offset
}  // namespace

GpuDevice::GpuDevice(const GpuModel& model, DeviceProperties properties, double together)
    : model_(model),
      properties_(std::move(properties)),
      numbers_(properties_),
      known_(model.known(properties_.name)),
      wait_share_(together > 0 ? 1 / std::sqrt(std::max(1.0, together)) : usual_wait),
      trees_share_(has_tables() ? 1 : model.share_for_others()) {}

std::optional<GpuProduct> GpuDevice::product(const Structure& structure, Precision precision,
                                             const std::string& kernel) const {
  const GpuModel::Kernel* found = model_.kernel(kernel);
  if (found == nullptr) return std::nullopt;
  return GpuProduct(structure, precision, found->does, numbers_,
                    known_ != nullptr ? known_->strategy : model_.strategy(numbers_.generation));
}

GpuDevice::Costs GpuDevice::first_costs(const std::string& name) const {
  const GpuModel::Kernel& kernel = *model_.kernel(name);
  Costs costs;
  costs.prices = kernel.prices[static_cast<std::size_t>(numbers_.generation)];
  const GpuModel::Launch& launch = model_.launch(numbers_.generation);
  double floor = kernel.seconds > 0 ? kernel.seconds : kernel.multiple * (launch.start + wait_share_ * launch.wait);
  if (known_ != nullptr) {
    costs.prices[0] += known_->stream;
    costs.prices[1] += known_->cores;
    costs.prices[2] += known_->cores;
    if (const auto own = known_->floors.find(kernel.does.name); own != known_->floors.end())
      floor = own->second;
    else if (known_->launch > 0 && kernel.seconds == 0)
      floor = kernel.multiple * known_->launch;
  }
  costs.floor = std::log(floor);
  return costs;
}

GpuDevice::Costs GpuDevice::costs(const std::string& kernel) const {
  if (const auto moved = costs_.find(kernel); moved != costs_.end()) return moved->second;
  Costs costs = first_costs(kernel);
  costs.floor += shares_[0];
  costs.prices[0] += shares_[1];
  costs.prices[1] += shares_[2];
  costs.prices[2] += shares_[2];
  return costs;
}

GpuBase GpuDevice::base(const GpuProduct& product, const std::string& kernel) const {
  const Costs costs = this->costs(kernel);
  GpuBase base;
  base.floor = base.parts[0] = std::exp(costs.floor);
  for (std::size_t i = 0; i < gpu_counts; ++i) base.parts[i + 1] = std::exp(costs.prices[i]) * product.counts[i];
  base.seconds = std::accumulate(base.parts.begin(), base.parts.end(), 0.0);
  return base;
}

double GpuDevice::by_trees(const GpuProduct& product, const GpuBase& base) const {
  return model_.trees()(product.features(base.floor, base.seconds));
}

double GpuDevice::learned(const GpuProduct& product, const GpuBase& base) const {
  return trees_share_ * by_trees(product, base);
}

double GpuDevice::offset(const std::string& kernel) const {
  const auto moved = costs_.find(kernel);
  return moved == costs_.end() ? 0 : moved->second.offset;
}

const DecadeIntervals* GpuDevice::intervals(const std::string& kernel) const {
  if (known_ == nullptr) return nullptr;
  const auto found = known_->intervals.find(kernel);
  return found == known_->intervals.end() ? nullptr : &found->second;
}

void GpuDevice::learn(const std::vector<GpuObservation>& observations, bool with_trees) {
  for (const GpuObservation& o : observations) costs_.try_emplace(o.kernel, first_costs(o.kernel));
  std::vector<double> by_trees(observations.size(), 0);
  for (int round = 0; round < rounds; ++round) {
    if (with_trees)
      for (std::size_t i = 0; i < observations.size(); ++i)
        by_trees[i] = this->by_trees(*observations[i].product, base(*observations[i].product, observations[i].kernel));
    for (int i = 0; i < steps; ++i) step(observations, by_trees);
  }
}

// One step of Gauss and Newton to the most likely costs. A product tells of launch, stream and cores by their shares of
// its time; what is far off counts less, as Cauchy's distribution has it.
void GpuDevice::step(const std::vector<GpuObservation>& observations, const std::vector<double>& by_trees) {
  const Doubt& doubt = known_ != nullptr ? of_known : of_unknown;
  std::map<std::string, Eigen::Index> first;
  for (const auto& [kernel, unused] : costs_)
    first.emplace(kernel, of_all + numbers_of_kernel * static_cast<Eigen::Index>(first.size()));
  const Eigen::Index size = of_all + numbers_of_kernel * static_cast<Eigen::Index>(first.size());
  // Where the numbers stand, away from what was thought before anything was measured.
  Eigen::VectorXd now = Eigen::VectorXd::Zero(size), width = Eigen::VectorXd::Zero(size);
  for (Eigen::Index i = 0; i < 3; ++i) {
    now(i) = shares_[static_cast<std::size_t>(i)];
    width(i) = doubt.all[static_cast<std::size_t>(i)];
  }
  now(of_trees) = trees_share_ - (has_tables() ? 1 : model_.share_for_others());
  width(of_trees) = doubt.trees;
  for (const auto& [kernel, at] : first) {
    const Costs &moved = costs_.at(kernel), before = first_costs(kernel);
    now(at) = moved.floor - before.floor - shares_[0];
    now(at + 1) = moved.prices[0] - before.prices[0] - shares_[1];
    now(at + 2) = moved.prices[1] - before.prices[1] - shares_[2];
    now(at + 3) = moved.offset;
    for (Eigen::Index i = 0; i < 3; ++i) width(at + i) = doubt.one[static_cast<std::size_t>(i)];
    width(at + 3) = doubt.offset;
  }
  Eigen::MatrixXd precision = width.cwiseAbs2().cwiseInverse().asDiagonal();
  Eigen::VectorXd right = -now.cwiseQuotient(width.cwiseAbs2());
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const GpuObservation& o = observations[i];
    const GpuBase base = this->base(*o.product, o.kernel);
    const double left = std::log(o.seconds / base.seconds) - trees_share_ * by_trees[i] - offset(o.kernel);
    const double weight = 1 / (1 + std::pow(left / (far_off * noise), 2)) / (noise * noise);
    const std::array<double, 4> share{base.parts[0] / base.seconds, base.parts[1] / base.seconds,
                                      (base.parts[2] + base.parts[3]) / base.seconds, 1};
    const Eigen::Index at = first.at(o.kernel);
    const std::array<Eigen::Index, 8> where{0, 1, 2, of_trees, at, at + 1, at + 2, at + 3};
    const std::array<double, 8> slope{share[0], share[1], share[2], by_trees[i],
                                      share[0], share[1], share[2], share[3]};
    for (std::size_t a = 0; a < where.size(); ++a) {
      right(where[a]) += weight * slope[a] * left;
      for (std::size_t b = 0; b < where.size(); ++b) precision(where[a], where[b]) += weight * slope[a] * slope[b];
    }
  }
  constexpr double longest_step = 1;
  const Eigen::VectorXd change = precision.ldlt().solve(right).cwiseMin(longest_step).cwiseMax(-longest_step);
  for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i] += change(static_cast<Eigen::Index>(i));
  trees_share_ += change(of_trees);
  for (auto& [kernel, moved] : costs_) {
    const Eigen::Index at = first.at(kernel);
    moved.floor += change(0) + change(at);
    moved.prices[0] += change(1) + change(at + 1);
    moved.prices[1] += change(2) + change(at + 2);
    moved.prices[2] += change(2) + change(at + 2);
    moved.offset += change(at + 3);
  }
}
}  // namespace sparsecast::forecast
