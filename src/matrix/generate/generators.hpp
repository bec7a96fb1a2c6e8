#pragma once
// The generators of all kinds of matrices, and what each gets: the recipe with its parameters looked up.

#include <map>
#include <sparsecast/generate.hpp>

namespace sparsecast::matrix {
/// A recipe with every parameter of its kind looked up, and checked to be a number that makes sense for it
/// (matrix_parameters.hpp).
struct GeneratorCall {
  std::string name;  ///< of the matrix
  std::uint64_t seed = 0;
  std::map<std::string, double> numbers;  ///< given or standard
  std::map<std::string, bool> given;

  [[nodiscard]] double number(const std::string& parameter) const { return numbers.at(parameter); }
  /// Of one that the table of parameters says is whole.
  [[nodiscard]] std::int64_t whole(const std::string& parameter) const {
    return static_cast<std::int64_t>(number(parameter));
  }
  /// A whole number ≥ least; Error usage otherwise.
  [[nodiscard]] std::int64_t count(const std::string& parameter, std::int64_t least = 0) const;
  /// A number in [least, most]; Error usage otherwise.
  [[nodiscard]] double between(const std::string& parameter, double least, double most) const;
  /// "rows" and "cols" (as many as rows where not given).
  [[nodiscard]] std::int64_t rows() const { return count("rows", 0); }
  [[nodiscard]] std::int64_t cols() const { return given.at("cols") ? count("cols", 0) : rows(); }
};

using Generator = Matrix (*)(const GeneratorCall& call, int threads);

Matrix generate_constant(const GeneratorCall& call, int threads);
Matrix generate_normal(const GeneratorCall& call, int threads);
Matrix generate_uniform(const GeneratorCall& call, int threads);
Matrix generate_random(const GeneratorCall& call, int threads);
Matrix generate_powerlaw(const GeneratorCall& call, int threads);
Matrix generate_longrow(const GeneratorCall& call, int threads);
Matrix generate_poisson2d(const GeneratorCall& call, int threads);
Matrix generate_poisson3d(const GeneratorCall& call, int threads);
Matrix generate_stencil27(const GeneratorCall& call, int threads);
Matrix generate_structured(const GeneratorCall& call, int threads);
Matrix generate_rmat(const GeneratorCall& call, int threads);
Matrix generate_geometric(const GeneratorCall& call, int threads);
Matrix generate_banded(const GeneratorCall& call, int threads);
Matrix generate_blocks(const GeneratorCall& call, int threads);
}  // namespace sparsecast::matrix
