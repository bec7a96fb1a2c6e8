// Plan's powers and their sums: what callers hand over is checked here; then blocks of rows take powers together where
// the plan has them, or the plan's product is called so many times.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <sparsecast/error.hpp>

#include "formats/parts/split.hpp"
#include "formats/simd/complex_sums.hpp"
#include "planning/powers/recurrence.hpp"
#include "planning/run/plan_runner.hpp"

namespace sparsecast {
namespace {
using planning::Recurrence;
using planning::RecurrenceStep;
using planning::RecurrenceVectors;
using planning::Wanted;

template <class Value>
void check_powers(const Plan& plan, std::int64_t k, std::span<const Value> x, std::span<Value> y,
                  std::int64_t vectors) {
  if (plan.strategy().precision != precision_of<Value>) planning::refuse_precision(plan.strategy().precision);
  if (plan.rows() != plan.cols())
    throw Error(ErrorCode::usage,
                fmt::format("a matrix of {} rows and {} columns has no powers", plan.rows(), plan.cols()));
  if (k < 0) throw Error(ErrorCode::usage, fmt::format("a power of {} was requested; it must be 0 or more", k));
  if (plan.strategy().powers && k > plan.strategy().powers->k)
    throw Error(ErrorCode::usage, fmt::format("{} powers of a plan that was made for {}", k, plan.strategy().powers->k),
                {}, "plan for more");
  const auto n = static_cast<std::size_t>(plan.rows());
  if (x.size() != n || y.size() != n * static_cast<std::size_t>(vectors))
    throw Error(ErrorCode::usage, fmt::format("x has {} and y {} entries, and should have {} and {}", x.size(),
                                              y.size(), n, n * static_cast<std::size_t>(vectors)));
  const std::less<const void*> before;
  if (!x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) && before(y.data(), x.data() + x.size()))
    throw Error(ErrorCode::usage, "x and y overlap", {}, "give y memory of its own");
}

// How many powers y has room for.
template <class Value>
std::int64_t powers_in(const Plan& plan, std::span<Value> y) {
  const auto n = static_cast<std::size_t>(plan.rows());
  const std::size_t k = n > 0 ? y.size() / n : 0;
  if (k * n != y.size() || (k == 0 && n > 0))
    throw Error(ErrorCode::usage,
                fmt::format("y has {} entries, which is no number of powers of {} entries each", y.size(), n), {},
                "give y as many entries as the powers have together");
  return static_cast<std::int64_t>(k);
}

// Beyond these ends B = (2·A − (a + b)·I) / (b − a) has no finite factors.
void check_interval(double a, double b) {
  if (!(a < b) || !std::isfinite(b - a) || !std::isfinite(a + b) || !std::isfinite(2 / (b - a)))
    throw Error(ErrorCode::usage, fmt::format("[{}, {}] is not an interval of eigenvalues", a, b), {},
                "give two numbers, the lower one first");
}

template <class Value>
void multiply(const planning::Runner& runner, std::span<const Value> x, std::span<Value> y) {
  if constexpr (is_complex_value<Value>)
    runner.run(planning::Call<Value>{{}, {x.data(), runner.cols}, {y.data(), runner.rows}});
  else
    runner.apply(x, y);
}

template <class Value>
void for_entries(const planning::Runner& runner, const auto& work) {
  const int threads = std::max(1, runner.strategy.threads);
  formats::for_each_part(threads, [&](int part) {
    const std::int64_t end = formats::part_begin(runner.rows, part + 1, threads);
    for (std::int64_t i = formats::part_begin(runner.rows, part, threads); i < end; ++i)
      work(static_cast<std::size_t>(i));
  });
}

// One product after the other.
template <class Value>
void multiply_in_turn(const planning::Runner& runner, const Recurrence<Value>& recurrence,
                      const RecurrenceVectors<Value>& vectors, formats::Workspace<Value>& workspace) {
  const auto n = static_cast<std::size_t>(runner.rows);
  const std::int64_t k = recurrence.powers();
  const bool sums = recurrence.wanted == Wanted::sum;
  if (k == 0 || sums)
    for_entries<Value>(
        runner, [&](std::size_t i) { vectors.y[i] = sums ? recurrence.weights[0] * vectors.x[i] : vectors.x[i]; });
  auto even = workspace.borrow(sums && k > 1 ? runner.rows : 0);
  auto odd = workspace.borrow(k > 0 && (sums || (recurrence.wanted == Wanted::last && k > 1)) ? runner.rows : 0);
  auto product = workspace.borrow(
      sums && std::ranges::any_of(recurrence.steps, [](const auto& s) { return !s.plain(); }) ? runner.rows : 0);
  const auto at = [&](std::int64_t power) -> std::span<Value> {
    if (sums) return power % 2 == 0 ? even.first(runner.rows) : odd.first(runner.rows);
    if (recurrence.wanted == Wanted::all) return vectors.y.subspan(static_cast<std::size_t>(power - 1) * n, n);
    return (k - power) % 2 == 0 ? vectors.y : odd.first(runner.rows);
  };
  std::span<const Value> before, x = vectors.x;
  for (std::int64_t power = 1; power <= k; ++power) {
    const std::span<Value> y = at(power);
    const RecurrenceStep<Value>& step = recurrence.steps[static_cast<std::size_t>(power) - 1];
    const Value weight = sums ? recurrence.weights[static_cast<std::size_t>(power)] : Value{0};
    if (step.plain()) {
      multiply<Value>(runner, x, y);
      if (sums) for_entries<Value>(runner, [&](std::size_t i) { vectors.y[i] += weight * y[i]; });
    } else {
      const std::span<Value> ax = product.first(runner.rows);
      multiply<Value>(runner, x, ax);
      for_entries<Value>(runner, [&](std::size_t i) {
        Value next = formats::scaled_sum(step.alpha, ax[i], step.beta, x[i]);
        if (step.gamma != Value{0}) next += step.gamma * before[i];
        y[i] = next;
        vectors.y[i] += weight * next;
      });
    }
    before = x;
    x = y;
  }
}

template <class Value>
void run_recurrence(const planning::Runner& runner, const Recurrence<Value>& recurrence, std::span<const Value> x,
                    std::span<Value> y) {
  if constexpr (!is_complex_value<Value>) {
    const planning::Powers<Value>* powers = runner.powers.of<Value>();
    if (powers != nullptr && (recurrence.wanted != Wanted::all || runner.strategy.powers->all_pays))
      return powers->run(recurrence, {x, y});
  }
  multiply_in_turn<Value>(runner, recurrence, {x, y}, runner.work_of<Value>());
}

// Its steps are listed one by one.
void check_highest(std::int64_t power) {
  constexpr std::int64_t highest = 1 << 20;
  if (power > highest)
    throw Error(ErrorCode::usage, fmt::format("a power of {} was requested; the highest is {}", power, highest), {},
                "compute a lower one, and powers of the result");
}

template <class Value>
void check_coefficients(std::span<const Value> c) {
  if (c.empty()) throw Error(ErrorCode::usage, "the polynomial has no coefficients", {}, "give at least one");
}
}  // namespace

