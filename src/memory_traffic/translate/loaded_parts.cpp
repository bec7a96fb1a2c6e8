// Parts of variables that an expression loads, slices, elements and members, and what the statement moves for them.

#include <fmt/format.h>

#include "memory_traffic/translate/expression_rewriter.hpp"

namespace sparsecast::memory_traffic {
// "s.f" of "s.f(x)", where f may be an array or a function; nothing where asking for it twice might be noticed. Each
// member is asked for only where what it is of is a struct or a cell: of an object it may be a method.
std::string ExpressionRewriter::held_head(const Node& node) const {
  if (node.kind != NodeKind::index || node.children[0].kind != NodeKind::identifier ||
      !scope_.is_variable(node.children[0].text))
    return {};
  const std::size_t members = node.children.size() - (node.children.back().kind == NodeKind::arguments ? 1 : 0);
  if (members < 2) return {};
  std::string head = "SLMmember(" + node.children[0].text;
  for (std::size_t i = 1; i < members; ++i) {
    for (const Node& child : node.children[i].children)
      if (!is_pure(child, scope_, true)) return {};
    head += ", @() " + std::string(source_.slice(node.begin, node.children[i].end));
  }
  return head + ")";
}

// "f(x)", where f may be a handle. What subscripts were counted to load since then is an argument: a function that
// counts for itself reads it there. And a handle that is given another may call it, which nothing counts.
void ExpressionRewriter::note_handle(const Node& node, std::size_t loads_before) {
  if (maybe_) return;  // behind && it may not even be there
  std::string bytes, given;
  for (std::size_t k = loads_before; k < loads_.size(); ++k) bytes += (bytes.empty() ? "" : " + ") + loads_[k].text;
  for (const Node& child : node.children[1].children)
    if (child.kind == NodeKind::identifier && scope_.is_variable(child.text) && !scope_.arrays.contains(child.text))
      given += ", " + child.text;
  if (bytes.empty() && given.empty()) return;
  std::string call =
      "SLMgiven(" + node.children[0].text + ", " + (bytes.empty() ? std::string("0") : bytes) + given + ")";
  if (may_split_) {
    const std::string temporary = "slm_given_" + position(node.begin);
    before_.push_back(temporary + " = " + call + ";");
    call = temporary;
  }
  analyses_.push_back(call);
}

// The value of a slice or a field, measured when it is there.
std::string ExpressionRewriter::measured(const Node& node, const std::string& text, bool slice) {
  const std::string& base = base_of(node).text;
  const std::string head = node.children.back().kind == NodeKind::arguments ? held_head(node) : std::string();
  if (!may_split_ || has_free_end(node)) {
    if (has_free_end(node) && !slice) return text;
    return "SLMload(" + slot_() + ", " + (slice ? base : head.empty() ? "0" : head) + ", " + text + ")";
  }
  std::string temporary = "slm_" + position(node.begin);
  before_.push_back(temporary + " = " + text + ";");
  if (slice)
    slices_[base].push_back(temporary);
  else if (head.empty())
    loads_.push_back({"SLMbytes(" + temporary + ")", {}});
  else
    analyses_.push_back("SLMused(" + head + ", " + temporary + ")");
  return temporary;
}

void ExpressionRewriter::finish(Entry& entry) {
  entry.touched.insert(entry.touched.begin(), touched_.begin(), touched_.end());
  entry.loads.insert(entry.loads.end(), loads_.begin(), loads_.end());
  entry.analyses.insert(entry.analyses.end(), analyses_.begin(), analyses_.end());
  entry.unanalysed.insert(entry.unanalysed.end(), unanalysed_.begin(), unanalysed_.end());
  for (const auto& [base, elements] : elements_)
    if (!slices_.contains(base))
      for (std::size_t k = 0; k < elements.size(); ++k) entry.loads.push_back({element_name(base), {}});
  for (const auto& [base, temporaries] : slices_) {
    const auto found = elements_.find(base);
    const std::size_t elements = found == elements_.end() ? 0 : found->second.size();
    if (scope_.arrays.contains(base) && temporaries.size() == 1 && elements == 0) {
      entry.loads.push_back({"SLMbytes(" + temporaries[0] + ")", {}});
      continue;
    }
    // A part of what is loaded whole counts nothing more; of a function handle it is a call all the same.
    if (certain_.contains(base)) {
      entry.analyses.push_back("SLMused(" + base + ", [])");
      continue;
    }
    std::string call = "SLMused(" + base;
    for (std::size_t k = 0; k < elements; ++k) call += ", " + base + "(1)";
    for (const std::string& temporary : temporaries) call += ", " + temporary;
    entry.analyses.push_back(call + ")");
  }
}
}  // namespace sparsecast::memory_traffic
