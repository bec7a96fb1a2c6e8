#pragma once
// Matrices that several benchmarks make: of every kind one, about ten million non-zeros each, so that matrix and
// vectors do not fit in a cache.

#include <sparsecast/generate.hpp>

namespace sparsecast::bench {

struct Recipe {
  const char* kind;
  std::int64_t rows;
  double row_mean;
  MatrixParameters parameters;
};

inline const Recipe large_recipes[] = {
    {"constant", 1000000, 10, {}},
    {"constant", 100000, 100, {}},
    {"constant", 10000, 1024, {}},
    {"normal", 300000, 32, {}},
    {"uniform", 300000, 32, {}},
    {"random", 2000000, 5, {}},
    {"powerlaw", 1000000, 10, {}},
    {"longrow", 3000000, 3, {}},
    {"poisson2d", 0, 0, {.size = 1400}},
    {"poisson3d", 0, 0, {.size = 110}},
    {"stencil27", 0, 0, {.size = 72}},
    {"rmat", 0, 0, {.scale = 20, .edges = 10000000}},
    {"geometric", 600000, 16, {}},
    {"banded", 500000, 20, {.bandwidth = 200}},
    {"blocks", 180000, 60, {}},
    {"structured", 500000, 20, {.row_std = 10, .skew = 100, .bandwidth = 0.2, .neighbours = 1, .similarity = 0.6}},
};

inline Matrix make(const Recipe& recipe, int threads) {
  MatrixSpec spec;
  spec.kind = recipe.kind;
  spec.rows = recipe.rows;
  spec.row_length = recipe.row_mean;
  spec.parameters = recipe.parameters;
  spec.seed = 1;
  return generate(spec, threads);
}

}  // namespace sparsecast::bench
