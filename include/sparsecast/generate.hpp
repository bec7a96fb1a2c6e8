#pragma once
// Matrices to try, made from a recipe: stencils, finite elements, random rows of any length distribution, graphs, and
// "structured", which imitates a real matrix from its features alone. The same recipe gives the same matrix, bit for
// bit, on any machine and with any number of threads: random numbers come from a counter (Salmon et al. 2011), one
// stream per row, and nothing depends on the C library's mathematics or the standard library's distributions.
//
// Thread safety: the structs are values, the tables never change, and the functions are safe from several threads at
// once.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <sparsecast/matrix_spec.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// One parameter that a kind takes beside its seed. "rows", "cols" and "row_mean" are the fields rows, cols and
/// row_length of MatrixSpec; every other one is a number in MatrixSpec::parameters.
struct GeneratorParameter {
  std::string name;
  std::string meaning;
  bool required = false;
  double standard = 0;  ///< default value
};

/// A kind of matrix that can be made.
struct GeneratorKind {
  std::string name;
  std::string summary;
  bool symmetric = false;  ///< true: pattern and values are symmetric
  std::vector<GeneratorParameter> parameters;
};

/// All kinds, in the order in which help lists them.
[[nodiscard]] const std::vector<GeneratorKind>& generator_kinds();
/// Finds a kind by name; nullptr for an unknown name.
[[nodiscard]] const GeneratorKind* find_generator_kind(const std::string& name);

/// Makes the matrix. `threads` 0: default_threads(). Error usage for an unknown kind, a missing, unknown or
/// contradictory parameter, and for a matrix that would not fit in this machine's memory (with the figure); Error
/// interrupted after Ctrl-C in the command.
[[nodiscard]] Matrix generate(const MatrixSpec& spec, int threads = 0);

/// Returns a short name for the matrix of a recipe: "poisson2d-100", "normal-10000x10000-p16-s1".
[[nodiscard]] std::string generated_name(const MatrixSpec& spec);

}  // namespace sparsecast
#pragma GCC visibility pop
