#pragma once
// Python's types out of the tables of fields (src/fields/): read-only attributes with types and
// documentation, named as in documents but without the unit "_s"; what documents have as text is str, what is not known
// None. An answer can also be read like the document: by key, or as a dict of it whole.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <sparsecast/answers/request.hpp>
#include <sparsecast/error.hpp>

#include "fields/json.hpp"
#include "lent_csr.hpp"

namespace sparsecast::python {

namespace nb = nanobind;

/// A document as dicts, lists, texts and numbers of Python; numbers that JSON does not have are None.
[[nodiscard]] nb::object to_python(const fields::Json& json);

/// "seconds" of "seconds", "low" of "low_s".
[[nodiscard]] std::string attribute_of(std::string_view key);

/// Lent arrays, or a path.
[[nodiscard]] MatrixInput matrix_input(nb::handle value);

/// What remains to be defined of a class when its attributes are: reading like a document.
void define_document(nb::object type, const std::function<fields::Json(nb::handle)>& document);

// ---- answers

template <HasFields Struct>
void bind_fields(nb::module_& m, const std::string& document = {});

template <class T>
void bind_within(nb::module_& m) {
  if constexpr (fields::is_optional<T> || fields::is_vector<T>)
    bind_within<typename T::value_type>(m);
  else if constexpr (fields::is_map<T>)
    bind_within<typename T::mapped_type>(m);
  else if constexpr (HasFields<T>)
    bind_fields<T>(m);
}

template <class T>
auto as_python(const T& value) {
  if constexpr (HasWords<T>) {
    return std::string(word_of(value));
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    return value && std::isfinite(*value) ? value : std::nullopt;
  } else if constexpr (fields::is_optional<T>) {
    using Inner = decltype(as_python(*value));
    return value ? std::optional<Inner>(as_python(*value)) : std::nullopt;
  } else if constexpr (fields::is_vector<T>) {
    std::vector<decltype(as_python(value.front()))> list;
    for (const auto& one : value) list.push_back(as_python(one));
    return list;
  } else {
    return value;
  }
}

// `within(self)` points to the struct that has the field, or nowhere where that is not known.
template <class Struct, bool certain, class Field, class Class, class Within>
void bind_one(Class& bound, const Within& within, const Field& field) {
  using T = typename Field::type;
  using Value = decltype(as_python(std::declval<const T&>()));
  using Shown = std::conditional_t<certain || fields::is_optional<T>, Value, std::optional<Value>>;
  const std::string name = attribute_of(field.key), doc(field.about);
  bound.def_prop_ro(
      name.c_str(),
      [within, field](const Struct& self) {
        const auto* at = within(self);
        return at != nullptr ? Shown(as_python<T>(field.in(*at))) : Shown();
      },
      doc.c_str());
}

// The fields of `Inner` as attributes of `Struct`: its own, and those of fields that stand for their own fields.
template <class Struct, class Inner, bool certain, class Class, class Within>
void bind_each(Class& bound, const Within& within) {
  each_field<Inner>([&](const auto& field) {
    using T = typename std::remove_cvref_t<decltype(field)>::type;
    if constexpr (HasFields<T>) {
      if (field.merged)
        return bind_each<Struct, T, certain>(bound, [within, field](const Struct& self) -> const T* {
          const auto* at = within(self);
          return at != nullptr ? &field.in(*at) : nullptr;
        });
    }
    if constexpr (fields::is_optional<T>) {
      if constexpr (HasFields<typename T::value_type>) {
        if (field.merged)
          return bind_each<Struct, typename T::value_type, false>(
              bound, [within, field](const Struct& self) -> const typename T::value_type* {
                const auto* at = within(self);
                return at != nullptr && field.in(*at) ? &*field.in(*at) : nullptr;
              });
      }
    }
    bind_one<Struct, certain>(bound, within, field);
  });
}

template <class T>
std::string name_of_type() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view start = text.substr(text.find("T = ") + 4);
  constexpr std::string_view whole = start.substr(0, start.find_first_of(";]"));
  return std::string(whole.substr(whole.rfind(':') + 1));
}

