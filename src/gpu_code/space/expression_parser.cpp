// The text of an expression into its tree: a parser by precedence, with bounds on length and depth.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sparsecast/error.hpp>

#include "gpu_code/space/expression.hpp"

namespace sparsecast::gpu_code {

namespace {

constexpr std::size_t longest_expression = 4096;
constexpr int deepest_expression = 64;
constexpr std::size_t most_nodes = 1000;  // each may be a step of the evaluation's depth

bool name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) > 127;
}
bool decimal(char c) { return c >= '0' && c <= '9'; }

using Op = Expression::Op;

struct Infix {
  std::string_view sign;
  Op op;
  int binds;
};
/// Arithmetic, loosest first; comparisons and words have levels of their own. Longer signs stand before their prefixes.
constexpr std::array infixes{
    Infix{"<<", Op::shift_left, 4},   Infix{">>", Op::shift_right, 4}, Infix{"**", Op::power, 8},
    Infix{"//", Op::floor_divide, 6}, Infix{"|", Op::bit_or, 1},       Infix{"^", Op::bit_xor, 2},
    Infix{"&", Op::bit_and, 3},       Infix{"+", Op::add, 5},          Infix{"-", Op::subtract, 5},
    Infix{"*", Op::multiply, 6},      Infix{"/", Op::divide, 6},       Infix{"%", Op::modulo, 6}};
