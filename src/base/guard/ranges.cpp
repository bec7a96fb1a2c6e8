#include "base/guard/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast::base {
namespace {

// Where a value stands, for the message: made only when it is needed.
struct Step {
  const Step* above;
  std::string_view key;
  std::size_t index;
};

std::string path_of(const Step* step) {
  if (step == nullptr) return {};
  const std::string before = path_of(step->above);
  if (step->key.empty()) return fmt::format("{}[{}]", before, step->index);
  return before.empty() ? std::string(step->key) : fmt::format("{}.{}", before, step->key);
}

[[noreturn]] void refuse(const Step* step, const std::string& reason) {
  throw Error(ErrorCode::bad_input, fmt::format("{} {}", path_of(step), reason));
}

template <class Json>
void check_number(const Json& value, const NumberRange& range, const Step* step) {
  const bool whole = range.kind == Numbers::whole, above = range.kind == Numbers::above;
  if (value.is_null() || (range.kind == Numbers::or_text && value.is_string())) return;
  if (!value.is_number()) refuse(step, "is not a number");
  const auto number = value.template get<double>();
  if (whole && !value.is_number_integer() && number != std::floor(number)) refuse(step, "is not a whole number");
  // A share may exceed its bound by what rounding to decimals adds.
  const double most = whole ? range.most : range.most * (1 + 1e-6);
  if (!(above ? number > range.least : number >= range.least) || number > most)
    refuse(step, fmt::format("is {:.6g}, out of its range from {}{:g} to {:g}", number, above ? "above " : "",
                             range.least, range.most));
}

template <class Json>
void check_at(const Json& value, std::string_view path, const NumberRange& range, const Step* above) {
  if (path.empty()) return check_number(value, range, above);
  const bool every = path.starts_with("[]"), each = path.starts_with("{}");
  if (every || each) {
    if (every ? !value.is_array() : !value.is_object()) return;  // the reader says what it should have been
    path.remove_prefix(2);
    if (path.starts_with('.')) path.remove_prefix(1);
    std::size_t index = 0;
    if (every)
      for (const Json& element : value) {
        const Step step{above, {}, index++};
        check_at(element, path, range, &step);
      }
    else
      for (const auto& [key, member] : value.items()) {
        const Step step{above, key, 0};
        check_at(member, path, range, &step);
      }
    return;
  }
  const std::size_t end = std::min(path.find_first_of(".[{"), path.size());
  const std::string_view key = path.substr(0, end);
  if (!value.is_object()) return;
  const auto found = value.find(key);
  if (found == value.end()) return;
  path.remove_prefix(end);
  if (path.starts_with('.')) path.remove_prefix(1);
  const Step step{above, key, 0};
  check_at(*found, path, range, &step);
}

}  // namespace

void check_ranges(const nlohmann::ordered_json& document, std::span<const NumberRange> table) {
  for (const NumberRange& range : table) check_at(document, range.path, range, nullptr);
}

void check_ranges(const nlohmann::json& document, std::span<const NumberRange> table) {
  for (const NumberRange& range : table) check_at(document, range.path, range, nullptr);
}

}  // namespace sparsecast::base
