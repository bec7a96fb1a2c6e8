#pragma once
// PTX text in tokens, comments left out.

#include <cstdint>
#include <string>
#include <string_view>

namespace sparsecast::gpu_code {

struct PtxToken {
  enum class Kind : std::uint8_t { end, word, number, punctuation, string } kind = Kind::end;
  std::string_view text;  ///< of a string with its quotes; a quote within is written \"
  std::int32_t line = 1, column = 1;
};

class PtxLexer {
 public:
  /// `text` and `file` must outlive the lexer and its tokens.
  PtxLexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}
  /// Error bad_input at a string that does not end on its line.
  PtxToken next();

 private:
  void skip();
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  std::int32_t line_ = 1;
};

}  // namespace sparsecast::gpu_code
