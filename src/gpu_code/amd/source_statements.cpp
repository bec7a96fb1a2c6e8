#include "gpu_code/amd/source_statements.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace sparsecast::gpu_code {
namespace {
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Walks over C without its comments, literals and directives.
class SourceWalk {
 public:
  explicit SourceWalk(std::string_view text) : text_(text) {}

  /// To the next character that counts; false at the end.
  bool next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
        step();
      } else if (text_.substr(at_).starts_with("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') step();
      } else if (text_.substr(at_).starts_with("/*")) {
        while (at_ < text_.size() && !text_.substr(at_).starts_with("*/")) step();
        step();
        step();
      } else if (c == '#' && line_is_blank_) {
        directive();
      } else {
        line_is_blank_ = false;
        return true;
      }
    }
    return false;
  }
  /// The token that begins here, passed over.
  std::string_view token() {
    const auto begin = at_;
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      step();
      while (at_ < text_.size() && text_[at_] != c && text_[at_] != '\n') {
        if (text_[at_] == '\\') step();
        step();
      }
      step();
    } else if (is_word(c)) {
      while (at_ < text_.size() && is_word(text_[at_])) step();
    } else {
      step();
    }
    return text_.substr(begin, at_ - begin);
  }
  [[nodiscard]] std::int32_t line() const { return line_; }
  [[nodiscard]] std::int32_t column() const { return column_; }

 private:
  void step() {
    if (at_ >= text_.size()) return;
    const bool broken = text_[at_++] == '\n';
    line_ += broken;
    column_ = broken ? 1 : column_ + 1;
    line_is_blank_ |= broken;
  }
  void directive() {
    for (; at_ < text_.size() && text_[at_] != '\n'; step())
      if (text_[at_] == '\\') step();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int32_t line_ = 1, column_ = 1;
  bool line_is_blank_ = true;
};
}  // namespace

SourceStatements::SourceStatements(const std::string& text) {
  SourceWalk walk(text);
  bool begins = true, control = false;
  int depth = 0;  // of parentheses behind a control word
  while (walk.next()) {
    if (begins) begins_.push_back({walk.line(), walk.column()});
    const auto token = walk.token();
    begins = token == ";" || token == "{" || token == "}" || token == "else" || token == "do";
    if (token == "if" || token == "for" || token == "while" || token == "switch") {
      control = true;
      depth = 0;
    } else if (control && token == "(") {
      ++depth;
    } else if (control && token == ")" && --depth <= 0) {
      control = false;
      begins = true;
    }
  }
}

std::int32_t SourceStatements::at(std::int32_t line, std::int32_t column) const {
  if (line <= 0) return 0;
  const auto after = std::ranges::upper_bound(begins_, Position{line, std::max(column, 1)});
  return std::max<std::int32_t>(static_cast<std::int32_t>(after - begins_.begin()), 1);
}
}  // namespace sparsecast::gpu_code
