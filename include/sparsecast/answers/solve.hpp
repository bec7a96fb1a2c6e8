#pragma once
// solve: how long an iterative solve takes, an iteration and the set-up part by part, what finishes it first, and on
// request the truth.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/terms.hpp>
#include <sparsecast/trials.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What is solved in place of the matrix.
enum class MatrixShift {
  none,
  spd  ///< the Laplacian of the pattern's graph plus the identity, which is symmetric positive definite
};
template <>
struct Words<MatrixShift> {
  static constexpr std::array table{std::pair{MatrixShift::none, std::string_view("none")},
                                    std::pair{MatrixShift::spd, std::string_view("spd")}};
};

struct SolveRequest {
  MatrixInput matrix = {};
  std::string method = "cg";
  std::string preconditioner = "none";
  MatrixShift shift = MatrixShift::none;
  std::string device = "host";
  std::filesystem::path profile = {};
  int threads = 0;
  std::int64_t iterations = 0;
  std::optional<double> tolerance = {};
  bool measure = false;
  std::string trials = "none";
  bool check_drift = false;
  Listener listener = {};
};
template <>
struct Fields<SolveRequest> {
  static constexpr std::string_view about = "Which system, solved how and where.";
  static constexpr auto table = std::tuple(
      field<&SolveRequest::matrix>(""),
      field<&SolveRequest::method>("cg, bicgstab, gmres[:restart], chebyshev, jacobi, power, pagerank, lobpcg[:block]"),
      field<&SolveRequest::preconditioner>("none, jacobi, block-jacobi, ic0 or ilu0"),
      field<&SolveRequest::shift>("spd: the Laplacian of the pattern's graph plus the identity instead of the matrix"),
      field<&SolveRequest::device>("host, opencl:N, cuda:N, a profile's or a described machine's name, FILE.json"),
      field<&SolveRequest::profile>("a profile file instead of a device's own measurements"),
      field<&SolveRequest::threads>("of the host; 0: default_threads()", at_least(0)),
      field<&SolveRequest::iterations>("so many iterations; 0: with `measure` as many as the tolerance takes, else 500",
                                       at_least(0)),
      field<&SolveRequest::tolerance>("of the residual, relative to the right-hand side; nothing: 1e-8, or none where "
                                      "a number of iterations is given"),
      field<&SolveRequest::measure>("run it by our plan, on the host or a GPU that is here, and show both"),
      field<&SolveRequest::trials>(
          "none; a number of kernels of the product to measure here before one is taken; auto: "
          "those that may still win"),
      field<&SolveRequest::check_drift>(
          "time some products of the host's calibration again, which tells whether it has drifted"));
};

/// One part of an iteration.
struct SolveTerm {
  Term term = Term::products;
  double seconds = 0;
};
template <>
struct Fields<SolveTerm> {
  static constexpr std::string_view about = "One part of an iteration.";
  static constexpr auto table = std::tuple(field<&SolveTerm::term>("the term").as("name"),
                                           field<&SolveTerm::seconds>("its share of the time", at_least(0)));
};

/// The solve with its products by one format.
struct SolveFormat {
  std::string format = {};
  double iteration_s = 0, setup_s = 0, total_s = 0;
  double low_s = 0, high_s = 0;  ///< of an iteration, in no document
};
template <>
struct Fields<SolveFormat> {
  static constexpr std::string_view about = "The solve with its products by one format.";
  static constexpr auto table = std::tuple(field<&SolveFormat::format>("the kernel of the product"),
                                           field<&SolveFormat::iteration_s>("one iteration", above(0)),
                                           field<&SolveFormat::setup_s>("before the first", at_least(0)),
                                           field<&SolveFormat::total_s>("set-up and all iterations", above(0)));
};

/// The best format of one preconditioner on one number of threads.
struct SolverChoice {
  std::string preconditioner = {};
  int threads = 0;
  std::string format = {};
  std::int64_t iterations = 1;
  double iteration_s = 0, setup_s = 0, total_s = 0;
};
template <>
struct Fields<SolverChoice> {
  static constexpr std::string_view about = "The best format of one preconditioner on one number of threads.";
  static constexpr auto table =
      std::tuple(field<&SolverChoice::preconditioner>("as requests name it"),
                 field<&SolverChoice::threads>("of the host; 0 for other devices", at_least(0)),
                 field<&SolverChoice::format>("the kernel of the product"),
                 field<&SolverChoice::iterations>("what is known of the chosen preconditioner's, times what "
                                                  "preconditioners saved on other matrices",
                                                  at_least(1)),
                 field<&SolverChoice::iteration_s>("one iteration", above(0)),
                 field<&SolverChoice::setup_s>("before the first", at_least(0)),
                 field<&SolverChoice::total_s>("set-up and all iterations", above(0)));
};

