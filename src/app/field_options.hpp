#pragma once
// Options of a command that are fields of its request: their names, help and bounds are the fields' own.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "fields/product.hpp"
#include "fields/wording.hpp"

namespace sparsecast::app {
/// While one lives on a thread, the options that are added on it as fields are learnt: what they are called where the
/// field's name does not tell, and which fields some command calls by their own names. Those are called so wherever a
/// text does not say of which question it speaks, whatever another command calls its own.
class Learning {
 public:
  explicit Learning(std::vector<wording::Idiom>& idioms) { learnt() = &idioms; }
  ~Learning() { learnt() = nullptr; }
  Learning(const Learning&) = delete;
  Learning& operator=(const Learning&) = delete;

  /// `names` as the parser takes them: "--output,-o", or those of an argument without dashes.
  static void learn(const CLI::App& command, std::string_view field, const std::string& names) {
    if (learnt() == nullptr) return;
    const bool positional = !names.starts_with('-');
    learnt()->push_back(
        {question_of(command), std::string(field), "", positional ? "" : names.substr(0, names.find(','))});
  }
  static void learn_own_name(std::string_view field, const std::string& name) {
    if (learnt() == nullptr) return;
    const auto is_general = [&](const wording::Idiom& one) {
      return one.question.empty() && one.field == field && one.value.empty();
    };
    if (std::ranges::none_of(*learnt(), is_general)) learnt()->push_back({"", std::string(field), "", name});
  }

 private:
  static std::vector<wording::Idiom>*& learnt() {
    static thread_local std::vector<wording::Idiom>* idioms = nullptr;
    return idioms;
  }
  // "cluster_predict" of the command `cluster predict`.
  static std::string question_of(const CLI::App& command) {
    const CLI::App* above = command.get_parent();
    return above == nullptr || above->get_parent() == nullptr ? command.get_name()
                                                              : question_of(*above) + '_' + command.get_name();
  }
};

template <class T>
inline constexpr bool is_list_of_words = false;
template <HasWords Enumeration>
inline constexpr bool is_list_of_words<std::vector<Enumeration>> = true;
template <class T>
inline constexpr bool is_list_of_numbers = false;
template <class T>
inline constexpr bool is_list_of_numbers<std::vector<T>> = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// As CLI::Range, whose words have six decimals: 1e-15 would be told as 0.000000.
template <class T>
CLI::Validator in_range(T least, T most) {
  CLI::Validator range = CLI::Range(least, most);
  if constexpr (std::is_floating_point_v<T>)
    range.operation([least, most](std::string& text) {
      T value = 0;
      if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
      return fmt::format("Value {} not in range {:g} to {:g}", text, least, most);
    });
  return range;
}

/// Adds options to a command; the request must live as long as it.
template <HasFields Request>
class FieldOptions {
 public:
  FieldOptions(CLI::App& command, Request& request) : command_(command), request_(request) {}