#define SPARSECAST_POWERS(Value)                                                                              \
  void Plan::apply_powers(std::span<const Value> x, std::span<Value> y) const {                               \
    const std::int64_t k = powers_in(*this, y);                                                               \
    check_powers(*this, k, x, y, k);                                                                          \
    if (k > 0) run_recurrence(*runner_, planning::powers_of<Value>(k, Wanted::all), x, y);                    \
  }                                                                                                           \
  void Plan::apply_power(std::span<const Value> x, std::span<Value> y, std::int64_t power) const {            \
    check_highest(power);                                                                                     \
    check_powers(*this, power, x, y, 1);                                                                      \
    run_recurrence(*runner_, planning::powers_of<Value>(power, Wanted::last), x, y);                          \
  }                                                                                                           \
  void Plan::apply_polynomial(std::span<const Value> c, std::span<const Value> x, std::span<Value> y) const { \
    check_coefficients(c);                                                                                    \
    check_powers(*this, static_cast<std::int64_t>(c.size()) - 1, x, y, 1);                                    \
    run_recurrence(*runner_, planning::polynomial(c), x, y);                                                  \
  }                                                                                                           \
  void Plan::apply_chebyshev(std::span<const Value> c, double a, double b, std::span<const Value> x,          \
                             std::span<Value> y) const {                                                      \
    check_coefficients(c);                                                                                    \
    check_interval(a, b);                                                                                     \
    check_powers(*this, static_cast<std::int64_t>(c.size()) - 1, x, y, 1);                                    \
    run_recurrence(*runner_, planning::chebyshev(c, a, b), x, y);                                             \
  }
SPARSECAST_POWERS(double)
SPARSECAST_POWERS(float)
SPARSECAST_POWERS(std::complex<double>)
SPARSECAST_POWERS(std::complex<float>)
#undef SPARSECAST_POWERS
}  // namespace sparsecast
