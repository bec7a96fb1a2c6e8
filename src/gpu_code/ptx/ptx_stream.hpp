#pragma once
// The tokens of a PTX text one after the other, comments left out, with what every part of the parser asks of them: is
// this word next, a number, the end of the statement; and refusing with line and column.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparsecast::gpu_code {
struct PtxToken {
  enum class Kind : std::uint8_t { end, word, number, punctuation, string } kind = Kind::end;
  std::string_view text;  ///< of a string with its quotes; a quote within is written \"
  std::int32_t line = 1, column = 1;
};

class PtxStream {
 public:
  /// `text` and `file` must outlive the stream and its tokens.
  PtxStream(std::string_view text, const std::string& file) : text_(text), file_(file) { advance(); }

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
  /// Error bad_input at a string that does not end on its line.
  PtxToken read();
  void skip_blanks();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  std::int32_t line_ = 1;
  PtxToken token_;
  std::optional<PtxToken> ahead_;
};
}  // namespace sparsecast::gpu_code
