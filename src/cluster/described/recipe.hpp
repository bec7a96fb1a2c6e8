#pragma once
// A matrix as large as no machine here could hold it, by its recipe: R-MAT or random points joined where they are close
// (generate()). What a process holds and receives follows from the recipe's numbers and from a small matrix of the same
// recipe, which is partitioned.

#include <cstdint>
#include <map>
#include <sparsecast/matrix.hpp>
#include <string>

#include "cluster/described/node_share.hpp"
#include "cluster/described/rmat_part.hpp"

namespace sparsecast::cluster {
enum class RecipeKind { rmat, geometric };

struct Recipe {
  RecipeKind kind = RecipeKind::geometric;
  RmatCounts rmat;                  ///< of an R-MAT matrix
  double points = 0, row_mean = 8;  ///< of points
  int dimensions = 2;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::int64_t rows() const;
  [[nodiscard]] std::int64_t nonzeros() const;  ///< expected
};

/// Whether a structure is named by a recipe and not by a stencil: "rmat:…", "geometric:…".
[[nodiscard]] bool is_recipe(const std::string& structure);
/// "rmat:scale=30,edges=1e10[,symmetric=1]", "geometric:rows=1e9[,row_mean=10][,dimensions=3]". Error usage for what is
/// missing, unknown or beyond 64 bits.
[[nodiscard]] Recipe recipe_of(const std::string& structure);

/// Shares of such a matrix. The small one is made once, and partitioned once for each number of parts.
class RecipeShares {
 public:
  /// The small matrix has so many entries at most: by default as many as are partitioned in seconds.
  explicit RecipeShares(Recipe recipe, double small_entries = 4e6);
  /// On so many processes. Error unavailable without METIS on more than one.
  [[nodiscard]] NodeShare share(int processes, int ranks_per_node, Precision precision,
                                ShareDetail detail = ShareDetail::structure);

  /// What the parts of the small matrix receive and hold, the largest and in the mean.
  struct Parts {
    int count = 1;
    double rows = 0;                             ///< of a part
    double most_received = 0, most_sources = 0;  ///< entries of x
    double imbalance = 1;                        ///< most entries of a part over the mean
  };

 private:
  struct Received {
    double most = 0, sources = 0, imbalance = 1;
  };
  [[nodiscard]] const Parts& parts(int count);
  [[nodiscard]] Received received_by(int count);  ///< one of so many parts of the whole matrix

  Recipe recipe_;
  Matrix sample_;
  std::map<int, Parts> parts_;
};
}  // namespace sparsecast::cluster
