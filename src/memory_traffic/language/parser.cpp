#include "memory_traffic/language/parser.hpp"

#include <optional>
#include <utility>

#include "memory_traffic/language/expression_parser.hpp"
#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
namespace {
// How the functions of a file end. A file either closes all of its functions with `end` (they may nest then) or none.
enum class FunctionEnd { keyword, next_function };

class StatementParser : ExpressionParser {
 public:
  StatementParser(const SourceText& source, std::vector<Token> tokens, FunctionEnd function_end)
      : ExpressionParser(source, std::move(tokens)), function_end_(function_end) {}

  Program run() {
    Program program;
    program.body.begin = 0;
    while (peek().kind != TokenKind::end_of_file) {
      if (skip_separator()) continue;
      if (peek().kind == TokenKind::keyword && closes(peek().text)) unexpected("a statement");
      program.body.statements.push_back(statement());
    }
    program.body.end = source_.size();
    return program;
  }

  /// The file came to its end before a function's `end`: it may be one that closes none of them.
  [[nodiscard]] bool function_never_closed() const { return function_never_closed_; }

 private:
  static bool closes(std::string_view word) {
    return word.starts_with("end") ||
           is_one_of(word, {"else", "elseif", "case", "otherwise", "catch", "until", "unwind_protect_cleanup"});
  }

  bool skip_separator() {
    const TokenKind kind = peek().kind;
    if (kind != TokenKind::newline && kind != TokenKind::comma && kind != TokenKind::semicolon) return false;
    take();
    return true;
  }

  // What stands between a clause's head and its body.
  std::size_t head_end(std::size_t end) {
    if (peek().kind == TokenKind::comma || peek().kind == TokenKind::semicolon) return take().end;
    return end;
  }

  // Statements up to a word that closes the block; that word is left.
  Block block(std::size_t begin, std::size_t opener, std::string_view what) {
    const Depth depth(*this);
    Block found;
    found.begin = begin;
    while (true) {
      if (peek().kind == TokenKind::end_of_file)
        source_.refuse(opener, "this " + std::string(what) + " is never closed", "its end is missing");
      if (skip_separator()) continue;
      if (peek().kind == TokenKind::keyword && closes(peek().text)) break;
      if (is_keyword("function") && function_depth_ > 0 && function_end_ == FunctionEnd::next_function)
        source_.refuse(opener, "this " + std::string(what) + " is not closed before the next function",
                       "its end is missing");
      found.statements.push_back(statement());
    }
    found.end = peek().begin;
    return found;
  }

  Statement statement() {
    const Depth depth(*this);
    Statement made;
    made.begin = peek().begin;
    const Token& token = peek();
    if (token.kind == TokenKind::directive || token.kind == TokenKind::command) {
      made.kind = token.kind == TokenKind::directive ? StatementKind::directive : StatementKind::command;
      made.nodes.push_back(leaf(NodeKind::string, token));
      made.end = take().end;
    } else if (token.kind == TokenKind::keyword) {
      compound(made);
    } else {
      made.nodes.push_back(expression());
      made.end = made.nodes.front().end;
    }
    terminate(made);
    return made;
  }

  void terminate(Statement& made) {
    made.after = made.end;
    const TokenKind kind = peek().kind;
    if (kind == TokenKind::semicolon || kind == TokenKind::comma) {
      made.terminated = true;
      made.silent = kind == TokenKind::semicolon;
      made.after = take().end;
    } else if (kind == TokenKind::newline) {
      take();
    } else if (made.kind == StatementKind::expression || made.kind == StatementKind::global ||
               made.kind == StatementKind::persistent) {
      if (kind != TokenKind::end_of_file && kind != TokenKind::keyword)
        unexpected("an operator or the end of the statement");
    }
  }

  void compound(Statement& made) {
    const std::string word = peek().text;
    if (word == "if") return if_statement(made);
    if (word == "while") return while_statement(made);
    if (word == "do") return do_statement(made);
    if (word == "for" || word == "parfor") return for_statement(made);
    if (word == "switch") return switch_statement(made);
    if (word == "try") return try_statement(made);
    if (word == "unwind_protect") return unwind_statement(made);
    if (word == "function") return function(made);
    if (word == "global" || word == "persistent") return declaration(made);
    if (word == "break" || word == "continue" || word == "return") {
      made.kind = word == "break"      ? StatementKind::break_
                  : word == "continue" ? StatementKind::continue_
                                       : StatementKind::return_;
      made.end = take().end;
      return;
    }
    if (word == "classdef")
      source_.refuse(peek().begin, "classdef is not supported", "turn the methods into functions");
    unexpected("a statement");
  }

