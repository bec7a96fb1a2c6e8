#include "memory_traffic/language/names.hpp"

#include <algorithm>

#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
namespace {
// What one assignment gives its variable.
struct Assignment {
  std::string name;
  enum class Value { expression, number, array, unknown, element } value;
  const Node* node = nullptr;  ///< Value::expression
  bool combined = false;       ///< "+=": the old value takes part
};

void collect(const Node& node, std::vector<Assignment>& out) {
  using Value = Assignment::Value;
  visit(node, [&](const Node& n) {
    if (n.kind == NodeKind::assign) {
      const Node& left = n.children[0];
      if (left.kind == NodeKind::identifier)
        out.push_back({left.text, Value::expression, &n.children[1], n.text != "="});
      else if (left.kind == NodeKind::index) {
        const bool elements = left.children.size() == 2 && left.children[1].kind == NodeKind::arguments;
        out.push_back({base_of(left).text, elements ? Value::element : Value::unknown});
      }
    } else if (n.kind == NodeKind::multi_assign) {
      const Node& value = inner(n.children[1]);
      const Node* callee = value.kind == NodeKind::index ? &value.children[0] : nullptr;
      const Builtin* builtin =
          callee != nullptr && callee->kind == NodeKind::identifier ? find_builtin(callee->text) : nullptr;
      for (const Node& left : n.children[0].children) {
        if (left.kind == NodeKind::tilde) continue;
        Value kind = Value::unknown;
        if (left.kind == NodeKind::identifier && builtin != nullptr && n.children[0].children.size() > 1) {
          if (builtin->shape == ResultShape::size)
            kind = Value::number;
          else if (builtin->profiled())
            kind = Value::array;
        }
        if (left.kind == NodeKind::index && left.children.size() == 2 && left.children[1].kind == NodeKind::arguments)
          kind = Value::element;
        out.push_back({base_of(left).text, kind});
      }
    } else if ((n.text == "++" || n.text == "--") && inner(n.children[0]).kind == NodeKind::index) {
      const Node& base = base_of(inner(n.children[0]));
      if (base.kind == NodeKind::identifier)
        out.push_back({base.text, n.kind == NodeKind::postfix ? Value::element : Value::unknown});
    }
  });
}

void collect(const Block& block, VariableScope& scope, std::vector<Assignment>& out) {
  using Value = Assignment::Value;
  for (const Statement& statement : block.statements) {
    if (statement.kind == StatementKind::function) continue;
    const bool loop = statement.kind == StatementKind::for_ || statement.kind == StatementKind::parfor;
    const bool declares = statement.kind == StatementKind::global || statement.kind == StatementKind::persistent;
    if (loop) {
      const Node& variable = statement.nodes[0];
      const Node& values = inner(statement.nodes[1]);
      if (variable.kind == NodeKind::identifier && values.kind == NodeKind::range)
        out.push_back({variable.text, Value::number});
      else if (variable.kind == NodeKind::output_list) {
        for (const Node& name : variable.children)
          if (name.kind != NodeKind::tilde) out.push_back({base_of(name).text, Value::unknown});
      } else
        out.push_back({base_of(variable).text, Value::unknown});
    }
    if (declares)
      for (const Node& name : statement.nodes) {
        const std::string& text = name.kind == NodeKind::assign ? name.children[0].text : name.text;
        scope.shared.insert(text);
        out.push_back({text, Value::unknown});
      }
    else if (statement.kind != StatementKind::directive && statement.kind != StatementKind::command)
      for (const Node& node : statement.nodes) collect(node, out);
    for (const Clause& clause : statement.clauses) {
      if (statement.kind == StatementKind::try_ && clause.head.kind == NodeKind::identifier)
        out.push_back({clause.head.text, Value::unknown});
      else
        collect(clause.head, out);
      collect(clause.body, scope, out);
    }
  }
}

// Largest sets that no assignment contradicts: begins with all candidates and strikes out.
void infer(VariableScope& scope, const std::vector<Assignment>& assignments) {
  using Value = Assignment::Value;
  for (const Assignment& a : assignments) {
    scope.variables.insert(a.name);
    if (!scope.parameters.contains(a.name)) {
      scope.numbers.insert(a.name);
      scope.arrays.insert(a.name);
    }
  }
  for (const std::string& name : scope.shared) {
    scope.numbers.erase(name);
    scope.arrays.erase(name);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Assignment& a : assignments) {
      const bool number = a.value == Value::number || (a.value == Value::expression && scope.is_number(*a.node));
      const bool array = number || a.value == Value::array || a.value == Value::element ||
                         (a.value == Value::expression && (a.combined || scope.is_array(*a.node)));
      if (!number && scope.numbers.erase(a.name) > 0) changed = true;
      if (!array && scope.arrays.erase(a.name) > 0) changed = true;
    }
  }
}

