#pragma once
// Tables of fields: what a struct of a request or an answer holds, declared once, beside the struct and not in it. The
// public headers (include/sparsecast/) are plain structs; the table of <sparsecast/NAME.hpp> is fields/NAME.hpp. From
// that one declaration come the JSON that commands print and read (fields/json.hpp), its schema file, the check of what
// is read, the command's help, and Python's types with their documentation. (`reflect-cpp` shows the idea whole; here a
// field's name is its member's own.)
//
//   struct Point {
//     double x = 0;
//     std::optional<double> y;
//   };
//   template <>
//   struct Fields<Point> {
//     static constexpr std::string_view about = "A place.";
//     static constexpr auto table = std::tuple(field<&Point::x>("metres to the right"),
//                                              field<&Point::y>("metres upwards; null where not known"));
//   };
//
//   each_field<Point>([](const auto& field) { fmt::print("{}: {}\n", field.key, field.about); });
//
// A row whose member is of a struct or an enumeration asks for the table of that: where it is not included, the row
// does not compile, so that no code takes such a value for a plain one.

#include <array>
#include <concepts>
#include <filesystem>
#include <map>
#include <optional>
#include <sparsecast/threads.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sparsecast {

/// Which numbers make sense at a place: of a list, of each of its numbers.
struct NumberBounds {
  double least = 0, most = 0;
  bool above = false;  ///< the least itself is out
  bool given = false;
};
[[nodiscard]] constexpr NumberBounds between(double least, double most) { return {least, most, false, true}; }
/// Up to 2^53, which a double counts without a gap.
[[nodiscard]] constexpr NumberBounds at_least(double least) { return {least, 9007199254740992.0, false, true}; }
/// Threads of a host; 0: as many as it usually takes.
inline constexpr NumberBounds host_threads = between(0, most_host_threads);
[[nodiscard]] constexpr NumberBounds above(double least) { return {least, 9007199254740992.0, true, true}; }

/// One field.
struct FieldInfo {
  std::string_view key;    ///< in documents
  std::string_view about;  ///< unit and meaning
  NumberBounds bounds;
  bool omitted = false;  ///< where it has no value (nothing, an empty list or text, else what the struct begins with) a
                         ///< document leaves it out
  bool lenient = false;  ///< a document that is read may lack it: what the struct begins with stays
  bool merged = false;   ///< its own fields stand in its place
  bool rounded = false;  ///< a number that documents show as a whole one
  bool truth = false;    ///< a count, 1 or 0, that documents show as true or false
  std::string_view no = {}, yes = {};  ///< where given: the words that documents have for false and true
};

/// The declaration of a struct's fields: `about` and `table`; `as_list` where documents have a list of their values
/// instead of an object.
template <class Struct>
struct Fields;

/// The words of an enumeration, as documents, options and tables have them: `static constexpr std::array<std::pair<
/// Enumeration, std::string_view>, N> table`.
template <class Enumeration>
struct Words;

template <class T>
concept HasFields = requires {
  Fields<T>::table;
};
template <class T>
concept IsList = HasFields<T> && requires {
  Fields<T>::as_list;
};
template <class T>
concept HasWords = std::is_enum_v<T> && requires {
  Words<T>::table;
};

/// Types of requests that are handed on as they are and stand in no document: their tables say so.
template <class T>
inline constexpr bool is_handed_on = false;

/// What documents hold as a text that is JSON itself: such texts are keys, whose every letter counts.
template <class T>
concept HasJsonText = requires(const T& value, std::string_view text) {
  { value.json() } -> std::same_as<std::string>;
  { T::from_json(text) } -> std::same_as<T>;
};

