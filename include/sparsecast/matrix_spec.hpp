#pragma once
// MatrixSpec: the recipe of an artificial matrix. A timing record keeps the recipe instead of the matrix, because
// generate() makes the same matrix from it on any machine. Making it is in generate.hpp.

#include <cstdint>
#include <sparsecast/fields.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Kind, size, seed and parameters. Thread safety: a value; threads may share one that none of them changes.
struct MatrixSpec {
  std::string kind = {};    ///< "constant", "normal", "uniform", "structured", … (generator_kinds())
  std::int64_t strips = 0;  ///< I: rows = I × strip of the kernel it was made for; 0 where that is not how it was made
  double row_length = 0;    ///< P: (mean) non-zeros per row; 0: the kind's default
  std::int64_t rows = 0, cols = 0;  ///< cols 0: as many as rows
  std::uint64_t seed = 0;           ///< of the random numbers; another seed, another matrix of the kind
  std::string parameters = {};  ///< further parameters of the kind, a JSON object as text; empty where there are none
};
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
#pragma GCC visibility pop
