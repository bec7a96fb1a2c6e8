#pragma once
// The fields of <sparsecast/answers/traffic.hpp>.

#include <sparsecast/answers/traffic.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"
#include "fields/program_traffic.hpp"

namespace sparsecast {

template <>
struct Fields<TrafficRequest> {
  static constexpr std::string_view about = "Which program to analyse, and on which machine.";
  static constexpr auto table = std::tuple(
      field<&TrafficRequest::program>(
          "annotated MATLAB program; the files that it calls in the same folder are part of it"),
      field<&TrafficRequest::call>("how to call a function file: \"x = cg(1000)\""),
      field<&TrafficRequest::machine>(
          "profile or description (file or name), for cache levels and seconds; \"all\": every known machine, ranked"),
      field<&TrafficRequest::measure>("with a machine: also run the program unchanged, timed and counted"),
      field<&TrafficRequest::storage>("with a machine: forecast every storage format of the program's sparse matrices"),
      field<&TrafficRequest::scopes>("also report each branch and loop of the regions separately"),
      field<&TrafficRequest::time_limit_s>("time limit of the program, in seconds"),
      field<&TrafficRequest::precision>("precision of the sparse products that are forecast"),
      field<&TrafficRequest::threads>("threads of a measured host; 0: one", host_threads));
};

template <>
struct Fields<TrafficCompareRequest> {
  static constexpr std::string_view about = "Two programs to compare.";
  static constexpr auto table =
      std::tuple(field<&TrafficCompareRequest::first>("").in_its_place(),
                 field<&TrafficCompareRequest::second>("the second program, run like the first"));
};

}  // namespace sparsecast
