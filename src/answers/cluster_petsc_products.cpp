#include "answers/cluster_petsc_products.hpp"

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "formats/workload.hpp"

namespace sparsecast::answers {
PetscMatrix petsc_matrix(const std::string& name) {
  if (name.empty()) return PetscMatrix::csr;
  if (name == "aij") return PetscMatrix::aij;
  if (name == "sparsecast") return PetscMatrix::sparsecast;
  throw Error(ErrorCode::usage, "'" + name + "' is not a PETSc matrix type that can be forecast", {},
              "use aij or sparsecast");
}

double PetscProducts::of(PetscMatrix type) const {
  if (type == PetscMatrix::csr) return 1;
  // The plan keeps PETSc's own product where it finds nothing faster.
  return type == PetscMatrix::aij ? aij : std::min(aij, plan);
}

std::optional<PetscProducts> petsc_products(const Structure& structure, const std::vector<Forecast>& kernels,
                                            double fma_s) {
  const auto csr = std::ranges::find(kernels, "csr", &Forecast::kernel);
  if (csr == kernels.end() || !(csr->seconds > 0)) return std::nullopt;
  const auto part = [&](Term term) {
    double seconds = 0;
    for (const ForecastPart& p : csr->parts)
      if (p.term == term) seconds += p.seconds;
    return seconds;
  };
  const auto rows = static_cast<double>(structure.rows);
  const auto& [row, row_end] = constants::aij_rows;
  const double aij = constants::aij_stream * part(Term::stream) + part(Term::x_gather) +
                     rows * fma_s * (row + row_end * formats::mispredicted_share(structure));
  const double fastest = std::ranges::min(kernels, {}, &Forecast::seconds).seconds;
  return PetscProducts{aij > 0 ? aij / csr->seconds : 1, fastest / csr->seconds};
}
}  // namespace sparsecast::answers
