#pragma once
// The fields of <sparsecast/program_traffic.hpp>.

#include <sparsecast/program_traffic.hpp>

#include "fields/fields.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Fields<LevelTraffic> {
  static constexpr std::string_view about = "Bytes that reach a level.";
  static constexpr auto table = std::tuple(field<&LevelTraffic::level>("L1, …, memory"),
                                           field<&LevelTraffic::load_bytes>("", at_least(0)).as_whole(),
                                           field<&LevelTraffic::store_bytes>("", at_least(0)).as_whole());
};

template <>
struct Fields<IterationTraffic> {
  static constexpr std::string_view about = "Of one turn of a region's only outer loop; of one call where it has none.";
  static constexpr auto table = std::tuple(
      field<&IterationTraffic::iterations>("turns of the loop over all calls, or calls", at_least(0)).as_whole(),
      field<&IterationTraffic::loop_line>("0: it has none", at_least(0)),
      field<&IterationTraffic::load_bytes>("", at_least(0)).as("wsl_bytes"),
      field<&IterationTraffic::store_bytes>("", at_least(0)).as("wss_bytes"),
      field<&IterationTraffic::seconds>("on the machine", at_least(0)).where_known());
};

template <>
struct Fields<RegionTraffic> {
  using R = RegionTraffic;
  static constexpr std::string_view about = "What a region moves.";
  static constexpr auto table = std::tuple(
      field<&R::name>(""), field<&R::file>("as it was named; of a function beside the program its path"),
      field<&R::first_line>("", at_least(0)), field<&R::last_line>("", at_least(0)),
      field<&R::depth>("regions of the same file around it", at_least(0)), field<&R::calls>("", at_least(0)).as_whole(),
      field<&R::storage_bytes>("storage requirement", at_least(0)).as("sr_bytes").as_whole(),
      field<&R::load_bytes>("working set loaded", at_least(0)).as("wsl_bytes").as_whole(),
      field<&R::load_uncertainty>("what may be read again", at_least(0)).as("wsl_uncertainty_bytes").as_whole(),
      field<&R::store_bytes>("working set stored", at_least(0)).as("wss_bytes").as_whole(),
      field<&R::dense_bytes>("of the loads, in dense matrix products", at_least(0)).as("dgemm_bytes").as_whole(),
      field<&R::dense_uncertainty>("", at_least(0)).as("dgemm_uncertainty_bytes").as_whole(),
      field<&R::sparse_bytes>("of the loads, in sparse operations", at_least(0)).as_whole(),
      field<&R::sparse_uncertainty>("", at_least(0)).as("sparse_uncertainty_bytes").as_whole(),
      field<&R::levels>("of the machine").where_known(),
      field<&R::seconds>("on the machine", at_least(0)).where_known(),
      field<&R::product_seconds>("the part of seconds that is a forecast of sparse products", at_least(0))
          .where_known(),
      field<&R::per_iteration>("of one turn of the region's only outer loop; of one call where it has none and "
                               "loop_line is 0")
          .where_known());
};

template <>
struct Fields<LineTraffic> {
  static constexpr std::string_view about = "What a line moves.";
  static constexpr auto table =
      std::tuple(field<&LineTraffic::file>(""), field<&LineTraffic::line>("", at_least(0)),
                 field<&LineTraffic::load_bytes>("", at_least(0)).as("wsl_bytes").as_whole(),
                 field<&LineTraffic::store_bytes>("", at_least(0)).as("wss_bytes").as_whole());
};

template <>
struct Fields<ScopeTraffic> {
  using S = ScopeTraffic;
  static constexpr std::string_view about =
      "A branch's or a loop's body inside a region: what stands in it and in no other within it.";
  static constexpr auto table = std::tuple(
      field<&S::name>("keyword and line: ifLn5, elseLn7"), field<&S::file>(""),
      field<&S::region>("innermost around it"), field<&S::line>("", at_least(0)),
      field<&S::runs>("", at_least(0)).as_whole(),
      field<&S::storage_bytes>("the most that its variables took at its end", at_least(0)).as("sr_bytes").as_whole(),
      field<&S::load_bytes>("", at_least(0)).as("wsl_bytes").as_whole(),
      field<&S::store_bytes>("", at_least(0)).as("wss_bytes").as_whole());
};

template <>
struct Fields<UnanalysedTraffic> {
  static constexpr std::string_view about = "Calls inside regions of something whose own movement is not counted.";
  static constexpr auto table = std::tuple(
      field<&UnanalysedTraffic::name>(""), field<&UnanalysedTraffic::file>("of the call"),
      field<&UnanalysedTraffic::line>("", at_least(0)),
      field<&UnanalysedTraffic::calls>("how often the statement ran, times the calls in it", at_least(0)).as_whole());
};

