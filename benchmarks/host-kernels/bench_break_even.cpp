// What so many products take with their plan: the seconds until the plan is there, of its first product, and of one of
// the others (the median of blocks). One line of JSON for each number of products; the fits of the models are warm.
//
//   bench-break-even MATRIX THREADS PRODUCTS …

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sparsecast/answers/plan_needs.hpp>
#include <sparsecast/read.hpp>
#include <vector>

#include "make.hpp"

namespace {
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Times {
  double plan_s = 0, first_s = 0, product_s = 0;
};

Times times_of(const sparsecast::PlanRequest& request, std::span<const double> x, std::span<double> y) {
  const double start = now();
  const sparsecast::Plan plan = sparsecast::plan(request);
  const double planned = now();
  plan.apply(x, y);
  const double first = now();
  constexpr int blocks = 9;
  constexpr double block_s = 0.01;
  const int runs = std::max(1, static_cast<int>(block_s / (first - planned)));
  std::vector<double> seconds;
  for (int block = 0; block < blocks; ++block) {
    const double begin = now();
    for (int i = 0; i < runs; ++i) plan.apply(x, y);
    seconds.push_back((now() - begin) / runs);
  }
  return {planned - start, first - planned, sparsecast::bench::median(seconds)};
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const sparsecast::Matrix matrix = sparsecast::read_matrix(argv[1]);
  std::vector<double> x(static_cast<std::size_t>(matrix.cols()), 1.0), y(static_cast<std::size_t>(matrix.rows()));
  for (int k = 3; k < argc; ++k) {
    // Nothing is remembered of the matrix from one plan to the next.
    sparsecast::PlanRequest request{.matrix = matrix, .threads = std::atoi(argv[2]), .no_store = true};
    request.strategy.iterations = std::atoll(argv[k]);
    std::vector<Times> turns;
    for (int turn = 0; turn < 4; ++turn) turns.push_back(times_of(request, x, y));
    turns.erase(turns.begin());
    std::ranges::sort(turns, {}, [](const Times& t) { return t.plan_s + t.first_s; });
    const Times& t = turns[1];
    std::printf("{\"products\": %s, \"plan_s\": %.6g, \"first_s\": %.6g, \"product_s\": %.6g}\n", argv[k], t.plan_s,
                t.first_s, t.product_s);
  }
}
