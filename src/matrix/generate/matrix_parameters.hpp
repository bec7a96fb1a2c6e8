#pragma once
// The parameters of recipes by their names: the one table from which follow the text of a recipe, the options of
// `generate`, and which numbers make sense.

#include <limits>
#include <map>
#include <span>
#include <sparsecast/matrix_spec.hpp>
#include <string>

namespace sparsecast::matrix {
struct ParameterRow {
  std::string_view name;
  std::optional<double> MatrixParameters::*member;
  double least = 0, most = std::numeric_limits<double>::infinity();  ///< of every kind that takes it
  bool whole = false;
};

/// In the order of the members, which is that of a recipe's text.
[[nodiscard]] std::span<const ParameterRow> parameter_table();

/// Gives a recipe the parameter of that name; "rows", "cols" and "row_mean" are members of the recipe itself. Error
/// usage for an unknown name, and for a size that is no whole number.
void set_parameter(MatrixSpec& spec, std::string_view name, double value);
/// What a recipe gives, sizes among them, by name.
[[nodiscard]] std::map<std::string, double> given_parameters(const MatrixSpec& spec);
}  // namespace sparsecast::matrix
