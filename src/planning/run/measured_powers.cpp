#include "planning/run/measured_powers.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/median.hpp"
#include "formats/parts/sizes.hpp"
#include "planning/run/turns.hpp"

namespace sparsecast::planning {
namespace {
constexpr int most_rounds = 15, least_rounds = 5;
constexpr double most_s = 10;

template <class Value>
MeasuredPowers measured(const Plan& powers, const Plan& products) {
  const std::int64_t k = powers.strategy().powers->k, rows = powers.rows();
  MeasuredPowers answer{.k = k, .pays = powers.strategy().powers->pays};
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
  // One vector after the other between two.
  const auto in_turn = [&] {
    products.apply(std::span<const Value>(x), kept.first(n));
    for (std::int64_t power = 1; power < k; ++power) {
      const std::span<Value> from = power % 2 == 1 ? kept.first(n) : std::span<Value>(y);
      products.apply(std::span<const Value>(from), power % 2 == 1 ? std::span<Value>(y) : kept.first(n));
    }
  };
  std::vector<double> seconds[3];
  const double begun = base::now_s();
  for (int round = 0; round < most_rounds && (round < least_rounds || base::now_s() - begun < most_s); ++round) {
    base::throw_if_interrupted();
    const auto timed = [&](std::size_t which, const auto& call) {
      if (round == 0) call();
      const double before = base::now_s();
      call();
      seconds[which].push_back(base::now_s() - before);
    };
    timed(0, last);
    timed(1, in_turn);
    timed(2, every);
  }
  answer.seconds = base::median(seconds[0]);
  answer.products_s = base::median(seconds[1]);
  answer.all_s = base::median(seconds[2]);
  return answer;
}
}  // namespace

MeasuredPowers measure_powers(const Plan& powers, const Plan& products) {
  return with_value_of(powers.strategy().precision,
                       [&]<class Value>(Value) { return measured<Value>(powers, products); });
}
}  // namespace sparsecast::planning
