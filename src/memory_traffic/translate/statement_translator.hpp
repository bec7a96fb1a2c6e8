#pragma once
// One variable scope (a function's body, or the script part of a file), statement by statement. Its parts by file:
// statement_translator (blocks, declarations, commands), expression_statement, control_flow, region_borders.

#include "memory_traffic/language/names.hpp"

namespace sparsecast::memory_traffic {
// The source-to-source translation: an annotated program in, the same program out with code that counts the bytes that
// a compiled implementation would move (Dennis, Jessup, Waite 2010, section 2; docs/design/traffic.md says where and
// why this goes beyond it). The output keeps the user's layout and comments and computes exactly what the original
// does.

// The %SLM directives of a program and the regions that they mark.

enum class DirectiveKind { start, end, func_start, func_end, print, func, inc_func };

struct Directive {
  DirectiveKind kind = DirectiveKind::print;
  std::vector<std::string> names;  ///< one but for Func and IncFunc
};

/// A part of the program to analyse.
struct Region {
  std::string name;
  bool function = false;
  std::size_t first_line = 0, last_line = 0;
  std::size_t begin = 0, end = 0;  ///< offsets of the two directives
};

/// A loop of a region that is inside no other loop of it.
struct OuterLoop {
  std::size_t region = 0;  ///< Region::begin
  std::size_t slot = 0;    ///< counter of its turns
};

/// All regions of a program, in the order of their beginnings. Error bad_input for directives that do not match: each
/// region must end in the block in which it starts, and a printed name must be a region's.
std::vector<Region> find_regions(const SourceText& source, const Program& program);

struct Translation {
  std::string text;
  std::vector<std::size_t> source_lines;  ///< of each line of the text, from 1
  std::vector<Region> regions;
  std::vector<std::size_t> slot_lines;  ///< line of each counter
  std::vector<OuterLoop> outer_loops;
  std::vector<std::string> called;  ///< names that are called and neither variables nor MATLAB's own
  bool function_file = false;
  std::vector<std::string> first_inputs;  ///< of a function file's first function
  std::string first_function;
};

/// What the counters of a file of that stem are called.
std::string counter_name(std::string stem);

/// `stem` is the program's name without folder and extension. Error bad_input with line and column.
/// `trace` adds code that follows which arrays are touched in which order, for the levels of a cache hierarchy.
Translation translate(const SourceText& source, const std::string& stem, bool trace = false);

// What a stretch of straight-line code moves, collected statement by statement until the code that counts it is
// written: the "exclusive memory analysis" of Dennis et al. 2010, section 2.3.

/// A number of bytes as MATLAB text. `variable` is the one whose size it uses, if any.
struct Term {
  std::string text;
  std::string variable;
  bool now = false;  ///< asks for values that the next statement may change: counted at once
};

/// One row of the counters.
struct Touch {
  std::string variable;
  bool store = false;
};

struct Entry {
  std::size_t slot = 0;
  std::vector<Touch> touched;  ///< arrays, in the order in which they are read and written
  std::vector<Term> loads, stores;
  std::vector<std::string> analyses;  ///< rows that the run-time library returned
  bool turn = false;                  ///< a loop begins another turn
  bool subtract = false;              ///< a condition counted in advance that was not evaluated
  [[nodiscard]] bool empty() const { return loads.empty() && stores.empty() && analyses.empty() && !turn; }
};

/// Lines of code behind others.
inline void append(std::vector<std::string>& code, const std::vector<std::string>& more) {
  code.insert(code.end(), more.begin(), more.end());
}

class Account {
 public:
  /// `base` is the name of the file's first counter.
  explicit Account(std::string base) : base_(std::move(base)) {}

  /// Also writes code that follows which arrays are touched in which order; `numbers` collects what stands for a name.
  void trace(std::map<std::string, std::size_t>* numbers) { numbers_ = numbers; }

