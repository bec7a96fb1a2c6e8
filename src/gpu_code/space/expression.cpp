// See expression.hpp: values, and what a tree comes to.

#include "gpu_code/space/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {

using Value = ExpressionValue;
using Kind = Value::Kind;
using ExpressionOp = Expression::Op;

[[noreturn]] void refuse_value(const std::string& text, const std::string& reason) {
  throw Error(ErrorCode::bad_input, fmt::format("expression '{}': {}", text.substr(0, 80), reason));
}

/// The evaluation of one expression.
class Evaluation {
 public:
  Evaluation(const std::string& text, const std::vector<Expression::Node>& nodes, const std::vector<std::string>& names,
             const std::vector<std::string>& calls, const ExpressionNames& values)
      : text_(text), nodes_(nodes), names_(names), calls_(calls), values_(values) {}

  Value value(std::uint32_t index) const {
    const auto& n = nodes_[index];
    switch (n.op) {
      case ExpressionOp::constant:
        return n.value;
      case ExpressionOp::name:
        if (const auto* found = values_(names_[n.name])) return *found;
        refuse(fmt::format("there is no '{}'", names_[n.name]));
      case ExpressionOp::list: {
        std::vector<Value> list;
        for (const auto o : n.operands) list.push_back(value(o));
        return Value::of(std::move(list));
      }
      case ExpressionOp::index:
        return element(value(n.operands[0]), value(n.operands[1]));
      case ExpressionOp::call:
        return called(calls_[n.name], n.operands);
      case ExpressionOp::choose:
        return value(n.operands[value(n.operands[0]).truth() ? 1 : 2]);
      case ExpressionOp::both: {
        auto left = value(n.operands[0]);
        return left.truth() ? value(n.operands[1]) : left;
      }
      case ExpressionOp::either: {
        auto left = value(n.operands[0]);
        return left.truth() ? left : value(n.operands[1]);
      }
      case ExpressionOp::negate_truth:
        return Value::of(static_cast<std::int64_t>(!value(n.operands[0]).truth()));
      case ExpressionOp::compare_chain:
        return Value::of(static_cast<std::int64_t>(holds(n)));
      case ExpressionOp::minus:
        return arithmetic(ExpressionOp::subtract, Value::of(std::int64_t{0}), value(n.operands[0]));
      case ExpressionOp::plus:
        return arithmetic(ExpressionOp::add, Value::of(std::int64_t{0}), value(n.operands[0]));
      case ExpressionOp::invert:
        return Value::of(~whole(value(n.operands[0])));
      default:
        return arithmetic(n.op, value(n.operands[0]), value(n.operands[1]));
    }
  }

  [[noreturn]] void refuse(const std::string& reason) const { refuse_value(text_, reason); }

