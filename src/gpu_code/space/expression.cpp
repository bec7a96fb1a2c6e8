#include "gpu_code/space/expression.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sparsecast/error.hpp>

#include "gpu_code/space/expression_values.hpp"

namespace sparsecast::gpu_code {
namespace {
using namespace expressions;

constexpr std::size_t longest_expression = 4096;
constexpr int deepest_expression = 64;
constexpr int most_parts = 1000;  // each may be a step of the evaluation's depth

/// What a piece of the text comes to.
using Part = std::function<Value(const ExpressionNames&)>;

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
        std::ranges::find_if(infixes(), [&](const Infix& i) { return text_.compare(at_, i.sign.size(), i.sign) == 0; });
    return found == infixes().end() ? nullptr : &*found;
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
      if (clause.name.empty()) refuse("a name is missing after 'for'");
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
    const auto known = std::ranges::find(functions(), name);
    if (known == functions().end()) refuse(fmt::format("there is no function {}", name));
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
    if (error != std::errc()) refuse("that is not a number");
    at_ += static_cast<std::size_t>(after - begin);
    return constant(Value::of(value));
  }
  Part quoted(char quote) {
    const auto begin = at_ + 1, end = text_.find(quote, begin);
    if (end == std::string::npos) refuse("the text is not terminated");
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

std::string ExpressionValue::written() const {
  if (kind == Kind::integer) return std::to_string(integer);
  if (kind == Kind::real) return fmt::format("{}", real);
  return text;
}

bool ExpressionValue::operator==(const ExpressionValue& other) const {
  if (is_number() && other.is_number()) return number() == other.number();
  return kind == other.kind && text == other.text && list == other.list;
}

Expression::Expression(std::string text) : text_(std::move(text)) { value_ = ExpressionParser(text_, names_).run(); }

ExpressionValue Expression::evaluate(const ExpressionNames& names) const {
  begin_evaluation();
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
    refuse_value(text_,
                 fmt::format("its value is {}, and a whole number of at least {} is needed", v.written(), least));
  return static_cast<std::int64_t>(v.number());
}
}  // namespace sparsecast::gpu_code
