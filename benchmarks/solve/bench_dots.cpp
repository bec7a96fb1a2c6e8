// What it brings that a product takes the dot products of its result: iterations with them in the product and in passes
// of their own, in turns within one process, by the kernel that `solve` takes.
//
//   bench-dots THREADS ROUNDS METHOD,PRECONDITIONER,SHIFT,FILE…      one JSON document on stdout
//
// …,KIND=SIZE for a stencil that is generated: cg,none,none,poisson2d=1500

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/read.hpp>
#include <string>

#include "base/median.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "hardware/host/bound_team.hpp"
#include "results_json.hpp"
#include "solving/forecast/forecast.hpp"
#include "solving/handover.hpp"
#include "solving/requirements.hpp"
#include "solving/solve.hpp"

namespace {

using namespace sparsecast;
using namespace sparsecast::solving;

// Iterations of one run: so many that it takes some hundredths of a second.
constexpr double run_s = 0.05;

Matrix matrix_of(const std::string& where) {
  const auto size = where.find('=');
  if (size == std::string::npos) return read_matrix(where);
  return generate({.kind = where.substr(0, size), .parameters = {.size = std::stod(where.substr(size + 1))}});
}

nlohmann::ordered_json run_case(const std::string& text, int threads, int rounds, const SolveForecaster& forecaster) {
  const std::vector<std::string_view> words = base::split(text, ',');
  if (words.size() != 4) throw std::runtime_error("a case is METHOD,PRECONDITIONER,SHIFT,FILE: " + text);
  SolveTask task{
      .method = parse_method(words[0]), .preconditioner = parse_preconditioner(words[1]), .threads = threads};
  const Matrix matrix = matrix_to_solve(matrix_of(std::string(words[3])), task.method, words[2] == "spd");
  require_fit(matrix, task.method, task.preconditioner);
  const SolveForecast best = forecaster
                                 .forecasts(analyze(matrix), preconditioner_work(matrix, task.preconditioner, threads),
                                            task.method, 500, measured_handover(matrix, threads))
                                 .at(0);
  task.kernel = best.format;
  task.run.until_tolerance = false;
  task.run.iterations = std::clamp<std::int64_t>(static_cast<std::int64_t>(run_s / best.iteration.seconds), 5, 500);
  const Vector right = random_right_hand_side(matrix.rows());
  std::vector<double> apart, within, gain;
  for (int round = 0; round < rounds; ++round) {
    for (const bool first : {true, false}) {
      task.dots_apart = first == (round % 2 == 0);
      const hardware::BoundTeam bound(threads);
      (task.dots_apart ? apart : within).push_back(run_solve(matrix, task, right).iteration_s);
    }
    gain.push_back(apart.back() / within.back());
  }
  nlohmann::ordered_json out{{"matrix", matrix.name()},
                             {"rows", matrix.rows()},
                             {"nonzeros", matrix.nonzeros()},
                             {"method", task.method.name()},
                             {"preconditioner", name_of(task.preconditioner)},
                             {"format", best.format},
                             {"taken", dots_taken(best.format, matrix.rows(), threads) == DotsTaken::in_product},
                             {"iterations", task.run.iterations},
                             {"apart_s", base::median(apart)},
                             {"within_s", base::median(within)},
                             {"gain", base::median(gain)},
                             {"least_gain", std::ranges::min(gain)},
                             {"most_gain", std::ranges::max(gain)}};
  std::fprintf(stderr, "%d %-16s %-9s %-7s %-13s apart %9.2f within %9.2f us: %.3f (%.3f to %.3f)\n", threads,
               matrix.name().c_str(), task.method.name().c_str(), std::string(words[1]).c_str(), best.format.c_str(),
               1e6 * base::median(apart), 1e6 * base::median(within), base::median(gain), std::ranges::min(gain),
               std::ranges::max(gain));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "bench-dots THREADS ROUNDS METHOD,PRECONDITIONER,SHIFT,FILE…\n");
    return 2;
  }
  const int threads = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  base::allow_threads(threads);
  const Profile profile = calibrated_profile("host");
  const SolveForecaster forecaster(profile, {Precision::double_, threads});
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (int i = 3; i < argc; ++i) {
    try {
      cases.push_back(run_case(argv[i], threads, rounds, forecaster));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
    }
  }
  const nlohmann::ordered_json document{{"threads", threads}, {"rounds", rounds}, {"cases", cases}};
  std::printf("%s\n", bench::results_text(document).c_str());
  return 0;
}
