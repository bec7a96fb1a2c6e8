#include "planning/run/measured_powers.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "formats/parts/sizes.hpp"
#include "planning/run/turns.hpp"

namespace sparsecast::planning {
namespace {
constexpr int most_rounds = 15, least_rounds = 3;
constexpr double most_s = 10;

template <class Value>
PowersTurns timed(const Plan& powers, const Plan& products, int rounds, double limit_s) {
  const std::int64_t k = powers.strategy().powers->k, rows = powers.rows();
  const std::vector<double> start = vector_for_checks(rows);
  Array<Value> x(start.size()), y(start.size()), all;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = Value(static_cast<decltype(std::abs(Value{}))>(start[i]));
  formats::allocate(all, formats::saturating_product(rows, k), "powers of a vector");
  std::ranges::fill(all, Value{0});
  std::ranges::fill(y, Value{0});
  const std::span<Value> kept(all);
  const auto n = static_cast<std::size_t>(rows);
  const auto last = [&] { powers.apply_power(std::span<const Value>(x), std::span<Value>(y), k); };
  const auto every = [&] { powers.apply_powers(std::span<const Value>(x), kept); };
  const auto keep = [&] {
    products.apply(std::span<const Value>(x), kept.first(n));
    for (std::size_t power = 1; power < static_cast<std::size_t>(k); ++power)
      products.apply(std::span<const Value>(kept.subspan((power - 1) * n, n)), kept.subspan(power * n, n));
  };
  // One vector after the other between two.
  const auto in_turn = [&] {
    products.apply(std::span<const Value>(x), kept.first(n));
    for (std::int64_t power = 1; power < k; ++power) {
      const std::span<Value> from = power % 2 == 1 ? kept.first(n) : std::span<Value>(y);
      products.apply(std::span<const Value>(from), power % 2 == 1 ? std::span<Value>(y) : kept.first(n));
    }
  };
  std::array<std::vector<double>, 4> seconds;
  const double begun = base::now_s();
  for (int round = 0; round < rounds && (round < least_rounds || base::now_s() - begun < limit_s); ++round) {
    base::throw_if_interrupted();
    const auto time = [&](std::size_t which, const auto& call) {
      if (round == 0) call();
      const double before = base::now_s();
      call();
      seconds[which].push_back(base::now_s() - before);
    };
    time(0, last);
    time(1, in_turn);
    time(2, every);
    time(3, keep);
  }
  return {.last_s = base::median(seconds[0]),
          .all_s = base::median(seconds[2]),
          .products_s = base::median(seconds[1]),
          .kept_s = base::median(seconds[3])};
}
}  // namespace

PowersTurns time_powers(const Plan& powers, const Plan& products, int rounds, double limit_s) {
  return with_value_of(powers.strategy().precision,
                       [&]<class Value>(Value) { return timed<Value>(powers, products, rounds, limit_s); });
}

MeasuredPowers measure_powers(const Plan& powers, const Plan& products) {
  const PowersTurns turns = time_powers(powers, products, most_rounds, most_s);
  const PowersStrategy& planned = *powers.strategy().powers;
  return {.k = planned.k,
          .pays = planned.pays,
          .seconds = turns.last_s,
          .all_s = turns.all_s,
          .products_s = turns.products_s};
}
}  // namespace sparsecast::planning
