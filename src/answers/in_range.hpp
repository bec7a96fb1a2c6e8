#pragma once
// Whether the numbers of a request are ones that its fields allow, in whichever language it was filled in: the command,
// Python and C read the same bounds from the tables, and in C++ nobody else looks.

#include "fields/fields.hpp"

#include <optional>
#include <vector>

namespace sparsecast::answers {
/// Error usage that names the option and what it may be.
[[noreturn]] void refuse_number(const FieldInfo& field, double number);
[[noreturn]] void refuse_enumerator(const FieldInfo& field, long value);

[[nodiscard]] bool is_allowed(double number, const NumberBounds& bounds);

template <HasFields Struct>
void require_in_range(const Struct& given, const Struct& begun = {});

namespace in_range_detail {
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
void require_value(const T& value, const FieldInfo& field) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (!is_allowed(static_cast<double>(value), field.bounds)) refuse_number(field, static_cast<double>(value));
  } else if constexpr (HasWords<T>) {
    bool known = false;
    for (const auto& [enumerator, word] : Words<T>::table) known = known || enumerator == value;
    if (!known) refuse_enumerator(field, static_cast<long>(value));
  } else if constexpr (is_optional<T>) {
    if (value) require_value(*value, field);
  } else if constexpr (is_list<T>) {
    for (const auto& one : value) require_value(one, field);
  } else if constexpr (HasFields<T>) {
    require_in_range(value);
  }
}
}  // namespace in_range_detail

/// What the struct begins with stands for the default, and is allowed whatever it is.
template <HasFields Struct>
void require_in_range(const Struct& given, const Struct& begun) {
  each_field<Struct>([&](const auto& field) {
    using T = typename std::decay_t<decltype(field)>::type;
    if constexpr (HasFields<T>) {
      require_in_range(field.in(given), field.in(begun));
    } else {
      if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
        if (field.in(given) == field.in(begun)) return;
      in_range_detail::require_value(field.in(given), field);
    }
  });
}
}  // namespace sparsecast::answers
