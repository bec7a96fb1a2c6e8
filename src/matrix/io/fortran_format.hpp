#pragma once
// Fortran edit descriptors, as far as the head of a Rutherford-Boeing file uses them: "(26I3)", "(1P,4D20.12)",
// "(3(1X,E25.16E3))". Fields have fixed widths, so neighbours may touch and only the format tells them apart.

#include <string>
#include <string_view>
#include <vector>

#include "matrix/io/number_field.hpp"

namespace sparsecast::matrix {
struct FortranField {
  int begin = 0;  ///< offset in the line
  int width = 0;
  int decimals = 0;  ///< digits after an implied point: what stands without a point is divided by 10^decimals
  int scale = 0;     ///< kP: what stands without an exponent is divided by 10^k
};

/// The fields of one line.
struct FortranFormat {
  bool integer = false;
  std::vector<FortranField> fields;
};

/// `reason` is not empty where the format is not understood.
struct ParsedFormat {
  FortranFormat format;
  std::string reason;
};
ParsedFormat parse_fortran_format(std::string_view text);

/// The value of field number `k` of a line as Fortran reads it (exponents E, D or a bare sign; an implied point).
/// A field beyond the line's end or of blanks is missing.
FieldNumber<std::int64_t> fortran_integer(std::string_view line, const FortranField& field);
FieldNumber<double> fortran_real(std::string_view line, const FortranField& field);
}  // namespace sparsecast::matrix
