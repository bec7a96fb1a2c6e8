#pragma once
// A tree back into a program, one statement per line in one layout: what the parser has understood, and nothing else.
// Not for translations: those keep the user's own layout (translate.hpp).

#include <fmt/format.h>

#include <string>

#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {

inline std::string print(const Node& expression);

namespace {

std::string list(const std::vector<Node>& nodes, std::string_view separator, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < nodes.size(); ++i) {
    if (i > first) text += separator;
    text += print(nodes[i]);
  }
  return text;
}

std::string enclosed(char open, const std::string& text, char close) {
  return fmt::format("{}{}{}", open, text, close);
}

void print(const Block& block, int depth, std::string& out);

void print_function(const Statement& statement, int depth, std::string& out) {
  const Signature& signature = statement.signature;
  out += "function ";
  if (signature.outputs.children.size() == 1) out += print(signature.outputs.children[0]) + " = ";
  if (signature.outputs.children.size() > 1) out += fmt::format("[{}] = ", list(signature.outputs.children, ", "));
  out += signature.name + "(" + list(signature.inputs.children, ", ") + ")\n";
  print(statement.clauses[0].body, depth + 1, out);
  out.append(2 * static_cast<std::size_t>(depth), ' ');
  out += "end";
}

void print_compound(const Statement& statement, int depth, std::string& out) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  bool first = true;
  if (statement.kind == StatementKind::switch_) {
    out += "switch " + print(statement.nodes[0]) + "\n";
    first = false;
  }
  for (const Clause& clause : statement.clauses) {
    if (!first) out += indent;
    first = false;
    out += clause.keyword;
    if (statement.kind == StatementKind::for_ || statement.kind == StatementKind::parfor) {
      const bool workers = statement.nodes.size() > 2;
      out += workers ? " (" : " ";
      out += print(statement.nodes[0]) + " = " + print(statement.nodes[1]);
      if (workers) out += fmt::format(", {})", print(statement.nodes[2]));
    } else if (clause.head.kind != NodeKind::none && statement.kind != StatementKind::do_until) {
      out += ' ';
      out += print(clause.head);
    }
    out += "\n";
    print(clause.body, depth + 1, out);
  }
  out += indent;
  switch (statement.kind) {
    case StatementKind::do_until: out += "until " + print(statement.clauses[0].head); break;
    case StatementKind::unwind: out += "end_unwind_protect"; break;
    default: out += "end";
  }
}

void print(const Statement& statement, int depth, std::string& out) {
  out.append(2 * static_cast<std::size_t>(depth), ' ');
  switch (statement.kind) {
    case StatementKind::expression: out += print(statement.nodes[0]); break;
    case StatementKind::directive:
    case StatementKind::command: out += statement.nodes[0].text; break;
    case StatementKind::break_: out += "break"; break;
    case StatementKind::continue_: out += "continue"; break;
    case StatementKind::return_: out += "return"; break;
    case StatementKind::global: out += "global " + list(statement.nodes, " "); break;
    case StatementKind::persistent: out += "persistent " + list(statement.nodes, " "); break;
    case StatementKind::function: print_function(statement, depth, out); break;
    default: print_compound(statement, depth, out);
  }
  if (statement.silent) out += ";";
  out += "\n";
}

void print(const Block& block, int depth, std::string& out) {
  for (const Statement& statement : block.statements) print(statement, depth, out);
}

}  // namespace

inline std::string print(const Node& node) {
  const auto& children = node.children;
  switch (node.kind) {
    case NodeKind::none: return {};
    case NodeKind::number:
    case NodeKind::string:
    case NodeKind::identifier: return node.text;
    case NodeKind::colon: return ":";
    case NodeKind::end: return "end";
    case NodeKind::tilde: return "~";
    case NodeKind::prefix: return node.text + print(children[0]);
    case NodeKind::postfix: return print(children[0]) + node.text;
    case NodeKind::binary: return print(children[0]) + " " + node.text + " " + print(children[1]);
    case NodeKind::assign:
    case NodeKind::multi_assign:
      return print(children[0]) + " " + (node.kind == NodeKind::assign ? node.text : "=") + " " + print(children[1]);
    case NodeKind::range: return list(children, ":");
    case NodeKind::output_list: return enclosed('[', list(children, ", "), ']');
    case NodeKind::matrix: return enclosed('[', list(children, "; "), ']');
    case NodeKind::cell: return enclosed('{', list(children, "; "), '}');
    case NodeKind::row: return list(children, ", ");
    case NodeKind::index: return list(children, "");
    case NodeKind::arguments: return enclosed('(', list(children, ", "), ')');
    case NodeKind::braces: return enclosed('{', list(children, ", "), '}');
    case NodeKind::field: return "." + node.text;
    case NodeKind::dynamic_field: return fmt::format(".({})", print(children[0]));
    case NodeKind::parameters: return enclosed('(', list(children, ", "), ')');
    case NodeKind::anonymous: return fmt::format("@{} {}", print(children[0]), print(children[1]));
    case NodeKind::handle: return "@" + node.text;
    case NodeKind::parenthesis: return enclosed('(', print(children[0]), ')');
  }
  return {};
}

inline std::string print(const Program& program) {
  std::string out;
  print(program.body, 0, out);
  return out;
}

}  // namespace sparsecast::memory_traffic
