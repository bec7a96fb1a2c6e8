#include "matrix/io/numbers/fixed_columns.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sparsecast::matrix {
namespace {
bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A stretch of a line.
struct Stretch {
  std::size_t begin = 0, end = 0;
};

/// Old compilers write "0.5E 01": no number ends with the letter, so the blank belongs to it.
bool is_blank_plus(std::string_view line, std::size_t begin, std::size_t at) {
  constexpr std::string_view letters = "EeDdQq";
  return at >= begin + 2 && at + 1 < line.size() && line[at] == ' ' &&
         letters.find(line[at - 1]) != std::string_view::npos && (is_digit(line[at - 2]) || line[at - 2] == '.') &&
         is_digit(line[at + 1]);
}

/// What blanks set apart.
void find_words(std::string_view line, std::vector<Stretch>& words) {
  words.clear();
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_gap(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t begin = at;
    while (at < line.size() && (!is_gap(line[at]) || is_blank_plus(line, begin, at))) ++at;
    words.push_back({begin, at});
  }
}

/// Cuts by the columns of the format; the first field that does not hold one whole number is the fault.
LineCut cut_by_columns(std::string_view line, const FortranFormat& format, std::size_t count,
                       const std::vector<Stretch>& words, std::vector<FieldText>& fields) {
  const auto fault = [](std::size_t field, std::size_t at, std::string reason) {
    return LineCut{false, field, static_cast<std::int64_t>(at) + 1, std::move(reason)};
  };
  std::size_t next = 0, covered_to = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto begin = static_cast<std::size_t>(format.fields[k].begin);
    const std::size_t end = begin + static_cast<std::size_t>(format.fields[k].width);
    while (next < words.size() && words[next].end <= begin) ++next;
    if (next == words.size() || words[next].begin >= end) return fault(k, begin, "is missing");
    const Stretch part{std::max(begin, words[next].begin), std::min(end, words[next].end)};
    if (next + 1 < words.size() && words[next + 1].begin < end) {
      return fault(k, part.begin,
                   fmt::format("its field has a blank within, {}", shown(line.substr(begin, end - begin))));
    }
    // Of two numbers that touch, the second fills its field to the end; what is shorter was cut out of another.
    if (part.begin > words[next].begin && part.end != end) {
      return fault(k, part.begin,
                   fmt::format("its field begins within {}",
                               shown(line.substr(words[next].begin, words[next].end - words[next].begin))));
    }
    const bool outside_before = std::any_of(line.begin() + static_cast<std::ptrdiff_t>(covered_to),
                                            line.begin() + static_cast<std::ptrdiff_t>(std::min(begin, line.size())),
                                            [](char c) { return !is_gap(c); });
    if (outside_before) return fault(k, covered_to, "there is text before its field");
    covered_to = std::min(end, line.size());
    fields.push_back({line.substr(part.begin, part.end - part.begin), static_cast<std::int64_t>(part.begin) + 1});
  }
  const auto rest = std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(covered_to), line.end(), is_gap);
  if (rest != line.end())
    return fault(count - 1, static_cast<std::size_t>(rest - line.begin()), "there is text after its field");
  return {};
}
}  // namespace

LineCut cut_line(std::string_view line, const FortranFormat& format, std::size_t count,
                 std::vector<FieldText>& fields) {
  thread_local std::vector<Stretch> words;  // room that the next line takes again
  find_words(line, words);
  fields.clear();
  LineCut cut;
  if (format.has_widths()) {
    cut = cut_by_columns(line, format, count, words, fields);
    if (cut.reason.empty()) return cut;
  }
  if (words.size() == count) {
    fields.clear();
    for (const auto [begin, end] : words)
      fields.push_back({line.substr(begin, end - begin), static_cast<std::int64_t>(begin) + 1});
    return {.by_blanks = true};
  }
  if (cut.reason.empty()) {
    cut.field = std::min(words.size(), count - 1);
    cut.column = static_cast<std::int64_t>(words.size() > count ? words[count].begin : line.size()) + 1;
    cut.reason = words.size() > count ? "there is text after it" : "is missing";
  }
  cut.reason += fmt::format(" (format {}, {} for this line; blanks set {} apart)", format.text, count, words.size());
  return cut;
}
}  // namespace sparsecast::matrix
