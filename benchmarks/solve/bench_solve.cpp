// Of every matrix: the forecast of an iteration, the measured one, and the time of whole solves by conjugate gradients
// with the diagonal beside Eigen's and PETSc's, all in turns, medians of the rounds.
//
//   bench-solve THREADS ROUNDS CASE…      one JSON document on stdout
//
// CASE: METHOD,PRECONDITIONER,SHIFT,FILE, or …,KIND=SIZE for a stencil that is generated: cg,jacobi,spd,crack.mtx.gz

#include <fmt/format.h>

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
#include "peer.hpp"
#include "results_json.hpp"
#include "solving/forecast/forecast.hpp"
#include "solving/handover.hpp"
#include "solving/requirements.hpp"
#include "solving/solve.hpp"

namespace {

using namespace sparsecast;
using namespace sparsecast::solving;

Matrix matrix_of(const std::string& where) {
  const auto size = where.find('=');
  if (size == std::string::npos) return read_matrix(where);
  return generate({.kind = where.substr(0, size), .parameters = {.size = std::stod(where.substr(size + 1))}});
}

// How many times as long as ours a peer's iteration takes; nothing where it did not run.
std::string beside(const char* peer, const std::vector<double>& peers, const std::vector<double>& ours) {
  return peers.empty() ? "" : fmt::format(" {} {:.2f}", peer, base::median(peers) / base::median(ours));
}

nlohmann::ordered_json run_case(const std::string& text, int threads, int rounds, const Profile& profile,
                                const SolveForecaster& forecaster) {
  const std::vector<std::string_view> words = base::split(text, ',');
  if (words.size() != 4) throw std::runtime_error("a case is METHOD,PRECONDITIONER,SHIFT,FILE: " + text);
  SolveTask task{
      .method = parse_method(words[0]), .preconditioner = parse_preconditioner(words[1]), .threads = threads};
  const Matrix matrix = matrix_to_solve(matrix_of(std::string(words[3])), task.method, words[2] == "spd");
  require_fit(matrix, task.method, task.preconditioner);
  const Structure structure = analyze(matrix);
  const std::vector<SolveForecast> forecasts =
      forecaster.forecasts(structure, preconditioner_work(matrix, task.preconditioner, threads), task.method, 500,
                           measured_handover(matrix, threads));
  const SolveForecast& best = forecasts.at(0);
  task.kernel = best.format;
  const bool peers = task.method.kind() == MethodKind::cg && task.preconditioner == PreconditionerKind::jacobi;
  if (!peers) {
    task.run.iterations = 40;
    task.run.until_tolerance = false;
  }
  const Vector right = random_right_hand_side(matrix.rows());
  const std::vector<double> b(right.begin(), right.end());
  bench::Peer eigen, petsc;
  if (peers) eigen = bench::eigen_cg(matrix, b, threads);
  if (peers && threads == 1) petsc = bench::petsc_cg(matrix, b);
  task.repeat_s = 0.02;
  std::vector<double> iteration, ours, eigens, petscs;
  SolveResult result;
  bench::PeerRun of_eigen, of_petsc;
  for (int round = 0; round < rounds; ++round) {
    {
      const hardware::BoundTeam bound(threads);
      result = run_solve(matrix, task, right);
    }
    iteration.push_back(result.iteration_s);
    ours.push_back(result.run_s / static_cast<double>(result.iterations));
    if (eigen) {
      of_eigen = eigen();
      eigens.push_back(of_eigen.seconds / static_cast<double>(of_eigen.iterations));
    }
    if (petsc) {
      of_petsc = petsc();
      petscs.push_back(of_petsc.seconds / static_cast<double>(of_petsc.iterations));
    }
  }
  const double measured = base::median(iteration);
  nlohmann::ordered_json out{{"matrix", matrix.name()},
                             {"rows", matrix.rows()},
                             {"nonzeros", matrix.nonzeros()},
                             {"method", task.method.name()},
                             {"preconditioner", name_of(task.preconditioner)},
                             {"format", best.format},
                             {"iterations", result.iterations},
                             {"residual", result.residual},
                             {"forecast_s", best.iteration.seconds},
                             {"low_s", best.iteration.low_s},
                             {"high_s", best.iteration.high_s},
                             {"measured_s", measured},
                             {"error", std::abs(best.iteration.seconds / measured - 1)},
                             {"setup_forecast_s", best.setup_s},
                             {"setup_measured_s", result.setup_s()},
                             {"parts", nlohmann::ordered_json::object()}};
  for (const SolvePart& part : best.parts) out["parts"][std::string(to_string(part.term))] = part.time.seconds;
  if (eigen) {
    out["solve_iteration_s"] = base::median(ours);
    out["eigen_s"] = base::median(eigens);
    out["eigen_iterations"] = of_eigen.iterations;
    out["eigen_residual"] = of_eigen.residual;
  }
  if (petsc) {
    out["petsc_s"] = base::median(petscs);
    out["petsc_iterations"] = of_petsc.iterations;
    out["petsc_residual"] = of_petsc.residual;
  }
  std::fprintf(stderr, "%-28s %-9s %-10s %-8s forecast %9.3g measured %9.3g s (%+.1f %%)%s\n", matrix.name().c_str(),
               task.method.name().c_str(), std::string(words[1]).c_str(), best.format.c_str(), best.iteration.seconds,
               measured, 100 * (best.iteration.seconds / measured - 1),
               (beside("Eigen", eigens, ours) + beside("PETSc", petscs, ours)).c_str());
  static_cast<void>(profile);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "bench-solve THREADS ROUNDS METHOD,PRECONDITIONER,SHIFT,FILE…\n");
    return 2;
  }
  const bench::PetscHere petsc(&argc, &argv);
  const int threads = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  base::allow_threads(threads);
  const Profile profile = calibrated_profile("host");
  const SolveForecaster forecaster(profile, {Precision::double_, threads});
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (int i = 3; i < argc; ++i) {
    try {
      cases.push_back(run_case(argv[i], threads, rounds, profile, forecaster));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
    }
  }
  const nlohmann::ordered_json document{{"threads", threads}, {"rounds", rounds}, {"cases", cases}};
  std::printf("%s\n", bench::results_text(document).c_str());
  return 0;
}
