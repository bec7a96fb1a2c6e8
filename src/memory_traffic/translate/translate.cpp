#include "memory_traffic/translate/translate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "memory_traffic/language/builtins.hpp"
#include "memory_traffic/language/lexicon.hpp"
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

bool has_func_start(const SourceText& source, const Block& body) {
  return std::ranges::any_of(body.statements, [&](const Statement& inside) {
    return inside.kind == StatementKind::directive &&
           parse_directive(source, inside.nodes[0]).kind == DirectiveKind::func_start;
  });
}

// Names of the translation's own must not meet the program's.
void refuse_reserved(const SourceText& source, const Node& node) {
  visit(node, [&](const Node& n) {
    if (n.kind != NodeKind::identifier) return;
    if (n.text.starts_with("slm_") || n.text.starts_with("slme_") || n.text.starts_with("SLM"))
      source.refuse(n.begin, "names that begin with slm_, slme_ or SLM are reserved for the translation",
                    "rename '" + n.text + "'");
  });
}

class Translator {
 public:
  Translator(const SourceText& source, std::string stem, bool trace, const Surroundings& around)
      : source_(source),
        stem_(counter_name(std::move(stem))),
        edits_(source),
        caught_(around.caught || may_catch_errors(source)),
        around_(around),
        trace_(trace) {}

  Translation run() {
    const Program program = parse(source_);
    Translation made;
    made.function_file = program.is_function_file();
    made.regions = find_regions(source_, program);
    collect_directives(program);
    whole_functions(program, made.regions);
    if (made.regions.empty() && around_.whole)
      source_.refuse(0, "IncFunc names a script", "put %SLM start NAME; and %SLM end NAME; around what counts in it");
    if (made.regions.empty())
      source_.refuse(0, "nothing to analyse: no %SLM directive marks a region",
                     "put %SLM start NAME; and %SLM end NAME; around one");
    collect_names(program);
    std::vector<std::size_t> slots;
    header_mark_ = fmt::format("global SLM_count SLM_{0}; if SLM_{0}, else, SLM_{0} = SLMfile('{0}', ", stem_);
    each_function(program.body, [&](const Statement& function) {
      if (!made.first_function.empty()) return;
      made.first_function = function.signature.name;
      for (const Node& input : function.signature.inputs.children) made.first_inputs.push_back(input.text);
    });
    VariableScope script = script_scope(program.body);
    if (!made.function_file) {
      callers_variables(program.body, script);
      made.variables = script.variables;
    }
    functions(program.body, nullptr, false, made.regions, slots);
    if (std::ranges::all_of(made.regions, [&](const Region& r) { return in_function_of(program.body, r); }))
      prints_outside(program.body);
    else
      scope(program.body, true, script, made.regions, slots, header_mark_ + header_end_);
    Edits::Result result = edits_.apply();
    // A row for each counter, and a number for each traced variable: how many is known now.
    made.text = base::replaced(result.text, header_mark_ + header_end_,
                               header_mark_ + std::to_string(std::max(slots.size(), traced_.size())) + header_end_);
    const bool has_functions = std::ranges::any_of(
        program.body.statements, [](const Statement& statement) { return statement.kind == StatementKind::function; });
    if (has_functions && !made.function_file) made.functions = functions_of_script(SourceText({}, made.text));
    made.source_lines = std::move(result.source_lines);
    made.slot_lines = std::move(slots);
    made.outer_loops = std::move(outer_loops_);
    made.scopes = std::move(scopes_);
    made.slot_scopes = std::move(slot_scopes_);
    made.unanalysed = std::move(unanalysed_);
    made.analysed.insert(names_.counted.begin(), names_.counted.end());
    made.analysed.insert(names_.annotated.begin(), names_.annotated.end());
    made.analysed.insert(names_.silent.begin(), names_.silent.end());
    made.included = included_;
    made.silent = names_.silent;
    made.called.assign(called_.begin(), called_.end());
    made.named = std::move(named_);
    made.mentioned = std::move(mentioned_);
    made.mentioned.insert(called_.begin(), called_.end());
    made.mentioned.insert(names_.functions.begin(), names_.functions.end());
    return made;
  }

 private:
  // A script that another one calls finds the variables of that one.
  void callers_variables(const Block& body, VariableScope& script) const {
    each_node(body, [&](const Node& root) {
      visit(root, [&](const Node& node) {
        if (node.kind != NodeKind::identifier || !around_.variables.contains(node.text) || names_.own(node.text) ||
            find_builtin(node.text) != nullptr || script.is_variable(node.text))
          return;
        script.variables.insert(node.text);
        script.shared.insert(node.text);
      });
    });
  }