/// The solve as it ran.
struct MeasuredSolve {
  double iteration_s = 0, setup_s = 0, total_s = 0;
  double residual = 0;
  bool converged = false;
  std::vector<double> residuals = {};
  std::int64_t residuals_every = 1;
  std::vector<double> eigenvalues = {};
  std::string history = {};  ///< eight of the residuals, as text; in no document
};
template <>
struct Fields<MeasuredSolve> {
  static constexpr std::string_view about = "The solve as it ran.";
  static constexpr auto table =
      std::tuple(field<&MeasuredSolve::iteration_s>("median over the repetitions", above(0)).as("measured_iteration_s"),
                 field<&MeasuredSolve::setup_s>("conversion and preconditioner", above(0)).as("measured_setup_s"),
                 field<&MeasuredSolve::total_s>("set-up and all iterations", above(0)).as("measured_total_s"),
                 field<&MeasuredSolve::residual>("relative; ‖b − A·x‖/‖b‖ of a system", at_least(0)),
                 field<&MeasuredSolve::converged>("to the tolerance"),
                 field<&MeasuredSolve::residuals>("as the method carries them along", at_least(0)),
                 field<&MeasuredSolve::residuals_every>("iterations from one of them to the next", at_least(1)),
                 field<&MeasuredSolve::eigenvalues>("of the methods that find some").where_known());
};

struct SolveTime {
  MatrixSize matrix = {};
  DeviceName device = {};
  std::string tier = {};
  int threads = 0;
  std::string method = {}, preconditioner = {};
  MatrixShift shift = MatrixShift::none;
  std::string format = {};
  std::int64_t iterations = 1;
  bool iterations_assumed = false;
  double iteration_s = 0, low_s = 0, high_s = 0, setup_s = 0, total_s = 0;
  bool extrapolated = false;
  std::vector<SolveTerm> parts = {};
  std::vector<SolveFormat> formats = {};
  std::vector<SolverChoice> choices = {};
  std::optional<DriftAnswer> drift = {};
  std::optional<MeasuredSolve> measured = {};
  std::optional<TrialReport> trials = {};

  std::string profile = {};  ///< whose records; in no document
};
template <>
struct Fields<SolveTime> {
  static constexpr std::string_view about =
      "sparsecast solve --json: one iteration in its parts, the set-up, what finishes first; measured times with "
      "--measure";
  static constexpr auto table = std::tuple(
      field<&SolveTime::matrix>("that is solved"), field<&SolveTime::device>(""),
      field<&SolveTime::tier>("what the forecast rests on: measured, probe, data sheet"),
      field<&SolveTime::threads>("of the host; 0 for other devices", at_least(0)),
      field<&SolveTime::method>("with its parameter, as in gmres:30"),
      field<&SolveTime::preconditioner>("none, jacobi, block-jacobi, ic0, ilu0"),
      field<&SolveTime::shift>("what was solved in place of the matrix"),
      field<&SolveTime::format>("the kernel of the product that finishes the solve first"),
      field<&SolveTime::iterations>("asked for, or counted by the run, or assumed", at_least(1)),
      field<&SolveTime::iterations_assumed>("nobody said how many, and nothing ran"),
      field<&SolveTime::iteration_s>("one iteration, by the best format", above(0)),
      field<&SolveTime::low_s>("least of its 90 % interval", above(0)),
      field<&SolveTime::high_s>("most of its 90 % interval", above(0)),
      field<&SolveTime::setup_s>("conversion, preconditioner, and what else comes before the first iteration",
                                 at_least(0)),
      field<&SolveTime::total_s>("set-up and all iterations", above(0)),
      field<&SolveTime::extrapolated>("outside of what was calibrated"),
      field<&SolveTime::parts>("terms of an iteration; they add up to it"), field<&SolveTime::formats>("fastest first"),
      field<&SolveTime::choices>("the best format of every preconditioner and number of threads, fastest first"),
      field<&SolveTime::drift>("some products of the host's calibration timed again; null where none were timed"),
      field<&SolveTime::measured>("").where_known().in_its_place(),
      field<&SolveTime::trials>("of the product's kernels, where they were asked for").where_known());
};

/// Forecasts the solve by every format, and which preconditioner, number of threads and format finish first; runs it
/// where that is asked for. Error usage for an unknown method, preconditioner or device; bad_input for a matrix that
/// the method or the preconditioner cannot take; unavailable where another machine than this is to be measured; failed
/// with the residual's history where the run does not converge; errors of reading the matrix. Thread safety: safe from
/// several threads at once; runs disturb each other's times.
[[nodiscard]] SolveTime solve(const SolveRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
