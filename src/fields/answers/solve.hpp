#pragma once
// The fields of <sparsecast/answers/solve.hpp>, and the words of its enumeration.

#include <sparsecast/answers/solve.hpp>

#include "fields/answers/predict.hpp"
#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/terms.hpp"
#include "fields/tier.hpp"
#include "fields/trials.hpp"

namespace sparsecast {

template <>
struct Words<MatrixShift> {
  static constexpr std::array table{std::pair{MatrixShift::none, std::string_view("none")},
                                    std::pair{MatrixShift::spd, std::string_view("spd")}};
};

template <>
struct Fields<SolveRequest> {
  static constexpr std::string_view about = "Which system to solve, how and where.";
  static constexpr auto table = std::tuple(
      field<&SolveRequest::matrix>(""),
      field<&SolveRequest::method>(
          "method: cg, bicgstab, gmres[:restart], chebyshev, jacobi, power, pagerank, lobpcg[:block]"),
      field<&SolveRequest::preconditioner>("preconditioner: none, jacobi, block-jacobi, ic0 or ilu0"),
      field<&SolveRequest::shift>("spd: replace the matrix by the Laplacian of its pattern's graph plus the identity"),
      field<&SolveRequest::device>(
          "device: host, opencl:N, cuda:N, the name of a profile or of a described machine, or FILE.json"),
      field<&SolveRequest::profile>("read the measurements from this profile file instead of the device's own profile"),
      field<&SolveRequest::threads>("host threads; 0: default_threads()", host_threads),
      field<&SolveRequest::iterations>(
          "number of iterations; 0: as many as the tolerance takes if the solve is run (measure), else 500",
          at_least(0)),
      field<&SolveRequest::tolerance>("tolerance of the residual, relative to the right-hand side; default: 1e-8, or "
                                      "none if a number of iterations is given"),
      field<&SolveRequest::measure>(
          "run the solve by a plan, on the host or a GPU that is present, and show forecast and measurement"),
      field<&SolveRequest::trials>("candidates for the product's kernel to time here before choosing: none, a number, "
                                   "or auto (those that may still win)"),
      field<&SolveRequest::check_drift>(
          "time a few products of the host's calibration again, to see whether the machine has drifted since"));
};

template <>
struct Fields<SolveTerm> {
  static constexpr std::string_view about = "One part of an iteration.";
  static constexpr auto table =
      std::tuple(field<&SolveTerm::term>("name of the term").as("name"),
                 field<&SolveTerm::seconds>("the part of the time that the term accounts for", at_least(0)));
};

template <>
struct Fields<SolveFormat> {
  static constexpr std::string_view about = "The solve with its products in one format.";
  static constexpr auto table = std::tuple(
      field<&SolveFormat::format>("kernel that runs the products"),
      field<&SolveFormat::iteration_s>("time of one iteration", above(0)),
      field<&SolveFormat::setup_s>(
          "time spent before the first iteration, without a conversion whose time is not known", at_least(0)),
      field<&SolveFormat::total_s>("time of the set-up and all iterations", above(0)));
};

template <>
struct Fields<SolverChoice> {
  static constexpr std::string_view about = "The best format for one preconditioner and one number of threads.";
  static constexpr auto table = std::tuple(
      field<&SolverChoice::preconditioner>("preconditioner, as requests name it"),
      field<&SolverChoice::threads>("host threads; 0 on other devices", at_least(0)),
      field<&SolverChoice::format>("kernel that runs the products"),
      field<&SolverChoice::iterations>("number of iterations: that of the chosen preconditioner, scaled by "
                                       "what preconditioners saved on other matrices",
                                       at_least(1)),
      field<&SolverChoice::iteration_s>("time of one iteration", above(0)),
      field<&SolverChoice::setup_s>(
          "time spent before the first iteration, without a conversion whose time is not known", at_least(0)),
      field<&SolverChoice::total_s>("time of the set-up and all iterations", above(0)));
};

template <>
struct Fields<MeasuredSolve> {
  static constexpr std::string_view about = "The solve as it was measured.";
  static constexpr auto table = std::tuple(
      field<&MeasuredSolve::iteration_s>("time of one iteration: median over the repetitions", above(0))
          .as("measured_iteration_s"),
      field<&MeasuredSolve::setup_s>("time of the conversion and of the preconditioner's set-up", above(0))
          .as("measured_setup_s"),
      field<&MeasuredSolve::total_s>("time of the set-up and all iterations", above(0)).as("measured_total_s"),
      field<&MeasuredSolve::residual>("relative residual; for a system ‖b − A·x‖/‖b‖", at_least(0)),
      field<&MeasuredSolve::converged>("true: the residual is within the tolerance, or within 1e-8 if none was given"),
      field<&MeasuredSolve::residuals>("residuals, as the method itself updates them", at_least(0)),
      field<&MeasuredSolve::residuals_every>("number of iterations between two entries of residuals", at_least(1)),
      field<&MeasuredSolve::eigenvalues>("eigenvalues, for methods that compute them").where_known());
};

template <>
struct Fields<SolveTime> {
  static constexpr std::string_view about =
      "Result of solve(): one iteration in its parts, the set-up, what finishes first and, if it was run, measured "
      "times";
  static constexpr auto table = std::tuple(
      field<&SolveTime::matrix>("matrix of the system"), field<&SolveTime::device>(""),
      field<&SolveTime::tier>("basis of the forecast: measured, probe, data sheet"),
      field<&SolveTime::threads>("host threads; 0 on other devices", at_least(0)),
      field<&SolveTime::method>("method with its parameter, as in gmres:30"),
      field<&SolveTime::preconditioner>("preconditioner: none, jacobi, block-jacobi, ic0, ilu0"),
      field<&SolveTime::shift>("what was solved instead of the matrix itself"),
      field<&SolveTime::format>("kernel whose products finish the solve first"),
      field<&SolveTime::iterations>("number of iterations: requested, counted by the run, or assumed", at_least(1)),
      field<&SolveTime::iterations_assumed>("true: the number of iterations was neither given nor measured"),
      field<&SolveTime::iteration_s>("time of one iteration with the best format", above(0)),
      field<&SolveTime::low_s>("lower end of its 90 % interval", above(0)),
      field<&SolveTime::high_s>("upper end of its 90 % interval", above(0)),
      field<&SolveTime::setup_s>(
          "time of the conversion, if it is known, the preconditioner and anything else before the "
          "first iteration",
          at_least(0)),
      field<&SolveTime::total_s>("time of the set-up and all iterations", above(0)),
      field<&SolveTime::extrapolated>("true: the matrix lies outside the range that was calibrated"),
      field<&SolveTime::parts>("terms of an iteration; they add up to its time"),
      field<&SolveTime::formats>("the solve by format, fastest first"),
      field<&SolveTime::choices>("the best format for every preconditioner and number of threads, fastest first"),
      field<&SolveTime::drift>("a few products of the host's calibration, timed again; null if none were timed"),
      field<&SolveTime::measured>("").where_known().in_its_place(),
      field<&SolveTime::trials>("trials of the product's kernels, if they were requested").where_known());
};

}  // namespace sparsecast
