#include "planning/run/gram.hpp"

#include <algorithm>
#include <sparsecast_constants.hpp>

#include "base/median.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
namespace {
constexpr double gram_burst_s = 2e-4;  // of short products, so many that the clock tells them apart
}  // namespace

template <class Value>
void Gram::both(const Runner& runner, std::span<const Value> x, std::span<Value> y) {
  auto between = std::get<Work<Value>>(between_).borrow(runner.rows);
  const std::span<Value> product = between.first(runner.rows);
  runner.run(Call<Value>{{}, {x.data(), runner.cols}, {product.data(), runner.rows}, false});
  runner.run(Call<Value>{{}, {product.data(), runner.rows}, {y.data(), runner.cols}, true});
}

// In turns, each after a first product that does not count.
template <class Value>
Gram::Way Gram::measured(const Runner& runner, std::span<const Value> x, std::span<Value> y) {
  if (!runner.one_pass(x, y)) return Way::both;
  const auto seconds_of = [&](int times, const auto& multiply) {
    const double start = base::now_s();
    for (int i = 0; i < times; ++i) multiply();
    return base::now_s() - start;
  };
  const auto once = [&] { (void)runner.one_pass(x, y); };
  const auto twice = [&] { both(runner, x, y); };
  const double first_s = seconds_of(1, twice);
  const int times = static_cast<int>(std::clamp(gram_burst_s / std::max(first_s, 1e-7), 1.0, 1000.0));
  std::vector<double> ratios;
  for (int round = 0; round < constants::gram_rounds; ++round) {
    twice();
    const double both_s = seconds_of(times, twice);
    once();
    ratios.push_back(both_s / seconds_of(times, once));
  }
  return base::median(ratios) > constants::gram_least_gain ? Way::one_pass : Way::both;
}

template <class Value>
void Gram::apply(const Runner& runner, std::span<const Value> x, std::span<Value> y) {
  Way way = way_.load(std::memory_order_acquire);
  if (way == Way::unknown) {
    const std::lock_guard lock(mutex_);
    way = way_.load(std::memory_order_acquire);
    if (way == Way::unknown) way_.store(way = measured(runner, x, y), std::memory_order_release);
  }
  if (way == Way::both || !runner.one_pass(x, y)) both(runner, x, y);
}

#define SPARSECAST_INSTANTIATE(Value) \
  template void Gram::apply(const Runner&, std::span<const Value>, std::span<Value>);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE
}  // namespace sparsecast::planning
