#pragma once
// C's structs and what they stand for: the fields of requests and answers (src/fields/), by their names. A
// field that is declared there and missing in C does not compile, so that neither lags behind. The rule for all of
// them: of a list C has the length, of a struct its first field; not known is -1, not a number, or NULL.

#include <sparsecast.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <sparsecast/answers/request.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_interface/failure.hpp"
#include "fields/fields.hpp"

namespace sparsecast::c_interface {

/// The members of a C struct: `table`, of field<…>(…).
template <class C>
struct Members;

template <auto... Member>
struct MemberList {
  static constexpr auto table = std::tuple(field<Member>("")...);
};

/// Where the member of that name is; as many as there are, where there is none.
template <class C>
[[nodiscard]] constexpr std::size_t member_index(std::string_view name) {
  return std::apply(
      [&](const auto&... member) {
        std::size_t index = 0;
        static_cast<void>(((std::decay_t<decltype(member)>::name == name || (++index, false)) || ...));
        return index;
      },
      Members<C>::table);
}
template <class C>
inline constexpr std::size_t member_count = std::tuple_size_v<decltype(Members<C>::table)>;

// ---- out of answers

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_maybe = false;
template <class T>
inline constexpr bool is_maybe<std::optional<T>> = true;

template <class T>
[[nodiscard]] T not_known() {
  if constexpr (std::is_pointer_v<T>)
    return nullptr;
  else if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return -1;
}

/// A value as C has it; texts stay the answer's.
template <class To, class From>
[[nodiscard]] To c_value(const From& value) {
  if constexpr (is_maybe<From>)
    return value ? c_value<To>(*value) : not_known<To>();
  else if constexpr (is_list<From>)
    return static_cast<To>(value.size());
  else if constexpr (HasFields<From>)
    return c_value<To>(std::get<0>(Fields<From>::table).in(value));
  else if constexpr (std::is_same_v<From, std::string>)
    return value.c_str();
  else if constexpr (HasWords<From>)
    return word_of(value).data();  // words are literals, which end with a zero
  else
    return static_cast<To>(value);
}

/// Puts every field of an answer into the member of its name.
template <class C, class Answer>
void put_fields(C& out, const Answer& answer) {
  each_field<Answer>([&](const auto& one) {
    using Field = std::decay_t<decltype(one)>;
    constexpr std::size_t at = member_index<C>(Field::name);
    if constexpr (at == member_count<C> && HasFields<typename Field::type>) {
      put_fields(out, one.in(answer));
    } else {
      static_assert(at < member_count<C>, "a field of the answer is missing in the struct of sparsecast.h");
      auto& member = std::get<at>(Members<C>::table).in(out);
      member = c_value<std::decay_t<decltype(member)>>(one.in(answer));
    }
  });
}

template <class C, class Answer>
[[nodiscard]] C told_of(const Answer& answer) {
  C mine{};
  put_fields(mine, answer);
  return mine;
}

/// Entry of a list that a caller names by its place.
template <class T>
[[nodiscard]] const T& nth(const std::vector<T>& list, std::int64_t index, const char* what) {
  if (index < 0 || index >= static_cast<std::int64_t>(list.size()))
    refuse_usage("there is no " + std::string(what) + " " + std::to_string(index) + " of " +
                 std::to_string(list.size()));
  return list[static_cast<std::size_t>(index)];
}

// A struct of another size is one of another version's: what it does not have stays as it is, what it has beyond ours
// is zero.
inline constexpr std::size_t greatest_struct = 4096;  // what else stands there was never set

// Every version's struct is a multiple of its alignment, and no pointer or number lies across one. The size of a
// pointer would leave nothing but struct_size itself: everything else would be ignored without a word.
template <class C>
[[nodiscard]] std::size_t checked_size(std::size_t given) {
  static_assert(alignof(C) == sizeof(void*) && offsetof(C, struct_size) == 0);
  if (given <= sizeof(void*) || given > greatest_struct || given % alignof(C) != 0)
    refuse_usage("struct_size is " + std::to_string(given), "set it to sizeof the struct");
  return given;
}

/// Hands a struct out, as much of it as the caller's has room for.
template <class C>
void hand_out(C mine, C* out) {
  const std::size_t size = checked_size<C>(there(out, "the struct for the answer").struct_size);
  mine.struct_size = size;
  std::memcpy(out, &mine, std::min(size, sizeof(C)));
  if (size > sizeof(C)) std::memset(reinterpret_cast<std::byte*>(out) + sizeof(C), 0, size - sizeof(C));
}

// ---- into requests

/// The caller's struct, with zeros for what it does not have; all zeros for NULL.
template <class C>
[[nodiscard]] C taken(const C* given) {
  C mine{};
  if (given == nullptr) return mine;
  const std::size_t size = checked_size<C>(given->struct_size);
  std::memcpy(&mine, given, std::min(size, sizeof(C)));
  const auto* bytes = reinterpret_cast<const std::byte*>(given);
  bool known =
      std::all_of(bytes + std::min(size, sizeof(C)), bytes + size, [](std::byte b) { return b == std::byte{}; });
  if constexpr (requires { mine.reserved; }) known = known && mine.reserved == 0;
  if (!known)
    refuse_usage("the struct has a member set that this library does not know",
                 "set it to zero, or use a later library");
  return mine;
}

[[nodiscard]] inline Precision precision_of(std::int32_t code) {
  if (code == SPARSECAST_SINGLE) return Precision::single_;
  if (code == SPARSECAST_DOUBLE_PRECISION) return Precision::double_;
  return refuse_usage("precision is " + std::to_string(code), "use SPARSECAST_SINGLE or SPARSECAST_DOUBLE_PRECISION"),
         Precision::double_;
}

/// What stands between the commas of a text.
[[nodiscard]] inline std::vector<std::string> words_between_commas(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

template <class To, class From>
void take_value(To& to, const From& from, const FieldInfo& info, std::string_view name) {
  if constexpr (std::is_pointer_v<From> && std::is_same_v<To, std::vector<std::string>>) {
    if (from == nullptr) return;
    to = words_between_commas(from);
    if (to.empty() && *from != '\0') refuse_usage(std::string(name) + " is \"" + from + "\"", std::string(info.about));
  } else if constexpr (std::is_pointer_v<From> && HasWords<To>) {
    if (from == nullptr) return;
    const auto known =
        std::ranges::find(Words<To>::table, std::string_view(from), [](const auto& one) { return one.second; });
    if (known == Words<To>::table.end())
      refuse_usage(std::string(name) + " is \"" + from + "\"", std::string(info.about));
    to = known->first;
  } else if constexpr (std::is_pointer_v<From>) {
    if (from != nullptr) to = from;
  } else if (from == From{}) {
    return;
  } else if constexpr (std::is_same_v<To, Precision>) {
    to = precision_of(from);
  } else if constexpr (std::is_same_v<To, bool>) {
    to = true;
  } else {
    const double number = static_cast<double>(from);
    if (std::isnan(number) || (info.bounds.given && (number < info.bounds.least || number > info.bounds.most)))
      refuse_usage(std::string(name) + " is " + std::to_string(from), std::string(info.about));
    to = static_cast<To>(from);
  }
}

template <class T>
inline constexpr bool is_matrix_input = std::is_same_v<T, MatrixInput> || std::is_same_v<T, std::vector<MatrixInput>>;

/// Takes every field of a request from the member of its name, where that is not zero. Matrices are handles, which the
/// calls take themselves.
template <class Request, class C>
void take_fields(Request& request, const C& options) {
  each_field<Request>([&](const auto& one) {
    using Field = std::decay_t<decltype(one)>;
    constexpr std::size_t at = member_index<C>(Field::name);
    if constexpr (at == member_count<C> && HasFields<typename Field::type>) {
      take_fields(one.in(request), options);
    } else if constexpr (!is_matrix_input<typename Field::type>) {
      static_assert(at < member_count<C>, "a field of the request is missing in the struct of sparsecast.h");
      take_value(one.in(request), std::get<at>(Members<C>::table).in(options), one, Field::name);
    }
  });
}

}  // namespace sparsecast::c_interface
