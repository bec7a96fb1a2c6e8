#include "memory_traffic/translate/renamed_values.hpp"

#include <algorithm>
#include <array>

#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
namespace {
// A call of MATLAB's own function of that name, with arguments.
bool calls(const Node& node, std::string_view name, const VariableScope& scope, const ProgramNames& names) {
  return is_slice(node) && node.children[0].text == name && !scope.is_variable(node.children[0].text) &&
         !names.own(node.children[0].text) && !node.children[1].children.empty();
}

bool is_variable_or_held(const Node& value, const VariableScope& scope) {
  const Node& bare = inner(value);
  return (bare.kind == NodeKind::identifier && scope.is_variable(bare.text)) || is_held(bare, scope);
}
}  // namespace

bool is_held(const Node& bare, const VariableScope& scope) {
  return bare.kind == NodeKind::index && bare.children.back().kind != NodeKind::arguments &&
         scope.is_variable(base_of(bare).text);
}

const Node* renamed_variable(const Node& value, const VariableScope& scope, const ProgramNames& names) {
  const Node& bare = inner(value);
  if (bare.kind == NodeKind::identifier) return scope.is_variable(bare.text) ? &bare : nullptr;
  if (!is_slice(bare)) return nullptr;
  const auto& arguments = bare.children[1].children;
  if (scope.arrays.contains(bare.children[0].text)) {
    const bool all = std::ranges::all_of(arguments, [](const Node& n) { return n.kind == NodeKind::colon; });
    return all && !arguments.empty() ? &bare.children[0] : nullptr;
  }
  const bool reshapes = std::ranges::any_of(std::array{"reshape", "vec", "squeeze"},
                                            [&](const char* name) { return calls(bare, name, scope, names); });
  const bool deals = arguments.size() == 1 && calls(bare, "deal", scope, names);
  return reshapes || deals ? renamed_variable(arguments[0], scope, names) : nullptr;
}

std::vector<const Node*> packed_values(const Node& value, const VariableScope& scope, const ProgramNames& names) {
  const Node& bare = inner(value);
  std::vector<const Node*> values;
  if (bare.kind == NodeKind::cell) {
    for (const Node& row : bare.children)
      for (const Node& one : row.children) values.push_back(&one);
  } else if (calls(bare, "struct", scope, names)) {
    const auto& arguments = bare.children[1].children;
    if (arguments.size() % 2 != 0) return {};
    for (std::size_t k = 0; k < arguments.size(); k += 2) {
      if (arguments[k].kind != NodeKind::string) return {};
      values.push_back(&arguments[k + 1]);
    }
  }
  const bool all = std::ranges::all_of(values, [&](const Node* one) {
    return inner(*one).kind == NodeKind::number || is_variable_or_held(*one, scope);
  });
  return all ? values : std::vector<const Node*>();
}

std::vector<const Node*> dealt_values(const Node& value, std::size_t outputs, const VariableScope& scope,
                                      const ProgramNames& names) {
  const Node& bare = inner(value);
  if (!calls(bare, "deal", scope, names)) return {};
  std::vector<const Node*> values;
  for (const Node& one : bare.children[1].children) {
    if (!is_variable_or_held(one, scope)) return {};
    values.push_back(&inner(one));
  }
  if (values.size() == 1) values.resize(outputs, values[0]);
  return values.size() == outputs ? values : std::vector<const Node*>();
}
}  // namespace sparsecast::memory_traffic
