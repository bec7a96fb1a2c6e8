#pragma once
// solve: how long an iterative solve takes, an iteration and the set-up part by part, what finishes it first, and on
// request the truth.

#include <optional>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/terms.hpp>
#include <sparsecast/tier.hpp>
#include <sparsecast/trials.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// What is solved in place of the matrix.
enum class MatrixShift {
  none,
  spd  ///< the Laplacian of the pattern's graph plus the identity, which is symmetric positive definite
};

/// The system to solve, the method, and the device.
struct SolveRequest {
  MatrixInput matrix = {};
  /// "cg", "bicgstab", "gmres[:restart]", "chebyshev", "jacobi", "power", "pagerank" or "lobpcg[:block]".
  std::string method = "cg";
  std::string preconditioner = "none";  ///< preconditioner: none, jacobi, block-jacobi, ic0 or ilu0
  MatrixShift shift = MatrixShift::none;
  std::string device = "host";  ///< as PredictRequest::device
  /// Read the measurements from this profile file instead of the device's own profile.
  std::filesystem::path profile = {};
  int threads = 0;  ///< host threads; 0: default_threads()
  /// Number of iterations; 0: as many as the tolerance takes if the solve is run (measure), else 500.
  std::int64_t iterations = 0;
  /// Of the residual, relative to the right-hand side, from 1e-15 to 1; nothing: 1e-8, or none where iterations are
  /// given.
  std::optional<double> tolerance = {};
  bool measure = false;  ///< also run it, on the host or a GPU that is here
  /// Kernels of the product that are measured before one is taken, as parse_trials() reads it.
  std::string trials = "none";
  /// Time some products of the host's calibration again, which tells whether it has drifted.
  bool check_drift = false;
  Listener listener = {};
};

/// One part of an iteration.
struct SolveTerm {
  Term term = Term::products;
  double seconds = 0;  ///< of one iteration
};

/// The solve with its products by one format.
struct SolveFormat {
  std::string format = {};  ///< kernel that runs the products
  double iteration_s = 0;   ///< time of one iteration
  /// Before the first iteration; without the conversion where its time is not known.
  double setup_s = 0;
  double total_s = 0;            ///< time of the set-up and all iterations
  double low_s = 0, high_s = 0;  ///< of an iteration, in no document
  bool conversion_known = true;  ///< false: set-up and total are without the conversion; in no document
};

/// The best format of one preconditioner on one number of threads.
struct SolverChoice {
  std::string preconditioner = {};  ///< preconditioner, as requests name it
  int threads = 0;                  ///< host threads; 0 on other devices
  std::string format = {};          ///< kernel that runs the products
  /// Those of the chosen preconditioner, times what preconditioners saved on other matrices.
  std::int64_t iterations = 1;
  double iteration_s = 0;        ///< time of one iteration
  double setup_s = 0;            ///< as SolveFormat::setup_s
  double total_s = 0;            ///< time of the set-up and all iterations
  bool conversion_known = true;  ///< as SolveFormat::conversion_known
};

/// The solve as it ran.
struct MeasuredSolve {
  double iteration_s = 0;                ///< time of one iteration: median over the repetitions
  double setup_s = 0;                    ///< time of the conversion and of the preconditioner's set-up
  double total_s = 0;                    ///< time of the set-up and all iterations
  double residual = 0;                   ///< relative residual; for a system ‖b − A·x‖/‖b‖
  bool converged = false;                ///< true: `residual` is within the tolerance, 1e-8 where none was given
  std::vector<double> residuals = {};    ///< residuals, as the method itself updates them
  std::int64_t residuals_every = 1;      ///< number of iterations between two entries of residuals
  std::vector<double> eigenvalues = {};  ///< eigenvalues, for methods that compute them
  std::string history = {};              ///< eight of the residuals, as text; in no document
};

/// Result of solve(): an iteration in its parts, the set-up, what finishes first and, where it ran, the truth.
struct SolveTime {
  MatrixSize matrix = {};
  DeviceName device = {};
  Tier tier = Tier::measured;  ///< what the forecast rests on, as Profile::tier
  int threads = 0;             ///< host threads; 0 on other devices
  std::string method = {};     ///< method with its parameter, as in gmres:30
  std::string preconditioner = {};
  MatrixShift shift = MatrixShift::none;
  std::string format = {};          ///< kernel whose products finish the solve first
  std::int64_t iterations = 1;      ///< number of iterations: requested, counted by the run, or assumed
  bool iterations_assumed = false;  ///< true: the number of iterations was neither given nor measured
  double iteration_s = 0;           ///< time of one iteration with the best format
  double low_s = 0, high_s = 0;     ///< 90 % interval
  /// Time of the conversion, the preconditioner and anything else before the first iteration; without the conversion
  /// where its time is not known, which a remark tells.
  double setup_s = 0;
  double total_s = 0;                     ///< time of the set-up and all iterations
  bool extrapolated = false;              ///< true: the matrix lies outside the range that was calibrated
  std::vector<SolveTerm> parts = {};      ///< terms of an iteration; they add up to its time
  std::vector<SolveFormat> formats = {};  ///< the solve by format, fastest first
  /// The best format of every preconditioner and number of threads, fastest first.
  std::vector<SolverChoice> choices = {};
  /// Some products of the host's calibration timed again; nothing where none were.
  std::optional<DriftAnswer> drift = {};
  std::optional<MeasuredSolve> measured = {};
  std::optional<TrialReport> trials = {};  ///< trials of the product's kernels, if they were requested

  std::string profile = {};  ///< whose records; in no document
};

/// Forecasts the solve by every format, and which preconditioner, number of threads and format finish first; runs it
/// where that is asked for. Error usage for an unknown method, preconditioner or device and a tolerance out of range;
/// bad_input for a matrix that the method or the preconditioner cannot take; unavailable where another machine than
/// this is to be measured; failed with the residual's history where the run does not converge; errors of reading the
/// matrix. Thread safety: safe from several threads at once; runs disturb each other's times.
[[nodiscard]] SolveTime solve(const SolveRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
