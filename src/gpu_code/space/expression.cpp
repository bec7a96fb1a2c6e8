#include "gpu_code/space/expression.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {
constexpr std::size_t longest_expression = 4096;
constexpr int deepest_expression = 64;
constexpr int most_parts = 1000;  // each may be a step of the evaluation's depth
constexpr std::int64_t most_elements = 200'000;

using Value = ExpressionValue;
using Kind = Value::Kind;
using Whole = std::int64_t;
/// What a piece of the text comes to.
using Part = std::function<Value(const ExpressionNames&)>;

/// Why an expression has no value; its text is added where it is evaluated.
struct NoValue {
  std::string reason;
};
void need(bool holds, const char* otherwise) {
  if (!holds) throw NoValue{otherwise};
}

/// Elements of lists that an evaluation has made so far: lists of lists of lists would grow beyond any bound.
thread_local std::int64_t elements_made = 0;
void count_elements(std::size_t more) {
  elements_made += static_cast<std::int64_t>(std::min<std::size_t>(more, most_elements + 1));
  need(elements_made <= most_elements, "its lists become too long");
}

Value truth_value(bool truth) { return Value::of(static_cast<Whole>(truth)); }

Whole whole(const Value& v) {
  if (v.kind == Kind::integer) return v.integer;
  need(v.kind == Kind::real && v.real == std::trunc(v.real) && std::fabs(v.real) < 9e18, "a whole number is needed");
  return static_cast<Whole>(v.real);
}

