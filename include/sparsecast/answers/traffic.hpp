#pragma once
// traffic: the memory movement of a MATLAB prototype, before it is written in C++.
//
// Thread safety: requests and answers are values; the functions are safe from several threads at once (measured runs
// disturb each other's times).

#include <sparsecast/answers/request.hpp>
#include <sparsecast/program_traffic.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The program to count, and the machine.
struct TrafficRequest {
  /// Annotated MATLAB program; the files that it calls in the same folder are part of it.
  std::filesystem::path program = {};
  std::string call = {};  ///< how to call a function file: "x = cg(1000)"
  /// A profile's or description's name or file: levels and seconds; "all": every machine that is known, ranked; empty:
  /// bytes alone.
  std::string machine = {};
  bool measure = false;       ///< with a machine: also run the program unchanged, timed and counted
  bool storage = false;       ///< with a machine: forecast every storage format of the program's sparse matrices
  bool scopes = false;        ///< also report each branch and loop of the regions separately
  double time_limit_s = 600;  ///< time limit of the program, in seconds
  ProgramOutput output = ProgramOutput::nowhere;
  Precision precision = Precision::double_;  ///< precision of the sparse products that are forecast
  int threads = 0;                           ///< threads of a measured host; 0: one
  Listener listener = {};
};

/// Two versions of a program.
struct TrafficCompareRequest {
  TrafficRequest first = {};
  std::filesystem::path second = {};  ///< the second program, run like the first
};

/// Runs the program under GNU Octave, with the caller's rights and all that it does to files, and ends what it has
/// started. Error bad_input (syntax, directives, a profile without what is needed), unavailable (no Octave), failed
/// (the program fails, or runs too long) with the line of the user's own program; usage for an unknown machine.
[[nodiscard]] ProgramTraffic traffic(const TrafficRequest& request);
/// Two versions of a program side by side. Errors as traffic()'s.
[[nodiscard]] TrafficComparison traffic_compare(const TrafficCompareRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
