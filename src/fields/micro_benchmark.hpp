#pragma once
// The fields of <sparsecast/micro_benchmark.hpp>.

#include <sparsecast/micro_benchmark.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<MicroBenchmark::Run> {
  static constexpr std::string_view about = "One run of the chain.";
  static constexpr auto table =
      std::tuple(field<&MicroBenchmark::Run::steps>("operations of every thread", at_least(1)),
                 field<&MicroBenchmark::Run::cycles>(
                     "cycles of a multiprocessor's clock; 0 if the kernel cannot read it", between(0, 1e18)),
                 field<&MicroBenchmark::Run::seconds>("time between two events of the device", {0, 1e6, true, true}));
};

template <>
struct Fields<MicroBenchmark> {
  static constexpr std::string_view about = "Two runs of a chain of dependent operations on a GPU.";
  static constexpr auto table = std::tuple(
      field<&MicroBenchmark::name>("name of the operation: fma-f32, load-l2, …"),
      field<&MicroBenchmark::throughput>("").as("mode").in_words("latency", "throughput"),
      field<&MicroBenchmark::groups>("number of groups launched", between(1, 1e9)),
      field<&MicroBenchmark::threads>("number of active threads per group", between(1, 1e9)),
      field<&MicroBenchmark::bytes>("for memory operations: footprint of the chain in bytes", between(0, 1e18))
          .where_known(),
      field<&MicroBenchmark::shorter>(""), field<&MicroBenchmark::longer>(""));
};

}  // namespace sparsecast