template <>
struct Fields<ProgramLevel> {
  static constexpr std::string_view about = "Loads that reach a level.";
  static constexpr auto table =
      std::tuple(field<&ProgramLevel::level>("L1, …, memory"), field<&ProgramLevel::bytes>("", at_least(0)).as_whole(),
                 field<&ProgramLevel::measured_bytes>(
                     "lines that the processor's counters saw; null where they cannot be read", at_least(0)));
};

template <>
struct Fields<ProgramLevels> {
  static constexpr std::string_view about = "Of a program's outermost regions together.";
  static constexpr auto table = std::tuple(
      field<&ProgramLevels::levels>("where a machine was named: of the outermost regions together"),
      field<&ProgramLevels::seconds>("on the machine", at_least(0)),
      field<&ProgramLevels::measured_seconds>("where it was run: the program as it is under Octave", at_least(0)),
      field<&ProgramLevels::counters>("where it was run: what was counted, or why nothing was").where_known());
};

template <>
struct Fields<TrafficMachine> {
  static constexpr std::string_view about = "The outermost regions on a machine, all its cores at work.";
  static constexpr auto table =
      std::tuple(field<&TrafficMachine::device>("its name"),
                 field<&TrafficMachine::tier>("what is known of it: measured, probe, data sheet"),
                 field<&TrafficMachine::seconds>("", at_least(0)));
};

template <>
struct Fields<StorageTime> {
  static constexpr std::string_view about = "One product by one kernel.";
  static constexpr auto table = std::tuple(field<&StorageTime::kernel>("as the kernel table names it"),
                                           field<&StorageTime::seconds>("forecast", above(0)),
                                           field<&StorageTime::low_s>("least of the 90 % interval", above(0)),
                                           field<&StorageTime::high_s>("most of the 90 % interval", above(0)));
};

template <>
struct Fields<TrafficStorage> {
  static constexpr std::string_view about = "One sparse matrix of the program in every storage.";
  static constexpr auto table =
      std::tuple(field<&TrafficStorage::rows>("", at_least(0)), field<&TrafficStorage::cols>("", at_least(0)),
                 field<&TrafficStorage::nonzeros>("", at_least(0)),
                 field<&TrafficStorage::products>("with a vector, in the outermost regions", at_least(0)),
                 field<&TrafficStorage::kernels>("fastest first"));
};

template <>
struct Fields<ProgramTraffic> {
  static constexpr std::string_view about =
      "The bytes that a compiled implementation of a program would move; levels and seconds where a machine is named.";
  static constexpr auto table = std::tuple(
      field<&ProgramTraffic::program>("as it was named"), field<&ProgramTraffic::regions>("by file and first line"),
      field<&ProgramTraffic::lines>("that move anything, by file and line"),
      field<&ProgramTraffic::unanalysed>("by file and line"),
      field<&ProgramTraffic::remarks>("regions that never ran, what is not analysed, bounds"),
      field<&ProgramTraffic::scopes>("where they were asked for: branches and loops of the regions").where_known(),
      field<&ProgramTraffic::whole>("").where_known().in_its_place(),
      field<&ProgramTraffic::legend>("what the abbreviations mean"),
      field<&ProgramTraffic::machines>("where all machines were asked for, fastest first").where_known(),
      field<&ProgramTraffic::storage>("where storage was asked for").where_known());
};

template <>
struct Fields<RegionDifference> {
  static constexpr std::string_view about = "Regions of the same name together; second less first.";
  static constexpr auto table =
      std::tuple(field<&RegionDifference::name>(""),
                 field<&RegionDifference::first_bytes>("0 where only the other has it", at_least(0))
                     .as("first_wsl_bytes")
                     .as_whole(),
                 field<&RegionDifference::second_bytes>("0 where only the other has it", at_least(0))
                     .as("second_wsl_bytes")
                     .as_whole(),
                 field<&RegionDifference::load_difference>("").as("wsl_difference_bytes").as_whole(),
                 field<&RegionDifference::store_difference>("").as("wss_difference_bytes").as_whole(),
                 field<&RegionDifference::difference_s>("on the machine").where_known());
};

template <>
struct Fields<LineDifference> {
  static constexpr std::string_view about = "A line that moves differently, or is only in one; second less first.";
  static constexpr auto table =
      std::tuple(field<&LineDifference::text>("without blanks around it"),
                 field<&LineDifference::first_line>("", at_least(0)).where_known(),
                 field<&LineDifference::second_line>("", at_least(0)).where_known(),
                 field<&LineDifference::load_difference>("").as("wsl_difference_bytes").as_whole(),
                 field<&LineDifference::store_difference>("").as("wss_difference_bytes").as_whole());
};

template <>
struct Fields<TrafficComparison> {
  static constexpr std::string_view about =
      "What traffic_compare() answers: regions of the same name and lines with the same text, second less first";
  static constexpr auto table = std::tuple(
      field<&TrafficComparison::first>(""), field<&TrafficComparison::second>(""),
      field<&TrafficComparison::regions>("of the same name together"),
      field<&TrafficComparison::lines>("that move differently or are only in one, largest difference first"));
};

}  // namespace sparsecast
