#include "gpu_code/ptx/ptx_lexer.hpp"

#include <cctype>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {

bool word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool word_rest(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

}  // namespace

PtxToken PtxLexer::next() {
  skip();
  PtxToken token{PtxToken::Kind::end, {}, line_, static_cast<std::int32_t>(at_ - line_start_) + 1};
  if (at_ >= text_.size()) return token;
  const std::size_t begin = at_;
  const char c = text_[at_];
  if (word_start(c)) {
    while (at_ < text_.size() && (word_rest(text_[at_]) || (text_[at_] == ':' && text_.substr(at_, 2) == "::")))
      at_ += text_[at_] == ':' ? 2 : 1;
    token.kind = PtxToken::Kind::word;
  } else if (std::isdigit(static_cast<unsigned char>(c))) {
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) ++at_;
    token.kind = PtxToken::Kind::number;
  } else if (c == '"') {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\') ? 2 : 1;
    if (at_ >= text_.size() || text_[at_] != '"')
      throw Error(ErrorCode::bad_input, "unterminated string", {file_, token.line, token.column}, "");
    ++at_;
    token.kind = PtxToken::Kind::string;
  } else {
    ++at_;
    token.kind = PtxToken::Kind::punctuation;
  }
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

void PtxLexer::skip() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (text_.substr(at_, 2) == "/*") {
      const auto end = text_.find("*/", at_ + 2);
      const auto stop = end == std::string_view::npos ? text_.size() : end + 2;
      for (; at_ < stop; ++at_)
        if (text_[at_] == '\n') {
          ++line_;
          line_start_ = at_ + 1;
        }
    } else {
      return;
    }
  }
}

}  // namespace sparsecast::gpu_code