// An operation between numbers. `of_reals`: none where it takes whole numbers alone; `of_wholes` puts down the result
// and says whether there is none; none where it always makes a real number.
struct Infix {
  std::string_view sign;
  int binds;
  double (*of_reals)(double, double);
  bool (*of_wholes)(Whole, Whole, Whole*);
};
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
constexpr int sum_binds = 5, power_binds = 8;
/// Loosest first within their kinds; longer signs stand before their prefixes. Comparisons and words have levels of
/// their own.
constexpr auto infixes = std::to_array<Infix>({
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
const Infix& infix_of(std::string_view sign) { return *std::ranges::find(infixes, sign, &Infix::sign); }

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

Value calculated(const Infix& i, const Value& a, const Value& b) {
  if (a.kind == Kind::list || b.kind == Kind::list) return calculated_list(i, a, b);
  need(a.is_number() && b.is_number(), "numbers are needed");
  const bool divides = i.sign == "/" || i.sign == "//" || i.sign == "%";
  need(!divides || b.number() != 0, "a division by zero");
  const bool reals = a.kind == Kind::real || b.kind == Kind::real || i.of_wholes == nullptr;
  if (reals && i.of_reals != nullptr) return Value::of(i.of_reals(a.number(), b.number()));
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

constexpr auto functions =
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

Value called(std::string_view function, std::vector<Value> values) {
  if (function == "len") {
    need(values.size() == 1 && values[0].kind == Kind::list, "len needs a list");
    return Value::of(static_cast<Whole>(values[0].list.size()));
  }
  if (function == "range") return range_of(values);
  if (function == "list" || function == "tuple" || function == "set" || function == "sorted")
    return list_made(function, std::move(values));
  if (values.size() == 1 && values[0].kind == Kind::list) {
    auto list = std::move(values[0].list);
    values = std::move(list);
  }
  need(std::ranges::all_of(values, &Value::is_number), "numbers are needed");
  if (function == "sum") {
    Value total;
    for (const auto& v : values) total = calculated(infix_of("+"), total, v);
    return total;
  }
  need(!values.empty(), "a function of nothing");
  if (function == "min") return *std::ranges::min_element(values, {}, &Value::number);
  if (function == "max") return *std::ranges::max_element(values, {}, &Value::number);
  const Value& v = values[0];
  if (function == "float") return Value::of(v.number());
  if (function == "sqrt") return Value::of(std::sqrt(v.number()));
  if (function == "log2") return Value::of(std::log2(v.number()));
  if (function == "abs") return v.number() < 0 ? calculated(infix_of("-"), {}, v) : v;
  if (v.kind == Kind::integer) return v;
  const double r = function == "ceil"    ? std::ceil(v.real)
                   : function == "floor" ? std::floor(v.real)
                   : function == "round" ? std::nearbyint(v.real)
                                         : std::trunc(v.real);
  need(std::fabs(r) < 9e18, "a number becomes too large");
  return Value::of(static_cast<Whole>(r));
}

bool decimal(char c) { return c >= '0' && c <= '9'; }
bool name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) > 127;
}

/// "for NAME in OF if CONDITION …"
struct Clause {
  std::string name;
  Part of;
  std::vector<Part> conditions;
};

/// What a comprehension makes from clause number `at` on.
void gather(const std::vector<Clause>& clauses, std::size_t at, const Part& element, const ExpressionNames& names,
            std::vector<Value>& out) {
  if (at == clauses.size()) {
    count_elements(1);
    out.push_back(element(names));
    return;
  }
  const auto& [own, of, conditions] = clauses[at];
  const Value list = of(names);
  need(list.kind == Kind::list, "'for' needs a list");
  const Value* current = nullptr;
  const ExpressionNames within = [&, name = std::string_view(own)](std::string_view asked) {
    return asked == name ? current : names(asked);
  };
  for (const Value& value : list.list) {
    count_elements(1);
    current = &value;
    if (std::ranges::all_of(conditions, [&](const Part& condition) { return condition(within).truth(); }))
      gather(clauses, at + 1, element, within, out);
  }
}

// By precedence, one function a level, each with what it reads as a closure.
class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, std::vector<std::string>& names) : text_(text), names_(names) {}

  Part run() {
    if (text_.size() > longest_expression) refuse("it is too long");
    Part all = choice();
    blanks();
    if (at_ < text_.size()) refuse(fmt::format("'{}' is not expected here", text_[at_]));
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(
        ErrorCode::bad_input, fmt::format("expression '{}', at {}: {}", text_.substr(0, 80), at_ + 1, reason), {},
        "numbers, names, + - * / // % **, comparisons, and or not in, a if b else c, min max abs int round ceil "
        "floor len sum, range list tuple sorted set, [a for b in c if d]");
  }
  Part made(Part part) {
    if (++parts_ > most_parts) refuse("it is too long");
    return part;
  }
  Part constant(Value value) {
    return made([value = std::move(value)](const ExpressionNames&) { return value; });
  }
  // One step down: what is read nests no deeper than so.
  Part deeper(Part (ExpressionParser::*level)()) {
    if (++depth_ > deepest_expression) refuse("it nests too deeply");
    Part part = (this->*level)();
    --depth_;
    return part;
  }

  void blanks() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }
  bool sign(std::string_view s) {
    blanks();
    if (text_.compare(at_, s.size(), s) != 0) return false;
    at_ += s.size();
    return true;
  }
  void close(std::string_view s) {
    if (!sign(s)) refuse(fmt::format("'{}' is missing", s));
  }
  [[nodiscard]] std::string peek_word() {
    blanks();
    auto end = at_;
    while (end < text_.size() && (name_letter(text_[end]) || (end > at_ && decimal(text_[end])))) ++end;
    return text_.substr(at_, end - at_);
  }
  bool word(std::string_view w) {
    if (peek_word() != w) return false;
    at_ += w.size();
    return true;
  }

  /// a if b else c
  Part choice() { return deeper(&ExpressionParser::chosen); }
  Part chosen() {
    Part first = either();
    if (!word("if")) return first;
    Part condition = either();
    if (!word("else")) refuse("'else' is missing");
    return made(
        [first, condition, other = choice()](const auto& n) { return condition(n).truth() ? first(n) : other(n); });
  }
  Part either() {
    Part left = both();
    while (word("or") || sign("||"))
      left = made([left, right = both()](const auto& n) {
        Value v = left(n);
        return v.truth() ? v : right(n);
      });
    return left;
  }
  Part both() {
    Part left = negation();
    while (word("and") || sign("&&"))
      left = made([left, right = negation()](const auto& n) {
        Value v = left(n);
        return v.truth() ? right(n) : v;
      });
    return left;
  }
  Part negation() { return deeper(&ExpressionParser::negated); }
  Part negated() {
    blanks();
    const bool c_sign = text_.compare(at_, 1, "!") == 0 && text_.compare(at_, 2, "!=") != 0;
    if (!c_sign && !word("not")) return comparison();
    if (c_sign) ++at_;
    return made([of = negation()](const auto& n) { return truth_value(!of(n).truth()); });
  }
  std::string_view comparison_sign() {
    for (const std::string_view s : {"<=", ">=", "==", "!=", "<", ">"})
      if (sign(s)) return s;
    if (word("in")) return "in";
    const auto before = at_;
    if (word("not") && word("in")) return "not in";
    at_ = before;
    return {};
  }
  /// 32 <= a * b <= 1024
  Part comparison() {
    Part first = arithmetic(0);
    std::vector<std::pair<std::string_view, Part>> others;
    for (auto s = comparison_sign(); !s.empty(); s = comparison_sign()) others.emplace_back(s, arithmetic(0));
    if (others.empty()) return first;
    return made([first, others](const auto& n) {
      Value left = first(n);
      for (const auto& [s, other] : others) {
        Value right = other(n);
        if (!compared(s, left, right)) return truth_value(false);
        left = std::move(right);
      }
      return truth_value(true);
    });
  }
  const Infix* infix() {
    blanks();
    // && and || are words of another level.
    if (text_.compare(at_, 2, "&&") == 0 || text_.compare(at_, 2, "||") == 0) return nullptr;
    const auto found =
        std::ranges::find_if(infixes, [&](const Infix& i) { return text_.compare(at_, i.sign.size(), i.sign) == 0; });
    return found == infixes.end() ? nullptr : &*found;
  }
  Part arithmetic(int least) {
    Part left = deeper(&ExpressionParser::unary);
    for (const Infix* i = infix(); i != nullptr && i->binds >= least; i = infix()) {
      at_ += i->sign.size();
      if (++depth_ > deepest_expression) refuse("it nests too deeply");
      Part right = arithmetic(i->binds == power_binds ? power_binds : i->binds + 1);  // powers group to the right
      --depth_;
      left = made([i, left, right](const auto& n) { return calculated(*i, left(n), right(n)); });
    }
    return left;
  }
  Part unary() {
    for (const std::string_view s : {"-", "+"})
      if (sign(s))
        return made(
            [&i = infix_of(s), of = arithmetic(power_binds)](const auto& n) { return calculated(i, {}, of(n)); });
    if (sign("~")) return made([of = arithmetic(power_binds)](const auto& n) { return Value::of(~whole(of(n))); });
    Part base = atom();
    while (sign("[")) {
      Part index = choice();
      close("]");
      base = made([base, index](const auto& n) { return element(base(n), index(n)); });
    }
    return base;
  }
  struct Item {
    Part part;
    bool spread = false;  ///< "*of": the elements of a list, each for itself
  };
  struct Items {
    std::vector<Item> list;
    bool comma = false;     ///< there was one
    bool gathered = false;  ///< the only item is a comprehension, which makes a list
  };
  // Up to the closing bracket; a comma may stand at the end.
  Items items(std::string_view end) {
    Items all;
    while (!sign(end)) {
      const auto before = names_.size();
      const bool spread = sign("*");
      all.list.push_back({choice(), spread});
      if (all.list.size() == 1 && !spread && word("for")) {
        all.list.front().part = comprehension(all.list.front().part, before);
        all.gathered = true;
        close(end);
        break;
      }
      const bool comma = sign(",");
      all.comma |= comma;
      if (comma) continue;
      close(end);
      break;
    }
    return all;
  }
  // Behind its first "for". Names that it binds are none that the expression reads; those of its element were noted
  // from place `before` on.
  Part comprehension(Part element, std::size_t before) {
    std::vector<Clause> clauses;
    do {
      Clause clause{peek_word(), {}, {}};
      if (clause.name.empty()) refuse("a name is missing behind 'for'");
      at_ += clause.name.size();
      if (!word("in")) refuse("'in' is missing");
      clause.of = either();
      while (word("if")) clause.conditions.push_back(either());
      clauses.push_back(std::move(clause));
    } while (word("for"));
    const auto bound = [&](const std::string& name) { return std::ranges::count(clauses, name, &Clause::name) > 0; };
    names_.erase(std::remove_if(names_.begin() + static_cast<std::ptrdiff_t>(before), names_.end(), bound),
                 names_.end());
    return made([clauses = std::move(clauses), element = std::move(element)](const auto& names) {
      std::vector<Value> list;
      gather(clauses, 0, element, names, list);
      return Value::of(std::move(list));
    });
  }
  static std::vector<Value> values(const std::vector<Item>& items, const ExpressionNames& names) {
    std::vector<Value> list;
    for (const auto& [part, spread] : items) {
      Value value = part(names);
      if (!spread) {
        list.push_back(std::move(value));
        continue;
      }
      need(value.kind == Kind::list, "'*' needs a list");
      count_elements(value.list.size());
      list.insert(list.end(), value.list.begin(), value.list.end());
    }
    return list;
  }
  Part list_of(std::vector<Item> parts) {
    return made([parts = std::move(parts)](const auto& n) { return Value::of(values(parts, n)); });
  }
  Part atom() {
    blanks();
    if (at_ >= text_.size()) refuse("it ends too early");
    const char c = text_[at_];
    if (decimal(c) || c == '.') return number();
    if (c == '"' || c == '\'') return quoted(c);
    if (sign("[")) {
      Items inside = items("]");
      return inside.gathered ? inside.list.front().part : list_of(std::move(inside.list));
    }
    if (sign("(")) {
      Items inside = items(")");
      const bool one = inside.list.size() == 1 && !inside.comma && !inside.list.front().spread;
      return one ? inside.list.front().part : list_of(std::move(inside.list));
    }
    const std::string name = peek_word();
    if (name.empty()) refuse(fmt::format("'{}' is not expected here", c));
    at_ += name.size();
    if (name == "True" || name == "true") return constant(truth_value(true));
    if (name == "False" || name == "false") return constant(truth_value(false));
    std::string function = name;
    if (name == "math" && sign(".")) {
      function = peek_word();
      at_ += function.size();
    }
    return sign("(") ? call(function) : named(name);
  }
  Part call(const std::string& name) {
    const auto known = std::ranges::find(functions, name);
    if (known == functions.end()) refuse(fmt::format("there is no function {}", name));
    return made([known, parts = items(")").list](const auto& n) { return called(*known, values(parts, n)); });
  }
  Part named(const std::string& name) {
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    return made([name](const auto& names) {
      const Value* found = names(name);
      if (found == nullptr) throw NoValue{fmt::format("there is no '{}'", name)};
      return *found;
    });
  }
  Part number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const char* stop = std::find_if_not(begin, end, decimal);
    if (stop == end || (*stop != '.' && *stop != 'e' && *stop != 'E')) {
      Whole value = 0;
      if (std::from_chars(begin, stop, value).ec != std::errc()) refuse("that number is too large");
      at_ += static_cast<std::size_t>(stop - begin);
      return constant(Value::of(value));
    }
    double value = 0;
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) refuse("that is no number");
    at_ += static_cast<std::size_t>(after - begin);
    return constant(Value::of(value));
  }
  Part quoted(char quote) {
    const auto begin = at_ + 1, end = text_.find(quote, begin);
    if (end == std::string::npos) refuse("the text has no end");
    at_ = end + 1;
    return constant(Value::of(text_.substr(begin, end - begin)));
  }

  const std::string& text_;
  std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0, parts_ = 0;
};