  /// --name, after the member or as `name` says: a flag, a value (its default is shown) or a list with commas between.
  /// A list ends with its word, so that a matrix may stand behind it.
  template <auto Member>
  CLI::Option* option(std::string name = {}) {
    const auto field = field_of<Member>();
    using T = typename decltype(field)::type;
    if (name.empty()) {
      name = "--" + std::string(field.key);
      std::ranges::replace(name, '_', '-');
      Learning::learn_own_name(field.key, name);
    } else {
      Learning::learn(command_, field.key, name);
    }
    T& value = field.in(request_);
    const std::string help(field.about);
    if constexpr (std::is_same_v<T, bool>) {
      return command_.add_flag(name, value, help);
    } else if constexpr (HasWords<T>) {
      return of_words<T>(name, help, [&value](const std::vector<T>& chosen) { value = chosen.back(); })
          ->expected(1)
          ->default_str(std::string(word_of(value)));
    } else if constexpr (is_list_of_words<T>) {
      return of_words<typename T::value_type>(name, help, [&value](const T& chosen) { value = chosen; })
          ->delimiter(',')
          ->allow_extra_args(false);
    } else if constexpr (std::is_arithmetic_v<T>) {
      CLI::Option* added = command_.add_option(name, value, help_of_number(help));
      check_bounds<T>(*added, field.bounds);
      return value != T{} ? added->capture_default_str() : added;
    } else {
      CLI::Option* added = command_.add_option(name, value, help);
      if constexpr (requires { value.push_back({}); } && !std::is_same_v<T, std::string>)
        added->delimiter(',')->allow_extra_args(false);
      if constexpr (is_list_of_numbers<T>) check_bounds<typename T::value_type>(*added, field.bounds);
      if constexpr (requires { value.empty(); })
        return value.empty() ? added : added->capture_default_str();
      else
        return added;
    }
  }
  /// Several as they are.
  template <auto... Members>
  void options() {
    (option<Members>(), ...);
  }
  /// What is read from the line into something other than the field itself, such as names of matrices.
  template <auto Member, class T>
  CLI::Option* positional(const std::string& name, T& into) {
    const auto field = field_of<Member>();
    Learning::learn(command_, field.key, name);
    return command_.add_option(name, into, std::string(field.about));
  }

 private:
  // Takes words of an enumeration, and hands on what they stand for.
  template <class E, class Take>
  CLI::Option* of_words(const std::string& name, const std::string& help, const Take& take) {
    std::vector<std::string> words;
    for (const auto& [value, word] : Words<E>::table) words.emplace_back(word);
    const auto chosen = [take](const std::vector<std::string>& typed) {
      std::vector<E> values;
      for (const std::string& one : typed)
        for (const auto& [value, word] : Words<E>::table)
          if (word == one) values.push_back(value);
      take(values);
    };
    return command_.add_option_function<std::vector<std::string>>(name, chosen, help)->check(CLI::IsMember(words));
  }
  // What a document's 0 stands for is what a line has that does not name the option.
  static std::string help_of_number(std::string help) {
    constexpr std::string_view zero = "; 0: ", none = "; if omitted: ";
    if (const std::size_t at = help.find(zero); at != std::string::npos) help.replace(at, zero.size(), none);
    return help;
  }
  template <class T>
  static void check_bounds(CLI::Option& added, const NumberBounds& bounds) {
    if (!bounds.given) return;
    constexpr double everything = at_least(0).most;
    // 0 stands for what is not asked for: nobody types it.
    if (bounds.most < everything)
      added.check(in_range(static_cast<T>(bounds.least), static_cast<T>(bounds.most)));
    else
      added.check(positive<T>());
  }
  template <class T>
  static CLI::Validator positive() {
    return {[](std::string& text) {
              double value = 0;
              if (!CLI::detail::lexical_cast(text, value) || !(value > 0)) return text + " is not a positive number";
              // The parser would take the largest number instead, without a word.
              const bool fits = value < static_cast<double>(std::numeric_limits<T>::max());
              return fits ? std::string() : text + " is too large";
            },
            "POSITIVE"};
  }
  template <auto Member>
  [[nodiscard]] static constexpr Field<Member> field_of() {
    Field<Member> found;
    each_field<Request>([&](const auto& one) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, Field<Member>>) found = one;
    });
    return found;
  }

  CLI::App& command_;
  Request& request_;
};

/// --vectors and --transposed: which product a command forecasts or measures.
inline void add_task_options(CLI::App& command, ProductKind& task) {
  FieldOptions add(command, task);
  add.option<&ProductKind::vectors>();
  add.option<&ProductKind::transposed>();
}

inline void add_probe_option(CLI::App& command, bool& no_probe) {
  command.add_flag("--no-probe", no_probe,
                   "do not time a few products of the host's calibration again to see whether the machine has drifted");
}
}  // namespace sparsecast::app