  // With the block behind its head, which ends at `end`.
  void add(Statement& made, Clause& part, std::size_t end, const std::string& construct) {
    part.body = block(head_end(end), made.begin, construct);
    made.clauses.push_back(std::move(part));
  }
  void finish(Statement& made, const std::string& end_word, const std::string& construct) {
    if (!is_keyword("end") && !is_keyword(end_word))
      source_.refuse(peek().begin,
                     "'" + peek().text + "' cannot close the " + construct + " of line " +
                         std::to_string(source_.line(made.begin)),
                     "expected end or " + end_word);
    made.end = take().end;
  }

  // A word, what it asks (`last` asks nothing) and what is done then.
  void branch(Statement& made, const std::string& last, const std::string& construct) {
    const Token word = take();
    Clause part{word.begin, word.text, {}, {}};
    std::size_t end = word.end;
    if (word.text != last) {
      part.head = expression();
      end = part.head.end;
    }
    add(made, part, end, construct);
  }
  void branches(Statement& made, const std::string& next, const std::string& last, const std::string& construct) {
    while (is_keyword(next) || is_keyword(last)) {
      if (!made.clauses.empty() && made.clauses.back().keyword == last)
        source_.refuse(peek().begin, "'" + peek().text + "' behind " + last);
      branch(made, last, construct);
    }
  }

  void if_statement(Statement& made) {
    made.kind = StatementKind::if_;
    branch(made, "else", "if");
    branches(made, "elseif", "else", "if");
    finish(made, "endif", "if");
  }

  void while_statement(Statement& made) {
    made.kind = StatementKind::while_;
    branch(made, {}, "while");
    finish(made, "endwhile", "while");
  }

  void do_statement(Statement& made) {
    made.kind = StatementKind::do_until;
    const Token word = take();
    Clause part{word.begin, word.text, {}, {}};
    part.body = block(head_end(word.end), made.begin, "do");
    if (!is_keyword("until")) unexpected("until");
    take();
    part.head = expression();
    made.end = part.head.end;
    made.clauses.push_back(std::move(part));
  }

  void for_statement(Statement& made) {
    made.kind = peek().text == "for" ? StatementKind::for_ : StatementKind::parfor;
    const Token word = take();
    Clause part{word.begin, word.text, {}, {}};
    // "for (i = 1:n)" as well as "for i = (1:n)".
    const bool bracketed = accept_symbol("(");
    made.nodes.push_back(is_symbol("[") ? output_list() : left_side());
    expect_symbol("=", "after the loop's variable");
    made.nodes.push_back(expression());
    std::size_t end = made.nodes.back().end;
    if (bracketed) {
      if (peek().kind == TokenKind::comma && made.kind == StatementKind::parfor) {
        take();
        made.nodes.push_back(expression());
      }
      end = expect_symbol(")", "after the loop's range").end;
    }
    add(made, part, end, word.text);
    finish(made, word.text == "for" ? "endfor" : "endparfor", word.text);
  }

  void switch_statement(Statement& made) {
    made.kind = StatementKind::switch_;
    take();
    made.nodes.push_back(expression());
    head_end(0);
    while (skip_separator()) {
    }
    branches(made, "case", "otherwise", "switch");
    finish(made, "endswitch", "switch");
  }

  void try_statement(Statement& made) {
    made.kind = StatementKind::try_;
    branch(made, "try", "try");
    if (is_keyword("catch")) {
      const Token word = take();
      Clause part{word.begin, word.text, {}, {}};
      std::size_t end = word.end;
      // "catch err" names the error; so do "catch err;" and "catch err, statement" in Octave.
      if (peek().kind == TokenKind::identifier &&
          (peek(1).kind == TokenKind::newline || peek(1).kind == TokenKind::semicolon ||
           peek(1).kind == TokenKind::comma)) {
        part.head = primary_name();
        end = part.head.end;
      } else if (peek().kind == TokenKind::command) {
        source_.refuse(peek().begin, "a command on the line of 'catch'", "put it on a line of its own");
      }
      add(made, part, end, "try");
    }
    finish(made, "end_try_catch", "try");
  }

  void unwind_statement(Statement& made) {
    made.kind = StatementKind::unwind;
    branch(made, "unwind_protect", "unwind_protect");
    if (!is_keyword("unwind_protect_cleanup")) unexpected("unwind_protect_cleanup");
    branch(made, "unwind_protect_cleanup", "unwind_protect");
    finish(made, "end_unwind_protect", "unwind_protect");
  }

