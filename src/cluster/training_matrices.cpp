#include "cluster/training_matrices.hpp"

#include <sparsecast/generate.hpp>
#include <sstream>
#include <string_view>

#include "base/text.hpp"

namespace sparsecast::cluster {
namespace {

// One recipe a line: kind, then either rows and mean row length or parameters of the kind.
constexpr std::string_view small = R"(poisson2d {"size":50}
poisson2d {"size":140}
poisson2d {"size":300}
poisson3d {"size":16}
poisson3d {"size":44}
stencil27 {"size":18}
stencil27 {"size":32}
geometric 30000 8
geometric 120000 5
rmat {"scale":12,"edges":60000}
rmat {"scale":15,"edges":400000}
random 5000 10
random 60000 5
normal 20000 20
uniform 40000 12
powerlaw 20000 6
powerlaw 80000 9
longrow 30000 6
constant 100000 4
constant 3000 60)";

constexpr std::string_view large = R"(poisson2d {"size":220}
poisson2d {"size":450}
poisson2d {"size":850}
poisson3d {"size":50}
poisson3d {"size":85}
geometric 150000 6
geometric 400000 3
geometric 700000 5
geometric 80000 4
rmat {"scale":16,"edges":900000}
rmat {"scale":18,"edges":1600000}
rmat {"scale":19,"edges":3000000}
powerlaw 150000 8
random 120000 6
random 400000 3
uniform 250000 9
geometric 120000 2.3
geometric 50000 7
rmat {"scale":14,"edges":300000})";

constexpr std::int64_t most_linear_nonzeros = 3'000'000;

std::vector<MatrixSpec> specs(std::string_view recipes) {
  std::vector<MatrixSpec> out;
  for (const std::string_view line : base::split(recipes, '\n')) {
    std::istringstream recipe{std::string(line)};
    MatrixSpec spec;
    recipe >> spec.kind;
    // A kind that this build does not generate is left out.
    if (find_generator_kind(spec.kind) == nullptr) continue;
    if (line.find('{') == std::string_view::npos)
      recipe >> spec.rows >> spec.row_length;
    else
      recipe >> spec.parameters;
    spec.seed = 1000 + out.size();
    out.push_back(std::move(spec));
  }
  return out;
}

}  // namespace

std::vector<MatrixSpec> training_matrices(bool for_large_cluster) {
  return for_large_cluster ? specs(large) : specs(small);
}

std::vector<MatrixSpec> linear_matrices(int side, bool for_large_cluster) {
  static constexpr std::int64_t few[] = {500, 4000, 20000}, many[] = {1000, 6000, 25000, 70000};
  std::vector<MatrixSpec> out;
  const auto add = [&](std::int64_t rows_per_block) {
    const std::int64_t rows = rows_per_block * side;
    for (int length = 1; length <= 128; length *= 2) {
      // Two points at least make the line of every number of rows.
      if (length > 2 && (rows * length > most_linear_nonzeros || length > rows / 4)) break;
      MatrixSpec spec;
      spec.kind = "random";
      spec.rows = rows;
      spec.row_length = length;
      spec.seed = 7000 + out.size();
      out.push_back(std::move(spec));
    }
  };
  if (for_large_cluster) {
    for (const std::int64_t rows : many)
      if (rows * side <= 1'200'000) add(rows);
  } else {
    for (const std::int64_t rows : few) add(rows);
  }
  return out;
}

}  // namespace sparsecast::cluster
