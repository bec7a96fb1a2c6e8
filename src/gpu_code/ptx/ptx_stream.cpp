#include "gpu_code/ptx/ptx_stream.hpp"

#include <fmt/format.h>
#include <bit>
#include <cctype>
#include <sparsecast/error.hpp>

#include "base/number.hpp"

namespace sparsecast::gpu_code {
namespace {
bool word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool word_rest(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}
}  // namespace

PtxToken PtxStream::read() {
  skip_blanks();
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

void PtxStream::skip_blanks() {
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

void PtxStream::refuse(const std::string& reason, const std::string& remedy) const {
  refuse_at(token_, reason, remedy);
}

void PtxStream::refuse_at(const PtxToken& where, const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, {file_, where.line, where.column}, remedy);
}

void PtxStream::advance() {
  token_ = ahead_ ? *ahead_ : read();
  ahead_.reset();
}

const PtxToken& PtxStream::peek() {
  if (!ahead_) ahead_ = read();
  return *ahead_;
}

bool PtxStream::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void PtxStream::expect(std::string_view text) {
  if (!accept(text)) refuse(fmt::format("expected '{}' before '{}'", text, token_.text));
}

std::string_view PtxStream::word() {
  if (token_.kind != PtxToken::Kind::word) refuse(fmt::format("expected a name before '{}'", token_.text));
  const auto text = token_.text;
  advance();
  return text;
}

std::int64_t PtxStream::number() {
  bool minus = false;
  while (is("-") || is("+")) {
    minus ^= is("-");
    advance();
  }
  if (token_.kind != PtxToken::Kind::number) refuse(fmt::format("expected a number before '{}'", token_.text));
  const auto text = token_.text;
  const PtxToken where = token_;
  advance();
  std::uint64_t value = 0;
  const auto digits = [&](std::string_view t, int base) {
    if (!t.empty() && (t.back() == 'U' || t.back() == 'u')) t.remove_suffix(1);
    const auto found = base::number_in<std::uint64_t>(t, base);
    if (!found) refuse_at(where, fmt::format("bad number '{}'", text));
    value = *found;
  };
  const char kind = text.size() > 2 && text[0] == '0' ? static_cast<char>(std::tolower(text[1])) : '\0';
  if (kind == 'f' || kind == 'd') {
    digits(text.substr(2), 16);
    if (minus) value ^= kind == 'f' ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    return static_cast<std::int64_t>(value);
  }
  if (kind == 'x' || kind == 'b') {
    digits(text.substr(2), kind == 'x' ? 16 : 2);
  } else if (text.find('.') != std::string_view::npos) {
    const auto fraction = base::number_in<double>(text);
    if (!fraction) refuse_at(where, fmt::format("bad number '{}'", text));
    return std::bit_cast<std::int64_t>(minus ? -*fraction : *fraction);
  } else {
    digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
  }
  return static_cast<std::int64_t>(minus ? 0 - value : value);
}

void PtxStream::skip_statement() {
  int depth = 0;
  while (token_.kind != PtxToken::Kind::end) {
    if (is("{")) ++depth;
    if ((is("}") && --depth <= 0) || (is(";") && depth == 0)) return advance();
    advance();
  }
}

void PtxStream::skip_line() {
  const auto line = token_.line;
  while (token_.kind != PtxToken::Kind::end && token_.line == line) advance();
}

void PtxStream::skip_parentheses() {
  expect("(");
  for (int depth = 1; depth > 0 && token_.kind != PtxToken::Kind::end; advance())
    depth += is("(") ? 1 : is(")") ? -1 : 0;
}
}  // namespace sparsecast::gpu_code
