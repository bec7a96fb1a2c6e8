#pragma once
// The fields of <sparsecast/program_traffic.hpp>.

#include <sparsecast/program_traffic.hpp>

#include "fields/fields.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Fields<LevelTraffic> {
  static constexpr std::string_view about = "Bytes that reach a level of memory.";
  static constexpr auto table = std::tuple(field<&LevelTraffic::level>("name of the level: L1, …, memory"),
                                           field<&LevelTraffic::load_bytes>("", at_least(0)).as_whole(),
                                           field<&LevelTraffic::store_bytes>("", at_least(0)).as_whole());
};

template <>
struct Fields<IterationTraffic> {
  static constexpr std::string_view about =
      "The movement of one iteration of a region's only outer loop, or of one call if it has no such loop.";
  static constexpr auto table = std::tuple(
      field<&IterationTraffic::iterations>("number of iterations of the loop over all calls, or of calls", at_least(0))
          .as_whole(),
      field<&IterationTraffic::loop_line>("line of the loop; 0: no such loop", at_least(0)),
      field<&IterationTraffic::load_bytes>("", at_least(0)).as("wsl_bytes"),
      field<&IterationTraffic::store_bytes>("", at_least(0)).as("wss_bytes"),
      field<&IterationTraffic::seconds>("time on that machine", at_least(0)).where_known());
};

