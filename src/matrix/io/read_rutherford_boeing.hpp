#pragma once
// Rutherford-Boeing files (Duff, Grimes & Lewis 1997, RAL-TR-97-031) and their forerunner Harwell-Boeing (1992), which
// differs in the head only: compressed columns as text in Fortran's fixed formats.

#include <sparsecast/read.hpp>
#include <string>
#include <string_view>

namespace sparsecast::matrix {
/// True where the third line begins with one of the formats' matrix types ("rua", "psa", …).
bool is_rutherford_boeing(std::string_view text);

/// `text` is the whole file, not compressed; `file` is for messages. Assembled real, integer and pattern matrices;
/// Error bad_input for complex and elemental ones and whatever read_matrix refuses. Right-hand sides are not read.
Matrix::Storage read_rutherford_boeing(std::string_view text, const std::string& file, const ReadOptions& options);
}  // namespace sparsecast::matrix
