#include "gpu_code/space/expression_values.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/number.hpp"

namespace sparsecast::gpu_code::expressions {
namespace {
constexpr std::int64_t most_elements = 200'000;
thread_local std::int64_t elements_made = 0;

// Python has no value there, or a complex one. A comparison with NaN would be false in silence.
Value finite(double number) {
  need(std::isfinite(number), "a number that is not finite");
  return Value::of(number);
}

bool no_shift(Whole y) { return y < 0 || y > 62; }
// Towards minus infinity, as Python has it. The smallest number has no opposite.
bool floor_divide(Whole x, Whole y, Whole* r) {
  if (y == -1) return __builtin_sub_overflow(Whole{0}, x, r);
  *r = x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
  return false;
}
bool modulo(Whole x, Whole y, Whole* r) {
  *r = y == -1 ? 0 : x % y;
  if (*r != 0 && (*r < 0) != (y < 0)) *r += y;
  return false;
}
bool power(Whole x, Whole y, Whole* r) {
  bool none = y < 0 || y > 64;
  *r = 1;
  for (Whole i = 0; i < y && !none; ++i) none = __builtin_mul_overflow(*r, x, r);
  return none;
}
constexpr int sum_binds = 5;
/// Loosest first within their kinds; longer signs stand before their prefixes. Comparisons and words have levels of
/// their own.
constexpr auto all_infixes = std::to_array<Infix>({
    {"<<", 4, nullptr,
     [](Whole x, Whole y, Whole* r) { return no_shift(y) || __builtin_mul_overflow(x, Whole{1} << y, r); }},
    {">>", 4, nullptr, [](Whole x, Whole y, Whole* r) { return no_shift(y) || (*r = x >> y, false); }},
    {"**", power_binds, [](double x, double y) { return std::pow(x, y); }, power},
    {"//", 6, [](double x, double y) { return std::floor(x / y); }, floor_divide},
    {"|", 1, nullptr, [](Whole x, Whole y, Whole* r) { return *r = x | y, false; }},
    {"^", 2, nullptr, [](Whole x, Whole y, Whole* r) { return *r = x ^ y, false; }},
    {"&", 3, nullptr, [](Whole x, Whole y, Whole* r) { return *r = x & y, false; }},
    {"+", sum_binds, [](double x, double y) { return x + y; },
     [](Whole x, Whole y, Whole* r) { return __builtin_add_overflow(x, y, r); }},
    {"-", sum_binds, [](double x, double y) { return x - y; },
     [](Whole x, Whole y, Whole* r) { return __builtin_sub_overflow(x, y, r); }},
    {"*", 6, [](double x, double y) { return x * y; },
     [](Whole x, Whole y, Whole* r) { return __builtin_mul_overflow(x, y, r); }},
    {"/", 6, [](double x, double y) { return x / y; }, nullptr},
    {"%", 6, [](double x, double y) { return x - y * std::floor(x / y); }, modulo},
});

/// Python's sums of lists, and a list as many times as a number says.
Value calculated_list(const Infix& i, const Value& a, const Value& b) {
  std::vector<Value> list = a.kind == Kind::list ? a.list : b.list;
  const bool both = a.kind == b.kind;
  need(both ? i.sign == "+" : i.sign == "*", "numbers are needed");
  if (both) {
    count_elements(a.list.size() + b.list.size());
    list.insert(list.end(), b.list.begin(), b.list.end());
    return Value::of(std::move(list));
  }
  const Whole times = whole(a.kind == Kind::list ? b : a);
  std::vector<Value> repeated;
  for (Whole k = 0; k < times && !list.empty(); ++k) {
    count_elements(list.size());
    repeated.insert(repeated.end(), list.begin(), list.end());
  }
  return Value::of(std::move(repeated));
}

constexpr auto all_functions =
    std::to_array<std::string_view>({"min", "max", "abs", "int", "float", "round", "len", "ceil", "sum", "sqrt",
                                     "floor", "log2", "range", "list", "tuple", "sorted", "set"});

Value range_of(const std::vector<Value>& values) {
  need(!values.empty() && values.size() <= 3, "range needs one to three whole numbers");
  const bool from_zero = values.size() == 1;
  const Whole first = from_zero ? 0 : whole(values[0]), end = whole(values[from_zero ? 0 : 1]);
  const Whole step = values.size() == 3 ? whole(values[2]) : 1;
  need(step != 0, "a range in steps of 0");
  std::vector<Value> list;
  for (Whole at = first; step > 0 ? at < end : at > end;) {
    count_elements(1);
    list.push_back(Value::of(at));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return Value::of(std::move(list));
}

/// list, tuple, set and sorted of one list; of nothing the empty one.
Value list_made(std::string_view function, std::vector<Value> values) {
  if (values.empty() && function != "sorted") return Value::of(std::vector<Value>{});
  need(values.size() == 1 && values[0].kind == Kind::list, "list, tuple, set and sorted need a list");
  std::vector<Value> list = std::move(values[0].list);
  count_elements(list.size());
  if (function == "list" || function == "tuple") return Value::of(std::move(list));
  need(std::ranges::all_of(list, &Value::is_number), "numbers are needed");
  std::ranges::stable_sort(list, {}, &Value::number);
  if (function == "set") list.erase(std::unique(list.begin(), list.end()), list.end());
  return Value::of(std::move(list));
}

/// The multiple of 10^zeros next to it, of two the even one, as Python has it.
Value rounded_to(const Value& v, int zeros) {
  const double size = std::fabs(v.number());
  need(size < 9e18, "a number becomes too large");
  Whole step = 1;
  for (int i = 0; i < zeros; ++i) step *= 10;
  const Whole wholes = v.kind == Kind::integer ? std::abs(v.integer) : static_cast<Whole>(size);
  const bool beyond = v.kind == Kind::real && size > static_cast<double>(wholes);  // exact: a fraction is left
  const Whole half = step / 2, rest = wholes % step;
  Whole times = wholes / step;
  if (rest > half || (rest == half && (beyond || times % 2 != 0))) ++times;
  Whole result = 0;
  need(!__builtin_mul_overflow(times, step, &result), "a number becomes too large");
  if (v.number() < 0) result = -result;
  return v.kind == Kind::integer ? Value::of(result) : Value::of(static_cast<double>(result));
}

/// round(x), a whole number; round(x, digits), a number of x's kind.
Value rounded(const std::vector<Value>& values) {
  const Value& v = values[0];
  if (values.size() == 1) {
    if (v.kind == Kind::integer) return v;
    need(std::fabs(v.real) < 9e18, "a number becomes too large");
    return Value::of(static_cast<Whole>(std::nearbyint(v.real)));
  }
  need(values[1].kind == Kind::integer, "round needs its digits as a whole number");
  const Whole digits = values[1].integer;
  constexpr Whole most_zeros = 18, all_digits = 400;  // no double has more
  if (digits < 0) {
    need(digits >= -most_zeros, "round has too few digits");
    return rounded_to(v, static_cast<int>(-digits));
  }
  if (v.kind == Kind::integer || digits > all_digits) return v;
  return Value::of(base::number_in<double>(fmt::format("{:.{}f}", v.real, digits)).value_or(v.real));
}

/// Python refuses what these would pass over.
void need_arguments(std::string_view function, const std::vector<Value>& values) {
  if (function == "min" || function == "max") return;
  if (function == "round")
    need(!values.empty() && values.size() <= 2 && values[0].is_number(), "round needs a number");
  else if (function == "sum")
    need(values.size() <= 2 && !values.empty() && values[0].kind == Kind::list, "sum needs a list");
  else
    need(values.size() == 1 && values[0].is_number(), "this function needs one number");
}
}  // namespace

void begin_evaluation() { elements_made = 0; }

void count_elements(std::size_t more) {
  elements_made += static_cast<std::int64_t>(std::min<std::size_t>(more, most_elements + 1));
  need(elements_made <= most_elements, "its lists grow too long");
}

Whole whole(const Value& v) {
  if (v.kind == Kind::integer) return v.integer;
  need(v.kind == Kind::real && v.real == std::trunc(v.real) && std::fabs(v.real) < 9e18, "a whole number is needed");
  return static_cast<Whole>(v.real);
}

std::span<const Infix> infixes() { return all_infixes; }
const Infix& infix_of(std::string_view sign) { return *std::ranges::find(all_infixes, sign, &Infix::sign); }

Value calculated(const Infix& i, const Value& a, const Value& b) {
  if (a.kind == Kind::list || b.kind == Kind::list) return calculated_list(i, a, b);
  need(a.is_number() && b.is_number(), "numbers are needed");
  const bool divides = i.sign == "/" || i.sign == "//" || i.sign == "%";
  need(!divides || b.number() != 0, "a division by zero");
  const bool reals = a.kind == Kind::real || b.kind == Kind::real || i.of_wholes == nullptr;
  if (reals && i.of_reals != nullptr) return finite(i.of_reals(a.number(), b.number()));
  Whole result = 0;
  need(!i.of_wholes(whole(a), whole(b), &result), "a number becomes too large, or its shift or power is negative");
  return Value::of(result);
}

bool compared(std::string_view sign, const Value& a, const Value& b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return !(a == b);
  if (sign == "in" || sign == "not in") {
    need(b.kind == Kind::list, "'in' needs a list");
    return (std::ranges::find(b.list, a) != b.list.end()) == (sign == "in");
  }
  need(a.is_number() == b.is_number() && a.kind != Kind::list, "these cannot be compared");
  const int order =
      a.is_number() ? (a.number() > b.number()) - (a.number() < b.number()) : (a.text > b.text) - (a.text < b.text);
  return sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0;
}

Value element(const Value& list, const Value& index) {
  const auto size = static_cast<Whole>(list.list.size());
  const Whole given = whole(index), i = given < 0 ? given + size : given;
  need(list.kind == Kind::list && i >= 0 && i < size, "there is no such element");
  return list.list[static_cast<std::size_t>(i)];
}

std::span<const std::string_view> functions() { return all_functions; }

Value called(std::string_view function, std::vector<Value> values) {
  if (function == "len") {
    need(values.size() == 1 && values[0].kind == Kind::list, "len needs a list");
    return Value::of(static_cast<Whole>(values[0].list.size()));
  }
  if (function == "range") return range_of(values);
  if (function == "list" || function == "tuple" || function == "set" || function == "sorted")
    return list_made(function, std::move(values));
  need_arguments(function, values);
  if (function == "sum") {
    Value total = values.size() == 2 ? values[1] : Value{};
    for (const auto& v : values[0].list) {
      need(v.is_number(), "numbers are needed");
      total = calculated(infix_of("+"), total, v);
    }
    return total;
  }
  if (values.size() == 1 && values[0].kind == Kind::list) {
    auto list = std::move(values[0].list);
    values = std::move(list);
  }
  need(std::ranges::all_of(values, &Value::is_number), "numbers are needed");
  need(!values.empty(), "a function without arguments");
  if (function == "min") return *std::ranges::min_element(values, {}, &Value::number);
  if (function == "max") return *std::ranges::max_element(values, {}, &Value::number);
  if (function == "round") return rounded(values);
  const Value& v = values[0];
  if (function == "float") return Value::of(v.number());
  if (function == "sqrt") return finite(std::sqrt(v.number()));
  if (function == "log2") return finite(std::log2(v.number()));
  if (function == "abs") return v.number() < 0 ? calculated(infix_of("-"), {}, v) : v;
  if (v.kind == Kind::integer) return v;
  const double r = function == "ceil"    ? std::ceil(v.real)
                   : function == "floor" ? std::floor(v.real)
                   : function == "round" ? std::nearbyint(v.real)
                                         : std::trunc(v.real);
  need(std::fabs(r) < 9e18, "a number becomes too large");
  return Value::of(static_cast<Whole>(r));
}
}  // namespace sparsecast::gpu_code::expressions
