#include "memory_traffic/translate/elements.hpp"

namespace sparsecast::memory_traffic {
namespace {
// The variable of "k", "k + 1", "2 + k - 1"; nothing for all else.
const Node* variable_of_sum(const Node& subscript, const VariableScope& scope) {
  const Node& node = inner(subscript);
  if (node.kind == NodeKind::identifier) return scope.is_variable(node.text) ? &node : nullptr;
  if (node.kind != NodeKind::binary || (node.text != "+" && node.text != "-")) return nullptr;
  if (inner(node.children[1]).kind == NodeKind::number) return variable_of_sum(node.children[0], scope);
  const bool offset_first = node.text == "+" && inner(node.children[0]).kind == NodeKind::number;
  return offset_first ? variable_of_sum(node.children[1], scope) : nullptr;
}
}  // namespace

std::string element_key(const SourceText& source, const VariableScope& scope, const Node& arguments) {
  std::string key;
  for (const Node& child : arguments.children) {
    key += ',';
    if (const Node* variable = variable_of_sum(child, scope)) {
      key += variable->text;
      continue;
    }
    for (const char c : source.slice(child.begin, child.end))
      if (c != ' ' && c != '\t') key += c;
  }
  return key;
}
}  // namespace sparsecast::memory_traffic
