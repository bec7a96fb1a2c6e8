#pragma once
// traffic: the memory movement of a MATLAB prototype, before it is written in C++.
//
// Thread safety: requests and answers are values; the functions are safe from several threads at once (measured runs
// disturb each other's times).

#include <sparsecast/answers/request.hpp>
#include <sparsecast/program_traffic.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

struct TrafficRequest {
  std::filesystem::path program = {};
  std::string call = {};
  std::string machine = {};
  bool measure = false;
  bool storage = false;
  double time_limit_s = 600;
  ProgramOutput output = ProgramOutput::nowhere;
  Precision precision = Precision::double_;
  int threads = 0;
  Listener listener = {};
};
template <>
struct Fields<TrafficRequest> {
  static constexpr std::string_view about = "Which program, on which machine.";
  static constexpr auto table = std::tuple(
      field<&TrafficRequest::program>("annotated MATLAB; what it calls beside it belongs to it"),
      field<&TrafficRequest::call>("how to call a function file: \"x = cg(1000)\""),
      field<&TrafficRequest::machine>(
          "a profile or description (file or name): levels and seconds; \"all\": every machine that is known, ranked"),
      field<&TrafficRequest::measure>("with a machine: also run the program as it is, timed and counted"),
      field<&TrafficRequest::storage>("with a machine: forecasts of every storage for its sparse matrices"),
      field<&TrafficRequest::time_limit_s>("seconds that the program may run"), field<&TrafficRequest::output>(""),
      field<&TrafficRequest::precision>("of the sparse products that are forecast"),
      field<&TrafficRequest::threads>("of a measured host; 0: one", at_least(0)));
};

struct TrafficCompareRequest {
  TrafficRequest first = {};
  std::filesystem::path second = {};
};
template <>
struct Fields<TrafficCompareRequest> {
  static constexpr std::string_view about = "Two programs.";
  static constexpr auto table = std::tuple(field<&TrafficCompareRequest::first>("").in_its_place(),
                                           field<&TrafficCompareRequest::second>("run as the first is"));
};

/// Runs the program under GNU Octave, with the caller's rights and all that it does to files, and ends what it has
/// started. Error bad_input (syntax, directives, a profile without what is needed), unavailable (no Octave), failed
/// (the program fails, or runs too long) with the line of the user's own program; usage for an unknown machine.
[[nodiscard]] ProgramTraffic traffic(const TrafficRequest& request);
/// Two versions of a program side by side. Errors as traffic()'s.
[[nodiscard]] TrafficComparison traffic_compare(const TrafficCompareRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
