#pragma once
// Expressions of a tuning space's file: restrictions, block and grid sizes, lists of values, written as Python has them
// (and with && || ! as C has). Read by a parser of our own, bounded in length, depth and steps; nothing of the file is
// ever run as code.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparsecast::gpu_code {
/// A number, a text or a list. Truth values are the integers 0 and 1.
struct ExpressionValue {
  enum class Kind : std::uint8_t { integer, real, text, list } kind = Kind::integer;
  std::int64_t integer = 0;
  double real = 0;
  std::string text = {};
  std::vector<ExpressionValue> list = {};

  [[nodiscard]] static ExpressionValue of(std::int64_t value) { return {.integer = value}; }
  [[nodiscard]] static ExpressionValue of(double value) { return {.kind = Kind::real, .real = value}; }
  [[nodiscard]] static ExpressionValue of(std::string value) { return {.kind = Kind::text, .text = std::move(value)}; }
  [[nodiscard]] static ExpressionValue of(std::vector<ExpressionValue> values) {
    return {.kind = Kind::list, .list = std::move(values)};
  }
  [[nodiscard]] bool truth() const { return integer != 0 || real != 0 || !text.empty() || !list.empty(); }
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

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::function<ExpressionValue(const ExpressionNames&)> value_;
};
}  // namespace sparsecast::gpu_code
