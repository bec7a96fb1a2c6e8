#include "memory_traffic/language/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sparsecast::memory_traffic {
namespace {
using Operators = std::vector<std::string_view>;

// Left-associative levels from the lowest; the range stands between comparison and sum.
const std::array<Operators, 7> levels = {{{"||"},
                                          {"&&"},
                                          {"|"},
                                          {"&"},
                                          {"<", "<=", "==", "!=", "~=", ">=", ">"},
                                          {"+", "-"},
                                          {"*", "/", "\\", ".*", "./", ".\\"}}};
constexpr std::size_t comparison_level = 4;
constexpr std::size_t product_level = 6;

Node make(NodeKind kind, std::size_t begin, std::size_t end, std::string text = {}) {
  Node node;
  node.kind = kind;
  node.begin = begin;
  node.end = end;
  node.text = std::move(text);
  return node;
}

bool is_left_side(const Node& node) {
  if (node.kind == NodeKind::identifier || node.kind == NodeKind::tilde) return true;
  return node.kind == NodeKind::index && node.children.front().kind == NodeKind::identifier;
}
}  // namespace

ExpressionParser::Depth::Depth(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.depth_ <= nesting_limit) return;
  --parser_.depth_;
  parser_.source_.refuse(parser_.peek().begin, "nested deeper than " + std::to_string(nesting_limit) + " levels",
                         "split it into several statements");
}

template <class... Child>
Node ExpressionParser::joined(NodeKind kind, std::string text, Child... children) const {
  Node node = make(kind, 0, 0, std::move(text));
  (node.children.push_back(std::move(children)), ...);
  node.begin = node.children.front().begin;
  node.end = node.children.back().end;
  measure(node);
  return node;
}

Node ExpressionParser::leaf(NodeKind kind, const Token& token) {
  return make(kind, token.begin, token.end, token.text);
}

Node ExpressionParser::expression() {
  const Depth depth(*this);
  if (is_output_list()) {
    Node outputs = output_list();
    expect_symbol("=", "after the list of outputs");
    return joined(NodeKind::multi_assign, {}, std::move(outputs), expression());
  }
  Node left = binary(0);
  static const Operators assignments = {
      "=", "+=", "-=", "*=", "/=", "\\=", "^=", "|=", "&=", ".*=", "./=", ".\\=", ".^="};
  if (peek().kind != TokenKind::symbol) return left;
  for (const std::string_view op : assignments) {
    if (!is_symbol(op)) continue;
    if (!is_left_side(left) || left.kind == NodeKind::tilde)
      source_.refuse(left.begin, "only a variable or a part of one can be assigned to");
    return assigned(std::move(left));
  }
  return left;
}

Node ExpressionParser::parameters(bool defaults) {
  Node list = make(NodeKind::parameters, expect_symbol("(", "before the parameters").begin, 0);
  while (!is_symbol(")")) {
    if (is_symbol("~") || is_symbol("!")) {
      list.children.push_back(leaf(NodeKind::tilde, take()));
    } else {
      Node name = primary_name();
      list.children.push_back(defaults && is_symbol("=") ? assigned(std::move(name)) : std::move(name));
    }
    if (is_symbol(")")) break;
    if (peek().kind != TokenKind::comma) unexpected("',' or ')' between parameters");
    take();
  }
  list.end = take().end;
  return list;
}

Node ExpressionParser::left_side() {
  Node name = primary_name();
  return postfix(std::move(name), false);
}

Node ExpressionParser::assigned(Node to) {
  std::string op = take().text;
  return joined(NodeKind::assign, std::move(op), std::move(to), expression());
}

Node ExpressionParser::primary_name() {
  if (peek().kind != TokenKind::identifier) unexpected("a name");
  return leaf(NodeKind::identifier, take());
}

Node ExpressionParser::output_list() {
  Node list = make(NodeKind::output_list, expect_symbol("[", "before a list of outputs").begin, 0);
  while (!is_symbol("]")) {
    if (peek().kind == TokenKind::comma) {
      take();
      continue;
    }
    if (is_symbol("~") || is_symbol("!"))
      list.children.push_back(leaf(NodeKind::tilde, take()));
    else
      list.children.push_back(left_side());
    if (peek().kind != TokenKind::comma && !is_symbol("]")) unexpected("',' or ']' in the list of outputs");
  }
  list.end = take().end;
  return list;
}