template <>
struct Fields<RegionTraffic> {
  using R = RegionTraffic;
  static constexpr std::string_view about = "What a region moves.";
  static constexpr auto table = std::tuple(
      field<&R::name>(""), field<&R::file>("file, as given; for a function in another file, its path"),
      field<&R::first_line>("", at_least(0)), field<&R::last_line>("", at_least(0)),
      field<&R::depth>("number of regions of the same file around it", at_least(0)),
      field<&R::calls>("", at_least(0)).as_whole(),
      field<&R::storage_bytes>("storage requirement in bytes", at_least(0)).as("sr_bytes").as_whole(),
      field<&R::load_bytes>("working set loaded, in bytes", at_least(0)).as("wsl_bytes").as_whole(),
      field<&R::load_uncertainty>("bytes that may be read again", at_least(0)).as("wsl_uncertainty_bytes").as_whole(),
      field<&R::store_bytes>("working set stored, in bytes", at_least(0)).as("wss_bytes").as_whole(),
      field<&R::dense_bytes>("loaded bytes that belong to dense matrix products", at_least(0))
          .as("dgemm_bytes")
          .as_whole(),
      field<&R::dense_uncertainty>("", at_least(0)).as("dgemm_uncertainty_bytes").as_whole(),
      field<&R::sparse_bytes>("loaded bytes that belong to sparse operations", at_least(0)).as_whole(),
      field<&R::sparse_uncertainty>("", at_least(0)).as("sparse_uncertainty_bytes").as_whole(),
      field<&R::levels>("bytes at each level of the machine").where_known(),
      field<&R::seconds>("time on that machine", at_least(0)).where_known(),
      field<&R::product_seconds>("the part of seconds that is a forecast of sparse products", at_least(0))
          .where_known(),
      field<&R::per_iteration>(
          "movement of one iteration of the region's only outer loop, or of one call (loop_line is then 0)")
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
      "The body of a branch or a loop inside a region, without the bodies nested in it.";
  static constexpr auto table = std::tuple(
      field<&S::name>("keyword and line: ifLn5, elseLn7"), field<&S::file>(""),
      field<&S::region>("innermost region around it"), field<&S::line>("", at_least(0)),
      field<&S::runs>("", at_least(0)).as_whole(),
      field<&S::storage_bytes>("most bytes that its variables took at its end", at_least(0)).as("sr_bytes").as_whole(),
      field<&S::load_bytes>("", at_least(0)).as("wsl_bytes").as_whole(),
      field<&S::store_bytes>("", at_least(0)).as("wss_bytes").as_whole());
};

template <>
struct Fields<UnanalysedTraffic> {
  static constexpr std::string_view about = "Calls inside regions to code whose own movement is not counted.";
  static constexpr auto table = std::tuple(
      field<&UnanalysedTraffic::name>(""), field<&UnanalysedTraffic::file>("file of the call"),
      field<&UnanalysedTraffic::line>("", at_least(0)),
      field<&UnanalysedTraffic::calls>("how often the statement ran, times the number of calls in it", at_least(0))
          .as_whole());
};

template <>
struct Fields<ProgramLevel> {
  static constexpr std::string_view about = "Loads that reach a level of memory.";
  static constexpr auto table =
      std::tuple(field<&ProgramLevel::level>("name of the level: L1, …, memory"),
                 field<&ProgramLevel::bytes>("", at_least(0)).as_whole(),
                 field<&ProgramLevel::measured_bytes>(
                     "bytes of the lines that the processor's counters saw; null if they cannot be read", at_least(0)));
};

template <>
struct Fields<ProgramLevels> {
  static constexpr std::string_view about = "A program's outermost regions together.";
  static constexpr auto table = std::tuple(
      field<&ProgramLevels::levels>("if a machine was named: bytes at each of its levels"),
      field<&ProgramLevels::seconds>("time on that machine", at_least(0)),
      field<&ProgramLevels::measured_seconds>("if the program was run: its time under Octave, unchanged", at_least(0)),
      field<&ProgramLevels::counters>("if the program was run: what was counted, or why nothing was").where_known());
};

template <>
struct Fields<TrafficMachine> {
  static constexpr std::string_view about = "The outermost regions on a machine, with all of its cores at work.";
  static constexpr auto table =
      std::tuple(field<&TrafficMachine::device>("name of the machine"),
                 field<&TrafficMachine::tier>("basis of the forecast: measured, probe, data sheet"),
                 field<&TrafficMachine::seconds>("", at_least(0)));
};

template <>
struct Fields<StorageTime> {
  static constexpr std::string_view about = "One product by one kernel.";
  static constexpr auto table = std::tuple(field<&StorageTime::kernel>("name of the kernel, as in the kernel table"),
                                           field<&StorageTime::seconds>("forecast time", above(0)),
                                           field<&StorageTime::low_s>("lower end of the 90 % interval", above(0)),
                                           field<&StorageTime::high_s>("upper end of the 90 % interval", above(0)));
};

template <>
struct Fields<TrafficStorage> {
  static constexpr std::string_view about = "One sparse matrix of the program in every storage format.";
  static constexpr auto table = std::tuple(
      field<&TrafficStorage::rows>("", at_least(0)), field<&TrafficStorage::cols>("", at_least(0)),
      field<&TrafficStorage::nonzeros>("", at_least(0)),
      field<&TrafficStorage::products>("number of products with a vector in the outermost regions", at_least(0)),
      field<&TrafficStorage::kernels>("kernels, fastest first"));
};

template <>
struct Fields<ProgramTraffic> {
  static constexpr std::string_view about =
      "The bytes that a compiled implementation of a program would move, with levels and seconds if a machine is "
      "named.";
  static constexpr auto table = std::tuple(
      field<&ProgramTraffic::program>("name of the program, as given"),
      field<&ProgramTraffic::regions>("regions by file and first line"),
      field<&ProgramTraffic::lines>("lines that move anything, by file and line"),
      field<&ProgramTraffic::unanalysed>("calls that were not analysed, by file and line"),
      field<&ProgramTraffic::remarks>("remarks: regions that never ran, what was not analysed, what is a bound"),
      field<&ProgramTraffic::scopes>("branches and loops of the regions, if they were requested").where_known(),
      field<&ProgramTraffic::whole>("").where_known().in_its_place(),
      field<&ProgramTraffic::legend>("what the abbreviations mean"),
      field<&ProgramTraffic::machines>("machines, fastest first, if all of them were requested").where_known(),
      field<&ProgramTraffic::storage>("sparse matrices in every storage format, if they were requested").where_known());
};

template <>
struct Fields<RegionDifference> {
  static constexpr std::string_view about = "Regions of the same name; differences are second minus first.";
  static constexpr auto table =
      std::tuple(field<&RegionDifference::name>(""),
                 field<&RegionDifference::first_bytes>("bytes; 0 if only the other program has it", at_least(0))
                     .as("first_wsl_bytes")
                     .as_whole(),
                 field<&RegionDifference::second_bytes>("bytes; 0 if only the other program has it", at_least(0))
                     .as("second_wsl_bytes")
                     .as_whole(),
                 field<&RegionDifference::load_difference>("").as("wsl_difference_bytes").as_whole(),
                 field<&RegionDifference::store_difference>("").as("wss_difference_bytes").as_whole(),
                 field<&RegionDifference::difference_s>("time on that machine").where_known());
};

template <>
struct Fields<LineDifference> {
  static constexpr std::string_view about =
      "A line that moves different amounts or is in one program only; differences are second minus first.";
  static constexpr auto table =
      std::tuple(field<&LineDifference::text>("text of the line without leading and trailing blanks"),
                 field<&LineDifference::first_line>("", at_least(0)).where_known(),
                 field<&LineDifference::second_line>("", at_least(0)).where_known(),
                 field<&LineDifference::load_difference>("").as("wsl_difference_bytes").as_whole(),
                 field<&LineDifference::store_difference>("").as("wss_difference_bytes").as_whole());
};

template <>
struct Fields<TrafficComparison> {
  static constexpr std::string_view about =
      "Result of traffic_compare(): regions of the same name and lines with the same text; differences are second "
      "minus first";
  static constexpr auto table =
      std::tuple(field<&TrafficComparison::first>(""), field<&TrafficComparison::second>(""),
                 field<&TrafficComparison::regions>("regions of the same name"),
                 field<&TrafficComparison::lines>(
                     "lines that move different amounts or are in one program only, largest difference first"));
};

}  // namespace sparsecast
