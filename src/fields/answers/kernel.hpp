#pragma once
// The fields of <sparsecast/answers/kernel.hpp>.

#include <sparsecast/answers/kernel.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/kernel_forecast.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
inline constexpr bool is_handed_on<KernelAnchor> = true;

template <>
struct Fields<KernelRequest> {
  static constexpr std::string_view about = "Which GPU source kernel to forecast, on which device.";
  static constexpr auto table = std::tuple(
      field<&KernelRequest::file>(
          ".ptx, .cu, .cl, .hip, a graph (.json), or the name of one of Sparsecast's benchmark kernels"),
      field<&KernelRequest::own>(
          "instead of a file: one of Sparsecast's own kernels (as `measure` names them), applied to a matrix"),
      field<&KernelRequest::matrix>(""), field<&KernelRequest::precision>("precision of the own kernel"),
      field<&KernelRequest::kernel>("which kernel, if the file has several"),
      field<&KernelRequest::device>("device with a table of kernel times, the file of such a table, a calibrated "
                                    "device (cuda:0) or the file of its profile"),
      field<&KernelRequest::clock>("clock: base, boost, or Hz; empty: boost"),
      field<&KernelRequest::models>("models: naive, operations, serialized, overlapped; empty: all"),
      field<&KernelRequest::grid>("for one launch: number of blocks; 0: not given"),
      field<&KernelRequest::block>("for one launch: threads per block; 0: not given"),
      field<&KernelRequest::defines>("macros for the compiler, as NAME=VALUE"),
      field<&KernelRequest::arguments>("values of parameters, by name or position from 0"),
      field<&KernelRequest::buffers>("contents of buffers that decide addresses or branches"),
      field<&KernelRequest::trips>("trip counts of loops whose length depends on data, by label"),
      field<&KernelRequest::shared_bytes>("dynamic shared memory per block, in bytes", at_least(0)),
      field<&KernelRequest::lanes_diverge>(
          "a branch on unknown data costs the sum of both sides; otherwise the side that falls through"),
      field<&KernelRequest::matrix_form>("compute the paper's models by max-plus matrices instead of the longest path"),
      field<&KernelRequest::symbolic>("give times as expressions; times may stay undefined"),
      field<&KernelRequest::powers>(
          "also give heights and powers of the paper's matrices, for graphs of up to 200 nodes"),
      field<&KernelRequest::graph>("write the kernel graph of one launch to this file: .json, .dot or .svg"),
      field<&KernelRequest::drawing>("draw the graph for the answer"),
      field<&KernelRequest::no_run>(
          "start no compiler and no assembler: accept only graphs, and PTX with its own register counts"),
      field<&KernelRequest::threads>(
          "number of configurations of a table or space compiled at a time; 0: available_cores()", host_threads));
};

template <>
struct Fields<KernelTableRequest> {
  static constexpr std::string_view about = "A table of configurations of a kernel.";
  static constexpr auto table = std::tuple(
      field<&KernelTableRequest::kernel>("").in_its_place(),
      field<&KernelTableRequest::table>("forecast every configuration of this tuning table (.tsv)"),
      field<&KernelTableRequest::anchors>("measured configurations, which correct the forecasts of the others"),
      field<&KernelTableRequest::drawn_anchors>(
          "with a table: correct the forecasts by this many measured rows, drawn at random (mean of twenty draws)",
          at_least(0)));
};

template <>
struct Fields<KernelSpaceRequest> {
  static constexpr std::string_view about = "A tuning space of a kernel.";
  static constexpr auto table = std::tuple(
      field<&KernelSpaceRequest::kernel>("").in_its_place(),
      field<&KernelSpaceRequest::space>(
          "search this tuning problem (T1, .json) for its fastest configurations; a parameter whose macro is given is "
          "fixed, and grid and block may then be expressions"),
      field<&KernelSpaceRequest::grid>("comma-separated expressions that replace those of the file"),
      field<&KernelSpaceRequest::anchors>("measured configurations, which correct the forecasts of the others"),
      field<&KernelSpaceRequest::forecasts>("with a space: make at most this many full forecasts", at_least(0)),
      field<&KernelSpaceRequest::within_s>("with a space: start no further full forecast after this many seconds"),
      field<&KernelSpaceRequest::top>("with a space: number of configurations to report", at_least(0)),
      field<&KernelSpaceRequest::journal>(
          "with a space: file that keeps forecasts so that a search can resume; empty: in the store"),
      field<&KernelSpaceRequest::results>("with a space: write the ranking to this results file (T4, .json)"),
      field<&KernelSpaceRequest::cache>("with a space: write the ranking as a Kernel Tuner cache (.json)"));
};

template <>
struct Fields<RankedKernel> {
  static constexpr std::string_view about = "One of the fastest configurations.";
  static constexpr auto table = std::tuple(
      field<&RankedKernel::configuration>("the value of every parameter"),
      field<&RankedKernel::grid>("number of blocks"), field<&RankedKernel::block>("threads per block"),
      field<&RankedKernel::seconds>("forecast time", above(0)),
      field<&RankedKernel::low_s>("lower end of its 90 % interval", above(0)),
      field<&RankedKernel::high_s>("upper end of its 90 % interval", above(0)),
      field<&RankedKernel::bound_by>("resource that limits the time"),
      field<&RankedKernel::beats_next_by>("the resource that it needs less of than the next one; absent for the last")
          .where_known());
};

template <>
struct Fields<KernelSpace> {
  static constexpr std::string_view about = "The fastest configurations of a tuning space.";
  static constexpr auto table = std::tuple(
      field<&KernelSpace::kernel>("name of the kernel in the problem"),
      field<&KernelSpace::device>("device of the table of kernel times"),
      field<&KernelSpace::configurations>("number of configurations that the restrictions allow", at_least(1)),
      field<&KernelSpace::bounded>("how many of them have a lower bound", at_least(0)),
      field<&KernelSpace::forecast>("how many were forecast in full, including those from the journal", at_least(0)),
      field<&KernelSpace::refused>("how many could not be forecast", at_least(0)),
      field<&KernelSpace::resumed>("how many came from the journal", at_least(0)),
      field<&KernelSpace::settled>(
          "true: no configuration without a forecast has a bound below the last one of the ranking"),
      field<&KernelSpace::clock_hz>("clock that the forecasts assume"),
      field<&KernelSpace::ranking>("configurations, fastest first"));
};

}  // namespace sparsecast
