#pragma once
// The methods, and what one iteration of each consists of: the one place that says so. The forecast takes its times
// from these steps, and a test holds them against what a run counts.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solving/step.hpp"

namespace sparsecast::solving {
enum class MethodKind { cg, bicgstab, gmres, chebyshev, jacobi, power, pagerank, lobpcg };

/// How a preconditioner is applied: not at all, by multiplying with a diagonal within the passes, or in a step of its
/// own.
enum class Preconditioning { none, diagonal, step };

struct MethodInfo {
  MethodKind kind;
  std::string_view name;      ///< as users type it, without its parameter
  std::string_view summary;   ///< for help and documents
  int parameter = 0;          ///< of gmres the restart, of lobpcg the block where none is given; 0: it takes none
  bool symmetric = false;     ///< asks for a symmetric matrix
  bool positive = false;      ///< asks for positive diagonal entries
  bool diagonal = false;      ///< divides by the diagonal
  bool eigen = false;         ///< finds eigenvectors and not the solution of a system
  bool preconditions = true;  ///< takes a preconditioner
  bool squares = false;       ///< takes norms of products with the matrix
  bool definite = false;      ///< its preconditioner must be positive definite, whatever the matrix is
};

/// A method with its parameter.
struct Method {
  const MethodInfo* info = nullptr;
  int parameter = 0;

  [[nodiscard]] MethodKind kind() const { return info->kind; }
  /// As users type it: "cg", "gmres:30".
  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::span<const MethodInfo> method_table();
/// "cg", "gmres:20". Error usage with the names for another one, and for a parameter that is out of range.
[[nodiscard]] Method parse_method(std::string_view text);

/// Where the dot products of a product's result are taken: in a pass over vectors, or while the product writes it
/// (formats/product_dots.hpp), which not every kernel does.
enum class DotsTaken { apart, in_product };

/// By that kernel of the host on so many threads.
[[nodiscard]] DotsTaken dots_taken(std::string_view kernel, std::int64_t rows, int threads);

/// One iteration. Of gmres the mean over a restart, of lobpcg one of the whole block.
[[nodiscard]] std::vector<Step> steps_of(const Method& method, Preconditioning preconditioning,
                                         DotsTaken dots = DotsTaken::apart);
/// Vectors of the matrix's rows that are held, beside the matrix and the preconditioner.
[[nodiscard]] double vectors_held(const Method& method, Preconditioning preconditioning);
}  // namespace sparsecast::solving
