#pragma once
// Matrices for tests: shown so that the eye can check them, compared, and made at random.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <string>

namespace sparsecast::test {

/// One line a row, a dot where there is no entry: "1.5 . .\n4 . -20\n".
std::string dense(const Matrix& matrix);
/// Same sizes, same pattern, same values to the last bit (names may differ).
bool same(const Matrix& a, const Matrix& b);
/// A canonical matrix of about so many entries at random places with random values of all magnitudes.
Matrix random_matrix(std::int64_t rows, std::int64_t cols, std::int64_t entries, std::uint64_t seed,
                     bool symmetric = false);
/// Matrix Market text of n × n with random entries in no order, with duplicates.
std::string random_market_text(std::int64_t n, std::int64_t entries, bool symmetric, std::uint64_t seed);
/// A name that GoogleTest accepts: letters and digits of `text`.
std::string identifier(const std::string& text);

}  // namespace sparsecast::test
