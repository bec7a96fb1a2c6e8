#include "base/page/text_table.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace sparsecast::base {
namespace {
using Rows = std::vector<std::vector<std::string>>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t gap = 2;
constexpr std::size_t least_words = 16;  // columns of a cell of words

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string_view word : split(text, ' ')) longest = std::max(longest, columns(word));
  return longest;
}

// What a table needs of its columns: the widest cell, and the least that it can do with.
struct Needs {
  Widths widths, least;

  Needs(const Rows& rows, bool words_last) {
    for (const auto& row : rows) widths.resize(std::max(widths.size(), row.size()));
    least = widths;
    for (const auto& row : rows)
      for (std::size_t c = 0; c < row.size(); ++c) {
        const bool head = &row == rows.data(), words = words_last && c + 1 == widths.size();
        widths[c] = std::max(widths[c], columns(row[c]));
        const std::size_t needed = head ? longest_word(row[c]) : words ? least_words : columns(row[c]);
        least[c] = std::max(least[c], std::min(needed, columns(row[c])));
      }
  }
};

std::size_t total(const Widths& widths) {
  return std::accumulate(widths.begin(), widths.end(), gap * (widths.empty() ? 0 : widths.size() - 1));
}

// Narrower columns, the one that can give most first, until the table fits or none can give more.
Widths fitted(const Needs& needs, std::size_t width) {
  Widths widths = needs.widths;
  for (std::size_t excess = total(widths); excess > width; excess = total(widths)) {
    std::size_t widest = 0, most = 0;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] - needs.least[c] > most) most = widths[c] - needs.least[c], widest = c;
    if (most == 0) break;
    widths[widest] -= std::min(most, excess - width);
  }
  return widths;
}

// One row, in as many lines as its highest cell. Headings stand on their last line.
std::string row_text(const std::vector<std::string>& row, const Widths& widths, bool words_last, bool head) {
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 1;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(columns(row[c]) <= widths[c] ? std::vector{row[c]} : folded_words(row[c], widths[c], true));
    lines = std::max(lines, cells.back().size());
  }
  std::string out;
  for (std::size_t l = 0; l < lines; ++l) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t above = head ? lines - cells[c].size() : 0;
      const std::string cell = l >= above && l - above < cells[c].size() ? cells[c][l - above] : std::string();
      const std::string blanks(widths[c] - std::min(widths[c], columns(cell)), ' ');
      if (c > 0) line.append(gap, ' ');
      line += c == 0 || (words_last && c + 1 == widths.size()) ? cell + blanks : blanks + cell;
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

// These columns of all rows as one table.
std::string block_text(const Rows& rows, const Widths& widths, const std::vector<std::size_t>& taken, bool words_last,
                       const Layout& page) {
  Widths own;
  for (const std::size_t c : taken) own.push_back(widths[c]);
  std::string out;
  for (const auto& row : rows) {
    std::vector<std::string> part;
    for (const std::size_t c : taken)
      if (c < row.size()) part.push_back(row[c]);
    const bool head = &row == rows.data();
    const std::string text = row_text(part, own, words_last && taken.back() + 1 == widths.size(), head);
    if (!head) {
      out += text;
      continue;
    }
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) out += bold(line, page) + '\n';
  }
  return out;
}
}  // namespace

TextTable::TextTable(std::vector<std::string> head) { rows_.push_back(std::move(head)); }

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

void TextTable::add_with_note(std::vector<std::string> row, std::string note) {
  auto place = std::ranges::find(notes_, note);
  if (place == notes_.end()) place = notes_.insert(place, std::move(note));
  row.push_back('[' + std::to_string(place - notes_.begin() + 1) + ']');
  add(std::move(row));
}

void TextTable::words_last() { words_last_ = true; }

void TextTable::keys(std::size_t columns) { keys_ = std::max<std::size_t>(columns, 1); }

std::string TextTable::text(const Layout& page) const {
  const auto width = static_cast<std::size_t>(std::max(page.width, 20));
  const Needs needs(rows_, words_last_);
  Widths widths = fitted(needs, width);
  if (total(widths) > width) widths = needs.widths;  // goes on below, so nothing need be narrow
  if (widths.empty()) return {};
  const std::size_t keys = std::min(keys_, widths.size());
  std::vector<std::size_t> first(keys);
  std::iota(first.begin(), first.end(), 0);
  // Keys that leave no room for another column are folded within their words.
  const std::size_t room = (width - std::min(width - 10, gap + least_words)) / keys - (keys > 1 ? gap : 0);
  std::size_t filled_by_keys = 0;
  for (const std::size_t c : first) {
    if (filled_by_keys + widths[c] > width * 2 / 3) widths[c] = std::min(widths[c], room);
    filled_by_keys += widths[c] + (c + 1 < keys ? gap : 0);
  }
  std::string out;
  for (std::size_t next = keys; next <= widths.size();) {
    std::vector<std::size_t> taken = first;
    std::size_t filled = filled_by_keys;
    while (next < widths.size() && (taken.size() == keys || filled + gap + widths[next] <= width)) {
      widths[next] = std::min(widths[next], width - gap - std::min(width - gap - 1, filled_by_keys));
      filled += gap + widths[next];
      taken.push_back(next++);
    }
    out += (out.empty() ? "" : "\n") + block_text(rows_, widths, taken, words_last_, page);
    if (next == widths.size()) break;
  }
  for (std::size_t n = 0; n < notes_.size(); ++n) {
    const std::string mark = '[' + std::to_string(n + 1) + "] ";
    std::string before = mark;
    for (const std::string& line : folded_words(notes_[n], width - mark.size(), false)) {
      out += before + line + '\n';
      before.assign(mark.size(), ' ');
    }
  }
  return out;
}
}  // namespace sparsecast::base