namespace fields_detail {
// Whether documents know how to show a type: a plain one, or a struct or an enumeration whose table is here. It is
// asked of no type before it must be: what was once answered stays so, also where the table comes later.
template <class T>
struct Told : std::bool_constant<std::is_arithmetic_v<T> || std::is_pointer_v<T> || HasFields<T> || HasWords<T> ||
                                 HasJsonText<T> || is_handed_on<T>> {};
template <>
struct Told<std::string> : std::true_type {};
template <>
struct Told<std::filesystem::path> : std::true_type {};
template <class T>
struct Told<std::optional<T>> : Told<T> {};
template <class T>
struct Told<std::vector<T>> : Told<T> {};
template <class T, std::size_t N>
struct Told<std::array<T, N>> : Told<T> {};
template <class T>
struct Told<std::pair<std::string, T>> : Told<T> {};
template <class T>
struct Told<std::map<std::string, T>> : Told<T> {};
template <class... T>
struct Told<std::variant<T...>>
    : std::disjunction<std::bool_constant<is_handed_on<std::variant<T...>>>, std::conjunction<Told<T>...>> {};

// "…Member = &sparsecast::Point::x]": the name of a member as compilers write it.
template <auto Member>
[[nodiscard]] constexpr std::string_view member_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t start = text.find("Member = ") + 9;
  constexpr std::string_view rest = text.substr(start, text.find_first_of(";]", start) - start);
  constexpr std::string_view name = rest.substr(rest.rfind(':') + 1);
  return name.substr(0, name.find(')'));
}
template <class T>
struct MemberOf;
template <class Struct, class Type>
struct MemberOf<Type Struct::*> {
  using type = Type;
};
template <class Struct, class Type>
struct MemberOf<Type (Struct::*)() const> {
  using type = Type;
};
}  // namespace fields_detail

// clang-tidy 14 does not see that constexpr members of a template use their parameters.
// NOLINTBEGIN(misc-unused-parameters)

/// A field with its place in the struct.
template <auto Member>
struct Field : FieldInfo {
  using type = typename fields_detail::MemberOf<decltype(Member)>::type;
  static_assert(fields_detail::Told<type>::value, "include the table of this member's type (fields/NAME.hpp)");
  static constexpr std::string_view name = fields_detail::member_name<Member>();

  /// What follows from other fields: written, never read.
  static constexpr bool computed = std::is_member_function_pointer_v<decltype(Member)>;

  template <class Struct>
  static constexpr decltype(auto) in(Struct& object) {
    if constexpr (computed)
      return (object.*Member)();
    else
      return (object.*Member);
  }
  [[nodiscard]] constexpr Field as(std::string_view other_key) const {
    Field one = *this;
    one.key = other_key;
    return one;
  }
  [[nodiscard]] constexpr Field where_known() const {
    Field one = *this;
    one.omitted = true;
    return one;
  }
  [[nodiscard]] constexpr Field in_its_place() const {
    Field one = *this;
    one.merged = true;
    return one;
  }
  [[nodiscard]] constexpr Field as_whole() const {
    Field one = *this;
    one.rounded = true;
    return one;
  }
  [[nodiscard]] constexpr Field as_truth() const {
    Field one = *this;
    one.truth = true;
    return one;
  }
  [[nodiscard]] constexpr Field in_words(std::string_view no_word, std::string_view yes_word) const {
    Field one = *this;
    one.no = no_word;
    one.yes = yes_word;
    return one;
  }
  [[nodiscard]] constexpr Field or_default() const {
    Field one = *this;
    one.lenient = true;
    return one;
  }
};

template <auto Member>
[[nodiscard]] constexpr Field<Member> field(std::string_view about, NumberBounds bounds = {}) {
  Field<Member> one;
  one.key = Field<Member>::name;
  one.about = about;
  one.bounds = bounds;
  return one;
}
// NOLINTEND(misc-unused-parameters)

/// Calls f(field) for every field of a struct, in their order.
template <HasFields Struct, class F>
constexpr void each_field(F&& f) {
  std::apply([&](const auto&... one) { (f(one), ...); }, Fields<Struct>::table);
}

template <HasWords Enumeration>
[[nodiscard]] constexpr std::string_view word_of(Enumeration value) {
  for (const auto& [one, word] : Words<Enumeration>::table)
    if (one == value) return word;
  return {};
}

}  // namespace sparsecast