bool all_scalar(const VariableScope& scope, const Node& list) {
  return std::ranges::all_of(list.children, [&](const Node& child) {
    return child.kind != NodeKind::colon && child.kind != NodeKind::tilde && scope.is_scalar(child);
  });
}

// A call of a function of MATLAB's own, with or without arguments.
struct Call {
  const Builtin* builtin = nullptr;
  const Node* arguments = nullptr;
};

Call builtin_call(const VariableScope& scope, const Node& node) {
  if (node.kind == NodeKind::identifier && !scope.is_variable(node.text)) return {find_builtin(node.text), nullptr};
  if (is_slice(node) && !scope.is_variable(node.children[0].text))
    return {find_builtin(node.children[0].text), &node.children[1]};
  return {};
}

std::set<std::string> inputs_of(const Statement& function) {
  std::set<std::string> found;
  for (const Node& input : function.signature.inputs.children)
    if (input.kind != NodeKind::tilde)
      found.insert(input.kind == NodeKind::assign ? input.children[0].text : input.text);
  return found;
}

// Parameters and outputs, which a nested function has for itself whatever is around it.
std::set<std::string> formal_names(const Statement& function) {
  std::set<std::string> found = inputs_of(function);
  for (const Node& output : function.signature.outputs.children) found.insert(output.text);
  return found;
}

// What the functions nested in a function assign to and do not have for themselves.
std::set<std::string> assigned_by_nested(const Statement& function, bool& any) {
  std::set<std::string> found;
  for (const Statement& inside : function.clauses[0].body.statements) {
    if (inside.kind != StatementKind::function) continue;
    any = true;
    VariableScope scope;
    std::vector<Assignment> assignments;
    collect(inside.clauses[0].body, scope, assignments);
    std::set<std::string> names = assigned_by_nested(inside, any);
    for (const Assignment& one : assignments) names.insert(one.name);
    for (const std::string& own : formal_names(inside)) names.erase(own);
    found.merge(names);
  }
  return found;
}

// A name that stands in a function and in one nested in it is one variable, which either may change.
void share_with_nested(const Statement& function, const VariableScope* around, VariableScope& scope) {
  std::set<std::string> names;
  each_node(function.clauses[0].body, [&](const Node& root) {
    visit(root, [&](const Node& node) {
      if (node.kind == NodeKind::identifier) names.insert(node.text);
    });
  });
  const std::set<std::string> formal = formal_names(function);
  const auto share = [&](const std::string& name) {
    scope.variables.insert(name);
    scope.shared.insert(name);
  };
  for (const std::string& name : assigned_by_nested(function, scope.nested))
    if (names.contains(name) || formal.contains(name)) share(name);
  if (around == nullptr) return;
  scope.nested = true;
  scope.outer = around->outer;
  scope.outer.insert(around->variables.begin(), around->variables.end());
  for (const std::string& name : names)
    if (scope.outer.contains(name) && !formal.contains(name)) share(name);
}

bool is_logical_operator(std::string_view op) {
  return is_one_of(op, {"==", "~=", "!=", "<", "<=", ">", ">=", "&", "|", "&&", "||"});
}
}  // namespace

bool VariableScope::is_scalar(const Node& node) const {
  switch (node.kind) {
    case NodeKind::number:
    case NodeKind::end: return true;
    case NodeKind::identifier:
      if (numbers.contains(node.text)) return true;
      break;
    case NodeKind::parenthesis:
    case NodeKind::prefix: return is_scalar(node.children[0]);
    case NodeKind::postfix: return (node.text == "'" || node.text == ".'") && is_scalar(node.children[0]);
    case NodeKind::binary:
      return node.text == "&&" || node.text == "||" || (is_scalar(node.children[0]) && is_scalar(node.children[1]));
    case NodeKind::index:
      if (is_slice(node) && arrays.contains(node.children[0].text))
        return !node.children[1].children.empty() && all_scalar(*this, node.children[1]);
      break;
    default: return false;
  }
  const Call call = builtin_call(*this, node);
  if (call.builtin == nullptr) return false;
  const std::size_t count = call.arguments == nullptr ? 0 : call.arguments->children.size();
  switch (call.builtin->shape) {
    case ResultShape::scalar: return true;
    case ResultShape::logical: return count < 2;
    case ResultShape::constant: return count == 0;
    case ResultShape::same: return count > 0 && all_scalar(*this, *call.arguments);
    case ResultShape::size: return count == 2 && is_scalar(call.arguments->children[1]);
    default: return false;
  }
}

