#pragma once
// The shapes on which sparse kernels go wrong, small enough to run every kernel on all of them.

#include <cstdint>
#include <functional>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

namespace sparsecast::testing {

struct NamedMatrix {
  std::string name;
  std::function<Matrix()> make;
};
const std::vector<NamedMatrix>& awkward_matrices();

/// Which columns each row has; values are made up from the position, of both signs, none of them zero.
template <class Offset = std::int32_t, class Index = std::int32_t>
Matrix from_rows(std::int64_t cols, const std::vector<std::vector<std::int64_t>>& rows, std::string name = "rows");

/// 4 × 5:   . 10  .  .  .
///         20 21 22  . 24
///          .  .  .  .  .
///          . 31  . 33  .
/// The value of the entry at row r, column c is 10·(r + 1) + c, the last row's 30 + c.
Matrix by_eye();

/// What the formats' sizes are computed from, counted here row by row.
Structure counted_structure(const Matrix& matrix);

/// x[i] in [0.5, 1.5), of Value.
template <class Value>
std::vector<Value> input_vector(std::int64_t cols);

}  // namespace sparsecast::testing