/// The class of a struct and of every struct within it, where they are not yet there. `document`: its name, where the
/// struct is a whole one ("sparsecast/NAME/1").
template <HasFields Struct>
void bind_fields(nb::module_& m, const std::string& document) {
  if (nb::type<Struct>().is_valid()) return;
  each_field<Struct>([&](const auto& field) { bind_within<typename std::remove_cvref_t<decltype(field)>::type>(m); });
  const std::string name = name_of_type<Struct>(), about(Fields<Struct>::about);
  nb::class_<Struct> bound(m, name.c_str(), about.c_str());
  bind_each<Struct, Struct, true>(bound, [](const Struct& self) { return &self; });
  define_document(bound, [document](nb::handle self) {
    fields::Json out = fields::Json::object();
    if (!document.empty()) out["schema"] = "sparsecast/" + document + "/1";
    fields::write_fields(nb::cast<const Struct&>(self), out);
    return out;
  });
}

// ---- requests

[[noreturn]] void refuse_value(std::string_view key, nb::handle value, std::string_view what);

/// Whether it is a str, bytes or a path, over which Python iterates by letters or not at all.
[[nodiscard]] bool is_one_text(nb::handle value);

template <class T>
void take_value(T& into, nb::handle value, std::string_view key) {
  if constexpr (std::is_same_v<T, MatrixInput>) {
    into = matrix_input(value);
  } else if constexpr (HasWords<T>) {
    const std::string text = nb::cast<std::string>(nb::str(value));
    for (const auto& [one, word] : Words<T>::table)
      if (text == word) return void(into = one);
    std::string words;
    for (const auto& [one, word] : Words<T>::table) words += (words.empty() ? "" : ", ") + std::string(word);
    refuse_value(key, value, "is not one of " + words);
  } else if constexpr (fields::is_optional<T>) {
    take_value(into.emplace(), value, key);
  } else if constexpr (std::is_same_v<T, std::vector<std::uint8_t>>) {
    const auto bytes = nb::cast<nb::bytes>(value);
    into.assign(bytes.c_str(), bytes.c_str() + bytes.size());
  } else if constexpr (fields::is_vector<T>) {
    into.clear();
    // One name or path stands for a list of it; its letters are none.
    if (is_one_text(value)) return take_value(into.emplace_back(), value, key);
    for (const nb::handle one : nb::iter(value)) take_value(into.emplace_back(), one, key);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    if (nb::len(value) != into.size()) refuse_value(key, value, fmt::format("does not have {} entries", into.size()));
    for (std::size_t i = 0; i < into.size(); ++i) take_value(into[i], value[i], key);
  } else if constexpr (fields::is_map<T>) {
    into.clear();
    for (const auto& [name, one] : nb::cast<nb::dict>(value))
      take_value(into[nb::cast<std::string>(nb::str(name))], one, key);
  } else {
    if (!nb::try_cast(value, into)) refuse_value(key, value, "is of another type");
  }
}

template <HasFields Struct>
bool take_field(Struct& into, const std::string& name, nb::handle value) {
  bool known = false;
  each_field<Struct>([&](const auto& field) {
    using T = typename std::remove_cvref_t<decltype(field)>::type;
    if constexpr (HasFields<T>) {
      if (field.merged) return void(known = known || take_field(field.in(into), name, value));
    }
    if constexpr (!HasFields<T>) {
      if (name != field.key) return;
      known = true;
      take_value(field.in(into), value, name);
    }
  });
  return known;
}

/// Sets the fields that are given and not None. Error usage for one that the request does not have.
template <HasFields Request>
void take_fields(Request& request, const nb::kwargs& fields) {
  for (const auto& [key, value] : fields) {
    if (value.is_none()) continue;
    const std::string name = nb::cast<std::string>(key);
    if (!take_field(request, name, value)) throw Error(ErrorCode::usage, "there is no " + name + "");
  }
}

}  // namespace sparsecast::python
