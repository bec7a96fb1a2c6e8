#include "traffic/language/lexicon.hpp"

#include <algorithm>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace sparsecast::embedded {
std::span<const File> traffic_tables();  // src/traffic/language/data/*.tsv
}

namespace sparsecast::memory_traffic {
SourceText::SourceText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') starts_.push_back(i + 1);
}

std::size_t SourceText::line(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

std::size_t SourceText::column(std::size_t offset) const { return offset - starts_[line(offset) - 1] + 1; }

std::string_view SourceText::line_text(std::size_t line) const {
  const std::size_t begin = starts_[line - 1];
  std::string_view found = slice(begin, line_end(begin));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::size_t SourceText::line_end(std::size_t offset) const { return std::min(text_.find('\n', offset), text_.size()); }

std::string SourceText::indentation(std::size_t offset) const {
  const std::size_t begin = starts_[line(offset) - 1];
  std::size_t end = begin;
  while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  return text_.substr(begin, std::min(end, offset) - begin);
}

bool SourceText::starts_line(std::size_t offset) const {
  return starts_[line(offset) - 1] + indentation(offset).size() == offset;
}

Place SourceText::place(std::size_t offset) const {
  return {file_, static_cast<std::int64_t>(line(offset)), static_cast<std::int64_t>(column(offset))};
}

void SourceText::refuse(std::size_t offset, const std::string& reason, const std::string& remedy) const {
  throw Error(ErrorCode::bad_input, reason, place(std::min(offset, text_.size())), remedy);
}

namespace {
// Calls take with every row of an embedded table that is no remark.
template <class Take>
void each_row(std::string_view name, const Take& take) {
  for (const embedded::File& file : embedded::traffic_tables())
    if (file.name == name)
      for (const std::string_view line : base::split(file.text, '\n'))
        if (!line.empty() && !line.starts_with('#')) take(line);
}

// Longest first: the first that fits is the one.
constexpr std::array<std::string_view, 50> symbols = {
    ".*=", "./=", ".\\=", ".^=", "==", "~=", "!=",  "<=", ">=", "&&", "||", ".*", "./", ".\\", ".^", ".'", "**",
    "++",  "--",  "+=",   "-=",  "*=", "/=", "\\=", "^=", "|=", "&=", "+",  "-",  "*",  "/",   "\\", "^",  "<",
    ">",   "&",   "|",    "!",   "~",  ":",  "=",   "@",  ".",  "(",  ")",  "[",  "]",  "{",   "}",  "'"};

std::map<std::string, Builtin, std::less<>> read_table() {
  // In the order of BuiltinKind and of ResultShape.
  constexpr std::string_view kinds[] = {"silent", "call", "elementwise", "reduction", "whole"};
  constexpr std::string_view shapes[] = {"scalar", "logical", "constant", "same", "array", "size", "other"};
  std::map<std::string, Builtin, std::less<>> table;
  each_row("builtins.tsv", [&](std::string_view line) {
    const auto columns = base::split(line, '\t');
    if (columns.size() != 3)
      throw Error(ErrorCode::failed, "a row of builtins.tsv has not three columns: " + std::string(line));
    table[std::string(columns[0])] = {static_cast<BuiltinKind>(std::ranges::find(kinds, columns[1]) - kinds),
                                      static_cast<ResultShape>(std::ranges::find(shapes, columns[2]) - shapes)};
  });
  return table;
}
}  // namespace

bool is_keyword(std::string_view word) {
  static const auto keywords = [] {
    std::set<std::string_view> words;
    each_row("keywords.tsv", [&](std::string_view line) { words.insert(line); });
    return words;
  }();
  return keywords.contains(word);
}

bool opens_statement(std::string_view keyword) {
  return keyword.starts_with("end") ||
         is_one_of(keyword, {"else", "try", "do", "otherwise", "unwind_protect", "unwind_protect_cleanup"});
}

std::string_view symbol_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  for (const std::string_view s : symbols)
    if (!rest.empty() && rest[0] == s[0] && rest.starts_with(s)) return s;
  return {};
}

bool is_assignment(std::string_view op) {
  return op == "=" || (op.size() == 3 && op[2] == '=') ||
         (op.size() == 2 && op[1] == '=' && std::string_view("+-*/\\^|&").find(op[0]) != std::string_view::npos);
}

const std::map<std::string, Builtin, std::less<>>& builtins() {
  static const auto table = read_table();
  return table;
}

const Builtin* find_builtin(std::string_view name) {
  const auto found = builtins().find(name);
  return found == builtins().end() ? nullptr : &found->second;
}
}  // namespace sparsecast::memory_traffic