  void add(Entry entry);
  /// The variable's size is about to be found again. Pending entries go on with its old size, but for the stores of the
  /// newest entry where that is the very statement that changed it. The code that sees to it, often none.
  std::vector<std::string> before_resize(const std::string& variable, bool newest_stores_it);
  /// Some pending entry asks for values that may change, or there are many.
  [[nodiscard]] bool urgent() const;
  /// The code that adds all pending entries to the counters.
  std::vector<std::string> flush();
  [[nodiscard]] std::string slot(std::size_t number) const;
  [[nodiscard]] bool empty() const { return pending_.empty(); }

 private:
  std::string base_;
  std::vector<Entry> pending_;
  std::map<std::string, std::size_t>* numbers_ = nullptr;
};

// Insertions into and replacements in a source text. Everything that is not named stays as the user wrote it.

class Edits {
 public:
  explicit Edits(const SourceText& source) : source_(source) {}

  void replace(std::size_t begin, std::size_t end, std::string text);
  /// Code on lines of its own where the statement has its line to itself, else on the same line.
  void before(const Statement& statement, const std::vector<std::string>& code);
  void after(const Statement& statement, const std::vector<std::string>& code);
  /// Code at the beginning of a block, which may be empty.
  void at_begin(const Block& block, const std::vector<std::string>& code);
  /// An else branch before the end that closes an if.
  void add_else(const Block& last_branch, const std::vector<std::string>& code);

  struct Result {
    std::string text;
    std::vector<std::size_t> source_lines;  ///< of each line of the text, from 1
  };
  [[nodiscard]] Result apply() const;

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  const SourceText& source_;
  std::vector<Edit> edits_;
};

// One statement's expressions: counts their loads, turns operators and functions that move data into calls of the
// run-time library, and splits the statement over temporaries where that changes neither the order nor the number of
// evaluations. Where it might (behind && and ||, in a loop's condition, behind a call that may do anything) the library
// is called in place and told which counter to add to.

/// What the names of a program mean, beyond its variables.
struct ProgramNames {
  std::set<std::string> functions;  ///< defined in this file
  std::set<std::string> counted;    ///< those among them that are analysed, and IncFunc
  std::set<std::string> silent;     ///< Func
  std::set<std::string> sliced;     ///< variables read or written by element: their element size is kept, too
  /// The program's, whatever MATLAB has by that name.
  [[nodiscard]] bool own(const std::string& name) const {
    return functions.contains(name) || silent.contains(name) || counted.contains(name);
  }
};

/// How a value is used.
enum class Role {
  load,      ///< an operand: its bytes are read
  element,   ///< of a matrix: read, too, but s.f and c{k} may be several values there and are left alone
  argument,  ///< handed to a function as it is: reads nothing (the function call correction)
};

class ExpressionRewriter {
 public:
  /// `slot` gives the statement's counter and is called only where one is needed.
  ExpressionRewriter(const SourceText& source, const VariableScope& scope, const ProgramNames& names,
                     std::function<std::string()> slot, bool may_split);

  /// The expression's new text. Adds to what follows.
  std::string rewrite(const Node& node, Role role);
  /// The same without splitting anything off.
  std::string unsplit(const Node& node, Role role);
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

  [[nodiscard]] bool profile_of(const Node& node, ProfiledCall& profile) const;
  std::string splice(const Node& node, const std::vector<std::string>& children);
  std::string rewrite_children(const Node& node, Role role);
  std::string rewrite_index(const Node& node, Role role);
  std::string rewrite_profiled(const Node& node, const ProfiledCall& profile);
  std::string arguments(const ProfiledCall& profile, std::string& flags);
  std::string measured(const Node& node, const std::string& text, bool slice);
  /// An `end` in it belongs to an index around it.
  [[nodiscard]] bool has_free_end(const Node& node) const;
  [[nodiscard]] std::string position(std::size_t offset) const;
  bool load_once(const std::string& key) { return loaded_.insert(key).second; }
  void load_variable(const std::string& name);

