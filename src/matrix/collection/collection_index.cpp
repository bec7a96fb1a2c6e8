#include "matrix/collection/collection_index.hpp"
#include "fields/wording.hpp"
#include "matrix/collection/collection.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <iterator>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/nearest.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::int64_t most_matrices = 1'000'000;

struct IndexLine {
  const std::string& file;
  std::int64_t number;

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorCode::bad_input, reason, {file, number},
                "fetch the index again: " + wording::command("get", {{"refresh", true}}));
  }

  template <class Number>
  Number parsed(std::string_view field, const char* what) const {
    const auto value = base::number_in<Number>(field);
    if (!value || !(*value >= 0)) refuse(fmt::format("the {} '{}' is not a number", what, field.substr(0, 40)));
    return *value;
  }
};

// Next line of the text, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

CollectionEntry parse_row(std::string_view text, const IndexLine& line, int id) {
  const std::vector<std::string_view> fields = base::split(text, ',');
  if (fields.size() < 12) line.refuse(fmt::format("has {} of its 13 fields", fields.size()));
  CollectionEntry entry;
  entry.id = id;
  entry.group = fields[0];
  entry.name = fields[1];
  if (!is_collection_name(entry.group) || !is_collection_name(entry.name))
    line.refuse("is for a matrix whose group or name cannot be a folder or file name");
  entry.rows = line.parsed<std::int64_t>(fields[2], "number of rows");
  entry.cols = line.parsed<std::int64_t>(fields[3], "number of columns");
  entry.nonzeros = line.parsed<std::int64_t>(fields[4], "number of non-zeros");
  entry.real = fields[5] == "1";
  entry.binary = fields[6] == "1";
  entry.mesh = fields[7] == "1";
  entry.positive_definite = fields[8] == "1";
  entry.pattern_symmetry = line.parsed<double>(fields[9], "symmetry of the pattern");
  entry.value_symmetry = line.parsed<double>(fields[10], "symmetry of the values");
  // Kinds have commas of their own. The number behind them was added later.
  std::size_t after = fields.size();
  if (after > 12 && fields.back().find_first_not_of("0123456789") == std::string_view::npos) {
    --after;
    const auto entries = fields.back().empty() ? 0 : line.parsed<std::int64_t>(fields.back(), "number of entries");
    if (entries >= entry.nonzeros) entry.entries = entries;
  }
  entry.kind =
      fmt::format("{}", fmt::join(fields.begin() + 11, fields.begin() + static_cast<std::ptrdiff_t>(after), ","));
  return entry;
}

std::vector<const CollectionEntry*> named(const CollectionIndex& index, std::string_view wanted, bool by_letter) {
  const auto same = [&](const std::string& name) {
    return by_letter ? name == wanted : base::lower_case(name) == base::lower_case(wanted);
  };
  const bool with_group = wanted.find('/') != std::string_view::npos;
  std::vector<const CollectionEntry*> found;
  for (const CollectionEntry& entry : index.entries)
    if (same(with_group ? entry.full_name() : entry.name)) found.push_back(&entry);
  return found;
}
}  // namespace

bool is_collection_name(std::string_view word) {
  constexpr std::size_t longest = 120;
  const auto usual = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '+' || c == '-';
  };
  return !word.empty() && word.size() <= longest && word.front() != '.' && std::ranges::all_of(word, usual);
}

CollectionIndex parse_collection_index(std::string_view text, const std::string& file) {
  CollectionIndex index;
  IndexLine line{file, 1};
  const std::string_view count_text = take_line(text);
  const auto count = line.parsed<std::int64_t>(count_text, "number of matrices");
  if (count > most_matrices) line.refuse(fmt::format("announces {} matrices", base::format_count(count)));
  index.date = std::string(take_line(text)).substr(0, 80);
  for (line.number = 3; !text.empty(); ++line.number) {
    const std::string_view row = take_line(text);
    if (row.empty()) continue;
    if (static_cast<std::int64_t>(index.entries.size()) == count) line.refuse("is one matrix more than announced");
    index.entries.push_back(parse_row(row, line, static_cast<int>(index.entries.size()) + 1));
  }
  if (static_cast<std::int64_t>(index.entries.size()) != count)
    line.refuse(fmt::format("the index ends after {} of {} matrices", index.entries.size(), count));
  return index;
}

const CollectionEntry& find_matrix(const CollectionIndex& index, std::string_view wanted) {
  std::vector<const CollectionEntry*> found = named(index, wanted, true);
  if (found.empty()) found = named(index, wanted, false);
  if (found.size() == 1) return *found.front();
  std::vector<std::string> names;
  if (found.size() > 1) {
    for (const CollectionEntry* entry : found) names.push_back(entry->full_name());
    throw Error(ErrorCode::usage, fmt::format("the name '{}' is in {} groups", wanted, found.size()), {},
                fmt::format("use one of {}", fmt::join(names, ", ")));
  }
  if (const auto id = base::number_in<std::size_t>(wanted).value_or(0); id >= 1 && id <= index.entries.size())
    return index.entries[id - 1];
  const bool with_group = wanted.find('/') != std::string_view::npos;
  for (const CollectionEntry& entry : index.entries) names.push_back(with_group ? entry.full_name() : entry.name);
  const std::vector<std::string> near = base::nearest(wanted, names);
  throw Error(ErrorCode::usage, fmt::format("the collection has no matrix '{}'", wanted), {},
              (near.empty() ? std::string() : fmt::format("did you mean {}? ", fmt::join(near, ", "))) +
                  wording::command("get", {{"search", "name~WORD"}}) + " searches the names");
}
}  // namespace sparsecast::matrix
