#include "memory_traffic/language/names.hpp"

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace sparsecast::embedded {
std::span<const File> traffic_tables();  // src/memory_traffic/language/data/*.tsv
}

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

bool is_logical_operator(std::string_view op) {
  return is_one_of(op, {"==", "~=", "!=", "<", "<=", ">", ">=", "&", "|", "&&", "||"});
}

// Calls take with every row of an embedded table that is no remark.
template <class Take>
void each_row(std::string_view name, const Take& take) {
  for (const embedded::File& file : embedded::traffic_tables())
    if (file.name == name)
      for (const std::string_view line : base::split(file.text, '\n'))
        if (!line.empty() && !line.starts_with('#')) take(line);
}

// Longest first: the first that fits is the one.
constexpr std::array<std::string_view, 50> symbols = {
    ".*=", "./=", ".\\=", ".^=", "==", "~=", "!=",  "<=", ">=", "&&", "||", ".*", "./", ".\\", ".^", ".'", "**",
    "++",  "--",  "+=",   "-=",  "*=", "/=", "\\=", "^=", "|=", "&=", "+",  "-",  "*",  "/",   "\\", "^",  "<",
    ">",   "&",   "|",    "!",   "~",  ":",  "=",   "@",  ".",  "(",  ")",  "[",  "]",  "{",   "}",  "'"};

std::map<std::string, Builtin, std::less<>> read_table() {
  // In the order of BuiltinKind and of ResultShape.
  constexpr std::string_view kinds[] = {"silent", "call", "elementwise", "reduction", "whole"};
  constexpr std::string_view shapes[] = {"scalar", "logical", "constant", "same", "array", "size", "other"};
  std::map<std::string, Builtin, std::less<>> table;
  each_row("builtins.tsv", [&](std::string_view line) {
    const auto columns = base::split(line, '\t');
    if (columns.size() != 3)
      throw Error(ErrorCode::failed, "a row of builtins.tsv has not three columns: " + std::string(line));
    table[std::string(columns[0])] = {static_cast<BuiltinKind>(std::ranges::find(kinds, columns[1]) - kinds),
                                      static_cast<ResultShape>(std::ranges::find(shapes, columns[2]) - shapes)};
  });
  return table;
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

VariableScope function_scope(const Statement& function) {
  VariableScope scope;
  std::vector<Assignment> assignments;
  for (const Node& input : function.signature.inputs.children) {
    if (input.kind == NodeKind::tilde) continue;
    scope.parameters.insert(input.kind == NodeKind::assign ? input.children[0].text : input.text);
  }
  scope.variables = scope.parameters;
  for (const Node& output : function.signature.outputs.children) scope.variables.insert(output.text);
  collect(function.clauses[0].body, scope, assignments);
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

SourceText::SourceText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

std::size_t SourceText::line(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

std::size_t SourceText::column(std::size_t offset) const { return offset - starts_[line(offset) - 1] + 1; }

std::string_view SourceText::line_text(std::size_t line) const {
  const std::size_t begin = starts_[line - 1];
  std::string_view found = slice(begin, line_end(begin));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::size_t SourceText::line_end(std::size_t offset) const { return std::min(text_.find('\n', offset), text_.size()); }

std::string SourceText::indentation(std::size_t offset) const {
  const std::size_t begin = starts_[line(offset) - 1];
  std::size_t end = begin;
  while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  return text_.substr(begin, std::min(end, offset) - begin);
}

bool SourceText::starts_line(std::size_t offset) const {
  return starts_[line(offset) - 1] + indentation(offset).size() == offset;
}

Place SourceText::place(std::size_t offset) const {
  return {file_, static_cast<std::int64_t>(line(offset)), static_cast<std::int64_t>(column(offset))};
}

void SourceText::refuse(std::size_t offset, const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, place(std::min(offset, text_.size())), remedy);
}

bool is_keyword(std::string_view word) {
  static const auto keywords = [] {
    std::set<std::string_view> words;
    each_row("keywords.tsv", [&](std::string_view line) { words.insert(line); });
    return words;
  }();
  return keywords.contains(word);
}

bool opens_statement(std::string_view keyword) {
  return keyword.starts_with("end") ||
         is_one_of(keyword, {"else", "try", "do", "otherwise", "unwind_protect", "unwind_protect_cleanup"});
}

std::string_view symbol_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view s : symbols)
    if (!rest.empty() && rest[0] == s[0] && rest.starts_with(s)) return s;
  return {};
}

bool is_assignment(std::string_view op) {
  return op == "=" || (op.size() == 3 && op[2] == '=') ||
         (op.size() == 2 && op[1] == '=' && std::string_view("+-*/\\^|&").find(op[0]) != std::string_view::npos);
}

const std::map<std::string, Builtin, std::less<>>& builtins() {
  static const auto table = read_table();
  return table;
}

const Builtin* find_builtin(std::string_view name) {
  const auto found = builtins().find(name);
  return found == builtins().end() ? nullptr : &found->second;
}
}  // namespace sparsecast::memory_traffic
