#pragma once
// The tokens of a PTX text one after the other, with what every part of the parser asks of them: is this word next, a
// number, the end of the statement; and refusing with line and column.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "gpu_code/ptx/ptx_lexer.hpp"

namespace sparsecast::gpu_code {

class PtxStream {
 public:
  PtxStream(std::string_view text, const std::string& file);

  [[nodiscard]] const PtxToken& token() const { return token_; }
  [[nodiscard]] bool at_end() const { return token_.kind == PtxToken::Kind::end; }
  /// At a word that begins with a dot.
  [[nodiscard]] bool at_directive() const {
    return token_.kind == PtxToken::Kind::word && token_.text.starts_with(".");
  }
  void advance();
  const PtxToken& peek();
  [[nodiscard]] bool is(std::string_view text) const {
    return token_.kind != PtxToken::Kind::string && token_.text == text;
  }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string_view word();
  /// Bits of a number: decimal, hexadecimal, octal, binary, 0f… (single), 0d… (double) or a decimal fraction.
  std::int64_t number();
  /// To behind the next `;`, or behind the braces that begin before it.
  void skip_statement();
  void skip_line();
  void skip_parentheses();

  /// Error bad_input at the current token, or at another.
  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy = "") const;
  [[noreturn]] void refuse_at(const PtxToken& where, const std::string& reason, const std::string& remedy = "") const;

 private:
  PtxLexer lexer_;
  const std::string& file_;
  PtxToken token_;
  std::deque<PtxToken> pending_;
};

}  // namespace sparsecast::gpu_code
