#include "base/guard/parse_json.hpp"

#include <deque>
#include <functional>
#include <mutex>

#include "base/embedded.hpp"
#include "fields/json.hpp"

namespace sparsecast::base {
namespace {
constexpr int most_nesting = 200;

// `byte` counts from 1, as the parser's do.
Place place_of_byte(std::string_view text, std::size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const std::size_t end = before.rfind('\n');
  return {file, 1 + std::ranges::count(before, '\n'),
          static_cast<std::int64_t>(before.size() - (end == std::string_view::npos ? 0 : end + 1)) + 1};
}

// The byte (from 1) of the first bracket that opens one level too many; 0 where there is none.
std::size_t too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '\\') ++k;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_nesting) return k + 1;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return 0;
}

// What stands between the last two quotes of the parser's message: the number.
std::string_view last_quoted(std::string_view message) {
  const std::size_t end = message.rfind('\'');
  if (end == std::string_view::npos || end == 0) return {};
  const std::size_t begin = message.rfind('\'', end - 1);
  return begin == std::string_view::npos ? std::string_view() : message.substr(begin + 1, end - begin - 1);
}

template <class Json>
Json parse_as(std::string_view text, const JsonSource& source) {
  const auto refuse = [&](std::string reason, std::size_t byte) {
    return Error(source.code, std::move(reason), place_of_byte(text, byte, source.file), source.remedy);
  };
  if (const std::size_t byte = too_deep(text); byte > 0)
    throw refuse(fmt::format("nested deeper than {} levels", most_nesting), byte);
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error& wrong) {
    const bool letters = std::string_view(wrong.what()).find("UTF-8") != std::string_view::npos;
    throw refuse(fmt::format("not JSON at byte {}{}", wrong.byte, letters ? ": no UTF-8" : ""), wrong.byte);
  } catch (const typename Json::out_of_range& wrong) {
    const std::string_view number = last_quoted(wrong.what());
    const std::size_t at = number.empty() ? std::string_view::npos : text.find(number);
    throw refuse(fmt::format("{}{} is too large a number", number.substr(0, 20), number.size() > 20 ? "…" : ""),
                 at == std::string_view::npos ? 0 : at + 1);
  }
}

template <class Json>
void check_number(const Json& value, const NumberRange& range, const fields::JsonPlace& place) {
  const bool whole = range.kind == Numbers::whole, above = range.kind == Numbers::above;
  if (value.is_null() || (range.kind == Numbers::or_text && value.is_string())) return;
  if (!value.is_number()) refuse(place, "is not a number");
  const auto number = value.template get<double>();
  if (whole && !value.is_number_integer() && (number != std::floor(number) || number > range.most))
    refuse(place, "is no whole number");
  // A share may exceed its bound by what rounding to decimals adds.
  const double most = whole ? range.most : range.most * (1 + 1e-6);
  if (!(above ? number > range.least : number >= range.least) || number > most)
    refuse(place, fmt::format("is {}, not {} {} and {}{}", value.dump().substr(0, 24), above ? "above" : "between",
                              range.least, above ? "at most " : "", range.most));
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

nlohmann::ordered_json parse_json(std::string_view text, const JsonSource& source) {
  return parse_as<nlohmann::ordered_json>(text, source);
}

nlohmann::json parse_sorted_json(std::string_view text, const JsonSource& source) {
  return parse_as<nlohmann::json>(text, source);
}

std::string json_reason(const std::exception& wrong) {
  const std::string_view words = wrong.what();
  const std::size_t number = words.starts_with("[json.exception.") ? words.find("] ") : std::string_view::npos;
  return std::string(words.substr(number == std::string_view::npos ? 0 : number + 2));
}

std::string json_text(const nlohmann::ordered_json& document, int indent) {
  return document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

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
