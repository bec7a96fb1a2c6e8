#include "forecast/machines/gpu_device.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast_constants.hpp>

#include "forecast/interval.hpp"

namespace sparsecast::forecast {
GpuDevice::GpuDevice(const GpuModel& model, DeviceProperties properties, double together, const std::string& libraries)
    : model_(model),
      properties_(std::move(properties)),
      numbers_(properties_),
      known_(model.known(properties_.name)),
      age_(model.age(libraries.empty() && known_ != nullptr ? known_->age : libraries, properties_.vendor)),
      strategy_(known_ != nullptr ? known_->strategy
                : age_ != nullptr ? age_->strategy
                                  : model.strategies()[static_cast<std::size_t>(numbers_.generation)]),
      wait_share_(together > 0 ? 1 / std::sqrt(std::max(1.0, together)) : constants::usual_wait),
      trees_share_(has_tables() ? 1 : model.share_for_others()),
      doubt_(has_tables()) {}

std::optional<GpuProduct> GpuDevice::product(const Structure& structure, Precision precision,
                                             const std::string& kernel) const {
  const bool balances =
      static_cast<double>(structure.row_max) > strategy_.row || static_cast<double>(structure.nonzeros) > strategy_.all;
  std::string runs = kernel != "ginkgo-csr" ? kernel : balances ? "ginkgo-csr-load-balance" : "ginkgo-csr-classical";
  if (age_ != nullptr)
    if (const auto other = age_->kernels.find(runs); other != age_->kernels.end()) runs = other->second;
  const GpuModel::Kernel* found = model_.kernel(runs);
  if (found == nullptr) return std::nullopt;
  GpuProduct product(structure, precision, found->does, numbers_, strategy_);
  product.kernel = runs;
  product.by_rule = kernel == "ginkgo-csr";
  return product;
}

GpuDevice::Costs GpuDevice::first_costs(const std::string& name) const {
  const GpuModel::Kernel& kernel = *model_.kernel(name);
  Costs costs;
  costs.prices = kernel.prices[static_cast<std::size_t>(numbers_.generation)];
  const GpuModel::Launch& launch = model_.launch(numbers_.generation);
  const double multiple = kernel.multiples[numbers_.generation == GpuGeneration::amd ? 1 : 0];
  double floor = kernel.seconds > 0 ? kernel.seconds : multiple * (launch.start + wait_share_ * launch.wait);
  if (known_ != nullptr) {
    costs.prices[0] += known_->stream;
    costs.prices[1] += known_->cores;
    costs.prices[2] += known_->cores;
    if (const auto own = known_->floors.find(kernel.does.name); own != known_->floors.end())
      floor = own->second;
    else if (known_->launch > 0 && kernel.seconds == 0)
      floor = multiple * known_->launch;
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

std::optional<std::string> GpuDevice::learned_of(const GpuProduct& product) const {
  const std::string& libraries = model_.kernel(product.kernel)->learned_of;
  return libraries.empty() ? std::nullopt : std::optional(libraries);
}

GpuBase GpuDevice::base(const GpuProduct& product) const {
  const Costs costs = this->costs(product.kernel);
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
  return trees_share_ * by_trees(product, base) + offset(product.kernel);
}

double GpuDevice::offset(const std::string& kernel) const {
  const auto moved = costs_.find(kernel);
  return moved == costs_.end() ? 0 : moved->second.offset;
}

GpuSlopes GpuDevice::slopes(const GpuProduct& product) const {
  const GpuBase base = this->base(product);
  return {base, by_trees(product, base)};
}

DecadeIntervals::Width GpuDevice::interval(const GpuProduct& product, double nonzeros,
                                           const std::vector<GpuTold>& also) const {
  if (known_ != nullptr)
    if (const auto own = known_->intervals.find(product.kernel); own != known_->intervals.end())
      return own->second.at(nonzeros);
  const double rule = product.by_rule ? constants::gpu_rule_doubt * interval_deviations / 2 : 0;
  if (costs_.empty() && also.empty()) {
    const auto& [low, high] = model_.by_data_sheet(product.kernel, numbers_.generation).at(nonzeros);
    return {-std::hypot(low, rule), std::hypot(high, rule)};
  }
  GpuDoubt doubt = doubt_;
  for (const GpuTold& told : also)
    doubt.add(told.kernel, told.slopes, 1 / (constants::gpu_noise * constants::gpu_noise));
  const GpuSlopes own = slopes(product);
  const double left = doubt.variance(product.kernel, own) / GpuDoubt(has_tables()).variance(product.kernel, own);
  const auto& [low, high] = model_.by_data_sheet(product.kernel, numbers_.generation).at(nonzeros);
  const auto& [least, most] = model_.by_anchors(product.kernel, numbers_.generation).at(nonzeros);
  const double settled = (1 - left) * scatter_ * scatter_;
  return {-std::sqrt(left * low * low + settled * least * least + rule * rule),
          std::sqrt(left * high * high + settled * most * most + rule * rule)};
}

void GpuDevice::learn_scatter(const std::vector<GpuObservation>& observations) {
  double squares = constants::gpu_scatter_prior, count = squares;
  for (const auto& [product, seconds] : observations) {
    const GpuBase base = this->base(*product);
    const double left = std::log(seconds / base.seconds) - learned(*product, base);
    const auto [least, most] = model_.by_anchors(product->kernel, numbers_.generation).at(product->nonzeros());
    const double deviation = (left < 0 ? -least : most) / (interval_deviations / 2);
    squares += std::min(left * left / (deviation * deviation), constants::far_off * constants::far_off);
    ++count;
  }
  scatter_ = std::sqrt(squares / count);
}

void GpuDevice::learn(const std::vector<GpuObservation>& observations, bool with_trees) {
  for (const auto& [product, seconds] : observations) costs_.try_emplace(product->kernel, first_costs(product->kernel));
  std::vector<double> by_trees(observations.size(), 0);
  for (int round = 0; round < constants::count(constants::learning_rounds); ++round) {
    if (with_trees)
      for (std::size_t i = 0; i < observations.size(); ++i)
        by_trees[i] = this->by_trees(*observations[i].product, base(*observations[i].product));
    for (int i = 0; i < constants::count(constants::learning_steps); ++i) step(observations, by_trees);
  }
}

// One step of Gauss and Newton to the most likely costs. A product tells of launch, stream and cores by their shares of
// its time; what is far off counts less, as Cauchy's distribution has it.
void GpuDevice::step(const std::vector<GpuObservation>& observations, const std::vector<double>& by_trees) {
  GpuDoubt doubt(has_tables());
  for (const auto& [kernel, unused] : costs_) doubt.at(kernel);
  // Where the numbers stand, away from what was thought before anything was measured.
  Eigen::VectorXd now = Eigen::VectorXd::Zero(doubt.precision().rows());
  for (std::size_t i = 0; i < shares_.size(); ++i) now(static_cast<Eigen::Index>(i)) = shares_[i];
  now(GpuDoubt::of_trees) = trees_share_ - (has_tables() ? 1 : model_.share_for_others());
  for (const auto& [kernel, moved] : costs_) {
    const Costs before = first_costs(kernel);
    now.segment<4>(doubt.at(kernel)) << moved.floor - before.floor - shares_[0],
        moved.prices[0] - before.prices[0] - shares_[1], moved.prices[1] - before.prices[1] - shares_[2], moved.offset;
  }
  Eigen::VectorXd right = -doubt.precision() * now;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto& [product, seconds] = observations[i];
    const GpuBase base = this->base(*product);
    const double left = std::log(seconds / base.seconds) - trees_share_ * by_trees[i] - offset(product->kernel);
    const double off = left / (constants::far_off * constants::gpu_noise), noise = constants::gpu_noise;
    const double weight = 1 / (1 + off * off) / (noise * noise);
    const GpuSlopes slopes(base, by_trees[i]);
    doubt.add(product->kernel, slopes, weight);
    const auto where = doubt.places(product->kernel);
    for (std::size_t a = 0; a < where.size(); ++a) right(where[a]) += weight * slopes.by[a] * left;
  }
  constexpr double longest_step = 1;
  const Eigen::VectorXd change = doubt.precision().ldlt().solve(right).cwiseMin(longest_step).cwiseMax(-longest_step);
  for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i] += change(static_cast<Eigen::Index>(i));
  trees_share_ += change(GpuDoubt::of_trees);
  for (auto& [kernel, moved] : costs_) {
    const Eigen::Index at = doubt.at(kernel);
    moved.floor += change(0) + change(at);
    moved.prices[0] += change(1) + change(at + 1);
    moved.prices[1] += change(2) + change(at + 2);
    moved.prices[2] += change(2) + change(at + 2);
    moved.offset += change(at + 3);
  }
  doubt_ = std::move(doubt);
}
}  // namespace sparsecast::forecast