[[noreturn]] void refuse_value(const std::string& text, const std::string& reason) {
  throw Error(ErrorCode::bad_input, fmt::format("expression '{}': {}", text.substr(0, 80), reason));
}
}  // namespace

std::string Value::written() const {
  if (kind == Kind::integer) return std::to_string(integer);
  if (kind == Kind::real) return fmt::format("{}", real);
  return text;
}

bool Value::operator==(const Value& other) const {
  if (is_number() && other.is_number()) return number() == other.number();
  return kind == other.kind && text == other.text && list == other.list;
}

Expression::Expression(std::string text) : text_(std::move(text)) { value_ = ExpressionParser(text_, names_).run(); }

Value Expression::evaluate(const ExpressionNames& names) const {
  elements_made = 0;
  try {
    return value_(names);
  } catch (const NoValue& none) {
    refuse_value(text_, none.reason);
  }
}

std::int64_t Expression::whole_number(const ExpressionNames& names, std::int64_t least) const {
  const auto v = evaluate(names);
  if (!v.is_number() || v.number() != std::trunc(v.number()) || !(std::fabs(v.number()) < 9e15) ||
      v.number() < static_cast<double>(least))
    refuse_value(text_, fmt::format("it comes to {}, a whole number from {} on is needed", v.written(), least));
  return static_cast<std::int64_t>(v.number());
}
}  // namespace sparsecast::gpu_code