  void declaration(Statement& made) {
    made.kind = peek().text == "global" ? StatementKind::global : StatementKind::persistent;
    take();
    while (peek().kind == TokenKind::identifier) {
      Node name = primary_name();
      made.nodes.push_back(is_symbol("=") ? assigned(std::move(name)) : std::move(name));
    }
    if (made.nodes.empty()) unexpected("a name");
    made.end = made.nodes.back().end;
  }

  // MATLAB's "arguments … end" behind a signature: conversions, defaults and checks that Octave does not do.
  void refuse_declared_arguments() {
    std::size_t at = 0;
    while (peek(at).kind == TokenKind::newline || peek(at).kind == TokenKind::semicolon) ++at;
    if (peek(at).kind != TokenKind::identifier || peek(at).text != "arguments") return;
    const bool of_a_kind = is_symbol("(", at + 1) && is_one_of(peek(at + 2).text, {"Input", "Output", "Repeating"}) &&
                           is_symbol(")", at + 3);
    if (of_a_kind || peek(at + 1).kind == TokenKind::newline)
      source_.refuse(peek(at).begin, "an 'arguments' block is not supported: Octave would check and convert nothing",
                     "set defaults with nargin and check the inputs in statements");
  }

  void function(Statement& made) {
    made.kind = StatementKind::function;
    const Token word = take();
    Signature& signature = made.signature;
    signature.outputs.kind = NodeKind::output_list;
    signature.inputs.kind = NodeKind::parameters;
    if (is_symbol("[")) {
      signature.outputs = output_list();
      expect_symbol("=", "after the function's outputs");
    } else if (is_symbol("=", 1)) {
      signature.outputs.children.push_back(primary_name());
      take();
    }
    Node name = primary_name();
    signature.name = name.text;
    std::size_t end = name.end;
    while (is_symbol(".")) {
      take();
      Node part = primary_name();
      signature.name += "." + part.text;
      end = part.end;
    }
    if (is_symbol("(")) {
      signature.inputs = parameters(true);
      end = signature.inputs.end;
    }
    Clause part{word.begin, word.text, {}, {}};
    part.body.begin = head_end(end);
    refuse_declared_arguments();
    ++function_depth_;
    const Depth depth(*this);
    while (true) {
      if (skip_separator()) continue;
      if (peek().kind == TokenKind::end_of_file) break;
      if (is_keyword("function") && function_end_ == FunctionEnd::next_function) break;
      if (peek().kind == TokenKind::keyword && closes(peek().text)) break;
      part.body.statements.push_back(statement());
    }
    --function_depth_;
    if (function_end_ == FunctionEnd::keyword) {
      if (peek().kind == TokenKind::end_of_file) {
        function_never_closed_ = true;
        source_.refuse(made.begin, "this function is never closed", "its end is missing");
      }
      part.body.end = peek().begin;
      finish(made, "endfunction", "function");
    } else {
      if (peek().kind == TokenKind::keyword && closes(peek().text)) unexpected("a statement");
      made.closed = false;
      part.body.end = part.body.statements.empty() ? part.body.begin : part.body.statements.back().after;
      made.end = part.body.end;
    }
    made.clauses.push_back(std::move(part));
  }

  FunctionEnd function_end_;
  int function_depth_ = 0;
  bool function_never_closed_ = false;
};
}  // namespace

Program parse(const SourceText& source) {
  std::vector<Token> tokens = tokenize(source);
  if (std::ranges::none_of(tokens, [](const Token& t) { return t.kind == TokenKind::keyword && t.text == "function"; }))
    return StatementParser(source, std::move(tokens), FunctionEnd::keyword).run();
  // Which way the file ends its functions shows only at its end; the reading that gets further tells what is wrong.
  StatementParser closed(source, tokens, FunctionEnd::keyword);
  std::optional<Error> closed_error;
  try {
    return closed.run();
  } catch (const Error& error) {
    closed_error = error;
  }
  try {
    return StatementParser(source, std::move(tokens), FunctionEnd::next_function).run();
  } catch (const Error& error) {
    const auto key = [](const Error& e) { return std::pair(e.place().line, e.place().column); };
    if (closed.function_never_closed() || key(error) > key(*closed_error)) throw;
    throw *closed_error;
  }
}
}  // namespace sparsecast::memory_traffic
