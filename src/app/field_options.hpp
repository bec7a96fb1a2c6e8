#pragma once
// Options of a command that are fields of its request: their names, help and bounds are the fields' own.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sparsecast/fields.hpp>
#include <string>

namespace sparsecast::app {
/// Adds options to a command; the request must live as long as it.
template <HasFields Request>
class FieldOptions {
 public:
  FieldOptions(CLI::App& command, Request& request) : command_(command), request_(request) {}

  /// --name, after the member or as `name` says: a flag, a value (its default is shown) or a list with commas between.
  template <auto Member>
  CLI::Option* option(std::string name = {}) {
    const auto field = field_of<Member>();
    using T = typename decltype(field)::type;
    if (name.empty()) {
      name = "--" + std::string(field.key);
      std::ranges::replace(name, '_', '-');
    }
    T& value = field.in(request_);
    const std::string help(field.about);
    if constexpr (std::is_same_v<T, bool>) {
      return command_.add_flag(name, value, help);
    } else if constexpr (std::is_arithmetic_v<T>) {
      CLI::Option* added = command_.add_option(name, value, help);
      constexpr double everything = at_least(0).most;
      // 0 stands for what is not asked for: nobody types it.
      if (field.bounds.given && field.bounds.most < everything)
        added->check(CLI::Range(static_cast<T>(field.bounds.least), static_cast<T>(field.bounds.most)));
      else if (field.bounds.given)
        added->check(positive());
      return value != T{} ? added->capture_default_str() : added;
    } else {
      CLI::Option* added = command_.add_option(name, value, help);
      if constexpr (requires { value.push_back({}); } && !std::is_same_v<T, std::string>) added->delimiter(',');
      return value.empty() ? added : added->capture_default_str();
    }
  }
  /// What is read from the line into something other than the field itself, such as names of matrices.
  template <auto Member, class T>
  CLI::Option* positional(const std::string& name, T& into) {
    return command_.add_option(name, into, std::string(field_of<Member>().about));
  }

 private:
  static CLI::Validator positive() {
    return {[](std::string& text) {
              double value = 0;
              const bool read = CLI::detail::lexical_cast(text, value);
              return read && value > 0 ? std::string() : text + " is not a positive number";
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
}  // namespace sparsecast::app
