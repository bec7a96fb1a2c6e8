#pragma once
// What the operations and functions of an expression make of values: whole numbers stay whole and never overflow,
// lists stay within a bound, and what has no value says why. The reading of an expression is expression.hpp's.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_code/space/expression.hpp"

namespace sparsecast::gpu_code::expressions {
using Value = ExpressionValue;
using Kind = Value::Kind;
using Whole = std::int64_t;

/// Why an expression has no value; its text is added where it is evaluated.
struct NoValue {
  std::string reason;
};
inline void need(bool holds, const char* otherwise) {
  if (!holds) throw NoValue{otherwise};
}

/// An evaluation begins: no element of a list has been made.
void begin_evaluation();
/// Elements of lists that an evaluation makes: lists of lists of lists would grow beyond any bound.
void count_elements(std::size_t more);

[[nodiscard]] inline Value truth_value(bool truth) { return Value::of(static_cast<Whole>(truth)); }
[[nodiscard]] Whole whole(const Value& v);

/// An operation between numbers. `of_reals`: none where it takes whole numbers alone; `of_wholes` puts down the result
/// and says whether there is none; none where it always makes a real number.
struct Infix {
  std::string_view sign;
  int binds;
  double (*of_reals)(double, double);
  bool (*of_wholes)(Whole, Whole, Whole*);
};
inline constexpr int power_binds = 8;
/// Longer signs stand before their prefixes.
[[nodiscard]] std::span<const Infix> infixes();
[[nodiscard]] const Infix& infix_of(std::string_view sign);

[[nodiscard]] Value calculated(const Infix& i, const Value& a, const Value& b);
/// == != < <= > >= in, not in.
[[nodiscard]] bool compared(std::string_view sign, const Value& a, const Value& b);
[[nodiscard]] Value element(const Value& list, const Value& index);
/// Names of the functions that `called` knows.
[[nodiscard]] std::span<const std::string_view> functions();
[[nodiscard]] Value called(std::string_view function, std::vector<Value> values);
}  // namespace sparsecast::gpu_code::expressions
