#include "fields.hpp"

namespace sparsecast::python {

nb::object to_python(const fields::Json& json) {
  switch (json.type()) {
    case fields::Json::value_t::object: {
      nb::dict dict;
      for (const auto& [key, value] : json.items()) dict[key.c_str()] = to_python(value);
      return dict;
    }
    case fields::Json::value_t::array: {
      nb::list list;
      for (const fields::Json& one : json) list.append(to_python(one));
      return list;
    }
    case fields::Json::value_t::string: return nb::cast(json.get_ref<const std::string&>());
    case fields::Json::value_t::boolean: return nb::cast(json.get<bool>());
    case fields::Json::value_t::number_integer: return nb::cast(json.get<std::int64_t>());
    case fields::Json::value_t::number_unsigned: return nb::cast(json.get<std::uint64_t>());
    case fields::Json::value_t::number_float:
      return std::isfinite(json.get<double>()) ? nb::cast(json.get<double>()) : nb::none();
    default: return nb::none();
  }
}

std::string attribute_of(std::string_view key) {
  return std::string(key.ends_with("_s") ? key.substr(0, key.size() - 2) : key);
}

MatrixInput matrix_input(nb::handle value) {
  if (nb::isinstance<LentCsr>(value)) return nb::cast<const LentCsr&>(value).matrix();
  return nb::cast<std::filesystem::path>(value);
}

bool is_one_text(nb::handle value) {
  return nb::isinstance<nb::str>(value) || nb::isinstance<nb::bytes>(value) || nb::hasattr(value, "__fspath__");
}

void refuse_value(std::string_view key, nb::handle value, std::string_view what) {
  throw Error(ErrorCode::usage, fmt::format("{} = {} {}", key, nb::cast<std::string>(nb::repr(value)), what));
}

namespace {

// Name(kernel='csr', seconds=1e-06, …): what is neither a list nor a dict.
std::string short_text(nb::handle self, const nb::dict& document) {
  std::string text = nb::cast<std::string>(self.type().attr("__name__")) + "(";
  int shown = 0;
  for (const auto& [key, value] : document) {
    if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::dict>(value)) continue;
    if (shown++ == 6) return text + ", …)";
    text += (shown > 1 ? ", " : "") + nb::cast<std::string>(key) + "=" + nb::cast<std::string>(nb::repr(value));
  }
  return text + ")";
}

}  // namespace

void define_document(nb::object type, const std::function<fields::Json(nb::handle)>& document) {
  const auto whole = [document](nb::handle self) { return nb::cast<nb::dict>(to_python(document(self))); };
  const auto define = [&](const char* name, auto function, auto... extra) {
    type.attr(name) = nb::cpp_function(function, nb::name(name), nb::is_method(), nb::scope(type), extra...);
  };
  const auto by_key = [whole](nb::handle self, const std::string& key) -> nb::object {
    const std::string name = attribute_of(key);
    const nb::object attribute = nb::getattr(self.type(), name.c_str(), nb::none());
    const bool field = PyObject_TypeCheck(attribute.ptr(), &PyProperty_Type);
    if (field) return nb::getattr(self, name.c_str());
    const nb::dict document = whole(self);
    return document.contains(key.c_str()) ? nb::object(document[key.c_str()]) : nb::object();
  };
  define("to_dict", whole, "The document of it.");
  define(
      "keys", [whole](nb::handle self) { return nb::list(whole(self).keys()); }, "Those of the document.");
  define(
      "__getitem__",
      [by_key](nb::handle self, const std::string& key) {
        nb::object found = by_key(self, key);
        return found.is_valid() ? found : throw nb::key_error(key.c_str());
      },
      nb::sig("def __getitem__(self, key: str, /) -> typing.Any"));
  define(
      "get",
      [by_key](nb::handle self, const std::string& key) {
        nb::object found = by_key(self, key);
        return found.is_valid() ? found : nb::none();
      },
      nb::sig("def get(self, key: str, /) -> typing.Any"), "What stands under a key, or None.");
  define("__repr__", [whole](nb::handle self) { return short_text(self, whole(self)); });
}

}  // namespace sparsecast::python
