#pragma once
// Expressions by precedence climbing, lowest first: assignment, ||, &&, |, &, comparison, range, sum, product, prefix,
// power and transpose. (GNU Octave manual, "Operator Precedence"; MATLAB orders these the same way.)

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory_traffic/language/lexer.hpp"
#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
/// Deeper nesting than this is refused: no program needs it, and the parser is recursive.
inline constexpr int nesting_limit = 200;
/// As is a longer chain of operators: a + b + c + … is as deep a tree as it is long.
inline constexpr int height_limit = 1000;

class ExpressionParser {
 public:
  ExpressionParser(const SourceText& source, std::vector<Token> tokens) : source_(source), tokens_(std::move(tokens)) {}

 protected:
  Node expression();
  Node parameters(bool defaults);
  Node left_side();
  /// `to` is followed by an operator of assignment and its value.
  Node assigned(Node to);
  static Node leaf(NodeKind kind, const Token& token);
  Node primary_name();
  Node output_list();
  Node postfix(Node base, bool powers = true);

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  [[nodiscard]] bool is_symbol(std::string_view text, std::size_t ahead = 0) const;
  [[nodiscard]] bool is_keyword(std::string_view text) const;
  bool accept_symbol(std::string_view text);
  const Token& expect_symbol(std::string_view text, std::string_view where);
  [[noreturn]] void unexpected(std::string_view wanted) const;

  /// Counts how deep the recursion is for as long as it lives.
  class Depth {
   public:
    explicit Depth(ExpressionParser& parser);
    ~Depth() { --parser_.depth_; }
    Depth& operator=(Depth&&) = delete;  // nor copied

   private:
    ExpressionParser& parser_;
  };

  const SourceText& source_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;

 private:
  Node binary(std::size_t level);
  Node range();
  Node prefix();
  Node power_operand();
  std::optional<Node> sign_before(Node (ExpressionParser::*operand)());
  Node primary();
  Node matrix(NodeKind kind);
  Node anonymous();
  Node argument_list(NodeKind kind, std::string_view closing);
  [[nodiscard]] bool is_output_list() const;
  /// A node over its children, from the beginning of the first to the end of the last.
  template <class... Child>
  Node joined(NodeKind kind, std::string text, Child... children) const;
  void measure(Node& node) const;
  void check_height(const Node& node) const;

  int depth_ = 0;
};
}  // namespace sparsecast::memory_traffic