  // `declared`: a function around them knows the counters, and Octave takes no second declaration.
  void functions(const Block& body, const VariableScope* around, bool declared, const std::vector<Region>& regions,
                 std::vector<std::size_t>& slots) {
    for (const Statement& statement : body.statements) {
      if (statement.kind == StatementKind::function) {
        const VariableScope own = function_scope(statement, around);
        const Block& inside = statement.clauses[0].body;
        const bool counts = region_in(regions, inside);
        if (counts) scope(inside, false, own, regions, slots, declared ? std::string() : header_mark_ + header_end_);
        functions(inside, &own, declared || counts, regions, slots);
      } else {
        for (const Clause& clause : statement.clauses) functions(clause.body, around, declared, regions, slots);
      }
    }
  }

  void scope(const Block& body, bool script, VariableScope variables, const std::vector<Region>& regions,
             std::vector<std::size_t>& slots, const std::string& header) {
    names_.sliced.clear();
    each_statement(body, [&](const Statement& statement) {
      const auto look = [&](const Node& root) {
        visit(root, [&](const Node& node) {
          if (node.kind != NodeKind::index || !variables.is_variable(base_of(node).text)) return;
          if (node.children[0].kind == NodeKind::identifier && node.children[1].kind == NodeKind::arguments)
            names_.sliced.insert(node.children[0].text);
          for (const Node& accessor : std::span(node.children).subspan(1))
            for (const Node& subscript : accessor.children)
              if (inner(subscript).kind == NodeKind::identifier) names_.sliced.insert(inner(subscript).text);
        });
      };
      for (const Node& node : statement.nodes) look(node);
      for (const Clause& clause : statement.clauses) look(clause.head);
    });
    // Nested functions change each other's sizes: what was counted with them is added at once.
    const bool at_once = variables.nested || (caught_ && !(script && around_.main));
    // A script's variables outlive it, and those of a nested function are its parent's: no guard stands among them.
    const bool guarded = caught_ && !script && variables.outer.empty();
    StatementTranslator translator(source_, regions, std::move(variables), names_, stem_, slots, edits_);
    if (at_once) translator.count_at_once();
    if (trace_) translator.trace(&traced_);
    if (around_.scopes) translator.count_scopes(&scopes_, &slot_scopes_);
    translator.run(body, header, guarded ? "slm_guard = SLMguard();" : "");
    outer_loops_.insert(outer_loops_.end(), translator.outer_loops().begin(), translator.outer_loops().end());
    unanalysed_.insert(unanalysed_.end(), translator.unanalysed().begin(), translator.unanalysed().end());
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
      if (statement.kind != StatementKind::command) return;
      called_.insert(first_word(statement.nodes[0].text));
      mention(statement.nodes[0].text);
    });
    std::set<std::string> assigned;
    called_in(program.body, assigned);
    each_function(program.body, [&](const Statement& function) {
      for (const Node& input : function.signature.inputs.children)
        if (input.kind == NodeKind::assign)  // a default value
          visit(input.children[1], [&](const Node& node) {
            if (node.kind == NodeKind::identifier) called_.insert(node.text);
          });
      std::set<std::string> own = function_scope(function).parameters;
      called_in(function.clauses[0].body, own);
    });
  }

  // What may be called: every name that is read before anything is assigned to it. A variable that has the name of a
  // file beside the program does not make that file a part of it.
  void called_in(const Block& body, std::set<std::string>& assigned) {
    const auto read = [&](const Node& root) {
      const std::vector<const Node*> targets = assigned_nodes(root);
      std::set<std::string> parameters;
      visit(root, [&](const Node& node) {
        if (node.kind == NodeKind::parameters)
          for (const Node& one : node.children) parameters.insert(one.text);
      });
      visit(root, [&](const Node& node) {
        const bool target = std::ranges::any_of(targets, [&](const Node* one) { return &base_of(*one) == &node; });
        if (node.kind == NodeKind::identifier && !target && !assigned.contains(node.text) &&
            !parameters.contains(node.text))
          called_.insert(node.text);
      });
      for (const Node* one : targets) assigned.insert(base_of(*one).text);
    };
    for (const Statement& statement : body.statements) {
      const StatementKind kind = statement.kind;
      if (kind == StatementKind::function || kind == StatementKind::directive || kind == StatementKind::command)
        continue;
      const bool declares = kind == StatementKind::global || kind == StatementKind::persistent;
      const bool loops = kind == StatementKind::for_ || kind == StatementKind::parfor;
      for (std::size_t k = 0; k < statement.nodes.size(); ++k) {
        const Node& node = statement.nodes[k];
        if ((declares || (loops && k == 0)) && base_of(node).kind == NodeKind::identifier)
          assigned.insert(base_of(node).text);
        else
          read(node);
      }
      for (const Clause& clause : statement.clauses) {
        if (kind == StatementKind::try_ && clause.head.kind == NodeKind::identifier)
          assigned.insert(clause.head.text);
        else
          read(clause.head);
        called_in(clause.body, assigned);
      }
    }
  }

  void mention(const std::string& text) {
    std::string word;
    for (const char c : text + ' ') {
      if (is_name(c)) word += c;
      if (!is_name(c) && !word.empty()) mentioned_.insert(std::exchange(word, {}));
    }
  }

  static std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" \t")); }

  // Func and IncFunc, of this file and of those around it.
  void collect_directives(const Program& program) {
    names_.neighbour = around_.neighbour;
    names_.silent = around_.silent;
    included_ = around_.included;
    each_statement(program.body, [&](const Statement& statement) {
      if (statement.kind != StatementKind::directive) return;
      const Directive what = parse_directive(source_, statement.nodes[0]);
      if (what.kind == DirectiveKind::func) names_.silent.insert(what.names.begin(), what.names.end());
      if (what.kind == DirectiveKind::inc_func) included_.insert(what.names.begin(), what.names.end());
      if (what.kind != DirectiveKind::func && what.kind != DirectiveKind::inc_func) return;
      const std::string word = what.kind == DirectiveKind::func ? "Func" : "IncFunc";
      for (const std::string& name : what.names) named_.push_back({name, word, source_.line(statement.begin)});
    });
    // A function of MATLAB's own that is to be included is: by what it reads and what its result stores.
    for (const std::string& name : included_)
      if (names_.file(name) != Neighbour::none) names_.counted.insert(name);
  }

  // What counts for itself among the file's functions; a region for each that is to count and has no directives.
  void whole_functions(const Program& program, std::vector<Region>& regions) {
    each_function(program.body, [&](const Statement& function) {
      const std::string& name = function.signature.name;
      const Block& body = function.clauses[0].body;
      const bool marked = has_func_start(source_, body);
      if (region_in(regions, body)) names_.annotated.insert(name);
      const bool whole = !marked && !body.statements.empty() && !names_.silent.contains(name) &&
                         (included_.contains(name) || (around_.whole && !names_.annotated.contains(name)));
      if (marked || whole) names_.counted.insert(name);
      if (!whole) return;
      Region& region = regions.emplace_back();
      region.name = base::replaced(name, ".", "_");
      while (around_.regions.contains(region.name) || std::ranges::count(regions, region.name, &Region::name) > 1)
        region.name += '_';
      region.function = region.whole = true;
      region.first_line = source_.line(function.begin);
      region.last_line = source_.line(function.end);
      region.begin = body.begin;
      region.end = body.end;
    });
    std::ranges::sort(regions, {}, &Region::begin);
  }

  void look(const Node& root) {
    refuse_reserved(source_, root);
    visit(root, [&](const Node& node) {
      // feval('f', x) calls f, too.
      if (node.kind == NodeKind::handle) called_.insert(node.text);
      if (node.kind == NodeKind::string) mention(node.text);
      if (!is_slice(node) || node.children[1].children.empty()) return;
      const Builtin* known = find_builtin(node.children[0].text);
      const Node& given = node.children[1].children[0];
      if (known != nullptr && (known->kind == BuiltinKind::call || known->kind == BuiltinKind::runs) &&
          given.kind == NodeKind::string && given.text.size() > 2)
        called_.insert(given.text.substr(1, given.text.size() - 2));
    });
  }

  const SourceText& source_;
  std::string stem_;
  Edits edits_;
  bool caught_;  // errors of this file's functions may be
  ProgramNames names_;
  const Surroundings& around_;
  std::set<std::string> called_, included_, mentioned_;
  std::vector<NamedFunction> named_;
  std::vector<UnanalysedCall> unanalysed_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> slot_scopes_;
  std::string header_mark_;
  bool trace_;
  std::map<std::string, std::size_t> traced_;
  std::vector<OuterLoop> outer_loops_;
  const std::string header_end_ = "); end;";
};
}  // namespace

