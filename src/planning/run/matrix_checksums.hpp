#pragma once
// The checksums that a plan keeps of its matrix: of everything, to which a saved plan is bound, and of sizes and
// pattern alone, which new values leave as they are.

#include <sparsecast/matrix.hpp>
#include <string>

namespace sparsecast::planning {
struct MatrixChecksums {
  std::string pattern;
  std::string whole;  ///< empty where it is no longer known
};

/// Both in one pass.
[[nodiscard]] MatrixChecksums matrix_checksums(const Matrix& matrix);
/// What observed products are kept under: slower, and the same for ever.
[[nodiscard]] std::string pattern_checksum(const Matrix& matrix);
/// Of everything, as plans were bound to by version 0.1.
[[nodiscard]] std::string earlier_checksum(const Matrix& matrix);
}  // namespace sparsecast::planning
