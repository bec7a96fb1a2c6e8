#pragma once
// The fields of <sparsecast/matrix_spec.hpp>.

#include <sparsecast/matrix_spec.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<MatrixSpec> {
  static constexpr std::string_view about = "The recipe for a generated matrix.";
  static constexpr auto table = std::tuple(
      field<&MatrixSpec::kind>("kind of matrix, as `generate` lists them"),
      field<&MatrixSpec::strips>("number of rows divided by the strip of its kernel", at_least(0)).or_default(),
      field<&MatrixSpec::row_length>("mean number of non-zeros per row; 0: the kind's default", at_least(0))
          .or_default(),
      field<&MatrixSpec::rows>("", at_least(0)).or_default(),
      field<&MatrixSpec::cols>("number of columns; 0: as many as rows", at_least(0)).or_default(),
      field<&MatrixSpec::seed>("seed of the random numbers", between(0, 18446744073709551616.0)).or_default(),
      field<&MatrixSpec::parameters>("further parameters of the kind, as JSON text").where_known());
};

}  // namespace sparsecast
