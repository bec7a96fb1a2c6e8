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
  static constexpr std::string_view about = "Which GPU source kernel, on which device.";
  static constexpr auto table = std::tuple(
      field<&KernelRequest::file>(".ptx, .cu, .cl, .hip, a graph (.json), or the name of a benchmark kernel of ours"),
      field<&KernelRequest::own>("instead of a file: a kernel of `measure`, as the kernel table names it, on a matrix"),
      field<&KernelRequest::matrix>(""), field<&KernelRequest::precision>("of `own`"),
      field<&KernelRequest::kernel>("which kernel, where the file has several"),
      field<&KernelRequest::device>(
          "one with a table of kernel times, such a table's file, a calibrated device (cuda:0) or its profile's file"),
      field<&KernelRequest::clock>("base, boost, or Hz; empty: boost"),
      field<&KernelRequest::models>("naive, operations, serialized, overlapped; empty: all"),
      field<&KernelRequest::grid>("of one launch: blocks, and threads of each; 0: not given"),
      field<&KernelRequest::block>("of one launch: blocks, and threads of each; 0: not given"),
      field<&KernelRequest::defines>("NAME=VALUE for the compiler"),
      field<&KernelRequest::arguments>("of a parameter, by name or position from 0"),
      field<&KernelRequest::buffers>("content that decides addresses or branches"),
      field<&KernelRequest::trips>("of loops whose length depends on data, by label"),
      field<&KernelRequest::shared_bytes>("dynamic shared memory of a block", at_least(0)),
      field<&KernelRequest::lanes_diverge>(
          "a branch on unknown data costs both sides, else the one that falls through"),
      field<&KernelRequest::matrix_form>("the paper's models by max-plus matrices instead of the longest path"),
      field<&KernelRequest::symbolic>("with expressions; times may stay undefined"),
      field<&KernelRequest::powers>("with heights and powers of the paper's matrices; of graphs up to 200 nodes"),
      field<&KernelRequest::graph>("writes the kernel graph, of one launch: .json, .dot or .svg"),
      field<&KernelRequest::drawing>("draw the graph for the answer"),
      field<&KernelRequest::no_run>("start no compiler and no assembler: graphs, and PTX with its own registers"),
      field<&KernelRequest::threads>("compiled at a time, of tables and spaces; 0: available_cores()", at_least(0)));
};

template <>
struct Fields<KernelTableRequest> {
  static constexpr std::string_view about = "A table of configurations of a kernel.";
  static constexpr auto table =
      std::tuple(field<&KernelTableRequest::kernel>("").in_its_place(),
                 field<&KernelTableRequest::table>("forecasts every configuration of a tuning table (.tsv)"),
                 field<&KernelTableRequest::anchors>("move the forecasts of the others"),
                 field<&KernelTableRequest::drawn_anchors>(
                     "with a table: so many measured rows, drawn at random, move the forecasts of the rest (the "
                     "mean of twenty draws)",
                     at_least(0)));
};

template <>
struct Fields<KernelSpaceRequest> {
  static constexpr std::string_view about = "A tuning space of a kernel.";
  static constexpr auto table = std::tuple(
      field<&KernelSpaceRequest::kernel>("").in_its_place(),
      field<&KernelSpaceRequest::space>(
          "searches a tuning problem (T1, .json) for its fastest configurations; a defined parameter is pinned, grid "
          "and block may then be expressions"),
      field<&KernelSpaceRequest::grid>("expressions by commas, instead of the file's"),
      field<&KernelSpaceRequest::anchors>("move the forecasts of the others"),
      field<&KernelSpaceRequest::forecasts>("of a space: full forecasts to make at most", at_least(0)),
      field<&KernelSpaceRequest::within_s>("of a space: seconds after which no further one is begun"),
      field<&KernelSpaceRequest::top>("of a space: configurations to name", at_least(0)),
      field<&KernelSpaceRequest::journal>("of a space: where forecasts are kept, to go on from; empty: in the store"),
      field<&KernelSpaceRequest::results>("of a space: where the ranking is written as a results file (T4, .json)"),
      field<&KernelSpaceRequest::cache>("the same as a Kernel Tuner cache (.json)"));
};

template <>
struct Fields<RankedKernel> {
  static constexpr std::string_view about = "A configuration among the fastest.";
  static constexpr auto table = std::tuple(
      field<&RankedKernel::configuration>("the value of every parameter"), field<&RankedKernel::grid>("blocks"),
      field<&RankedKernel::block>("threads"), field<&RankedKernel::seconds>("forecast", above(0)),
      field<&RankedKernel::low_s>("least of its 90 % interval", above(0)),
      field<&RankedKernel::high_s>("most of its 90 % interval", above(0)), field<&RankedKernel::bound_by>("what binds"),
      field<&RankedKernel::beats_next_by>("what it has less of than the next; absent of the last").where_known());
};

template <>
struct Fields<KernelSpace> {
  static constexpr std::string_view about = "The fastest configurations of a tuning space.";
  static constexpr auto table = std::tuple(
      field<&KernelSpace::kernel>("as the problem names it"), field<&KernelSpace::device>("of the table of times"),
      field<&KernelSpace::configurations>("that the restrictions allow", at_least(1)),
      field<&KernelSpace::bounded>("of them, that got a bound", at_least(0)),
      field<&KernelSpace::forecast>("in full, with what the journal held", at_least(0)),
      field<&KernelSpace::refused>("that could not be forecast", at_least(0)),
      field<&KernelSpace::resumed>("that the journal held", at_least(0)),
      field<&KernelSpace::settled>("no bound of what was not forecast lies below the last of the ranking"),
      field<&KernelSpace::clock_hz>("that the forecasts took"), field<&KernelSpace::ranking>("fastest first"));
};

}  // namespace sparsecast
