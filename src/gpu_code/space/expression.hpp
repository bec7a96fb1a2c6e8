#pragma once
// Expressions of a tuning space's file: restrictions, block and grid sizes, lists of values, written as Python has them
// (and with && || ! as C has). Read by a parser of our own into a tree that is bounded in length, depth and steps;
// nothing of the file is ever run as code.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::gpu_code {

/// A number, a text or a list. Truth values are the integers 0 and 1.
struct ExpressionValue {
  enum class Kind : std::uint8_t { integer, real, text, list } kind = Kind::integer;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<ExpressionValue> list;

  [[nodiscard]] static ExpressionValue of(std::int64_t value);
  [[nodiscard]] static ExpressionValue of(double value);
  [[nodiscard]] static ExpressionValue of(std::string value);
  [[nodiscard]] static ExpressionValue of(std::vector<ExpressionValue> values);
  [[nodiscard]] bool truth() const;
  [[nodiscard]] bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  /// Of a number.
  [[nodiscard]] double number() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  /// As a macro's value: 32, 0.5, half.
  [[nodiscard]] std::string written() const;
  [[nodiscard]] bool operator==(const ExpressionValue& other) const;
};

/// What a name stands for; nullptr where nothing.
using ExpressionNames = std::function<const ExpressionValue*(std::string_view name)>;

class Expression {
 public:
  Expression() = default;
  /// Error bad_input with the place in the text.
  explicit Expression(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Names that it reads, each once.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Error bad_input: a name without a value, a division by zero, a number too large, operands that do not fit.
  [[nodiscard]] ExpressionValue evaluate(const ExpressionNames& names) const;
  /// Of which the result must be a whole number, at least `least`.
  [[nodiscard]] std::int64_t whole_number(const ExpressionNames& names, std::int64_t least) const;

  enum class Op : std::uint8_t {
    constant,
    name,
    list,
    index,
    call,
    choose,
    both,
    either,
    negate_truth,
    compare_chain,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    minus,
    plus,
    invert,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    unequal,
    in,
    not_in
  };
  struct Node {
    Op op = Op::constant;
    ExpressionValue value;                ///< of a constant
    std::uint32_t name = 0;               ///< of a name or a call
    std::vector<std::uint32_t> operands;  ///< nodes before this one
    std::vector<Op> comparisons;          ///< of a chain: between operands
  };

 private:
  std::string text_;
  std::vector<std::string> names_, calls_;
  std::vector<Node> nodes_;
  std::uint32_t root_ = 0;
  friend class ExpressionParser;
};

}  // namespace sparsecast::gpu_code
