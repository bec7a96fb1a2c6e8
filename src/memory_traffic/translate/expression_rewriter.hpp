#pragma once
// The expressions of one statement. Counts their loads, turns operators and functions that move data into calls of the
// run-time library, and splits the statement over temporaries where that changes neither the order nor the number of
// evaluations. Where it might (behind && and ||, in a loop's condition, behind a call that may do anything) the library
// is called in place and told which counter to add to.

#include "memory_traffic/language/names.hpp"
#include "memory_traffic/language/source_text.hpp"
#include "memory_traffic/translate/account.hpp"
#include "memory_traffic/translate/translate.hpp"

namespace sparsecast::memory_traffic {
/// What the names of a program mean, beyond its variables.
struct ProgramNames {
  std::set<std::string> functions;  ///< defined in this file
  std::set<std::string> counted;    ///< functions of the program that count all they move themselves
  std::set<std::string> annotated;  ///< of this file, with regions of their own
  std::set<std::string> silent;     ///< Func
  std::function<Neighbour(const std::string&)> neighbour;  ///< a file of that name
  std::set<std::string> sliced;  ///< read or written by element, or subscripts: their element size is kept, too
  /// The program's, whatever MATLAB has by that name.
  [[nodiscard]] bool own(const std::string& name) const {
    return functions.contains(name) || silent.contains(name) || file(name) != Neighbour::none;
  }
  [[nodiscard]] Neighbour file(const std::string& name) const { return neighbour ? neighbour(name) : Neighbour::none; }
  /// What a call of it moves is known: it is translated, of the table, or declared to move nothing.
  [[nodiscard]] bool analysed(const std::string& name) const;
  /// It is translated whole, so that what it returns it has stored itself.
  [[nodiscard]] bool counts_itself(const std::string& name) const;
};

/// How a value is used.
enum class Role {
  load,       ///< an operand: its bytes are read
  element,    ///< of a matrix: read, too, but s.f and c{k} may be several values there
  subscript,  ///< of an array: read; what s.f and c{k} are is left alone there
  argument,   ///< handed to a function as it is: reads nothing (the function call correction)
};

class ExpressionRewriter {
 public:
  /// `slot` gives the statement's counter and is called only where one is needed.
  ExpressionRewriter(const SourceText& source, const VariableScope& scope, const ProgramNames& names,
                     std::function<std::string()> slot, bool may_split);

  /// The expression's new text. Adds to what follows.
  std::string rewrite(const Node& node, Role role);
  /// A call that the statement counts itself, whatever is known of the function.
  void leave_call(const Node* call) { counted_call_ = call; }
  /// Variables that are loaded whole in any case. A first pass over a statement tells a second one: where it reads
  /// parts of them as well, be it before, the variable counts once ("duplicate correction").
  [[nodiscard]] const std::set<std::string>& certain() const { return certain_; }
  void loads_whole(const std::set<std::string>& names) { whole_ = names; }
  /// The same without splitting anything off.
  std::string unsplit(const Node& node, Role role);
  /// A variable that has the expression's value before the statement runs; nothing where it may not run that early.
  std::string evaluated_before(const Node& node);
  /// The text that asks for s.f of "s.f(x)" or of "s.f".
  [[nodiscard]] std::string held_head(const Node& node) const;
  /// An expression that is one profiled call, as "NAME(…)" with its analysis as one more output; false where it is not,
  /// or must not be split off. Used for "x = A*b", which needs no temporary.
  bool profiled_call(const Node& node, std::string& call, std::string& analysis);

  [[nodiscard]] const std::vector<std::string>& before() const { return before_; }  ///< statements to run first
  /// Adds what the statement moves to its entry; to be called once, when all is rewritten.
  void finish(Entry& entry);

 private:
  struct ProfiledCall {
    std::string library_name;  ///< "SLMmtimes"
    std::string word;          ///< "mtimes"
    std::vector<const Node*> operands;
    std::string form;             ///< of a product with a transposed operand
    bool keeps_operands = false;  ///< needs its operands in memory
    std::size_t at = 0;           ///< offset that names its temporaries
  };

  [[nodiscard]] const Node* transposed(const Node& operand, char& mark) const;
  [[nodiscard]] bool profile_of(const Node& node, ProfiledCall& called) const;
  std::string splice(const Node& node, const std::vector<std::string>& children);
  std::string rewrite_children(const Node& node, Role role);
  std::string rewrite_cell(const Node& node);
  [[nodiscard]] bool is_kept_part(const Node& argument, const std::string& function) const;
  std::string rewrite_index(const Node& node, Role role);
  std::string rewrite_profiled(const Node& node, const ProfiledCall& called);
  std::string arguments(const ProfiledCall& called, std::string& flags);
  std::string measured(const Node& node, const std::string& text, bool slice);
  void note_handle(const Node& node, std::size_t loads_before);
  /// An `end` in it belongs to an index around it.
  [[nodiscard]] bool has_free_end(const Node& node) const;
  [[nodiscard]] std::string position(std::size_t offset) const;
  [[nodiscard]] const Node* whole_array(const Node& node) const;
  /// A part of an array that the statement loads whole.
  [[nodiscard]] bool part_of_loaded(const Node& node) const;
  bool load_once(const std::string& key) { return loaded_.insert(key).second; }
  void load_variable(const std::string& name);
  void load_subscript(const std::string& name);
  /// Whether it had been counted as one.
  bool take_back_subscript(const std::string& name);
  void note_call(const std::string& name);

  const SourceText& source_;
  const VariableScope& scope_;
  const ProgramNames& names_;
  std::function<std::string()> slot_;
  bool may_split_;
  const Node* counted_call_ = nullptr;
  std::vector<std::string> before_;
  std::vector<Term> loads_;
  std::vector<std::string> analyses_, unanalysed_;
  std::vector<Touch> touched_;
  std::set<std::string> loaded_, whole_, certain_;
  std::map<std::string, std::size_t> subscripts_;           ///< variables counted as such, by their place in loads_
  bool maybe_ = false;                                      ///< behind && or ||
  std::map<std::string, std::set<std::string>> elements_;   ///< arrays of which single elements are read, and which
  std::map<std::string, std::vector<std::string>> slices_;  ///< the temporaries that hold a variable's slices
};

/// "slm_x"
std::string size_name(const std::string& variable);
/// "slme_x": bytes of one element
std::string element_name(const std::string& variable);
}  // namespace sparsecast::memory_traffic
