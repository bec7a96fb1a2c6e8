#include "memory_traffic/counters/counter_layout.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>

#include "memory_traffic/language/lexicon.hpp"

namespace sparsecast::memory_traffic {
namespace {
constexpr std::string_view prefix = "SLM_";
constexpr std::string_view counter_names[] = {
#define TRAFFIC_COUNTER(name) #name,
#include "memory_traffic/counters/counters.def"
};

std::vector<LayoutNumber> all_numbers() {
  // A row of a region: its calls (on the stack: which region it is), its counters, its storage.
  constexpr std::size_t first = 2, last = first + counter_count - 1;
  std::vector<LayoutNumber> numbers{{"SLM_COUNTERS", counter_count},
                                    {"SLM_FIRST", first},
                                    {"SLM_LAST", last},
                                    {"SLM_STORAGE", last + 1},
                                    {"SLM_BINS", reach_bins},
                                    {"SLM_BINS_PER_DOUBLING", bins_per_doubling},
                                    {"SLM_OPERANDS", most_operands},
                                    {"SLM_TRACED", 2 * reach_bins + 2 * most_operands}};
  for (std::size_t column = 0; column < counter_count; ++column) {
    std::string name(prefix);
    for (const char c : counter_names[column]) name += c == '_' ? c : static_cast<char>(c - 'a' + 'A');
    numbers.push_back({std::move(name), column + 1});
  }
  return numbers;
}
}  // namespace

const std::vector<LayoutNumber>& layout_numbers() {
  static const std::vector<LayoutNumber> numbers = all_numbers();
  return numbers;
}

std::string with_layout_numbers(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.empty()) {
      out += text[at++];
      continue;
    }
    at = end;
    const bool capitals = word.size() > prefix.size() && word.starts_with(prefix) &&
                          std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!capitals) {
      out += word;
      continue;
    }
    const auto found = std::ranges::find(layout_numbers(), word, &LayoutNumber::name);
    if (found == layout_numbers().end())
      throw Error(ErrorCode::failed, "the run-time library names a number that does not exist: " + std::string(word));
    out += std::to_string(found->value);
  }
  return out;
}
}  // namespace sparsecast::memory_traffic
