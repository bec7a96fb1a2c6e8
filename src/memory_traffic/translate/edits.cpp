#include "memory_traffic/translate/edits.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sparsecast::memory_traffic {
namespace {
std::string on_one_line(const std::vector<std::string>& code) { return fmt::format("{}", fmt::join(code, " ")); }

// Nothing but blanks and a comment up to the end of the line; a directive is none.
bool line_is_over(const SourceText& source, std::size_t at) {
  at = source.text().find_first_not_of(" \t\r", at);
  if (at != std::string_view::npos && source.text()[at] == '%') {
    const std::size_t word = source.text().find_first_not_of(" \t", at + 1);
    if (word != std::string_view::npos && source.text().substr(word).starts_with("SLM")) return false;
  }
  return at == std::string_view::npos || std::string_view("\n%#").find(source.text()[at]) != std::string_view::npos;
}
}  // namespace

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
  edits_.push_back({begin, end, std::move(text)});
}

void Edits::before(const Statement& statement, const std::vector<std::string>& code) {
  if (code.empty()) return;
  const std::size_t at = statement.begin;
  std::string text;
  if (source_.starts_line(at)) {
    const std::string indent = source_.indentation(at);
    for (const std::string& line : code) text.append(line).append("\n").append(indent);
  } else {
    text = on_one_line(code) + " ";
  }
  edits_.push_back({at, at, text});
}

void Edits::after(const Statement& statement, const std::vector<std::string>& code) {
  if (code.empty()) return;
  if (line_is_over(source_, statement.after)) {
    const std::size_t at = source_.line_end(statement.after);
    const std::string indent = source_.indentation(statement.begin);
    std::string text;
    for (const std::string& line : code) text.append("\n").append(indent).append(line);
    edits_.push_back({at, at, text});
  } else {
    // "if x, y end": y shows its value, so its separator must stay a comma.
    const std::string separator = statement.terminated || statement.kind == StatementKind::directive ? " " : ", ";
    edits_.push_back({statement.after, statement.after, separator + on_one_line(code)});
  }
}

void Edits::at_begin(const Block& block, const std::vector<std::string>& code) {
  if (code.empty()) return;
  if (!block.statements.empty()) return before(block.statements.front(), code);
  edits_.push_back({block.begin, block.begin, fmt::format("\n{}\n", on_one_line(code))});
}

void Edits::add_else(const Block& last_branch, const std::vector<std::string>& code) {
  if (code.empty()) return;
  const std::size_t at = last_branch.end;
  std::string text;
  if (source_.starts_line(at)) {
    const std::string indent = source_.indentation(at);
    text = "else\n";
    for (const std::string& line : code) text.append(indent).append("  ").append(line).append("\n");
    text += indent;
  } else {
    text = "else, " + on_one_line(code) + " ";
  }
  edits_.push_back({at, at, text});
}

Edits::Result Edits::apply() const {
  std::vector<Edit> ordered = edits_;
  // An insertion goes before a replacement that begins at the same place.
  std::stable_sort(ordered.begin(), ordered.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : (a.end == a.begin) > (b.end == b.begin);
  });
  Result result;
  result.source_lines.push_back(1);
  const auto append = [&](std::string_view text, std::size_t offset, bool original) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      result.text += text[i];
      if (text[i] == '\n') result.source_lines.push_back(source_.line(original ? offset + i + 1 : offset));
    }
  };
  std::size_t at = 0;
  for (const Edit& edit : ordered) {
    append(source_.slice(at, edit.begin), at, true);
    append(edit.text, edit.begin, false);
    at = edit.end;
  }
  append(source_.slice(at, source_.size()), at, true);
  return result;
}
}  // namespace sparsecast::memory_traffic
