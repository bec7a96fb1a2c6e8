#pragma once
// The tree of a MATLAB program. Every node knows its place in the source (offsets), so that a translation can keep
// everything it does not change, blanks and comments included.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <sparsecast/error.hpp>
#include <string_view>
#include <vector>

namespace sparsecast::memory_traffic {
// What MATLAB's words are made of: classes of characters, keywords, operators. Not here: where in a text they stand and
// what they mean there (lexer.cpp).

// A program's text with its line starts: offsets are what the front end works with, lines and columns what people read.

class SourceText {
 public:
  SourceText(std::string file, std::string text);

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view slice(std::size_t begin, std::size_t end) const {
    return text().substr(begin, end - begin);
  }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }

  /// 1-based line and column (in bytes) of an offset.
  [[nodiscard]] std::size_t line(std::size_t offset) const;
  [[nodiscard]] std::size_t column(std::size_t offset) const;
  /// A line without its line end; `line` counts from 1.
  [[nodiscard]] std::string_view line_text(std::size_t line) const;
  /// Offset of the line end (or of the end of the text) at or after an offset.
  [[nodiscard]] std::size_t line_end(std::size_t offset) const;
  /// Blanks with which the line of an offset begins.
  [[nodiscard]] std::string indentation(std::size_t offset) const;
  /// Nothing but blanks stand before it on its line.
  [[nodiscard]] bool starts_line(std::size_t offset) const;

  [[nodiscard]] Place place(std::size_t offset) const;
  /// Error bad_input at an offset.
  [[noreturn]] void refuse(std::size_t offset, const std::string& reason, const std::string& remedy = {}) const;

 private:
  std::string file_, text_;
  std::vector<std::size_t> starts_;
};

