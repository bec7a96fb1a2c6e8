#include "memory_traffic/translate/directives.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
namespace {
struct Print {
  std::string name;
  std::size_t offset;
};

bool names_something(const std::string& text) {
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
          source_.refuse(statement.begin, "'" + statement.nodes[0].text + "' is not an open region here",
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
  const std::string remedy = "use one of start, end, FuncStart, FuncEnd, print, Func, IncFunc, then a name and ';'";
  if (words.empty()) source.refuse(comment.begin, "a directive without a command", remedy);
  const auto kind = kinds.find(words.front());
  if (kind == kinds.end()) source.refuse(comment.begin, "unknown directive '" + words.front() + "'", remedy);
  Directive directive{kind->second, {words.begin() + 1, words.end()}};
  const bool list = directive.kind == DirectiveKind::func || directive.kind == DirectiveKind::inc_func;
  if (directive.names.empty() || (!list && directive.names.size() > 1))
    source.refuse(comment.begin, "'" + words.front() + "' takes " + (list ? "names" : "one name"), remedy);
  for (const std::string& name : directive.names)
    if (!names_something(name) || is_keyword(name)) source.refuse(comment.begin, "'" + name + "' is not a name");
  return directive;
}

std::vector<Region> find_regions(const SourceText& source, const Program& program) {
  return RegionFinder(source).run(program.body);
}
}  // namespace sparsecast::memory_traffic