bool counts_its_function(const SourceText& source) {
  const Program program = parse(source);
  const auto first = std::ranges::find(program.body.statements, StatementKind::function, &Statement::kind);
  return first != program.body.statements.end() && has_func_start(source, first->clauses[0].body);
}

bool may_catch_errors(const SourceText& source) {
  const std::string_view text = source.text();
  for (const std::string_view word : {"try", "unwind_protect", "eval", "evalc", "evalin", "ErrorHandler"})
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end]))) return true;
    }
  return false;
}

std::string functions_of_script(const SourceText& script) {
  const Program program = parse(script);
  std::string text(script.text());
  if (program.is_function_file()) return {};
  std::size_t at = 0;
  bool any = false;
  const auto blank_to = [&](std::size_t end) {
    for (; at < end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  };
  for (const Statement& statement : program.body.statements) {
    if (statement.kind != StatementKind::function) continue;
    any = true;
    blank_to(statement.begin);
    at = statement.end;
  }
  blank_to(text.size());
  return any ? text : std::string();
}

std::string counter_name(std::string stem) {
  for (char& c : stem)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  // MATLAB allows 63 characters, "slm_region_" and the like included.
  return stem.substr(0, 40);
}

Translation translate(const SourceText& source, const std::string& stem, bool trace, const Surroundings& around) {
  return Translator(source, stem, trace, around).run();
}
}  // namespace sparsecast::memory_traffic