Node ExpressionParser::postfix(Node base, bool powers) {
  const auto extend = [&](Node accessor) {
    const std::size_t end = accessor.end;
    if (base.kind != NodeKind::index) {
      Node node = make(NodeKind::index, base.begin, end);
      node.children.push_back(std::move(base));
      measure(node);
      base = std::move(node);
    }
    // Only what is new can make it higher: a chain of accessors takes time in proportion to its length.
    base.height = std::max(base.height, accessor.height + 1);
    base.children.push_back(std::move(accessor));
    base.end = end;
    check_height(base);
  };
  const auto wrap = [&](NodeKind kind, const Token& op) {
    Node node = make(kind, base.begin, op.end, op.text);
    node.children.push_back(std::move(base));
    measure(node);
    base = std::move(node);
  };
  while (peek().kind == TokenKind::symbol) {
    const std::string& text = peek().text;
    if (text == "(") {
      extend(argument_list(NodeKind::arguments, ")"));
    } else if (text == "{") {
      extend(argument_list(NodeKind::braces, "}"));
    } else if (text == ".") {
      const std::size_t begin = take().begin;
      if (accept_symbol("(")) {
        Node dynamic = make(NodeKind::dynamic_field, begin, 0);
        dynamic.children.push_back(expression());
        dynamic.end = expect_symbol(")", "after a dynamic field").end;
        measure(dynamic);
        extend(std::move(dynamic));
      } else {
        if (peek().kind != TokenKind::identifier) unexpected("a field's name");
        const Token& name = take();
        extend(make(NodeKind::field, begin, name.end, name.text));
      }
    } else if (powers && (text == "'" || text == ".'")) {
      wrap(NodeKind::postfix, take());
    } else if (powers && (text == "++" || text == "--")) {
      if (!is_left_side(base)) unexpected("an operator");
      wrap(NodeKind::postfix, take());
    } else if (powers && (text == "^" || text == ".^" || text == "**")) {
      std::string op = take().text;
      base = joined(NodeKind::binary, std::move(op), std::move(base), power_operand());
    } else {
      break;
    }
  }
  return base;
}

const Token& ExpressionParser::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token& ExpressionParser::take() {
  const Token& token = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool ExpressionParser::is_symbol(std::string_view text, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::symbol && peek(ahead).text == text;
}

bool ExpressionParser::is_keyword(std::string_view text) const {
  return peek().kind == TokenKind::keyword && peek().text == text;
}

bool ExpressionParser::accept_symbol(std::string_view text) {
  if (!is_symbol(text)) return false;
  take();
  return true;
}

const Token& ExpressionParser::expect_symbol(std::string_view text, std::string_view where) {
  if (!is_symbol(text)) unexpected("'" + std::string(text) + "' " + std::string(where));
  return take();
}

void ExpressionParser::unexpected(std::string_view wanted) const {
  const Token& token = peek();
  const std::string found = token.kind == TokenKind::newline       ? "the end of the line"
                            : token.kind == TokenKind::end_of_file ? "the end of the file"
                            : token.kind == TokenKind::directive   ? "a directive"
                            : token.begin == token.end             ? "another element"
                                                                   : "'" + token.text + "'";
  source_.refuse(token.begin, "expected " + std::string(wanted) + ", found " + found);
}

Node ExpressionParser::binary(std::size_t level) {
  const Depth depth(*this);
  const auto operand = [&] {
    if (level == comparison_level) return range();
    if (level == product_level) return prefix();
    return binary(level + 1);
  };
  Node left = operand();
  while (peek().kind == TokenKind::symbol) {
    bool found = false;
    for (const std::string_view op : levels[level]) found = found || peek().text == op;
    if (!found) break;
    std::string op = take().text;
    left = joined(NodeKind::binary, std::move(op), std::move(left), operand());
  }
  return left;
}

Node ExpressionParser::range() {
  Node first = binary(comparison_level + 1);
  if (!is_symbol(":")) return first;
  // "x(:, 1:)" and "a(1, :)" hold no range here.
  const Token& behind = peek(1);
  if (behind.kind == TokenKind::comma ||
      (behind.kind == TokenKind::symbol && (behind.text == ")" || behind.text == "}")))
    unexpected("an expression after ':'");
  Node node = make(NodeKind::range, first.begin, 0);
  node.children.push_back(std::move(first));
  take();
  node.children.push_back(binary(comparison_level + 1));
  if (accept_symbol(":")) node.children.push_back(binary(comparison_level + 1));
  node.end = node.children.back().end;
  measure(node);
  return node;
}

Node ExpressionParser::prefix() {
  if (std::optional<Node> node = sign_before(&ExpressionParser::prefix)) return *std::move(node);
  return postfix(primary());
}

// What may follow ^: a signed operand binds tighter there, 2^-1.
Node ExpressionParser::power_operand() {
  if (std::optional<Node> node = sign_before(&ExpressionParser::power_operand)) return *std::move(node);
  return postfix(primary(), false);
}

// A sign and the operand behind it, where there is a sign.
std::optional<Node> ExpressionParser::sign_before(Node (ExpressionParser::*operand)()) {
  for (const std::string_view op : {"-", "+", "!", "~", "++", "--"}) {
    if (!is_symbol(op)) continue;
    const Depth depth(*this);
    const Token& sign = take();
    Node node = joined(NodeKind::prefix, sign.text, (this->*operand)());
    node.begin = sign.begin;
    return node;
  }
  return std::nullopt;
}

Node ExpressionParser::primary() {
  const Depth depth(*this);
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::number: return leaf(NodeKind::number, take());
    case TokenKind::string: return leaf(NodeKind::string, take());
    case TokenKind::identifier: return leaf(NodeKind::identifier, take());
    case TokenKind::end_value: return leaf(NodeKind::end, take());
    case TokenKind::symbol: break;
    default: unexpected("an expression");
  }
  if (token.text == "(") {
    Node node = make(NodeKind::parenthesis, take().begin, 0);
    node.children.push_back(expression());
    node.end = expect_symbol(")", "to close the parenthesis").end;
    measure(node);
    return node;
  }
  if (token.text == "[") return matrix(NodeKind::matrix);
  if (token.text == "{") return matrix(NodeKind::cell);
  if (token.text == "@") return anonymous();
  unexpected("an expression");
}

