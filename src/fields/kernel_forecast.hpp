#pragma once
// The fields of <sparsecast/kernel_forecast.hpp>.

#include <sparsecast/kernel_forecast.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<LaunchEstimate> {
  static constexpr std::string_view about = "What a model forecasts for a launch.";
  static constexpr auto table = std::tuple(
      field<&LaunchEstimate::model>("model: naive, operations or serialized (from the paper), or overlapped"),
      field<&LaunchEstimate::seconds>("time of the whole launch; null: a time that the model needs is undefined",
                                      at_least(0)),
      field<&LaunchEstimate::low_s>("lower end of the 90 % interval", at_least(0)).where_known(),
      field<&LaunchEstimate::high_s>("upper end of the 90 % interval", at_least(0)).where_known(),
      field<&LaunchEstimate::cycles>("cycles of the device's clock; null for a graph", at_least(0)),
      field<&LaunchEstimate::bound_by>("resource that limits the time"),
      field<&LaunchEstimate::expression>("the time as an expression, if expressions were requested").where_known(),
      field<&LaunchEstimate::height>("height of the model's matrix, if powers were requested", at_least(0))
          .where_known(),
      field<&LaunchEstimate::power>(
          "the matrix to the power of its height: one row per node, in seconds; null: no path")
          .where_known());
};

template <>
struct Fields<LaunchOccupancy> {
  static constexpr std::string_view about = "How much of a launch a multiprocessor holds at a time.";
  static constexpr auto table = std::tuple(
      field<&LaunchOccupancy::blocks>("number of blocks resident at the same time", at_least(0)),
      field<&LaunchOccupancy::warps>("number of warps resident at the same time", at_least(0)),
      field<&LaunchOccupancy::limited_by>("what limits the number: warps, blocks, registers, shared memory or grid"),
      field<&LaunchOccupancy::registers>("registers per thread", at_least(0)),
      field<&LaunchOccupancy::shared_bytes>("shared memory per block, static and dynamic, in bytes", at_least(0)),
      field<&LaunchOccupancy::spill_bytes>("bytes per thread that registers spill into local memory", at_least(0)));
};

template <>
struct Fields<LaunchParts> {
  static constexpr std::string_view about = "Parts of the overlapped model: time = launch + start-up + waves · wave.";
  static constexpr auto table = std::tuple(
      field<&LaunchParts::launch_s>("time until the first block runs", at_least(0)),
      field<&LaunchParts::transient_s>("time of the start-up", at_least(0)),
      field<&LaunchParts::wave_s>("time of one wave of blocks", at_least(0)),
      field<&LaunchParts::waves>("", at_least(0)),
      field<&LaunchParts::cycles_per_block>("cycles for which a block keeps each resource busy, longest first",
                                            at_least(0)),
      field<&LaunchParts::resident_warps>("warps resident on a multiprocessor", at_least(0)),
      field<&LaunchParts::warps_to_hide>("number of warps that would hide the latency of everything else", at_least(0)),
      field<&LaunchParts::schedule>("where the order of the instructions comes from: machine code or PTX"),
      field<&LaunchParts::memory_bytes>("bytes moved through memory by the whole launch", at_least(0)).as_whole(),
      field<&LaunchParts::l2_bytes>("bytes moved through the second-level cache", at_least(0)).as_whole(),
      field<&LaunchParts::l1_hit_share>("share of the loads that hit the first-level cache", at_least(0)),
      field<&LaunchParts::warp_instructions>("instructions of the whole launch, counted per warp", at_least(0)),
      field<&LaunchParts::clock_hz>("clock that the forecast assumes", at_least(0)));
};