  const SourceText& source_;
  const VariableScope& scope_;
  const ProgramNames& names_;
  std::function<std::string()> slot_;
  bool may_split_;
  std::vector<std::string> before_;
  std::vector<Term> loads_;
  std::vector<std::string> analyses_;
  std::vector<Touch> touched_;
  std::set<std::string> loaded_;
  std::map<std::string, std::vector<std::string>> slices_;  ///< the temporaries that hold a variable's slices
};

/// "slm_x"
std::string size_name(const std::string& variable);
/// "slme_x": bytes of one element
std::string element_name(const std::string& variable);

class StatementTranslator {
 public:
  /// `slots` collects the line of each counter of the file.
  StatementTranslator(const SourceText& source, const std::vector<Region>& regions, VariableScope scope,
                      const ProgramNames& names, std::string stem, std::vector<std::size_t>& slots, Edits& edits);

  /// The body; `header` is the code that makes the counters known.
  void run(const Block& body, const std::string& header);
  /// Also follow the order in which arrays are touched (see Account::trace).
  void trace(std::map<std::string, std::size_t>* numbers) { account_.trace(numbers); }
  /// The loops of regions that no other loop of the region is around, with the counters of their turns.
  [[nodiscard]] const std::vector<OuterLoop>& outer_loops() const { return outer_loops_; }

 private:
  // What leaves a loop early, or starts its next turn, has to settle.
  struct Loop {
    Entry on_break;                ///< a while condition that was counted for a test that will not come
    Entry on_continue;             ///< a do-until condition that is tested next
    std::size_t open_regions = 0;  ///< at its beginning
    std::set<std::string> whole;   ///< variables that its body reads as a whole
    std::set<std::string> resize;  ///< whose size is found again behind it
  };

  [[nodiscard]] std::vector<Entry> turn_of(const Statement& loop);
  [[nodiscard]] Loop loop_of(const Clause& clause) const;
  void end_loop(const Statement& made, std::vector<std::string> sizes = {});
  void block(const Block& body, std::vector<Entry> first, const std::vector<std::string>& sizes = {});
  void statement(const Statement& statement);
  void expression(const Statement& statement);
  std::string assignment(const Statement& statement, ExpressionRewriter& rewriter, Entry& entry);
  [[nodiscard]] Term copied(const std::string& variable) const;
  void refuse_clearing_all(const Statement& statement) const;
  void finish(const Statement& statement, const std::string& text, Entry entry, const std::vector<std::string>& before,
              const std::vector<const Node*>& assigned);
  [[nodiscard]] std::string called_handle(const Node& node) const;
  void if_statement(const Statement& statement);
  void while_statement(const Statement& statement);
  void do_statement(const Statement& statement);
  void for_statement(const Statement& statement);
  void switch_statement(const Statement& statement);
  void guarded(const Statement& statement);
  void declaration(const Statement& statement);
  void command(const Statement& statement);
  void directive(const Statement& statement);
  void jump(const Statement& statement);

  Entry condition(const Node& node, bool may_split, std::vector<std::string>& before);
  std::vector<Term> stored(const Node& left, ExpressionRewriter& rewriter);
  std::vector<std::string> size_code(const std::string& variable);
  std::vector<std::string> sizes_of_assigned(const Node& expression);
  std::string size_if_there(const std::string& variable);
  std::vector<std::string> sizes_at_start(const Region& region);
  std::string leave_code(const Region& region);
  void flush_before(const Statement& statement, std::vector<std::string> code = {});
  [[nodiscard]] bool counting() const { return !open_.empty(); }
  std::size_t new_slot(std::size_t offset);
  [[nodiscard]] bool resized_behind_loop(const std::string& variable);

  const SourceText& source_;
  const std::vector<Region>& regions_;
  VariableScope scope_;
  const ProgramNames& names_;
  std::string stem_;
  std::vector<std::size_t>& slots_;
  Edits& edits_;
  Account account_;
  std::vector<const Region*> open_;
  std::vector<Loop> loops_;
  std::vector<OuterLoop> outer_loops_;
  std::string header_;
  const Block* body_ = nullptr;
  int guarded_ = 0;  ///< depth of try and unwind_protect
};
}  // namespace sparsecast::memory_traffic
