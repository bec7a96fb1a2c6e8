#pragma once
// The fields of <sparsecast/kernel_forecast.hpp>.

#include <sparsecast/kernel_forecast.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<LaunchEstimate> {
  static constexpr std::string_view about = "What a model says of a launch.";
  static constexpr auto table = std::tuple(
      field<&LaunchEstimate::model>("naive, operations, serialized (the paper's), overlapped"),
      field<&LaunchEstimate::seconds>("the whole launch; null: a time that it needs is undefined", at_least(0)),
      field<&LaunchEstimate::low_s>("least of the 90 % interval", at_least(0)).where_known(),
      field<&LaunchEstimate::high_s>("most of the 90 % interval", at_least(0)).where_known(),
      field<&LaunchEstimate::cycles>("of the device's clock; null of a graph", at_least(0)),
      field<&LaunchEstimate::bound_by>("what binds"),
      field<&LaunchEstimate::expression>("the time in symbols, where they were asked for").where_known(),
      field<&LaunchEstimate::height>("of the model's matrix, where powers were asked for", at_least(0)).where_known(),
      field<&LaunchEstimate::power>("the matrix to the power of its height: a row a node, s; null: no path")
          .where_known());
};

template <>
struct Fields<LaunchOccupancy> {
  static constexpr std::string_view about = "What a multiprocessor holds of a launch.";
  static constexpr auto table =
      std::tuple(field<&LaunchOccupancy::blocks>("resident at once", at_least(0)),
                 field<&LaunchOccupancy::warps>("resident at once", at_least(0)),
                 field<&LaunchOccupancy::limited_by>("warps, blocks, registers, shared memory or grid"),
                 field<&LaunchOccupancy::registers>("of a thread", at_least(0)),
                 field<&LaunchOccupancy::shared_bytes>("of a block, static and dynamic", at_least(0)),
                 field<&LaunchOccupancy::spill_bytes>("of a thread's registers, in local memory", at_least(0)));
};

template <>
struct Fields<LaunchParts> {
  static constexpr std::string_view about = "The overlapped model's parts: time = launch + start-up + waves · wave.";
  static constexpr auto table = std::tuple(
      field<&LaunchParts::launch_s>("until the first block runs", at_least(0)),
      field<&LaunchParts::transient_s>("start-up", at_least(0)),
      field<&LaunchParts::wave_s>("one wave of blocks", at_least(0)), field<&LaunchParts::waves>("", at_least(0)),
      field<&LaunchParts::cycles_per_block>("that a block keeps each resource busy, longest first", at_least(0)),
      field<&LaunchParts::resident_warps>("of a multiprocessor", at_least(0)),
      field<&LaunchParts::warps_to_hide>("that would hide the latency of all else", at_least(0)),
      field<&LaunchParts::schedule>("machine code or PTX: where the order of instructions is from"),
      field<&LaunchParts::memory_bytes>("moved through memory by the whole launch", at_least(0)).as_whole(),
      field<&LaunchParts::l2_bytes>("moved through the second-level cache", at_least(0)).as_whole(),
      field<&LaunchParts::l1_hit_share>("of the loads that hit the first level", at_least(0)),
      field<&LaunchParts::warp_instructions>("of the whole launch", at_least(0)),
      field<&LaunchParts::clock_hz>("that the forecast took", at_least(0)));
};

template <>
struct Fields<LaunchTime> {
  static constexpr std::string_view about = "One launch of one kernel.";
  static constexpr auto table = std::tuple(
      field<&LaunchTime::kernel>("its name in the binary"), field<&LaunchTime::device>("of the table").where_known(),
      field<&LaunchTime::nodes>("of the kernel graph", at_least(0)), field<&LaunchTime::arcs>("", at_least(0)),
      field<&LaunchTime::height>("nodes of its longest path", at_least(0)),
      field<&LaunchTime::instances>("of the graph: warps", at_least(0)),
      field<&LaunchTime::executors>("of them at once", at_least(0)),
      field<&LaunchTime::estimates>("by each model, the one to believe last"),
      field<&LaunchTime::occupancy>("of a multiprocessor").where_known(),
      field<&LaunchTime::overlap>("of the overlapped model").where_known(),
      field<&LaunchTime::advice>("one line: which model to believe, and what to change next").where_known(),
      field<&LaunchTime::notes>("what was assumed"));
};

template <>
struct Fields<RowEstimate> {
  static constexpr std::string_view about = "What a model says of a row.";
  static constexpr auto table =
      std::tuple(field<&RowEstimate::model>("naive, operations, serialized (the paper's), overlapped"),
                 field<&RowEstimate::seconds>("the whole launch", at_least(0)),
                 field<&RowEstimate::low_s>("least of the 90 % interval", at_least(0)).where_known(),
                 field<&RowEstimate::high_s>("most of the 90 % interval", at_least(0)).where_known(),
                 field<&RowEstimate::bound_by>("what binds").where_known());
};

template <>
struct Fields<RowForecast> {
  static constexpr std::string_view about = "A row of a tuning table.";
  static constexpr auto table =
      std::tuple(field<&RowForecast::row>("from 1", at_least(1)),
                 field<&RowForecast::estimates>("by each model, the one to believe last"),
                 field<&RowForecast::measured_s>("as the table has it", above(0)).where_known());
};

template <>
struct Fields<RowCase> {
  static constexpr std::string_view about = "A row by the model to believe, moved by the anchors.";
  static constexpr auto table = std::tuple(
      field<&RowCase::row>("from 1", at_least(1)),
      field<&RowCase::measured_s>("as the table has it", above(0)).where_known(),
      field<&RowCase::seconds>("forecast", above(0)), field<&RowCase::low_s>("least of its 90 % interval", at_least(0)),
      field<&RowCase::high_s>("most of its 90 % interval; 0: it has none", at_least(0)));
};

template <>
struct Fields<AnchorCount> {
  static constexpr std::string_view about = "What moved the forecasts.";
  static constexpr auto table =
      std::tuple(field<&AnchorCount::number>("measured configurations at a time", at_least(1)),
                 field<&AnchorCount::draws>("times that they were drawn; 0: they were given", at_least(0)));
};

template <>
struct Fields<ModelErrors> {
  static constexpr std::string_view about = "How good a model's forecasts are; |forecast − measured| / measured.";
  static constexpr auto table = std::tuple(
      field<&ModelErrors::model>(""), field<&ModelErrors::cases>("rows with measured times", at_least(0)),
      field<&ModelErrors::mean_error>(""), field<&ModelErrors::median_error>(""), field<&ModelErrors::p90_error>(""),
      field<&ModelErrors::max_error>(""), field<&ModelErrors::rank_correlation>("Spearman's"),
      field<&ModelErrors::top1_regret>("measured time of the best forecast over the fastest, minus 1"),
      field<&ModelErrors::top5_regret>("the same of the best of the first five"));
};

template <>
struct Fields<KernelTable> {
  static constexpr std::string_view about = "The configurations of a tuning table.";
  static constexpr auto table = std::tuple(
      field<&KernelTable::kernel>("as the table names it"), field<&KernelTable::device>("of the table of times"),
      field<&KernelTable::configurations>("in the order of the table"),
      field<&KernelTable::cases>("by the model to believe"), field<&KernelTable::anchors>("").where_known(),
      field<&KernelTable::summary>("of each model; empty without measured times"));
};

}  // namespace sparsecast
