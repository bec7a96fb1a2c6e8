// bench-structure: what making a matrix and analyzing it cost, the latter as a ratio to a plain CSR product of the same
// matrix with the same threads in the same run. Goals: at most 5 products on large matrices, 50 million non-zeros/s.
// Usage: bench-structure [THREADS…]   (default: 1 and 2)

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sparsecast/generate.hpp>
#include <sparsecast/structure.hpp>
#include <vector>

namespace {

using namespace sparsecast;

struct Recipe {
  const char* kind;
  std::int64_t rows;
  double row_mean;
  const char* parameters;
};

// About ten million non-zeros each: matrix and vectors do not fit in a cache.
constexpr Recipe recipes[] = {
    {"constant", 1000000, 10, ""},
    {"constant", 100000, 100, ""},
    {"constant", 10000, 1024, ""},
    {"normal", 300000, 32, ""},
    {"uniform", 300000, 32, ""},
    {"random", 2000000, 5, ""},
    {"powerlaw", 1000000, 10, ""},
    {"longrow", 3000000, 3, ""},
    {"poisson2d", 0, 0, R"({"size":1400})"},
    {"poisson3d", 0, 0, R"({"size":110})"},
    {"stencil27", 0, 0, R"({"size":72})"},
    {"rmat", 0, 0, R"({"scale":20,"edges":10000000})"},
    {"geometric", 600000, 16, ""},
    {"banded", 500000, 20, R"({"bandwidth":200})"},
    {"blocks", 180000, 60, ""},
    {"structured", 500000, 20, R"({"row_std":10,"skew":100,"bandwidth":0.2,"neighbours":1,"similarity":0.6})"},
};

template <class Work>
double seconds(int times, const Work& work) {
  double best = 1e300;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

double product_seconds(const Matrix& matrix, int threads) {
  const std::vector<double> x(static_cast<std::size_t>(matrix.cols()), 1.0);
  std::vector<double> y(static_cast<std::size_t>(matrix.rows()));
  return matrix.visit([&](const auto& csr) {
    return seconds(8, [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
      for (std::int64_t r = 0; r < csr.rows; ++r) {
        double sum = 0;
        for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
          sum += csr.values[k] * x[csr.column_indices[k]];
        y[r] = sum;
      }
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::max(1, std::atoi(argv[i])));
  if (threads.empty()) threads = {1, 2};
  for (const int t : threads)
    for (const Recipe& recipe : recipes) {
      MatrixSpec spec;
      spec.kind = recipe.kind;
      spec.rows = recipe.rows;
      spec.row_length = recipe.row_mean;
      spec.parameters = recipe.parameters;
      spec.seed = 1;
      const double made = seconds(2, [&] { (void)generate(spec, t); });
      const Matrix matrix = generate(spec, t);
      const double product = product_seconds(matrix, t);
      const double analyzed = seconds(4, [&] { (void)analyze(matrix, t); });
      fmt::print(
          "{} threads  {:<11}{:>9} rows {:>9} non-zeros  made at {:6.1f} M/s  product {:6.2f} ms  analyzed {:6.2f} ms "
          "= {:.1f} products\n",
          t, recipe.kind, matrix.rows(), matrix.nonzeros(), static_cast<double>(matrix.nonzeros()) / made / 1e6,
          1e3 * product, 1e3 * analyzed, analyzed / product);
      std::fflush(stdout);
    }
}
