#include "memory_traffic/translate/translate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.hpp"
#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/parser.hpp"
#include "memory_traffic/translate/statement_translator.hpp"

namespace sparsecast::memory_traffic {
namespace {
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
