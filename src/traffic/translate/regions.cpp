#include "traffic/translate/regions.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "traffic/language/lexer.hpp"
#include "traffic/language/lexicon.hpp"
#include "traffic/translate/statement_translator.hpp"

namespace sparsecast::memory_traffic {
namespace {
struct Print {
  std::string name;
  std::size_t offset;
};

bool is_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

class RegionFinder {
 public:
  explicit RegionFinder(const SourceText& source) : source_(source) {}

  std::vector<Region> run(const Block& body) {
    walk(body);
    for (const Print& print : prints_)
      if (!names_.contains(print.name))
        source_.refuse(print.offset, "there is no region '" + print.name + "' to print",
                       "start one with %SLM start " + print.name + ";");
    std::sort(regions_.begin(), regions_.end(), [](const Region& a, const Region& b) { return a.begin < b.begin; });
    return std::move(regions_);
  }

 private:
  void walk(const Block& block) {
    std::vector<Region> open;
    for (const Statement& statement : block.statements) {
      if (statement.kind == StatementKind::directive) directive(statement, open);
      for (const Clause& clause : statement.clauses) walk(clause.body);
    }
    if (open.empty()) return;
    const Region& region = open.back();
    const std::string end = region.function ? "%SLM FuncEnd " : "%SLM end ";
    source_.refuse(region.begin, "the region '" + region.name + "' does not end in the block in which it starts",
                   "write " + end + region.name + ";");
  }

  void directive(const Statement& statement, std::vector<Region>& open) {
    const Directive made = parse_directive(source_, statement.nodes[0]);
    const std::string& name = made.names.front();
    switch (made.kind) {
      case DirectiveKind::start:
      case DirectiveKind::func_start: {
        Region region;
        region.name = name;
        region.function = made.kind == DirectiveKind::func_start;
        region.begin = statement.begin;
        region.first_line = source_.line(statement.begin);
        if (!names_.insert(name).second)
          source_.refuse(statement.begin, "a second region with the name '" + name + "'", "give it another name");
        open.push_back(region);
        break;
      }
      case DirectiveKind::end:
      case DirectiveKind::func_end: {
        const bool function = made.kind == DirectiveKind::func_end;
        if (open.empty() || open.back().name != name || open.back().function != function)
          source_.refuse(statement.begin, "'" + statement.nodes[0].text + "' ends no region that is open here",
                         open.empty() ? "" : "the innermost open region is '" + open.back().name + "'");
        Region region = open.back();
        open.pop_back();
        region.end = statement.begin;
        region.last_line = source_.line(statement.begin);
        regions_.push_back(region);
        break;
      }
      case DirectiveKind::print: prints_.push_back({name, statement.begin}); break;
      case DirectiveKind::func:
      case DirectiveKind::inc_func: break;
    }
  }

  const SourceText& source_;
  std::vector<Region> regions_;
  std::vector<Print> prints_;
  std::set<std::string> names_;
};
}  // namespace

Directive parse_directive(const SourceText& source, const Node& comment) {
  static const std::map<std::string, DirectiveKind> kinds = {
      {"start", DirectiveKind::start},      {"end", DirectiveKind::end},     {"FuncStart", DirectiveKind::func_start},
      {"FuncEnd", DirectiveKind::func_end}, {"print", DirectiveKind::print}, {"Func", DirectiveKind::func},
      {"IncFunc", DirectiveKind::inc_func}};
  const std::string& text = comment.text;
  std::vector<std::string> words(1);
  for (std::size_t i = text.find("SLM") + 3; i < text.size() && text[i] != ';'; ++i) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  const std::string remedy = "one of start, end, FuncStart, FuncEnd, print, Func, IncFunc, then a name and ';'";
  if (words.empty()) source.refuse(comment.begin, "a directive without a command", remedy);
  const auto kind = kinds.find(words.front());
  if (kind == kinds.end()) source.refuse(comment.begin, "unknown directive '" + words.front() + "'", remedy);
  Directive directive{kind->second, {words.begin() + 1, words.end()}};
  const bool list = directive.kind == DirectiveKind::func || directive.kind == DirectiveKind::inc_func;
  if (directive.names.empty() || (!list && directive.names.size() > 1))
    source.refuse(comment.begin, "'" + words.front() + "' takes " + (list ? "names" : "one name"), remedy);
  for (const std::string& name : directive.names)
    if (!is_name(name) || is_keyword(name)) source.refuse(comment.begin, "'" + name + "' is no name");
  return directive;
}

std::vector<Region> find_regions(const SourceText& source, const Program& program) {
  return RegionFinder(source).run(program.body);
}

// Where a region begins and ends: the sizes that are known there, and its storage.

namespace {
const Region* region_at(const std::vector<Region>& regions, std::size_t offset) {
  for (const Region& region : regions)
    if (region.begin == offset || region.end == offset) return &region;
  return nullptr;
}

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

void StatementTranslator::directive(const Statement& made) {
  const Directive what = parse_directive(source_, made.nodes[0]);
  const Region* region = region_at(regions_, made.begin);
  if (what.kind == DirectiveKind::print) {
    if (!account_.empty()) edits_.before(made, account_.flush());
    edits_.after(made, {"SLMprint('" + what.names[0] + "');"});
    return;
  }
  if (region == nullptr) return;
  if (region->begin == made.begin) {
    std::vector<std::string> code = account_.flush();
    edits_.before(made, code);
    code = sizes_at_start(*region);
    code.push_back(fmt::format("slm_region_{0} = SLMenter('{0}');", region->name));
    edits_.after(made, code);
    open_.push_back(region);
  } else {
    std::vector<std::string> code = account_.flush();
    code.push_back(leave_code(*region));
    edits_.before(made, code);
    open_.pop_back();
  }
}
}  // namespace sparsecast::memory_traffic
