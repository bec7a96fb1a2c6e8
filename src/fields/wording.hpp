#pragma once
// How a text names an option or a question so that every front end can word it (docs/design/terminal.md):
//
//   throw Error(ErrorCode::usage, "formats are tried on the host alone", {},
//               wording::format("omit {} or {}", wording::option("trials"), wording::option("device")));
//   wording::format("{} measures them again", wording::ask("calibrate", {{"device", name}, {"fresh", true}}));

#include <fmt/format.h>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sparsecast/wording.hpp>
#include <vector>

#include "fields/fields.hpp"

namespace sparsecast::wording {
/// What stands in a text for an option or a question begins and ends with these. Text from outside never holds them.
inline constexpr char mark_begin = '\x01', mark_between = '\x02', mark_end = '\x03';

/// The one way to and from marks.
struct Marks {
  /// For what goes to another process of the program, and comes from there.
  [[nodiscard]] static const std::string& of(const Text& text) noexcept { return text.marked_; }
  [[nodiscard]] static Text text(std::string marked) {
    Text made;
    made.marked_ = std::move(marked);
    return made;
  }
  /// With what might be a mark written out, as \x01.
  [[nodiscard]] static std::string escaped(std::string_view plain);

  // What format() fills in for an argument: numbers go by their own, so that `{:.0f}` is theirs.
  template <class T>
  [[nodiscard]] static auto filled(const T& argument) {
    if constexpr (std::is_same_v<T, Text>)
      return argument.marked_;
    else if constexpr (std::is_arithmetic_v<T>)
      return argument;
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
      return escaped(argument);
    else
      return escaped(fmt::format("{}", T(argument)));  // fmt takes its views as temporaries alone
  }
};
template <class T>
using Filled = decltype(Marks::filled(std::declval<const T&>()));

/// As fmt::format(); texts among the arguments keep what they mean, others mean their letters.
template <class... T>
[[nodiscard]] Text format(fmt::format_string<Filled<T>...> layout, const T&... arguments) {
  return Marks::text(fmt::format(layout, Marks::filled(arguments)...));
}

/// What a field is set to.
class Value {
 public:
  enum class Kind : char {
    nothing = '0',      ///< the field is named alone
    truth = 't',        ///< "true", "false"
    number = 'n',       ///< as documents have it
    text = 's',         ///< a text
    word = 'w',         ///< of an enumeration; `in_code` is the enumerator
    placeholder = 'p',  ///< what the reader puts there: "FILE"
    entry = 'e'         ///< of a map: the text is its key, `in_code` its value
  };

  Value() = default;
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions)
  Value(bool value) : kind(Kind::truth), text(value ? "true" : "false") {}
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) Value(T value)
      : kind(Kind::number), text(fmt::format("{}", value)) {}
  Value(std::string value) : kind(Kind::text), text(std::move(value)) {}
  Value(const char* value) : Value(std::string(value)) {}
  Value(std::string_view value) : Value(std::string(value)) {}
  Value(const std::filesystem::path& value) : Value(value.string()) {}
  template <HasWords E>
  Value(E value) : kind(Kind::word), text(word_of(value)), in_code(enumerator<E>(value)) {}
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)

  Kind kind = Kind::nothing;
  std::string text, in_code;

 private:
  // "Precision::single_", as compilers write it, without the namespaces in front.
  template <auto Enumerator>
  [[nodiscard]] static constexpr std::string_view written() {
    constexpr std::string_view all = __PRETTY_FUNCTION__;
    constexpr std::size_t start = all.find("Enumerator = ") + 13;
    constexpr std::string_view name = all.substr(start, all.find_first_of(";]", start) - start);
    constexpr std::size_t type = name.rfind("::");
    constexpr std::size_t space = type == std::string_view::npos ? type : name.rfind("::", type - 1);
    return space == std::string_view::npos ? name : name.substr(space + 2);
  }
  template <class E>
  [[nodiscard]] static std::string enumerator(E value) {
    std::string found;
    const auto look = [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((Words<E>::table[I].first == value ? void(found = written<Words<E>::table[I].first>()) : void()), ...);
    };
    look(std::make_index_sequence<Words<E>::table.size()>());
    return found;
  }
};
/// What the reader puts there, in capitals: "FILE", "NAME|FILE.json".
[[nodiscard]] Value placeholder(std::string_view words);
/// A word of an enumeration that is declared higher up, with its enumerator.
[[nodiscard]] Value word(std::string_view word, std::string_view enumerator);
/// One entry of a map: `--arg n=4` is {"arguments", entry("n", "4")}.
[[nodiscard]] Value entry(std::string_view key, std::string_view value);

struct Argument {
  std::string field;
  Value value = true;
};

/// A field of a request by its name, "transposed", or "kernel.anchors" where a field of that name is called otherwise
/// in another question. A flag is named with what it is set to.
[[nodiscard]] Text option(std::string_view field, const Value& value = {});
/// A question, by the name of its function, and what is asked: "`sparsecast calibrate --quick`". A field "json" asks
/// the command for a document; the others give what can be one anyway.
[[nodiscard]] Text ask(std::string_view question, const std::vector<Argument>& arguments = {});
/// The same where nothing stands around it: "sparsecast calibrate --quick".
[[nodiscard]] Text call(std::string_view question, const std::vector<Argument>& arguments = {});
/// What the command alone does: every voice names it as a command.
[[nodiscard]] Text command(std::string_view name, const std::vector<Argument>& arguments = {});

/// What a voice calls otherwise than by rule.
struct Idiom {
  std::string question = {};  ///< empty: of any
  std::string field = {};     ///< empty: the question itself
  std::string value = {};     ///< empty: any
  /// Of a question its name ("devices --catalogue"). Of a field its name ("--instructions"); empty: its value stands
  /// alone. Of a value all that is said, which may be nothing.
  std::string words = {};
};

/// What a front end has.
struct Vocabulary {
  std::vector<Idiom> idioms = {};
  /// Its questions with their fields; what is not among them is told as a command. Empty: everything.
  std::map<std::string, std::set<std::string>> questions = {};
  std::set<std::string> flags = {};  ///< fields that are true or false
};

/// Adds the fields of a request that are true or false.
template <HasFields Request>
void add_flags(std::set<std::string>& flags) {
  each_field<Request>([&](const auto& field) {
    using T = typename std::remove_cvref_t<decltype(field)>::type;
    if constexpr (std::is_same_v<T, bool>)
      flags.emplace(field.key);
    else if constexpr (HasFields<T>)
      add_flags<T>(flags);
  });
}

/// How `voice` words what it says from now on. `vocabulary` is called when the first option or question is to be
/// worded. Thread safety: safe from several threads at once.
void teach(Voice voice, std::function<Vocabulary()> vocabulary);
}  // namespace sparsecast::wording
