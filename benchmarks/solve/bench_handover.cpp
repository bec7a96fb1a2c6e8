// How near two threads are, again and again: a virtual machine's processors are moved between cores that have a cache
// in common and cores that have none. What is printed beside tells what of a product and of a solve depends on it.
//
//   bench-handover [ROUNDS]        one round a second; two threads, each bound to a processor

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/median.hpp"
#include "formats/parts/split.hpp"
#include "hardware/host/bound_team.hpp"
#include "solving/handover.hpp"
#include "solving/solve.hpp"

namespace {

using namespace sparsecast;

constexpr int threads = 2;
// Between what two cores take with a last cache in common and without one.
constexpr double near_s = 150e-9;

// A line that two threads write in turn: there and back.
double round_trip_s() {
  constexpr int turns = 20'000;
  alignas(64) std::atomic<int> turn{0};
  const double start = base::now_s();
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    for (int k = 0; k < turns; ++k) {
      while (turn.load(std::memory_order_acquire) != 2 * k + me) {
      }
      turn.store(2 * k + me + 1, std::memory_order_release);
    }
  }
  return (base::now_s() - start) / turns;
}

template <class Work>
double lower_quartile_s(int repeats, const Work& work) {
  std::vector<double> times;
  for (int batch = 0; batch < 12; ++batch) {
    const double start = base::now_s();
    for (int k = 0; k < repeats; ++k) work();
    times.push_back((base::now_s() - start) / repeats);
  }
  std::ranges::sort(times);
  return times[3];
}

constexpr std::array<std::string_view, 8> names{
    "round trip of a line", "fork and join",    "line, stores kept",         "line, stores around",
    "csr, 2,500 rows",      "csr, 90,000 rows", "cg iteration, 90,000 rows", "cg, shuffled rows, 65,536"};
using Row = std::array<double, names.size()>;

// Every row reads x anywhere: all lines are shared.
Matrix shuffled() { return generate({.kind = "uniform", .row_length = 6, .rows = 65536}); }

double iteration_s(const Matrix& matrix) {
  solving::SolveTask task{.method = solving::parse_method("cg"), .kernel = "csr", .threads = threads, .repeat_s = 0.05};
  task.run.iterations = 40;
  task.run.until_tolerance = false;
  return solving::run_solve(matrix, task).iteration_s;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  const Matrix small = generate({.kind = "poisson2d", .parameters = {.size = 50}});
  const Matrix large = generate({.kind = "poisson2d", .parameters = {.size = 300}});
  const Matrix random = solving::matrix_to_solve(shuffled(), solving::parse_method("cg"), true);
  const auto plan_of = [](const Matrix& m) { return Plan(m, one_kernel(m, "csr", Precision::double_, threads)); };
  const Plan of_small = plan_of(small), of_large = plan_of(large);
  std::vector<double> x(static_cast<std::size_t>(large.rows()), 1.0), y(x);
  const hardware::BoundTeam bound(threads);
  std::vector<Row> near, far;
  for (int round = 0; round < rounds; ++round) {
    bound.again();
    const double trip = round_trip_s();
    const solving::LineCost cost = solving::line_cost(threads);
    const auto n = static_cast<std::size_t>(small.rows());
    const Row row{
        trip,
        lower_quartile_s(500, [] { formats::for_each_part(threads, [](int) {}); }),
        cost.kept_s,
        cost.around_s,
        lower_quartile_s(100, [&] { of_small.apply(std::span<const double>(x).first(n), std::span(y).first(n)); }),
        lower_quartile_s(20, [&] { of_large.apply(std::span<const double>(x), std::span(y)); }),
        iteration_s(large),
        iteration_s(random)};
    // A round in which the processors were moved, or taken away, is of neither kind.
    const double after = round_trip_s();
    if (std::max(trip, after) < near_s) near.push_back(row);
    if (std::min(trip, after) >= near_s && std::max(trip, after) < 3 * near_s) far.push_back(row);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  fmt::print("| median of | {} rounds, cache in common | {} rounds, none |\n| --- | ---: | ---: |\n", near.size(),
             far.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto of = [&](const std::vector<Row>& rows) {
      std::vector<double> values;
      for (const Row& row : rows) values.push_back(row[i]);
      return values.empty() ? std::string("–") : fmt::format("{:.3g}", 1e6 * base::median(values));
    };
    fmt::print("| {}, µs | {} | {} |\n", names[i], of(near), of(far));
  }
}
