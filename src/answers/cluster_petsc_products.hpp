#pragma once
// Products of PETSc's matrix types beside those of the csr kernel, in which a cluster's forecasts are made. AIJ's loop
// takes its entries one after the other (aij.c: PetscSparseDensePlusDot) and mispredicts the end of each row whose
// length could not be foreseen; the sparsecast type takes the kernel that its plan finds fastest.

#include <optional>
#include <sparsecast/forecast.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

namespace sparsecast::answers {
enum class PetscMatrix { csr, aij, sparsecast };
/// "aij" or "sparsecast"; empty: products as they were forecast, by the csr kernel. Error usage for another one.
[[nodiscard]] PetscMatrix petsc_matrix(const std::string& name);

/// Times of a product on one core over the csr kernel's.
struct PetscProducts {
  double aij = 1, plan = 1;
  [[nodiscard]] double of(PetscMatrix type) const;
};

/// From forecasts of kernels with one thread; nothing where none is of csr. fma_s: of a multiply-add, as node curves
/// have it.
[[nodiscard]] std::optional<PetscProducts> petsc_products(const Structure& structure,
                                                          const std::vector<Forecast>& kernels, double fma_s);
}  // namespace sparsecast::answers
