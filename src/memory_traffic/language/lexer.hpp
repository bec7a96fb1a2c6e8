#pragma once
// A program's text as a stream of tokens. What a character means depends on what stands around it: a quote transposes
// or opens a string, a blank separates elements only inside brackets, and a statement's first word may make the whole
// line a command. All of that is decided here, so that the parser sees tokens that mean one thing each.

#include "memory_traffic/language/source_text.hpp"

namespace sparsecast::memory_traffic {
enum class TokenKind {
  number,  ///< with its imaginary suffix, if any
  string,  ///< either quote, quotes included
  identifier,
  keyword,  ///< `end` inside an index is an identifier-like `end_value` instead
  end_value,
  symbol,     ///< operators, brackets, `=`; text tells which. The quote of a transpose is a symbol.
  comma,      ///< also the blank between two elements (then begin == end)
  semicolon,  ///< also a line end between two rows
  newline,    ///< end of a line outside brackets
  command,    ///< a whole statement in command syntax: `hold on`
  directive,  ///< a %SLM comment
  end_of_file,
};

struct Token {
  TokenKind kind = TokenKind::end_of_file;
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// All tokens, the last one end_of_file. Error bad_input with line and column for text that is no MATLAB.
std::vector<Token> tokenize(const SourceText& source);
}  // namespace sparsecast::memory_traffic
