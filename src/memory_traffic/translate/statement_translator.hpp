#pragma once
// One variable scope (a function's body, or the script part of a file), statement by statement. Its parts by file:
// statement_translator.cpp (blocks, control flow, declarations, commands), expression_statement.cpp and
// region_borders.cpp.

#include "memory_traffic/translate/edits.hpp"
#include "memory_traffic/translate/expression_rewriter.hpp"
#include "memory_traffic/translate/translate.hpp"

namespace sparsecast::memory_traffic {
class StatementTranslator {
 public:
  /// `slots` collects the line of each counter of the file.
  StatementTranslator(const SourceText& source, const std::vector<Region>& regions, VariableScope scope,
                      const ProgramNames& names, std::string stem, std::vector<std::size_t>& slots, Edits& edits);

  /// The body; `header` is the code that makes the counters known, `once` stands in front of it.
  void run(const Block& body, const std::string& header, const std::string& once);
  /// Adds what a statement moves behind it: the next one may end in an error that somebody catches.
  void count_at_once() { guarded_ = 1; }
  /// Also follow the order in which arrays are touched (see Account::trace).
  void trace(std::map<std::string, std::size_t>* numbers) { account_.trace(numbers); }
  /// Also count what branches and loops store, and tell which counters are whose.
  void count_scopes(std::vector<Scope>* scopes, std::vector<std::size_t>* slot_scopes) {
    scopes_ = scopes;
    slot_scopes_ = slot_scopes;
  }
  /// The loops of regions that no other loop of the region is around, with the counters of their turns.
  [[nodiscard]] const std::vector<OuterLoop>& outer_loops() const { return outer_loops_; }
  /// What is called inside regions and not analysed.
  [[nodiscard]] const std::vector<UnanalysedCall>& unanalysed() const { return unanalysed_; }

 private:
  // What leaves a loop early, or starts its next turn, has to settle.
  struct Loop {
    Entry on_break;                ///< a while condition that was counted for a test that will not come
    Entry on_continue;             ///< a do-until condition that is tested next
    std::size_t open_regions = 0;  ///< at its beginning
    std::size_t open_scopes = 0;   ///< at its beginning, its own not among them
    std::set<std::string> whole;   ///< variables that its body reads as a whole
    std::set<std::string> resize;  ///< whose size is found again behind it
  };

  [[nodiscard]] std::vector<Entry> turn_of(const Statement& loop);
  [[nodiscard]] Loop loop_of(const Clause& clause) const;
  void end_loop(const Statement& made, std::vector<std::string> sizes = {});
  void block(const Block& body, std::vector<Entry> first, const std::vector<std::string>& sizes = {});
  void scope(const Clause& clause, std::vector<Entry> first, const std::vector<std::string>& sizes = {});
  void storage_of_scopes(std::size_t from, std::vector<std::string>& code);
  void statement(const Statement& statement);
  void expression(const Statement& statement);
  std::string assignment(const Statement& statement, ExpressionRewriter& rewriter, Entry& entry);
  [[nodiscard]] Term copied(const std::string& variable) const;
  bool rename_each(const Node& left, const Node& value, Entry& entry) const;
  void refuse_clearing_all(const Statement& statement) const;
  void finish(const Statement& statement, const std::string& text, Entry entry, const std::vector<std::string>& before,
              const std::vector<const Node*>& assigned);
  [[nodiscard]] std::string called_handle(const Node& node, const ExpressionRewriter& rewriter,
                                          bool value_is_not_measured) const;
  void if_statement(const Statement& statement);
  void while_statement(const Statement& statement);
  void do_statement(const Statement& statement);
  void for_statement(const Statement& statement);
  void switch_statement(const Statement& statement);
  void guarded(const Statement& statement);
  void declaration(const Statement& statement);
  void command(const Statement& statement);
  void called_by_command(const Statement& statement, const std::string& word);
  void directive(const Statement& statement);
  void jump(const Statement& statement);

  Entry condition(const Node& node, bool may_split, std::vector<std::string>& before);
  std::vector<Term> stored(const Node& left, ExpressionRewriter& rewriter);
  std::string subscripts_before(const Node& left, ExpressionRewriter& rewriter, const std::string& left_text);
  [[nodiscard]] std::string part_stored(const Node& accessor, const std::string& whole) const;
  [[nodiscard]] std::string plain_call(const std::string& name) const;
  std::vector<std::string> size_code(const std::string& variable);
  std::vector<std::string> sizes_of_assigned(const Node& expression);
  std::string size_if_there(const std::string& variable);
  std::vector<std::string> sizes_changed_elsewhere(const Node& expression);
  std::vector<std::string> sizes_again(const std::set<std::string>& variables);
  [[nodiscard]] std::set<std::string> variables_in(const Block& body) const;
  std::vector<std::string> sizes_at_start(const Region& region);
  std::vector<std::string> enter(const Region& region);
  std::string leave_code(const Region& region);
  void flush_before(const Statement& statement, std::vector<std::string> code = {});
  [[nodiscard]] bool counting() const { return !open_.empty(); }
  std::size_t new_slot(std::size_t offset);
  void count_unanalysed(Entry& entry, std::size_t offset);
  [[nodiscard]] bool resized_behind_loop(const std::string& variable);

  std::map<const Node*, std::string> subscripts_;  ///< of the statement's left side, by the variables that hold them
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
  std::vector<Scope>* scopes_ = nullptr;
  std::vector<std::size_t>* slot_scopes_ = nullptr;
  // Around the statement, outermost first, and how much of them a break leaves.
  struct OpenScope {
    std::size_t number = 0;  // among scopes_, from 1
    const Block* body = nullptr;
  };
  std::vector<OpenScope> open_scopes_;
  std::vector<UnanalysedCall> unanalysed_;
  std::string header_;
  const Block* body_ = nullptr;
  int guarded_ = 0;  ///< depth of try and unwind_protect; one more where all is added at once
};
}  // namespace sparsecast::memory_traffic
