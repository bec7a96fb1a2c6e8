// Where a region begins and ends: the sizes that are known there, and the storage that the region takes.

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "memory_traffic/translate/statement_translator.hpp"

namespace sparsecast::memory_traffic {
namespace {
std::set<std::string> variables_between(const Block& body, const VariableScope& scope, std::size_t begin,
                                        std::size_t end) {
  std::set<std::string> found;
  each_node(body, [&](const Node& root) {
    visit(root, [&](const Node& node) {
      if (node.kind == NodeKind::identifier && node.begin >= begin && node.end <= end && scope.is_variable(node.text))
        found.insert(node.text);
    });
  });
  return found;
}
}  // namespace

std::set<std::string> StatementTranslator::variables_in(const Block& body) const {
  return variables_between(body, scope_, 0, source_.size());
}

std::vector<std::string> StatementTranslator::sizes_at_start(const Region& region) {
  std::vector<std::string> code;
  std::string zeros;
  const std::set<std::string> outside_before = variables_between(*body_, scope_, 0, region.begin);
  const std::set<std::string> outside_behind = variables_between(*body_, scope_, region.end, source_.size());
  for (const std::string& name : variables_between(*body_, scope_, region.begin, region.end)) {
    if (scope_.numbers.contains(name)) continue;
    const bool sliced = names_.sliced.contains(name);
    if (!zeros.empty()) zeros += ' ';
    zeros += fmt::format("{} = 0;", size_name(name));
    if (sliced) zeros += fmt::format(" {} = 8;", element_name(name));
    const bool known = scope_.parameters.contains(name) || outside_before.contains(name) ||
                       outside_behind.contains(name) || scope_.shared.contains(name) || !loops_.empty();
    if (known) code.push_back(size_if_there(name));
  }
  if (!zeros.empty()) code.insert(code.begin(), zeros);
  return code;
}

std::string StatementTranslator::leave_code(const Region& region) {
  // Parameters are the caller's storage, too.
  std::string own, given;
  long numbers = 0;
  for (const std::string& name : variables_between(*body_, scope_, region.begin, region.end)) {
    if (scope_.numbers.contains(name)) {
      numbers += 8;
    } else {
      std::string& list = scope_.parameters.contains(name) ? given : own;
      list += (list.empty() ? "" : " + ") + size_name(name);
    }
  }
  if (numbers > 0) own = std::to_string(numbers) + (own.empty() ? "" : " + ") + own;
  return fmt::format("SLMleave(slm_region_{}, {}, {});", region.name, own.empty() ? "0" : own,
                     given.empty() ? "0" : given);
}

// From here on the region is open.
std::vector<std::string> StatementTranslator::enter(const Region& region) {
  std::vector<std::string> code = sizes_at_start(region);
  code.push_back(fmt::format("slm_region_{0} = SLMenter('{0}');", region.name));
  open_.push_back(&region);
  return code;
}

void StatementTranslator::directive(const Statement& made) {
  const Directive what = parse_directive(source_, made.nodes[0]);
  if (what.kind == DirectiveKind::print) {
    edits_.before(made, account_.flush());
    edits_.after(made, {"SLMprint('" + what.names[0] + "');"});
    return;
  }
  const auto region =
      std::ranges::find_if(regions_, [&](const Region& r) { return r.begin == made.begin || r.end == made.begin; });
  if (region == regions_.end()) return;
  if (region->begin == made.begin) {
    edits_.before(made, account_.flush());
    edits_.after(made, enter(*region));
  } else {
    std::vector<std::string> code = account_.flush();
    code.push_back(leave_code(*region));
    edits_.before(made, code);
    open_.pop_back();
  }
}
}  // namespace sparsecast::memory_traffic
