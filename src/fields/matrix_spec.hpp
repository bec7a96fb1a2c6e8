#pragma once
// The fields of <sparsecast/matrix_spec.hpp>.

#include <sparsecast/matrix_spec.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<MatrixSpec> {
  static constexpr std::string_view about = "The recipe of an artificial matrix.";
  static constexpr auto table = std::tuple(
      field<&MatrixSpec::kind>("as generate lists them"),
      field<&MatrixSpec::strips>("rows over the strip of its kernel", at_least(0)).or_default(),
      field<&MatrixSpec::row_length>("mean non-zeros per row; 0: the kind's default", at_least(0)).or_default(),
      field<&MatrixSpec::rows>("", at_least(0)).or_default(),
      field<&MatrixSpec::cols>("0: as many as rows", at_least(0)).or_default(),
      field<&MatrixSpec::seed>("of the random numbers", between(0, 18446744073709551616.0)).or_default(),
      field<&MatrixSpec::parameters>("further parameters of the kind, JSON as text").where_known());
};

}  // namespace sparsecast
