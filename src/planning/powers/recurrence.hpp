#pragma once
// What is made of a matrix's powers: v₀ = x, vₚ = αₚ·A·vₚ₋₁ + βₚ·vₚ₋₁ + γₚ·vₚ₋₂, and of these vectors all, the last
// one, or a weighted sum. Powers, polynomials and Chebyshev's are the same three terms with other numbers.

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace sparsecast::planning {
template <class Value>
struct RecurrenceStep {
  Value alpha = 1, beta = 0, gamma = 0;
  [[nodiscard]] bool plain() const { return alpha == Value{1} && beta == Value{0} && gamma == Value{0}; }
};

enum class Wanted { all, last, sum };

template <class Value>
struct Recurrence {
  Wanted wanted = Wanted::last;
  std::vector<RecurrenceStep<Value>> steps = {};  ///< of v₁, v₂, …
  std::vector<Value> weights = {};                ///< of a sum: of v₀, v₁, …, one more than steps

  [[nodiscard]] std::int64_t powers() const { return static_cast<std::int64_t>(steps.size()); }
};

/// x and where the result goes: `all` has a vector a power, one after the other.
template <class Value>
struct RecurrenceVectors {
  std::span<const Value> x;
  std::span<Value> y;
};

/// A·x … Aᵏ·x, or the last of them.
template <class Value>
[[nodiscard]] Recurrence<Value> powers_of(std::int64_t k, Wanted wanted) {
  return {wanted, std::vector<RecurrenceStep<Value>>(static_cast<std::size_t>(k)), {}};
}

template <class Value>
[[nodiscard]] Recurrence<Value> polynomial(std::span<const Value> c) {
  Recurrence<Value> sum = powers_of<Value>(static_cast<std::int64_t>(c.size()) - 1, Wanted::sum);
  sum.weights.assign(c.begin(), c.end());
  return sum;
}

/// T₀ = 1, T₁ = B, Tⱼ₊₁ = 2·B·Tⱼ − Tⱼ₋₁ with B = (2·A − (a + b)·I) / (b − a).
template <class Value>
[[nodiscard]] Recurrence<Value> chebyshev(std::span<const Value> c, double a, double b) {
  Recurrence<Value> sum = polynomial(c);
  using Real = decltype(std::abs(Value{}));
  const Value of_a = static_cast<Real>(2 / (b - a)), of_x = static_cast<Real>(-(a + b) / (b - a));
  for (std::size_t j = 0; j < sum.steps.size(); ++j)
    sum.steps[j] = j == 0 ? RecurrenceStep<Value>{of_a, of_x, Value{0}}
                          : RecurrenceStep<Value>{Value{2} * of_a, Value{2} * of_x, Value{-1}};
  return sum;
}
}  // namespace sparsecast::planning
