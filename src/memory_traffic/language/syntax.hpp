#pragma once
// The tree of a MATLAB program, and walks over it. Every node knows its place in the source (offsets), so that a
// translation can keep whatever it does not change, blanks and comments included.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sparsecast::memory_traffic {
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

/// Every function of a block, outer ones first.
void each_function(const Block& block, const std::function<void(const Statement&)>& f);
/// Every statement, nested ones and those of functions included, outer ones first.
void each_statement(const Block& block, const std::function<void(const Statement&)>& f);
/// Every expression of the block's own code: none of its functions', no directives.
void each_node(const Block& block, const std::function<void(const Node&)>& f);
}  // namespace sparsecast::memory_traffic
