#pragma once
// The library's questions as functions of the package, for texts that tell what to ask.

#include <string_view>
#include <vector>

#include "fields/wording.hpp"

namespace sparsecast::python {

/// A question with its function, and the fields that it takes where they are called as in the request.
struct Function {
  std::string question;
  std::string name;  ///< within the package; "devices(catalogue=True)" where the name is not enough
  std::vector<std::string> fields;
};
/// A field that a function calls otherwise; nothing: it is the first argument.
struct Renamed {
  std::string question, field, name;
};

[[nodiscard]] const std::vector<Function>& functions();
[[nodiscard]] const std::vector<Renamed>& renamed_fields();

/// Texts are worded by them from then on.
void teach_python();

}  // namespace sparsecast::python
