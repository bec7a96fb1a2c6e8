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

template <>
struct Fields<SolveTerm> {
  static constexpr std::string_view about = "One part of an iteration.";
  static constexpr auto table = std::tuple(field<&SolveTerm::term>("the term").as("name"),
                                           field<&SolveTerm::seconds>("its share of the time", at_least(0)));
};

template <>
struct Fields<SolveFormat> {
  static constexpr std::string_view about = "The solve with its products by one format.";
  static constexpr auto table = std::tuple(field<&SolveFormat::format>("the kernel of the product"),
                                           field<&SolveFormat::iteration_s>("one iteration", above(0)),
                                           field<&SolveFormat::setup_s>("before the first", at_least(0)),
                                           field<&SolveFormat::total_s>("set-up and all iterations", above(0)));
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

template <>
struct Fields<SolveTime> {
  static constexpr std::string_view about =
      "What solve() answers: one iteration in its parts, the set-up, what finishes first; where it was run, measured "
      "times";
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

}  // namespace sparsecast
