#pragma once
// JSON of structs by the tables of their fields: written, and read with its ranges. Their schemas:
// tests/support/written_schema.hpp.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/error.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "fields/fields.hpp"

namespace sparsecast::fields {
using Json = nlohmann::ordered_json;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;
// An object whose order counts.
template <class T>
inline constexpr bool is_pairs = false;
template <class T>
inline constexpr bool is_pairs<std::vector<std::pair<std::string, T>>> = true;
// A number or a text.
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
// Its numbers stand among those of the list that it is in.
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Whether a document leaves the value out where its field says so; `begun`: what the struct begins with.
template <class T>
[[nodiscard]] bool is_nothing(const T& value, const T& begun) {
  if constexpr (is_optional<T>) {
    return !value.has_value();
  } else if constexpr (is_vector<T> || is_map<T> || is_text<T>) {
    return value.empty();
  } else if constexpr (HasJsonText<T>) {
    return value == T{};
  } else if constexpr (HasFields<T>) {
    bool nothing = true;
    each_field<T>([&](const auto& field) { nothing = nothing && is_nothing(field.in(value), field.in(begun)); });
    return nothing;
  } else {
    return value == begun;
  }
}

// ---- written

template <HasFields Struct>
[[nodiscard]] Json written(const Struct& object);

template <class T>
[[nodiscard]] Json written(const T& value, const FieldInfo& field) {
  if constexpr (is_optional<T>) {
    return value ? written(*value, field) : Json();
  } else if constexpr (is_pairs<T>) {
    Json object = Json::object();
    for (const auto& [key, one] : value) object[key] = written(one, field);
    return object;
  } else if constexpr (is_variant<T>) {
    return std::visit([&](const auto& one) { return written(one, field); }, value);
  } else if constexpr (is_vector<T>) {
    Json list = Json::array();
    for (const auto& one : value) list.push_back(written<typename T::value_type>(one, field));
    return list;
  } else if constexpr (is_map<T>) {
    Json object = Json::object();
    for (const auto& [key, one] : value) object[key] = written(one, field);
    return object;
  } else if constexpr (HasWords<T>) {
    return word_of(value);
  } else if constexpr (HasJsonText<T>) {
    return value.json();
  } else if constexpr (IsList<T>) {
    Json list = Json::array();
    each_field<T>([&](const auto& one) {
      if constexpr (is_array<typename std::remove_cvref_t<decltype(one)>::type>)
        for (const auto& number : one.in(value)) list.push_back(written(number, one));
      else
        list.push_back(written(one.in(value), one));
    });
    return list;
  } else if constexpr (HasFields<T>) {
    return written(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return field.rounded ? Json(std::llround(value)) : Json(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return field.yes.empty() ? Json(value) : Json(value ? field.yes : field.no);
  } else if constexpr (std::is_integral_v<T>) {
    return field.truth ? Json(value == 1) : Json(value);
  } else {
    static_assert(is_text<T>, "include the table of this type (fields/NAME.hpp)");
    return value;
  }
}

template <HasFields Struct>
void write_fields(const Struct& object, Json& into) {
  each_field<Struct>([&](const auto& field) {
    using T = typename std::remove_cvref_t<decltype(field)>::type;
    const T& value = field.in(object);
    static const Struct begun{};
    if (field.omitted && is_nothing(value, field.in(begun))) return;
    if constexpr (HasFields<T> && !IsList<T>) {
      if (field.merged) return write_fields(value, into);
    }
    if constexpr (is_optional<T>) {
      if constexpr (HasFields<typename T::value_type>) {
        if (field.merged) return write_fields(*value, into);
      }
    }
    into[std::string(field.key)] = written(value, field);
  });
}

/// The document of a struct: its fields in their order.
template <HasFields Struct>
[[nodiscard]] Json written(const Struct& object) {
  Json out = Json::object();
  write_fields(object, out);
  return out;
}

// ---- read

/// Where a value stands, for messages: made only when one is needed.
struct JsonPlace {
  const JsonPlace* above = nullptr;
  std::string_view key;
  std::size_t index = 0;
  [[nodiscard]] std::string path() const;
};

[[noreturn]] void refuse(const JsonPlace& place, std::string_view reason);
/// Error bad_input that names the place of a number out of its bounds.
void check_bounds(double number, bool whole, const NumberBounds& bounds, const JsonPlace& place);

/// Whether a whole number is kept as it is.
template <class T>
bool is_in_range(const Json& json) {
  if (json.is_number_unsigned()) return std::in_range<T>(json.get<std::uint64_t>());
  if (json.is_number_integer()) return std::in_range<T>(json.get<std::int64_t>());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits), number = json.get<double>();
  return number >= (std::is_signed_v<T> ? -beyond : 0) && number < beyond;
}

template <HasFields Struct>
void read_fields(const Json& json, Struct& into, const JsonPlace& place);

template <class T>
void read_value(const Json& json, T& into, const FieldInfo& field, const JsonPlace& place);

/// The first of a variant's types that a value is of.
template <class T, std::size_t... Index>
void read_alternative(const Json& json, T& into, const FieldInfo& field, const JsonPlace& place,
                      std::index_sequence<Index...>) {
  const auto take = [&]<std::size_t Number>() {
    using One = std::variant_alternative_t<Number, T>;
    if (!(is_text<One> ? json.is_string() : std::is_integral_v<One> ? json.is_number_integer() : json.is_number()))
      return false;
    read_value(json, into.template emplace<Number>(), field, place);
    return true;
  };
  if (!(take.template operator()<Index>() || ...)) refuse(place, "is neither a number nor a text");
}

/// Elements of a struct that documents have as a list.
template <IsList T>
[[nodiscard]] constexpr std::size_t list_length() {
  std::size_t length = 0;
  each_field<T>([&](const auto& one) {
    using F = typename std::remove_cvref_t<decltype(one)>::type;
    if constexpr (is_array<F>)
      length += std::tuple_size_v<F>;
    else
      ++length;
  });
  return length;
}

template <class T>
void read_value(const Json& json, T& into, const FieldInfo& field, const JsonPlace& place) {
  if constexpr (is_optional<T>) {
    if (json.is_null()) return into.reset();
    read_value(json, into.emplace(), field, place);
  } else if constexpr (is_pairs<T>) {
    if (!json.is_object()) refuse(place, "is not an object");
    into.clear();
    for (const auto& [key, one] : json.items())
      read_value(one, into.emplace_back(key, typename T::value_type::second_type{}).second, field,
                 JsonPlace{&place, key, 0});
  } else if constexpr (is_variant<T>) {
    read_alternative(json, into, field, place, std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (is_vector<T>) {
    if (!json.is_array()) refuse(place, "is not a list");
    into.clear();
    std::size_t index = 0;
    for (const Json& one : json) {
      const JsonPlace element{&place, {}, index++};
      typename T::value_type value{};
      read_value(one, value, field, element);
      into.push_back(std::move(value));
    }
  } else if constexpr (is_map<T>) {
    if (!json.is_object()) refuse(place, "is not an object");
    for (const auto& [key, one] : json.items()) read_value(one, into[key], field, JsonPlace{&place, key, 0});
  } else if constexpr (HasWords<T>) {
    if (json.is_string())
      for (const auto& [value, word] : Words<T>::table)
        if (json.get_ref<const std::string&>() == word) return void(into = value);
    refuse(place, "is not one of the allowed words");
  } else if constexpr (HasJsonText<T>) {
    if (!json.is_string()) refuse(place, "is not a text");
    try {
      into = T::from_json(json.get_ref<const std::string&>());
    } catch (const Error& wrong) {
      refuse(place, "cannot be read: " + wrong.reason());
    }
  } else if constexpr (IsList<T>) {
    if (!json.is_array() || json.size() != list_length<T>())
      refuse(place, fmt::format("is not a list of {} entries", list_length<T>()));
    std::size_t index = 0;
    each_field<T>([&](const auto& one) {
      const auto take = [&](auto& value) {
        read_value(json[index], value, one, JsonPlace{&place, {}, index});
        ++index;
      };
      if constexpr (is_array<typename std::remove_cvref_t<decltype(one)>::type>)
        std::ranges::for_each(one.in(into), take);
      else
        take(one.in(into));
    });
  } else if constexpr (HasFields<T>) {
    read_fields(json, into, place);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (field.yes.empty()) {
      if (!json.is_boolean()) refuse(place, "is neither true nor false");
      into = json.get<bool>();
    } else {
      into = json == Json(field.yes);
      if (!into && json != Json(field.no))
        refuse(place, fmt::format("is {}, neither \"{}\" nor \"{}\"", json.dump().substr(0, 24), field.no, field.yes));
    }
  } else if constexpr (is_number<T>) {
    if (field.truth) {
      if (!json.is_boolean()) refuse(place, "is neither true nor false");
      into = json.get<bool>() ? 1 : 0;
      return;
    }
    if (!json.is_number()) refuse(place, "is not a number");
    check_bounds(json.get<double>(), std::is_integral_v<T>, field.bounds, place);
    if constexpr (std::is_integral_v<T>)
      if (!is_in_range<T>(json)) refuse(place, "is too large a number");
    into = json.is_number_integer() ? static_cast<T>(json.get<std::int64_t>()) : static_cast<T>(json.get<double>());
  } else {
    static_assert(is_text<T>, "include the table of this type (fields/NAME.hpp)");
    if (!json.is_string()) refuse(place, "is not a text");
    into = json.get<std::string>();
  }
}

template <HasFields Struct>
void read_fields(const Json& json, Struct& into, const JsonPlace& place) {
  if (!json.is_object()) refuse(place, "is not an object");
  each_field<Struct>([&](const auto& field) {
    using F = std::remove_cvref_t<decltype(field)>;
    if constexpr (!F::computed) {
      typename F::type& value = field.in(into);
      if constexpr (HasFields<typename F::type> && !IsList<typename F::type>) {
        if (field.merged) return read_fields(json, value, place);
      }
      const auto found = json.find(std::string(field.key));
      if (found == json.end()) {
        if (!field.omitted && !field.lenient) refuse(place, fmt::format("has no {}", field.key));
        return;
      }
      read_value(*found, value, field, JsonPlace{&place, field.key, 0});
    }
  });
}

/// A struct out of its document. Error bad_input with the place of what is missing, of another type or out of its
/// bounds; file and remedy are the caller's to add.
template <HasFields Struct>
[[nodiscard]] Struct read_struct(const Json& json) {
  Struct out;
  read_fields(json, out, {});
  return out;
}
}  // namespace sparsecast::fields
