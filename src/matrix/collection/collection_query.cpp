#include "matrix/collection/collection_query.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/nearest.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"

namespace sparsecast::matrix {
namespace {
using Entry = CollectionEntry;
using Condition = std::function<bool(const Entry&)>;

constexpr auto numbers = std::to_array<std::pair<std::string_view, double (*)(const Entry&)>>({
#include "matrix/collection/search_numbers.def"
});

constexpr std::array<std::pair<std::string_view, std::string Entry::*>, 3> texts{{
    {"kind", &Entry::kind},
    {"name", &Entry::name},
    {"group", &Entry::group},
}};

constexpr auto properties = std::to_array<std::pair<std::string_view, bool (*)(const Entry&)>>({
#include "matrix/collection/search_properties.def"
});

template <class Table>
auto* find_row(const Table& table, std::string_view name) {
  const auto row = std::ranges::find(table, name, [](const auto& pair) { return pair.first; });
  return row == table.end() ? nullptr : &*row;
}

[[noreturn]] void refuse(std::string_view word) {
  std::vector<std::string> known;
  for (const auto& [name, value] : numbers) known.emplace_back(name);
  for (const auto& [name, value] : texts) known.emplace_back(name);
  for (const auto& [name, value] : properties) known.emplace_back(name);
  const std::string left(word.substr(0, word.find_first_of("<>=~")));
  const bool right_name = std::ranges::find(known, left) != known.end();  // and what stands behind it is wrong
  std::string meant;
  if (!right_name) meant = base::did_you_mean(left, known);
  throw Error(ErrorCode::usage, wording::format("{}: '{}' is not a condition", wording::option("search"), word), {},
              meant.empty()
                  ? "use for example rows>1e5, kind~structural or spd; see " + wording::command("get", {{"help", true}})
                  : meant);
}

Condition number_condition(double (*value)(const Entry&), std::string_view sign, double bound) {
  if (sign == ">") return [=](const Entry& e) { return value(e) > bound; };
  if (sign == "<") return [=](const Entry& e) { return value(e) < bound; };
  if (sign == ">=") return [=](const Entry& e) { return value(e) >= bound; };
  if (sign == "<=") return [=](const Entry& e) { return value(e) <= bound; };
  return [=](const Entry& e) { return value(e) == bound; };
}

Condition condition_of(std::string_view word) {
  const std::size_t at = word.find_first_of("<>=~");
  if (at == std::string_view::npos) {
    const bool contrary = word.starts_with('!');
    const auto* property = find_row(properties, word.substr(contrary ? 1 : 0));
    if (property == nullptr) refuse(word);
    return [contrary, holds = property->second](const Entry& e) { return holds(e) != contrary; };
  }
  const std::string_view left = word.substr(0, at);
  std::string_view sign = word.substr(at, word.find_first_not_of("<>=~", at) - at);
  const std::string_view right = word.substr(std::min(word.size(), at + sign.size()));
  if (sign == "==") sign = "=";
  if (const auto* text = find_row(texts, left); text != nullptr && (sign == "=" || sign == "~")) {
    return [member = text->second, whole = sign == "=", wanted = base::lower_case(right)](const Entry& e) {
      const std::string value = base::lower_case(e.*member);
      return whole ? value == wanted : value.find(wanted) != std::string::npos;
    };
  }
  const auto* number = find_row(numbers, left);
  const auto bound = base::number_in<double>(right);
  if (number == nullptr || sign == "~" || sign.size() > 2 || (sign.size() == 2 && sign[1] != '=') || !bound)
    refuse(word);
  return number_condition(number->second, sign, *bound);
}
}  // namespace

std::vector<CollectionEntry> search(const CollectionIndex& index, std::string_view query) {
  std::vector<Condition> conditions;
  for (std::size_t at = 0; (at = query.find_first_not_of(" \t\n", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(query.find_first_of(" \t\n", at), query.size());
    conditions.push_back(condition_of(base::lower_case(query.substr(at, end - at))));
    at = end;
  }
  std::vector<CollectionEntry> found;
  std::ranges::copy_if(index.entries, std::back_inserter(found), [&](const Entry& entry) {
    return std::ranges::all_of(conditions, [&](const Condition& holds) { return holds(entry); });
  });
  return found;
}
}  // namespace sparsecast::matrix
