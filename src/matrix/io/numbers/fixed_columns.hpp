#pragma once
// The numbers of a line that a Fortran format describes. Writers get their formats wrong: SciPy's makes fields one
// character narrower than its head declares, and whoever cuts such a line by the head joins pieces of two numbers. So a
// line is cut by the format only where every field holds one whole number; else by its blanks, where these make as many
// numbers as belong on the line; else not at all.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/io/numbers/fortran_format.hpp"

namespace sparsecast::matrix {
/// The characters of one number.
struct FieldText {
  std::string_view text;
  std::int64_t column = 0;  ///< counted from 1
};

struct LineCut {
  bool by_blanks = false;  ///< the numbers do not stand where the format puts them
  // Where the line cannot be cut:
  std::size_t field = 0;    ///< the first that is wrong, counted from 0
  std::int64_t column = 0;  ///< counted from 1
  std::string reason = {};  ///< empty where it could be cut
};

/// Cuts a line with `count` numbers, no more than the format has fields, into `fields`. Numbers may touch where each
/// ends with its field, as Fortran writes them; a blank may stand for the plus of an exponent ("0.5E 01").
LineCut cut_line(std::string_view line, const FortranFormat& format, std::size_t count, std::vector<FieldText>& fields);
}  // namespace sparsecast::matrix