 private:
  [[nodiscard]] std::int64_t whole(const Value& v) const {
    if (v.kind == Kind::integer) return v.integer;
    if (v.kind == Kind::real && v.real == std::trunc(v.real) && std::fabs(v.real) < 9e18)
      return static_cast<std::int64_t>(v.real);
    refuse("a whole number is needed");
  }
  [[nodiscard]] Value element(const Value& list, const Value& index) const {
    auto i = whole(index);
    const auto size = static_cast<std::int64_t>(list.list.size());
    if (i < 0) i += size;
    if (list.kind != Kind::list || i < 0 || i >= size) refuse("there is no such element");
    return list.list[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] bool compared(ExpressionOp op, const Value& a, const Value& b) const {
    if (op == ExpressionOp::equal) return a == b;
    if (op == ExpressionOp::unequal) return !(a == b);
    if (op == ExpressionOp::in || op == ExpressionOp::not_in) {
      if (b.kind != Kind::list) refuse("'in' needs a list");
      return (std::find(b.list.begin(), b.list.end(), a) != b.list.end()) == (op == ExpressionOp::in);
    }
    if (a.is_number() != b.is_number() || a.kind == Kind::list) refuse("these cannot be compared");
    const int order =
        a.is_number() ? (a.number() > b.number()) - (a.number() < b.number()) : (a.text > b.text) - (a.text < b.text);
    switch (op) {
      case ExpressionOp::less:
        return order < 0;
      case ExpressionOp::less_equal:
        return order <= 0;
      case ExpressionOp::greater:
        return order > 0;
      default:
        return order >= 0;
    }
  }
  [[nodiscard]] bool holds(const Expression::Node& n) const {
    auto left = value(n.operands[0]);
    for (std::size_t i = 0; i < n.comparisons.size(); ++i) {
      auto right = value(n.operands[i + 1]);
      if (!compared(n.comparisons[i], left, right)) return false;
      left = std::move(right);
    }
    return true;
  }

  [[nodiscard]] Value arithmetic(ExpressionOp op, const Value& a, const Value& b) const {
    if (!a.is_number() || !b.is_number()) refuse("numbers are needed");
    if (op == ExpressionOp::divide || a.kind == Kind::real || b.kind == Kind::real) return of_reals(op, a, b);
    return Value::of(of_integers(op, a.integer, b.integer));
  }
  [[nodiscard]] Value of_reals(ExpressionOp op, const Value& a, const Value& b) const {
    const double x = a.number(), y = b.number();
    const auto divisor = [&] {
      if (y == 0) refuse("a division by zero");
      return y;
    };
    switch (op) {
      case ExpressionOp::add:
        return Value::of(x + y);
      case ExpressionOp::subtract:
        return Value::of(x - y);
      case ExpressionOp::multiply:
        return Value::of(x * y);
      case ExpressionOp::divide:
        return Value::of(x / divisor());
      case ExpressionOp::floor_divide:
        return Value::of(std::floor(x / divisor()));
      case ExpressionOp::modulo:
        return Value::of(x - divisor() * std::floor(x / y));
      case ExpressionOp::power:
        return Value::of(std::pow(x, y));
      default:
        return Value::of(of_integers(op, whole(a), whole(b)));
    }
  }
  [[nodiscard]] std::int64_t of_integers(ExpressionOp op, std::int64_t x, std::int64_t y) const {
    std::int64_t r = 0;
    bool over = false;
    switch (op) {
      case ExpressionOp::add:
        over = __builtin_add_overflow(x, y, &r);
        break;
      case ExpressionOp::subtract:
        over = __builtin_sub_overflow(x, y, &r);
        break;
      case ExpressionOp::multiply:
        over = __builtin_mul_overflow(x, y, &r);
        break;
      case ExpressionOp::floor_divide:
      case ExpressionOp::modulo: {
        if (y == 0) refuse("a division by zero");
        if (y == -1) {  // the smallest number has no opposite
          over = op == ExpressionOp::floor_divide && __builtin_sub_overflow(std::int64_t{0}, x, &r);
          break;
        }
        // Towards minus infinity, as Python has it.
        const std::int64_t quotient = x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
        r = op == ExpressionOp::modulo ? x - quotient * y : quotient;
        break;
      }
      case ExpressionOp::power:
        if (y < 0 || y > 64) refuse("a power from 0 to 64 is needed");
        r = 1;
        for (std::int64_t i = 0; i < y && !over; ++i) over = __builtin_mul_overflow(r, x, &r);
        break;
      case ExpressionOp::bit_and:
        return x & y;
      case ExpressionOp::bit_or:
        return x | y;
      case ExpressionOp::bit_xor:
        return x ^ y;
      case ExpressionOp::shift_left:
        if (y < 0 || y > 62) refuse("a shift from 0 to 62 is needed");
        over = __builtin_mul_overflow(x, std::int64_t{1} << y, &r);
        break;
      case ExpressionOp::shift_right:
        if (y < 0 || y > 62) refuse("a shift from 0 to 62 is needed");
        return x >> y;
      default:
        refuse("numbers are needed");
    }
    if (over) refuse("a number becomes too large");
    return r;
  }

  [[nodiscard]] Value called(const std::string& function, const std::vector<std::uint32_t>& operands) const {
    std::vector<Value> values;
    for (const auto o : operands) values.push_back(value(o));
    if (values.size() == 1 && values[0].kind == Kind::list && function != "len") values = std::move(values[0].list);
    if (function == "len") {
      if (values.size() != 1 || values[0].kind != Kind::list) refuse("len needs a list");
      return Value::of(static_cast<std::int64_t>(values[0].list.size()));
    }
    for (const auto& v : values)
      if (!v.is_number()) refuse("numbers are needed");
    if (function == "sum") {
      auto total = Value::of(std::int64_t{0});
      for (const auto& v : values) total = arithmetic(ExpressionOp::add, total, v);
      return total;
    }
    if (values.empty()) refuse(fmt::format("{} of nothing", function));
    const auto smaller = [](const Value& a, const Value& b) { return a.number() < b.number(); };
    if (function == "min") return *std::min_element(values.begin(), values.end(), smaller);
    if (function == "max") return *std::max_element(values.begin(), values.end(), smaller);
    const auto& v = values[0];
    if (function == "float") return Value::of(v.number());
    if (function == "sqrt") return Value::of(std::sqrt(v.number()));
    if (function == "log2") return Value::of(std::log2(v.number()));
    if (function == "abs" && v.number() < 0) return arithmetic(ExpressionOp::subtract, Value::of(std::int64_t{0}), v);
    if (function == "abs") return v;
    if (v.kind == Kind::integer) return v;
    const double r = function == "ceil"    ? std::ceil(v.real)
                     : function == "floor" ? std::floor(v.real)
                     : function == "round" ? std::nearbyint(v.real)
                                           : std::trunc(v.real);
    if (!(std::fabs(r) < 9e18)) refuse("a number becomes too large");
    return Value::of(static_cast<std::int64_t>(r));
  }

  const std::string& text_;
  const std::vector<Expression::Node>& nodes_;
  const std::vector<std::string>&names_, &calls_;
  const ExpressionNames& values_;
};

}  // namespace

