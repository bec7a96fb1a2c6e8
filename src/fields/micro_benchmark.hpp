#pragma once
// The fields of <sparsecast/micro_benchmark.hpp>.

#include <sparsecast/micro_benchmark.hpp>

#include "fields/fields.hpp"

namespace sparsecast {

template <>
struct Fields<MicroBenchmark::Run> {
  static constexpr std::string_view about = "One run of the chain.";
  static constexpr auto table = std::tuple(
      field<&MicroBenchmark::Run::steps>("operations of every thread", at_least(1)),
      field<&MicroBenchmark::Run::cycles>("of a multiprocessor's clock, 0 where kernels have none", between(0, 1e18)),
      field<&MicroBenchmark::Run::seconds>("between device events", {0, 1e6, true, true}));
};

template <>
struct Fields<MicroBenchmark> {
  static constexpr std::string_view about = "Two runs of one chain of dependent operations on a GPU.";
  static constexpr auto table =
      std::tuple(field<&MicroBenchmark::name>("of the operation: fma-f32, load-l2, …"),
                 field<&MicroBenchmark::throughput>("").as("mode").in_words("latency", "throughput"),
                 field<&MicroBenchmark::groups>("launched", between(1, 1e9)),
                 field<&MicroBenchmark::threads>("at work in each", between(1, 1e9)),
                 field<&MicroBenchmark::bytes>("memory: footprint of the chain", between(0, 1e18)).where_known(),
                 field<&MicroBenchmark::shorter>(""), field<&MicroBenchmark::longer>(""));
};

}  // namespace sparsecast