inline bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_name(char c) { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

[[nodiscard]] constexpr bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
/// Names that no variable can have.
[[nodiscard]] bool is_keyword(std::string_view word);
/// After these words a new statement may start on the same line.
[[nodiscard]] bool opens_statement(std::string_view keyword);

/// The longest operator or bracket that stands there; empty where there is none.
[[nodiscard]] std::string_view symbol_at(std::string_view text, std::size_t at);
/// `x += 1`; inside brackets `[a -=b]` would not be one, nor is it anything else.
[[nodiscard]] bool is_assignment(std::string_view op);

// What is known of MATLAB's own functions: one table, data/builtins.tsv.

enum class BuiltinKind { silent, call, elementwise, reduction, whole };
enum class ResultShape { scalar, logical, constant, same, array, size, other };

struct Builtin {
  BuiltinKind kind = BuiltinKind::silent;
  ResultShape shape = ResultShape::other;
  /// The library has a profiled version, SLM<name>.
  [[nodiscard]] bool profiled() const { return kind >= BuiltinKind::elementwise; }
};

const std::map<std::string, Builtin, std::less<>>& builtins();
/// nullptr for a name that is not in the table.
const Builtin* find_builtin(std::string_view name);

// MATLAB's words. What a character means depends on what stands around it (a quote transposes or opens a string, a
// blank separates elements only inside brackets, a statement's first word may make the whole line a command), so all
// such decisions are taken here and the parser sees an ordinary stream of tokens.

enum class TokenKind {
  number,  ///< with its imaginary suffix, if any
  string,  ///< either quote, quotes included
  identifier,
  keyword,  ///< `end` inside an index is an identifier-like `end_value` instead
  end_value,
  symbol,     ///< operators, brackets, `=`; text tells which. The quote of a transpose is a symbol.
  comma,      ///< also the blank between two elements (then begin == end)
  semicolon,  ///< also a line end between two rows
  newline,    ///< end of a line outside brackets
  command,    ///< a whole statement in command syntax: `hold on`
  directive,  ///< a %SLM comment
  end_of_file,
};

struct Token {
  TokenKind kind = TokenKind::end_of_file;
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// All tokens, the last one end_of_file. Error bad_input with line and column for text that is no MATLAB.
std::vector<Token> tokenize(const SourceText& source);

enum class NodeKind {
  none,
  number,        ///< text: as written
  string,        ///< text: as written, quotes included
  identifier,    ///< text: name
  colon,         ///< `:` alone as an index
  end,           ///< `end` inside an index
  tilde,         ///< an output or parameter that is not wanted
  prefix,        ///< text: operator; children: operand
  postfix,       ///< text: ' .' ++ --
  binary,        ///< text: operator, && and || among them
  range,         ///< children: first, [step,] last
  assign,        ///< text: = += …; children: left side, value
  multi_assign,  ///< children: output_list, value
  output_list,   ///< children: left sides
  matrix,        ///< children: row
  cell,          ///< children: row
  row,           ///< children: elements
  index,         ///< children: base, then one accessor each: arguments, braces, field, dynamic_field
  arguments,     ///< children: expressions, colon
  braces,
  field,          ///< text: name
  dynamic_field,  ///< children: expression
  anonymous,      ///< children: parameters, body
  parameters,     ///< children: identifier, tilde, assign (Octave's default values)
  handle,         ///< text: name behind @
  parenthesis,    ///< children: the expression inside
};

struct Node {
  NodeKind kind = NodeKind::none;
  std::size_t begin = 0, end = 0;
  int height = 1;  ///< of the tree below it, bounded: whatever walks trees may be recursive
  std::string text;
  std::vector<Node> children;
};

enum class StatementKind {
  expression,
  command,
  if_,
  while_,
  do_until,
  for_,
  parfor,
  switch_,
  try_,
  unwind,
  break_,
  continue_,
  return_,
  global,
  persistent,
  function,
  directive,
};

struct Statement;

/// Statements in a row. An insertion at `begin` runs first, one at `end` last.
struct Block {
  std::size_t begin = 0, end = 0;
  std::vector<Statement> statements;
};

/// One part of a compound statement: a branch, a loop's body, what try protects, …
struct Clause {
  std::size_t begin = 0;  ///< of its keyword
  std::string keyword;
  Node head;  ///< condition, case label, error variable; kind none where there is none
  Block body;
};

struct Signature {
  std::string name;
  Node outputs, inputs;  ///< output_list, parameters
};

struct Statement {
  StatementKind kind = StatementKind::expression;
  std::size_t begin = 0;
  std::size_t end = 0;      ///< without what terminates it
  std::size_t after = 0;    ///< behind its `;` or `,`
  bool terminated = false;  ///< by `;` or `,` rather than a line end
  bool silent = false;      ///< by `;`
  /// expression: the expression. for_: variable, range and parfor's workers. switch_: value. global, persistent: the
  /// names, with their values. command, directive: a string-like node with the whole text.
  std::vector<Node> nodes;
  std::vector<Clause> clauses;
  Signature signature;  ///< function
  bool closed = true;   ///< function: ends with its own `end`
};

struct Program {
  Block body;
  /// The first thing is a function: a function file. Otherwise a script.
  [[nodiscard]] bool is_function_file() const;
};

/// Calls f on every node of an expression, parents first.
template <class F>
void visit(const Node& node, F&& f) {
  f(node);
  for (const Node& child : node.children) visit(child, f);
}

// Walks over a program's tree: statements with all that is nested in them, functions, expressions.

/// Every function of a block, outer ones first.
void each_function(const Block& block, const std::function<void(const Statement&)>& f);
/// Every statement, nested ones and those of functions included, outer ones first.
void each_statement(const Block& block, const std::function<void(const Statement&)>& f);
/// Every expression of the block's own code: none of its functions', no directives.
void each_node(const Block& block, const std::function<void(const Node&)>& f);

// Tokens into a tree. Not for meaning: whether `a(1)` indexes or calls is decided where names are known (names.hpp).

/// Error bad_input with line and column for everything that is not the language of docs/design/traffic.md.
Program parse(const SourceText& source);
}  // namespace sparsecast::memory_traffic
