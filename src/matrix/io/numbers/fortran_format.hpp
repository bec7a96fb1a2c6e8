#pragma once
// Fortran edit descriptors, as far as the head of a Rutherford-Boeing file uses them: "(26I3)", "(1P,4D20.12)",
// "(3(1X,E25.16E3))". Fields have fixed widths, so neighbours may touch and only the format tells them apart.

#include <string>
#include <string_view>
#include <vector>

#include "matrix/io/numbers/number_field.hpp"

namespace sparsecast::matrix {
struct FortranField {
  int begin = 0;     ///< offset in the line
  int width = 0;     ///< 0: the format gives none
  int decimals = 0;  ///< digits after an implied point: what stands without a point is divided by 10^decimals
  int scale = 0;     ///< kP: what stands without an exponent is divided by 10^k
};

/// The fields of one line. Of a format without widths, "(8I)", blanks alone set the numbers apart.
struct FortranFormat {
  bool integer = false;
  std::vector<FortranField> fields;
  std::string text;  ///< as it is written, without blanks, for messages

  [[nodiscard]] bool has_widths() const { return !fields.empty() && fields.front().width > 0; }
};

/// `reason` is not empty where the format is not understood.
struct ParsedFormat {
  FortranFormat format;
  std::string reason;
};
ParsedFormat parse_fortran_format(std::string_view text);

/// The value of a field's characters as Fortran reads it: blanks within do not count, exponents have E, D or a bare
/// sign, a point may be implied. `by_blanks`: the number does not stand where the format puts it; then nothing is
/// implied, and a number whose meaning would rest on it is refused.
FieldNumber<std::int64_t> fortran_integer(std::string_view text, const FortranField& field, bool by_blanks = false);
FieldNumber<double> fortran_real(std::string_view text, const FortranField& field, bool by_blanks = false);
}  // namespace sparsecast::matrix
