#include "base/guard/number_ranges.hpp"

#include <deque>
#include <functional>
#include <mutex>

#include "base/embedded.hpp"
#include "fields/json.hpp"

namespace sparsecast::base {
namespace {
template <class Json>
void check_number(const Json& value, const NumberRange& range, const fields::JsonPlace& place) {
  const bool whole = range.kind == Numbers::whole, above = range.kind == Numbers::above;
  if (value.is_null() || (range.kind == Numbers::or_text && value.is_string())) return;
  if (!value.is_number()) fields::refuse(place, "is not a number");
  const auto number = value.template get<double>();
  if (whole && !value.is_number_integer() && (number != std::floor(number) || number > range.most))
    fields::refuse(place, "is not a whole number");
  // A share may exceed its bound by what rounding to decimals adds.
  const double most = whole ? range.most : range.most * (1 + 1e-6);
  if (!(above ? number > range.least : number >= range.least) || number > most)
    fields::refuse(place, fmt::format("is {}, not {} {} and {}{}", value.dump().substr(0, 24),
                                      above ? "above" : "between", range.least, above ? "at most " : "", range.most));
}

template <class Json>
void check_at(const Json& value, std::string_view path, const NumberRange& range, const fields::JsonPlace& place) {
  if (path.empty()) return check_number(value, range, place);
  const bool every = path.starts_with("[]"), each = path.starts_with("{}");
  if (every || each) {
    if (every ? !value.is_array() : !value.is_object()) return;  // the reader says what it should have been
    path.remove_prefix(2);
    if (path.starts_with('.')) path.remove_prefix(1);
    std::size_t index = 0;
    if (every)
      for (const Json& element : value) {
        const fields::JsonPlace step{&place, {}, index++};
        check_at(element, path, range, step);
      }
    else
      for (const auto& [key, member] : value.items()) {
        const fields::JsonPlace step{&place, key, 0};
        check_at(member, path, range, step);
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
  const fields::JsonPlace step{&place, key, 0};
  check_at(*found, path, range, step);
}

// The numbers of a schema by their paths.
class SchemaNumbers {
 public:
  SchemaNumbers(std::string_view text, const std::string& property) : whole_(nlohmann::json::parse(text)) {
    collect(property.empty() ? whole_ : whole_["properties"][property], {}, Numbers::any);
  }
  [[nodiscard]] std::span<const NumberRange> table() const { return table_; }

 private:
  void collect(const nlohmann::json& schema, const std::string& path, Numbers kind) {
    if (const auto there = schema.find("$ref"); there != schema.end()) {
      const auto& name = there->get_ref<const std::string&>();
      if (name.starts_with('#')) collect(whole_.at(nlohmann::json::json_pointer(name.substr(1))), path, kind);
      return;
    }
    for (const char* const some : {"oneOf", "anyOf", "allOf"}) {
      const auto list = schema.value(some, nlohmann::json::array());
      const bool text =
          std::ranges::any_of(list, [](const auto& one) { return one.value("type", nlohmann::json()) == "string"; });
      for (const auto& one : list) collect(one, path, text ? Numbers::or_text : kind);
    }
    if (const auto properties = schema.find("properties"); properties != schema.end())
      for (const auto& [name, inner] : properties->items())
        collect(inner, path.empty() ? name : fmt::format("{}.{}", path, name), Numbers::any);
    if (const auto items = schema.find("items"); items != schema.end()) collect(*items, path + "[]", Numbers::any);
    if (const auto others = schema.find("additionalProperties"); others != schema.end() && others->is_object())
      collect(*others, path + "{}", Numbers::any);
    const auto type = schema.value("type", nlohmann::json());
    const bool above = schema.contains("exclusiveMinimum");
    if ((type != "integer" && type != "number") || !schema.contains("maximum")) return;
    table_.push_back({paths_.emplace_back(path), schema.at(above ? "exclusiveMinimum" : "minimum").get<double>(),
                      schema["maximum"].get<double>(),
                      type == "integer" ? Numbers::whole
                      : above           ? Numbers::above
                                        : kind});
  }

  nlohmann::json whole_;
  std::deque<std::string> paths_;
  std::vector<NumberRange> table_;
};
}  // namespace

void check_ranges(const nlohmann::ordered_json& document, std::span<const NumberRange> table) {
  for (const NumberRange& range : table) check_at(document, range.path, range, {});
}

void check_ranges(const nlohmann::json& document, std::span<const NumberRange> table) {
  for (const NumberRange& range : table) check_at(document, range.path, range, {});
}

std::span<const NumberRange> schema_ranges(std::string_view schema, const std::string& property) {
  static std::mutex mutex;
  static std::map<std::string, SchemaNumbers, std::less<>> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(schema);
  if (found == known.end()) {
    const auto files = embedded::schemas();
    const auto file = std::ranges::find(files, std::string(schema) + ".schema.json", &embedded::File::name);
    found = known.try_emplace(std::string(schema), file->text, property).first;
  }
  return found->second.table();
}
}  // namespace sparsecast::base