Node ExpressionParser::matrix(NodeKind kind) {
  Node node = make(kind, take().begin, 0);
  const std::string_view closing = kind == NodeKind::matrix ? "]" : "}";
  Node row = make(NodeKind::row, peek().begin, 0);
  const auto finish_row = [&] {
    if (row.children.empty()) return;
    row.begin = row.children.front().begin;
    row.end = row.children.back().end;
    measure(row);
    node.children.push_back(std::move(row));
    row = make(NodeKind::row, 0, 0);
  };
  while (!is_symbol(closing)) {
    if (peek().kind == TokenKind::semicolon) {
      take();
      finish_row();
      continue;
    }
    if (peek().kind == TokenKind::comma) {
      take();
      continue;
    }
    // "{:, 1}" holds the string ':'.
    const Token& behind = peek(1);
    const bool colon = is_symbol(":") && (behind.kind == TokenKind::comma || behind.kind == TokenKind::semicolon ||
                                          (behind.kind == TokenKind::symbol && behind.text == closing));
    row.children.push_back(colon ? leaf(NodeKind::colon, take()) : expression());
    if (peek().kind != TokenKind::comma && peek().kind != TokenKind::semicolon && !is_symbol(closing))
      unexpected("',', ';' or '" + std::string(closing) + "'");
  }
  finish_row();
  node.end = take().end;
  measure(node);
  return node;
}

Node ExpressionParser::anonymous() {
  const std::size_t begin = take().begin;
  if (!is_symbol("(")) {
    if (peek().kind != TokenKind::identifier) unexpected("a function's name or '(' after '@'");
    std::string name = peek().text;
    std::size_t end = take().end;
    while (is_symbol(".") && peek(1).kind == TokenKind::identifier) {
      take();
      name += "." + peek().text;
      end = take().end;
    }
    return make(NodeKind::handle, begin, end, name);
  }
  Node list = parameters(false);
  Node node = joined(NodeKind::anonymous, {}, std::move(list), expression());
  node.begin = begin;
  return node;
}

Node ExpressionParser::argument_list(NodeKind kind, std::string_view closing) {
  const Depth depth(*this);
  Node node = make(kind, take().begin, 0);
  while (!is_symbol(closing)) {
    const Token& behind = peek(1);
    const bool last = behind.kind == TokenKind::comma || (behind.kind == TokenKind::symbol && behind.text == closing);
    if (is_symbol(":") && last)
      node.children.push_back(leaf(NodeKind::colon, take()));
    else if ((is_symbol("~") || is_symbol("!")) && last)
      node.children.push_back(leaf(NodeKind::tilde, take()));
    else
      node.children.push_back(expression());
    if (is_symbol(closing)) break;
    if (peek().kind != TokenKind::comma) unexpected("',' or '" + std::string(closing) + "'");
    take();
    if (is_symbol(closing)) unexpected("an argument");
  }
  node.end = take().end;
  measure(node);
  return node;
}

// "[a, b] =" and not "[a, b] ==": looks ahead to the bracket's partner.
bool ExpressionParser::is_output_list() const {
  if (!is_symbol("[")) return false;
  int depth = 0;
  for (std::size_t i = next_; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::symbol) continue;
    const std::string& text = tokens_[i].text;
    if (text == "[" || text == "(" || text == "{") ++depth;
    if (text == "]" || text == ")" || text == "}") --depth;
    if (depth == 0) return tokens_[i + 1].kind == TokenKind::symbol && tokens_[i + 1].text == "=";
  }
  return false;
}

void ExpressionParser::measure(Node& node) const {
  for (const Node& child : node.children) node.height = std::max(node.height, child.height + 1);
  check_height(node);
}

void ExpressionParser::check_height(const Node& node) const {
  if (node.height > height_limit)
    source_.refuse(node.begin, "more than " + std::to_string(height_limit) + " operations within one another",
                   "split it into several statements");
}
}  // namespace sparsecast::memory_traffic
