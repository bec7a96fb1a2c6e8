#pragma once
// The schema of documents that are made of structs with fields (fields/json.hpp), as the files of docs/schemas/
// hold it.

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "fields/json.hpp"

namespace sparsecast::fields {
// `Reading`: of documents that are read, which may lack lenient fields and have others beside; else of those written.
template <class T, bool Reading = false>
[[nodiscard]] Json schema_of_value(const FieldInfo& field);

inline Json with_bounds(Json schema, const NumberBounds& bounds) {
  if (!bounds.given) return schema;
  schema[bounds.above ? "exclusiveMinimum" : "minimum"] = bounds.least;
  constexpr double everything = 9007199254740992.0;
  if (bounds.most < everything) schema["maximum"] = bounds.most;
  return schema;
}

inline Json or_null(Json schema) { return {{"anyOf", Json::array({std::move(schema), Json{{"type", "null"}}})}}; }

template <HasFields Struct, bool Reading>
void schema_of_fields(Json& properties, Json& required) {
  each_field<Struct>([&](const auto& field) {
    using T = typename std::remove_cvref_t<decltype(field)>::type;
    if constexpr (HasFields<T>) {
      if (field.merged) return schema_of_fields<T, Reading>(properties, required);
    }
    if constexpr (is_optional<T>) {
      if constexpr (HasFields<typename T::value_type>) {
        if (field.merged) {
          Json nothing = Json::array();
          return schema_of_fields<typename T::value_type, Reading>(properties, nothing);
        }
      }
    }
    Json schema = schema_of_value<T, Reading>(field);
    if (!field.about.empty()) schema["description"] = field.about;
    const std::string key(field.key);
    properties[key] = std::move(schema);
    if (!field.omitted && !(Reading && field.lenient)) required.push_back(key);
  });
}

template <HasFields Struct, bool Reading = false>
[[nodiscard]] Json schema_of() {
  Json properties = Json::object(), required = Json::array();
  schema_of_fields<Struct, Reading>(properties, required);
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", Reading}};
}

template <class T, bool Reading>
Json schema_of_value(const FieldInfo& field) {
  if constexpr (is_optional<T>) {
    Json schema = schema_of_value<typename T::value_type, Reading>(field);
    // A number that is left out where nothing was asked may be asked for and still not be known.
    constexpr bool number = std::is_floating_point_v<typename T::value_type>;
    return field.omitted && !number ? schema : or_null(std::move(schema));
  } else if constexpr (is_pairs<T>) {
    return {{"type", "object"}, {"additionalProperties", schema_of_value<typename T::value_type::second_type>(field)}};
  } else if constexpr (is_variant<T>) {
    return [&]<class... One>(std::type_identity<std::variant<One...>>) {
      return Json{{"anyOf", Json::array({schema_of_value<One>(field)...})}};
    }(std::type_identity<T>());
  } else if constexpr (is_vector<T>) {
    return {{"type", "array"}, {"items", schema_of_value<typename T::value_type, Reading>(field)}};
  } else if constexpr (is_map<T>) {
    return {{"type", "object"}, {"additionalProperties", schema_of_value<typename T::mapped_type, Reading>(field)}};
  } else if constexpr (HasWords<T>) {
    Json words = Json::array();
    for (const auto& [value, word] : Words<T>::table) words.push_back(word);
    return {{"enum", std::move(words)}};
  } else if constexpr (IsList<T>) {
    Json items = Json::array();
    each_field<T>([&](const auto& one) {
      items.push_back(schema_of_value<typename std::remove_cvref_t<decltype(one)>::type>(one));
      items.back()["description"] = one.about;
    });
    const std::size_t count = items.size();
    return {{"type", "array"}, {"prefixItems", std::move(items)}, {"minItems", count}, {"maxItems", count}};
  } else if constexpr (HasFields<T>) {
    return schema_of<T, Reading>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!field.yes.empty()) return {{"enum", Json::array({field.no, field.yes})}};
    return {{"type", "boolean"}};
  } else if constexpr (is_number<T>) {
    if (field.truth) return {{"type", "boolean"}};
    return with_bounds({{"type", std::is_integral_v<T> || field.rounded ? "integer" : "number"}}, field.bounds);
  } else {
    static_assert(is_text<T> || HasJsonText<T>, "a field of a type that documents do not have");
    return {{"type", "string"}};
  }
}

/// The schema file of a document "sparsecast/NAME/1".
template <HasFields Struct, bool Reading = false>
[[nodiscard]] Json document_schema(const std::string& name) {
  const Json body = schema_of<Struct, Reading>();
  Json properties{{"schema", {{"const", "sparsecast/" + name + "/1"}}}};
  properties.update(body["properties"]);
  Json required = Json::array();
  required.push_back("schema");
  for (const Json& key : body["required"]) required.push_back(key);
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"$id", "sparsecast/" + name + "/1"},
          {"title", Fields<Struct>::about},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", Reading}};
}

/// The same of a document that is one of several structs.
template <HasFields... Struct>
[[nodiscard]] Json schema_of_any(const std::string& name, std::string_view title) {
  Json any = Json::array();
  (any.push_back(document_schema<Struct>(name)), ...);
  for (Json& one : any) {
    one.erase("$schema");
    one.erase("$id");
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"$id", "sparsecast/" + name + "/1"},
          {"title", title},
          {"oneOf", std::move(any)}};
}
}  // namespace sparsecast::fields