constexpr int power_binds = 8;

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(Expression& out) : out_(out), text_(out.text_) {}

  void run() {
    if (text_.size() > longest_expression) refuse("it is too long");
    out_.root_ = choice();
    blanks();
    if (at_ < text_.size()) refuse(fmt::format("'{}' is not expected here", text_[at_]));
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(
        ErrorCode::bad_input, fmt::format("expression '{}', at {}: {}", text_.substr(0, 80), at_ + 1, reason), {},
        "numbers, names, + - * / // % **, comparisons, and or not in, a if b else c, min max abs int round ceil "
        "floor len sum");
  }

  /// One step down; the tree is no deeper than the text may nest.
  struct Deeper {
    explicit Deeper(ExpressionParser& parser) : p(parser) {
      if (++p.depth_ > deepest_expression) p.refuse("it nests too deeply");
    }
    ~Deeper() { --p.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ExpressionParser& p;
  };

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool sign(std::string_view s) {
    blanks();
    if (text_.compare(at_, s.size(), s) != 0) return false;
    at_ += s.size();
    return true;
  }
  [[nodiscard]] std::string_view peek_word() {
    blanks();
    auto end = at_;
    if (end < text_.size() && name_letter(text_[end]))
      while (end < text_.size() && (name_letter(text_[end]) || decimal(text_[end]))) ++end;
    return std::string_view(text_).substr(at_, end - at_);
  }
  bool word(std::string_view w) {
    if (peek_word() != w) return false;
    at_ += w.size();
    return true;
  }

  std::uint32_t node(Op op, std::vector<std::uint32_t> operands) {
    if (out_.nodes_.size() >= most_nodes) refuse("it is too long");
    Expression::Node n;
    n.op = op;
    n.operands = std::move(operands);
    out_.nodes_.push_back(std::move(n));
    return static_cast<std::uint32_t>(out_.nodes_.size() - 1);
  }
  std::uint32_t constant(ExpressionValue value) {
    const auto made = node(Op::constant, {});
    out_.nodes_[made].value = std::move(value);
    return made;
  }
  static std::uint32_t numbered(std::vector<std::string>& list, std::string_view name) {
    const auto found = std::find(list.begin(), list.end(), name);
    if (found != list.end()) return static_cast<std::uint32_t>(found - list.begin());
    list.emplace_back(name);
    return static_cast<std::uint32_t>(list.size() - 1);
  }

  /// a if b else c
  std::uint32_t choice() {
    const Deeper deeper(*this);
    const auto first = either();
    if (!word("if")) return first;
    const auto condition = either();
    if (!word("else")) refuse("'else' is missing");
    return node(Op::choose, {condition, first, choice()});
  }
  std::uint32_t either() {
    auto left = both();
    while (word("or") || sign("||")) left = node(Op::either, {left, both()});
    return left;
  }
  std::uint32_t both() {
    auto left = negation();
    while (word("and") || sign("&&")) left = node(Op::both, {left, negation()});
    return left;
  }
  std::uint32_t negation() {
    const Deeper deeper(*this);
    blanks();
    const bool c_sign = at_ + 1 < text_.size() && text_[at_] == '!' && text_[at_ + 1] != '=';
    if (c_sign) ++at_;
    if (c_sign || word("not")) return node(Op::negate_truth, {negation()});
    return comparison();
  }
  bool comparison_sign(Op& op) {
    if (sign("<=")) return op = Op::less_equal, true;
    if (sign(">=")) return op = Op::greater_equal, true;
    if (sign("==")) return op = Op::equal, true;
    if (sign("!=")) return op = Op::unequal, true;
    if (sign("<")) return op = Op::less, true;
    if (sign(">")) return op = Op::greater, true;
    if (word("in")) return op = Op::in, true;
    const auto before = at_;
    if (word("not")) {
      if (word("in")) return op = Op::not_in, true;
      at_ = before;
    }
    return false;
  }
  /// 32 <= a * b <= 1024
  std::uint32_t comparison() {
    const auto first = arithmetic(0);
    std::vector<std::uint32_t> operands{first};
    std::vector<Op> comparisons;
    for (Op op{}; comparison_sign(op);) {
      comparisons.push_back(op);
      operands.push_back(arithmetic(0));
    }
    if (comparisons.empty()) return first;
    const auto chain = node(Op::compare_chain, std::move(operands));
    out_.nodes_[chain].comparisons = std::move(comparisons);
    return chain;
  }

  const Infix* infix() {
    blanks();
    for (const auto& i : infixes)
      if (text_.compare(at_, i.sign.size(), i.sign) == 0) {
        // && and || are words of another level.
        if ((i.sign == "&" || i.sign == "|") && at_ + 1 < text_.size() && text_[at_ + 1] == i.sign[0]) return nullptr;
        return &i;
      }
    return nullptr;
  }
  std::uint32_t arithmetic(int least) {
    const Deeper deeper(*this);
    auto left = unary();
    while (true) {
      const auto* i = infix();
      if (!i || i->binds < least) return left;
      at_ += i->sign.size();
      // Powers group to the right.
      const auto right = arithmetic(i->op == Op::power ? i->binds : i->binds + 1);
      left = node(i->op, {left, right});
    }
  }
  std::uint32_t unary() {
    const Deeper deeper(*this);
    if (sign("-")) return node(Op::minus, {arithmetic(power_binds)});
    if (sign("+")) return node(Op::plus, {arithmetic(power_binds)});
    if (sign("~")) return node(Op::invert, {arithmetic(power_binds)});
    return indexed();
  }
  std::uint32_t indexed() {
    auto base = atom();
    while (sign("[")) {
      const auto index = choice();
      if (!sign("]")) refuse("']' is missing");
      base = node(Op::index, {base, index});
    }
    return base;
  }
  std::vector<std::uint32_t> arguments(std::string_view close) {
    std::vector<std::uint32_t> list;
    if (sign(close)) return list;
    do {
      if (sign(close)) return list;  // a comma may stand at the end
      list.push_back(choice());
    } while (sign(","));
    if (!sign(close)) refuse(fmt::format("'{}' is missing", close));
    return list;
  }
  std::uint32_t atom() {
    blanks();
    if (at_ >= text_.size()) refuse("it ends too early");
    const char c = text_[at_];
    if (decimal(c) || c == '.') return number();
    if (c == '"' || c == '\'') return quoted(c);
    if (sign("[")) return node(Op::list, arguments("]"));
    if (sign("(")) {
      auto list = arguments(")");
      // A comma makes a tuple of it.
      auto before = at_ - 1;
      while (before > 0 && (text_[before - 1] == ' ')) --before;
      return list.size() == 1 && text_[before - 1] != ',' ? list.front() : node(Op::list, std::move(list));
    }
    const std::string name(peek_word());
    if (name.empty()) refuse(fmt::format("'{}' is not expected here", c));
    at_ += name.size();
    if (name == "True" || name == "true") return constant(ExpressionValue::of(std::int64_t{1}));
    if (name == "False" || name == "false") return constant(ExpressionValue::of(std::int64_t{0}));
    std::string function = name;
    if (name == "math" && sign(".")) {
      function = std::string(peek_word());
      at_ += function.size();
    }
    if (!sign("(")) return named(name);
    constexpr std::array<std::string_view, 12> known{"min", "max",  "abs", "int",  "float", "round",
                                                     "len", "ceil", "sum", "sqrt", "floor", "log2"};
    if (std::find(known.begin(), known.end(), function) == known.end())
      refuse(fmt::format("there is no function {}", function));
    const auto made = node(Op::call, arguments(")"));
    out_.nodes_[made].name = numbered(out_.calls_, function);
    return made;
  }
  std::uint32_t named(std::string_view name) {
    const auto made = node(Op::name, {});
    out_.nodes_[made].name = numbered(out_.names_, name);
    return made;
  }
  std::uint32_t number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const char* stop = begin;
    while (stop < end && decimal(*stop)) ++stop;
    if (stop == end || (*stop != '.' && *stop != 'e' && *stop != 'E')) {
      std::int64_t value = 0;
      if (std::from_chars(begin, stop, value).ec != std::errc()) refuse("that number is too large");
      at_ += static_cast<std::size_t>(stop - begin);
      return constant(ExpressionValue::of(value));
    }
    double value = 0;
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) refuse("that is no number");
    at_ += static_cast<std::size_t>(after - begin);
    return constant(ExpressionValue::of(value));
  }
  std::uint32_t quoted(char quote) {
    const auto close = text_.find(quote, at_ + 1);
    if (close == std::string::npos) refuse("the text has no end");
    const auto begin = at_ + 1;
    at_ = close + 1;
    return constant(ExpressionValue::of(text_.substr(begin, close - begin)));
  }

  Expression& out_;
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(std::string text) : text_(std::move(text)) { ExpressionParser(*this).run(); }

}  // namespace sparsecast::gpu_code
