#pragma once
// MatrixSpec: the recipe of an artificial matrix. A timing record keeps the recipe instead of the matrix, because
// generate() makes the same matrix from it on any machine. Making it is in generate.hpp.

#include <cstdint>
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

}  // namespace sparsecast
#pragma GCC visibility pop