Value Value::of(std::int64_t value) {
  Value v;
  v.integer = value;
  return v;
}
Value Value::of(double value) {
  Value v;
  v.kind = Kind::real;
  v.real = value;
  return v;
}
Value Value::of(std::string value) {
  Value v;
  v.kind = Kind::text;
  v.text = std::move(value);
  return v;
}
Value Value::of(std::vector<Value> values) {
  Value v;
  v.kind = Kind::list;
  v.list = std::move(values);
  return v;
}

bool Value::truth() const {
  switch (kind) {
    case Kind::integer:
      return integer != 0;
    case Kind::real:
      return real != 0;
    case Kind::text:
      return !text.empty();
    default:
      return !list.empty();
  }
}

std::string Value::written() const {
  if (kind == Kind::integer) return std::to_string(integer);
  if (kind == Kind::real) return fmt::format("{}", real);
  return text;
}

bool Value::operator==(const Value& other) const {
  if (is_number() && other.is_number()) return number() == other.number();
  return kind == other.kind && text == other.text && list == other.list;
}

Value Expression::evaluate(const ExpressionNames& names) const {
  return Evaluation(text_, nodes_, names_, calls_, names).value(root_);
}

std::int64_t Expression::whole_number(const ExpressionNames& names, std::int64_t least) const {
  const auto v = evaluate(names);
  if (!v.is_number() || v.number() != std::trunc(v.number()) || !(std::fabs(v.number()) < 9e15) ||
      v.number() < static_cast<double>(least))
    refuse_value(text_, fmt::format("it comes to {}, a whole number from {} on is needed", v.written(), least));
  return static_cast<std::int64_t>(v.number());
}

}  // namespace sparsecast::gpu_code