template <>
struct Fields<LaunchTime> {
  static constexpr std::string_view about = "One launch of one kernel.";
  static constexpr auto table = std::tuple(
      field<&LaunchTime::kernel>("name of the kernel in the binary"),
      field<&LaunchTime::device>("device of the table of kernel times").where_known(),
      field<&LaunchTime::nodes>("number of nodes of the kernel graph", at_least(0)),
      field<&LaunchTime::arcs>("", at_least(0)),
      field<&LaunchTime::height>("number of nodes on its longest path", at_least(0)),
      field<&LaunchTime::instances>("number of instances of the graph: warps", at_least(0)),
      field<&LaunchTime::executors>("number of instances that run at the same time", at_least(0)),
      field<&LaunchTime::estimates>("estimates of each model; the last one is the most reliable"),
      field<&LaunchTime::occupancy>("what a multiprocessor holds at a time").where_known(),
      field<&LaunchTime::overlap>("parts of the overlapped model").where_known(),
      field<&LaunchTime::advice>("in one line: which model to rely on, and what to change next").where_known(),
      field<&LaunchTime::notes>("what was assumed"));
};

template <>
struct Fields<RowEstimate> {
  static constexpr std::string_view about = "What a model forecasts for a row.";
  static constexpr auto table =
      std::tuple(field<&RowEstimate::model>("model: naive, operations or serialized (from the paper), or overlapped"),
                 field<&RowEstimate::seconds>("time of the whole launch", at_least(0)),
                 field<&RowEstimate::low_s>("lower end of the 90 % interval", at_least(0)).where_known(),
                 field<&RowEstimate::high_s>("upper end of the 90 % interval", at_least(0)).where_known(),
                 field<&RowEstimate::bound_by>("resource that limits the time").where_known());
};

template <>
struct Fields<RowForecast> {
  static constexpr std::string_view about = "One row of a tuning table.";
  static constexpr auto table =
      std::tuple(field<&RowForecast::row>("number of the row, from 1", at_least(1)),
                 field<&RowForecast::estimates>("estimates of each model; the last one is the most reliable"),
                 field<&RowForecast::measured_s>("measured time, from the table", above(0)).where_known());
};

template <>
struct Fields<RowCase> {
  static constexpr std::string_view about = "One row forecast by the most reliable model and corrected by the anchors.";
  static constexpr auto table =
      std::tuple(field<&RowCase::row>("number of the row, from 1", at_least(1)),
                 field<&RowCase::measured_s>("measured time, from the table", above(0)).where_known(),
                 field<&RowCase::seconds>("forecast time", above(0)),
                 field<&RowCase::low_s>("lower end of its 90 % interval", at_least(0)),
                 field<&RowCase::high_s>("upper end of its 90 % interval; 0: no interval", at_least(0)));
};

template <>
struct Fields<AnchorCount> {
  static constexpr std::string_view about = "What corrected the forecasts.";
  static constexpr auto table =
      std::tuple(field<&AnchorCount::number>("number of measured configurations used at a time", at_least(1)),
                 field<&AnchorCount::draws>("number of random draws; 0: the configurations were given", at_least(0)));
};

template <>
struct Fields<ModelErrors> {
  static constexpr std::string_view about = "How good a model's forecasts are: |forecast − measured| / measured.";
  static constexpr auto table = std::tuple(
      field<&ModelErrors::model>(""), field<&ModelErrors::cases>("number of rows with measured times", at_least(0)),
      field<&ModelErrors::mean_error>(""), field<&ModelErrors::median_error>(""), field<&ModelErrors::p90_error>(""),
      field<&ModelErrors::max_error>(""), field<&ModelErrors::rank_correlation>("Spearman's rank correlation"),
      field<&ModelErrors::top1_regret>("measured time of the best forecast over the fastest time, minus 1"),
      field<&ModelErrors::top5_regret>("the same for the best of the first five forecasts"));
};

template <>
struct Fields<KernelTable> {
  static constexpr std::string_view about = "The configurations of a tuning table.";
  static constexpr auto table =
      std::tuple(field<&KernelTable::kernel>("name of the kernel in the table"),
                 field<&KernelTable::device>("device of the table of kernel times"),
                 field<&KernelTable::configurations>("configurations in the order of the table"),
                 field<&KernelTable::cases>("rows forecast by the most reliable model"),
                 field<&KernelTable::anchors>("").where_known(),
                 field<&KernelTable::summary>("errors of each model; empty without measured times"));
};

}  // namespace sparsecast
