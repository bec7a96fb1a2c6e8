#pragma once
// MatrixSpec: the recipe of an artificial matrix. A timing record keeps the recipe instead of the matrix, because
// generate() makes the same matrix from it on any machine. Making it is in generate.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What a kind of matrix takes beside its rows, columns and mean row length: `.parameters = {.size = 100}`. Which kind
/// takes which, and what stands for those that are not given, is in generator_kinds(). Thread safety: a value; threads
/// may share one that none of them changes.
struct MatrixParameters {
  std::optional<double> size = {};     ///< grid points along an edge
  std::optional<double> depth = {};    ///< grid points along the last edge
  std::optional<double> row_std = {};  ///< standard deviation of the row lengths
  std::optional<double> skew = {};     ///< (longest row − mean) / mean
  /// Structured: mean distance from first to last column of a row, over the columns; banded: columns on either
  /// side of the diagonal.
  std::optional<double> bandwidth = {};
  std::optional<double> neighbours = {};  ///< mean number of non-zeros directly left and right of a non-zero
  std::optional<double> similarity = {};  ///< share of a row's non-zeros with one in the next row at column ± 1
  std::optional<double> exponent = {};    ///< exponent of the density of row lengths
  std::optional<double> long_rows = {};   ///< number of long rows
  std::optional<double> long_share = {};  ///< share of the non-zeros in the long rows
  std::optional<double> scale = {};       ///< logarithm (base 2) of the number of rows
  std::optional<double> edges = {};       ///< number of edges that are drawn; repeated ones merge
  std::optional<double> dof = {};         ///< unknowns per node
  std::optional<double> dimensions = {};  ///< 2 or 3
  std::optional<double> symmetric = {};   ///< 1: edges have no direction
  std::optional<double> distinct = {};    ///< number of different values
  std::string pattern = {};  ///< checksum of the pattern of a user's matrix, from which no matrix can be made

  /// Returns the given parameters as one line of JSON, {"size":100}; empty if none is given. This text identifies a
  /// recipe in profiles and stores.
  [[nodiscard]] std::string json() const;
  /// Reads such a text, in any order and with blanks. Error usage if the text is not an object of numbers, or contains
  /// an unknown name.
  [[nodiscard]] static MatrixParameters from_json(std::string_view text);

  [[nodiscard]] bool operator==(const MatrixParameters&) const = default;
};

/// Kind, size, seed and parameters. Thread safety: a value; threads may share one that none of them changes.
struct MatrixSpec {
  std::string kind = {};    ///< "constant", "normal", "uniform", "structured", … (generator_kinds())
  std::int64_t strips = 0;  ///< I: rows = I × strip of the kernel it was made for; 0 where that is not how it was made
  double row_length = 0;    ///< mean number of non-zeros per row; 0: the kind's default
  std::int64_t rows = 0, cols = 0;   ///< cols 0: as many as rows
  std::uint64_t seed = 0;            ///< seed of the random numbers; another seed gives another matrix of the kind
  MatrixParameters parameters = {};  ///< further parameters of the kind
};

/// Gives a recipe the numbers of a JSON object by name: its parameters, and "rows", "cols" and "row_mean" of the recipe
/// itself. Error usage for a name that is none of these, a size that is no whole number, and where the text is no
/// object of numbers. Thread safety: as of the recipe.
void set_parameters(MatrixSpec& spec, std::string_view json);

}  // namespace sparsecast
#pragma GCC visibility pop
