// See ptx_stream.hpp.

#include "gpu_code/ptx/ptx_stream.hpp"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <charconv>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {

PtxStream::PtxStream(std::string_view text, const std::string& file) : lexer_(text, file), file_(file) { advance(); }

void PtxStream::refuse(const std::string& reason, const std::string& remedy) const {
  refuse_at(token_, reason, remedy);
}

void PtxStream::refuse_at(const PtxToken& where, const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, {file_, where.line, where.column}, remedy);
}

void PtxStream::advance() {
  if (!pending_.empty()) {
    token_ = pending_.front();
    pending_.pop_front();
  } else {
    token_ = lexer_.next();
  }
}

const PtxToken& PtxStream::peek() {
  if (pending_.empty()) pending_.push_back(lexer_.next());
  return pending_.front();
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
  auto text = token_.text;
  const PtxToken where = token_;
  advance();
  std::uint64_t value = 0;
  const auto digits = [&](std::string_view t, int base) {
    if (!t.empty() && (t.back() == 'U' || t.back() == 'u')) t.remove_suffix(1);
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value, base);
    if (error != std::errc() || end != t.data() + t.size()) refuse_at(where, fmt::format("bad number '{}'", text));
  };
  if (text.size() > 2 && text[0] == '0') {
    const char kind = static_cast<char>(std::tolower(text[1]));
    if (kind == 'f' || kind == 'd') {
      digits(text.substr(2), 16);
      if (minus) value ^= kind == 'f' ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
      return static_cast<std::int64_t>(value);
    }
    if (kind == 'x') {
      digits(text.substr(2), 16);
      return minus ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
    }
    if (kind == 'b') {
      digits(text.substr(2), 2);
      return minus ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
    }
  }
  if (text.find('.') != std::string_view::npos) {
    double fraction = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction);
    if (error != std::errc() || end != text.data() + text.size())
      refuse_at(where, fmt::format("bad number '{}'", text));
    return std::bit_cast<std::int64_t>(minus ? -fraction : fraction);
  }
  digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
  return minus ? static_cast<std::int64_t>(0 - value) : static_cast<std::int64_t>(value);
}

void PtxStream::skip_statement() {
  int depth = 0;
  while (token_.kind != PtxToken::Kind::end) {
    if (is("{")) ++depth;
    if (is("}") && --depth <= 0) {
      advance();
      return;
    }
    if (is(";") && depth == 0) {
      advance();
      return;
    }
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
