#include "cluster/training_matrices.hpp"

#include <fmt/format.h>

#include <sparsecast/generate.hpp>

namespace sparsecast::cluster {
namespace {

struct Recipe {
  const char* kind;
  std::int64_t rows;  // 0: the kind takes its own parameters
  double row_length;
  const char* parameters;
};

constexpr Recipe small[] = {
    {"poisson2d", 0, 0, R"({"size":50})"},
    {"poisson2d", 0, 0, R"({"size":140})"},
    {"poisson2d", 0, 0, R"({"size":300})"},
    {"poisson3d", 0, 0, R"({"size":16})"},
    {"poisson3d", 0, 0, R"({"size":44})"},
    {"stencil27", 0, 0, R"({"size":18})"},
    {"stencil27", 0, 0, R"({"size":32})"},
    {"geometric", 30000, 8, ""},
    {"geometric", 120000, 5, ""},
    {"rmat", 0, 0, R"({"scale":12,"edges":60000})"},
    {"rmat", 0, 0, R"({"scale":15,"edges":400000})"},
    {"random", 5000, 10, ""},
    {"random", 60000, 5, ""},
    {"normal", 20000, 20, ""},
    {"uniform", 40000, 12, ""},
    {"powerlaw", 20000, 6, ""},
    {"powerlaw", 80000, 9, ""},
    {"longrow", 30000, 6, ""},
    {"constant", 100000, 4, ""},
    {"constant", 3000, 60, ""},
};

constexpr Recipe large[] = {
    {"poisson2d", 0, 0, R"({"size":220})"},
    {"poisson2d", 0, 0, R"({"size":450})"},
    {"poisson2d", 0, 0, R"({"size":850})"},
    {"poisson3d", 0, 0, R"({"size":50})"},
    {"poisson3d", 0, 0, R"({"size":85})"},
    {"geometric", 150000, 6, ""},
    {"geometric", 400000, 3, ""},
    {"geometric", 700000, 5, ""},
    {"geometric", 80000, 4, ""},
    {"rmat", 0, 0, R"({"scale":16,"edges":900000})"},
    {"rmat", 0, 0, R"({"scale":18,"edges":1600000})"},
    {"rmat", 0, 0, R"({"scale":19,"edges":3000000})"},
    {"powerlaw", 150000, 8, ""},
    {"random", 120000, 6, ""},
    {"random", 400000, 3, ""},
    {"uniform", 250000, 9, ""},
};

constexpr std::int64_t most_linear_nonzeros = 3'000'000;

template <std::size_t N>
std::vector<MatrixSpec> specs(const Recipe (&table)[N]) {
  std::vector<MatrixSpec> out;
  for (const Recipe& recipe : table) {
    // A kind that this build does not generate is left out.
    if (find_generator_kind(recipe.kind) == nullptr) continue;
    MatrixSpec spec;
    spec.kind = recipe.kind;
    spec.rows = recipe.rows;
    spec.row_length = recipe.row_length;
    spec.seed = 1000 + out.size();
    spec.parameters = recipe.parameters;
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
