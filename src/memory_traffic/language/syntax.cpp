#include "memory_traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
bool Program::is_function_file() const {
  for (const Statement& statement : body.statements)
    if (statement.kind != StatementKind::directive) return statement.kind == StatementKind::function;
  return false;
}

void each_function(const Block& block, const std::function<void(const Statement&)>& f) {
  each_statement(block, [&](const Statement& statement) {
    if (statement.kind == StatementKind::function) f(statement);
  });
}

void each_statement(const Block& block, const std::function<void(const Statement&)>& f) {
  for (const Statement& statement : block.statements) {
    f(statement);
    for (const Clause& clause : statement.clauses) each_statement(clause.body, f);
  }
}

void each_node(const Block& block, const std::function<void(const Node&)>& f) {
  for (const Statement& statement : block.statements) {
    if (statement.kind == StatementKind::function || statement.kind == StatementKind::directive) continue;
    for (const Node& node : statement.nodes) f(node);
    for (const Clause& clause : statement.clauses) {
      f(clause.head);
      each_node(clause.body, f);
    }
  }
}
}  // namespace sparsecast::memory_traffic
