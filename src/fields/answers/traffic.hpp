#pragma once
// The fields of <sparsecast/answers/traffic.hpp>.

#include <sparsecast/answers/traffic.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"
#include "fields/program_traffic.hpp"

namespace sparsecast {

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
      field<&TrafficRequest::scopes>("also each branch and loop of the regions by itself"),
      field<&TrafficRequest::time_limit_s>("seconds that the program may run"),
      field<&TrafficRequest::precision>("of the sparse products that are forecast"),
      field<&TrafficRequest::threads>("of a measured host; 0: one", at_least(0)));
};

template <>
struct Fields<TrafficCompareRequest> {
  static constexpr std::string_view about = "Two programs.";
  static constexpr auto table = std::tuple(field<&TrafficCompareRequest::first>("").in_its_place(),
                                           field<&TrafficCompareRequest::second>("run as the first is"));
};

}  // namespace sparsecast
