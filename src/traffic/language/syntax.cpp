#include "traffic/language/syntax.hpp"

namespace sparsecast::memory_traffic {
void each_function(const Block& block, const std::function<void(const Statement&)>& f) {
  for (const Statement& statement : block.statements) {
    if (statement.kind == StatementKind::function) f(statement);
    for (const Clause& clause : statement.clauses) each_function(clause.body, f);
  }
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
