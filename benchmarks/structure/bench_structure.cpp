// bench-structure: what making a matrix and analyzing it cost, the latter as a ratio to a plain CSR product of the same
// matrix with the same threads in the same run. Goals: at most 5 products on large matrices, 50 million non-zeros/s.
// Usage: bench-structure [THREADS…]   (default: 1 and 2)

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sparsecast/structure.hpp>
#include <vector>

#include "recipes.hpp"

namespace {

using namespace sparsecast;

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
    for (const bench::Recipe& recipe : bench::large_recipes) {
      const double made = seconds(2, [&] { (void)bench::make(recipe, t); });
      const Matrix matrix = bench::make(recipe, t);
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
