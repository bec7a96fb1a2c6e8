#include "memory_traffic/translate/statement_translator.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

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

// "%SLM start NAME;". Error bad_input where it is no directive.
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

// A region stands in the innermost function around it; in none, in the script.
bool in_function_of(const Block& body, const Region& region) {
  bool inside = false;
  each_function(body, [&](const Statement& function) {
    inside = inside || (region.begin >= function.begin && region.begin < function.end);
  });
  return inside;
}
bool region_in(const std::vector<Region>& regions, const Block& body) {
  return std::ranges::any_of(regions, [&](const Region& region) {
    return region.begin >= body.begin && region.begin < body.end && !in_function_of(body, region);
  });
}

// Names of the translation's own must not meet the program's.
void refuse_reserved(const SourceText& source, const Node& node) {
  visit(node, [&](const Node& n) {
    if (n.kind != NodeKind::identifier) return;
    if (n.text.starts_with("slm_") || n.text.starts_with("slme_") || n.text.starts_with("SLM"))
      source.refuse(n.begin, "names that begin with slm_, slme_ or SLM belong to the translation",
                    "rename '" + n.text + "'");
  });
}

class Translator {
 public:
  Translator(const SourceText& source, std::string stem, bool trace)
      : source_(source), stem_(counter_name(std::move(stem))), edits_(source), trace_(trace) {}

  Translation run() {
    const Program program = parse(source_);
    Translation made;
    made.function_file = program.is_function_file();
    made.regions = find_regions(source_, program);
    if (made.regions.empty())
      source_.refuse(0, "nothing to analyse: no %SLM directive marks a region",
                     "put %SLM start NAME; and %SLM end NAME; around one");
    collect_names(program);
    std::vector<std::size_t> slots;
    header_mark_ = fmt::format("global SLM_count SLM_{0}; if isempty(SLM_{0}), SLM_{0} = SLMfile('{0}', ", stem_);
    each_function(program.body, [&](const Statement& function) {
      if (made.first_function.empty()) {
        made.first_function = function.signature.name;
        for (const Node& input : function.signature.inputs.children) made.first_inputs.push_back(input.text);
      }
      if (region_in(made.regions, function.clauses[0].body))
        scope(function.clauses[0].body, function_scope(function), made.regions, slots);
    });
    if (std::ranges::all_of(made.regions, [&](const Region& r) { return in_function_of(program.body, r); }))
      prints_outside(program.body);
    else
      scope(program.body, script_scope(program.body), made.regions, slots);
    Edits::Result result = edits_.apply();
    // A row for each counter, and a number for each traced variable: how many is known now.
    made.text = base::replaced(result.text, header_mark_ + header_end_,
                               header_mark_ + std::to_string(std::max(slots.size(), traced_.size())) + header_end_);
    made.source_lines = std::move(result.source_lines);
    made.slot_lines = std::move(slots);
    made.outer_loops = std::move(outer_loops_);
    made.called.assign(called_.begin(), called_.end());
    return made;
  }

 private:
  void scope(const Block& body, VariableScope variables, const std::vector<Region>& regions,
             std::vector<std::size_t>& slots) {
    names_.sliced.clear();
    each_statement(body, [&](const Statement& statement) {
      const auto look = [&](const Node& root) {
        visit(root, [&](const Node& node) {
          if (node.kind == NodeKind::index && node.children[0].kind == NodeKind::identifier &&
              node.children[1].kind == NodeKind::arguments && variables.is_variable(node.children[0].text))
            names_.sliced.insert(node.children[0].text);
        });
      };
      for (const Node& node : statement.nodes) look(node);
      for (const Clause& clause : statement.clauses) look(clause.head);
    });
    StatementTranslator translator(source_, regions, std::move(variables), names_, stem_, slots, edits_);
    if (trace_) translator.trace(&traced_);
    translator.run(body, header_mark_ + header_end_);
    outer_loops_.insert(outer_loops_.end(), translator.outer_loops().begin(), translator.outer_loops().end());
  }

  // A print in a scope without a region of its own.
  void prints_outside(const Block& body) {
    for (const Statement& statement : body.statements) {
      if (statement.kind == StatementKind::function) continue;
      if (statement.kind == StatementKind::directive) {
        const Directive what = parse_directive(source_, statement.nodes[0]);
        if (what.kind == DirectiveKind::print) edits_.after(statement, {"SLMprint('" + what.names[0] + "');"});
      }
      for (const Clause& clause : statement.clauses) prints_outside(clause.body);
    }
  }

  void collect_names(const Program& program) {
    each_function(program.body, [&](const Statement& function) { names_.functions.insert(function.signature.name); });
    each_statement(program.body, [&](const Statement& statement) {
      for (const Node& node : statement.nodes)
        if (statement.kind != StatementKind::directive && statement.kind != StatementKind::command) look(node);
      for (const Clause& clause : statement.clauses) look(clause.head);
      for (const Node& input : statement.signature.inputs.children) look(input);
      if (statement.kind == StatementKind::function) {
        for (const Statement& inside : statement.clauses[0].body.statements)
          if (inside.kind == StatementKind::directive &&
              parse_directive(source_, inside.nodes[0]).kind == DirectiveKind::func_start)
            names_.counted.insert(statement.signature.name);
      }
      if (statement.kind != StatementKind::directive) return;
      const Directive what = parse_directive(source_, statement.nodes[0]);
      if (what.kind == DirectiveKind::func) names_.silent.insert(what.names.begin(), what.names.end());
      if (what.kind == DirectiveKind::inc_func) names_.counted.insert(what.names.begin(), what.names.end());
    });
  }

  void look(const Node& root) {
    refuse_reserved(source_, root);
    visit(root, [&](const Node& node) {
      if ((node.kind == NodeKind::identifier || node.kind == NodeKind::handle) && find_builtin(node.text) == nullptr)
        called_.insert(node.text);
    });
  }

  const SourceText& source_;
  std::string stem_;
  Edits edits_;
  ProgramNames names_;
  std::set<std::string> called_;
  std::string header_mark_;
  bool trace_;
  std::map<std::string, std::size_t> traced_;
  std::vector<OuterLoop> outer_loops_;
  const std::string header_end_ = "); end;";
};
}  // namespace

std::vector<Region> find_regions(const SourceText& source, const Program& program) {
  return RegionFinder(source).run(program.body);
}

// Where a region begins and ends: the sizes that are known there, and its storage.

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
    std::vector<std::string> code = sizes_at_start(*region);
    code.push_back(fmt::format("slm_region_{0} = SLMenter('{0}');", region->name));
    edits_.after(made, code);
    open_.push_back(&*region);
  } else {
    std::vector<std::string> code = account_.flush();
    code.push_back(leave_code(*region));
    edits_.before(made, code);
    open_.pop_back();
  }
}

std::string counter_name(std::string stem) {
  for (char& c : stem)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  // MATLAB allows 63 characters, "slm_region_" and the like included.
  return stem.substr(0, 40);
}

Translation translate(const SourceText& source, const std::string& stem, bool trace) {
  return Translator(source, stem, trace).run();
}
}  // namespace sparsecast::memory_traffic