bool VariableScope::is_number(const Node& node) const {
  switch (node.kind) {
    case NodeKind::number:
      return node.text.find_first_of("ijIJxXbB") == std::string::npos || node.text.starts_with("1e");
    case NodeKind::identifier:
      if (is_variable(node.text)) return numbers.contains(node.text);
      break;
    case NodeKind::parenthesis: return is_number(node.children[0]);
    case NodeKind::prefix: return (node.text == "-" || node.text == "+") && is_number(node.children[0]);
    case NodeKind::binary:
      return !is_logical_operator(node.text) && is_number(node.children[0]) && is_number(node.children[1]);
    case NodeKind::assign: return node.text == "=" && is_number(node.children[1]);
    case NodeKind::index: break;
    default: return false;
  }
  const Call call = builtin_call(*this, node);
  if (call.builtin != nullptr && call.builtin->shape == ResultShape::logical) return false;
  return is_scalar(node);
}

bool VariableScope::is_array(const Node& node) const {
  switch (node.kind) {
    case NodeKind::number:
    case NodeKind::matrix:
    case NodeKind::range:
    case NodeKind::prefix:
    case NodeKind::binary:
    case NodeKind::postfix: return true;
    case NodeKind::identifier:
      if (is_variable(node.text)) return arrays.contains(node.text);
      break;
    case NodeKind::parenthesis: return is_array(node.children[0]);
    case NodeKind::assign: return is_array(node.children[1]);
    case NodeKind::index:
      if (is_slice(node) && arrays.contains(node.children[0].text)) return true;
      break;
    default: return false;
  }
  const Call call = builtin_call(*this, node);
  return call.builtin != nullptr && call.builtin->shape != ResultShape::other;
}

VariableScope function_scope(const Statement& function, const VariableScope* around) {
  VariableScope scope;
  std::vector<Assignment> assignments;
  const Block& body = function.clauses[0].body;
  scope.parameters = inputs_of(function);
  scope.variables = formal_names(function);
  collect(body, scope, assignments);
  share_with_nested(function, around, scope);
  infer(scope, assignments);
  scope.variables.insert(scope.parameters.begin(), scope.parameters.end());
  return scope;
}

VariableScope script_scope(const Block& body) {
  VariableScope scope;
  std::vector<Assignment> assignments;
  collect(body, scope, assignments);
  infer(scope, assignments);
  return scope;
}

bool assigns_to(const Block& block, const std::string& name) {
  VariableScope scope;
  std::vector<Assignment> assignments;
  collect(block, scope, assignments);
  return std::ranges::find(assignments, name, &Assignment::name) != assignments.end();
}

std::vector<const Node*> assigned_nodes(const Node& expression) {
  std::vector<const Node*> found;
  const std::function<void(const Node&)> walk = [&](const Node& node) {
    if (node.kind == NodeKind::anonymous) return;
    for (const Node& child : node.children) walk(child);
    if (node.kind == NodeKind::assign) found.push_back(&node.children[0]);
    if (node.kind == NodeKind::multi_assign)
      for (const Node& left : node.children[0].children)
        if (left.kind != NodeKind::tilde) found.push_back(&left);
    if (node.text == "++" || node.text == "--") {
      if (node.kind == NodeKind::postfix) found.push_back(&node.children[0]);
      if (node.kind == NodeKind::prefix) {
        const Node& operand = inner(node.children[0]);
        if (base_of(operand).kind == NodeKind::identifier) found.push_back(&operand);
      }
    }
  };
  walk(expression);
  return found;
}

const Node& base_of(const Node& left_side) {
  return left_side.kind == NodeKind::index ? base_of(left_side.children.front()) : left_side;
}

bool is_slice(const Node& node) {
  return node.kind == NodeKind::index && node.children.size() == 2 && node.children[1].kind == NodeKind::arguments &&
         node.children[0].kind == NodeKind::identifier;
}

const Node& inner(const Node& node) { return node.kind == NodeKind::parenthesis ? inner(node.children[0]) : node; }

bool is_pure(const Node& node, const VariableScope& scope, bool end_too) {
  switch (node.kind) {
    case NodeKind::end: return end_too;
    case NodeKind::number:
    case NodeKind::string:
    case NodeKind::colon: return true;
    case NodeKind::identifier: return scope.is_variable(node.text);
    case NodeKind::prefix:
    case NodeKind::postfix:
      if (node.text == "++" || node.text == "--") return false;
      break;
    case NodeKind::index:
      if (node.children[0].kind != NodeKind::identifier || !scope.arrays.contains(node.children[0].text)) return false;
      break;
    case NodeKind::binary:
    case NodeKind::range:
    case NodeKind::parenthesis:
    case NodeKind::arguments: break;
    default: return false;
  }
  return std::ranges::all_of(node.children, [&](const Node& child) { return is_pure(child, scope, end_too); });
}
}  // namespace sparsecast::memory_traffic
