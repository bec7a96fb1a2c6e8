#pragma once
// MicroBenchmark: one operation of a GPU timed by itself. Thread safety: as a value type.

#include <cstdint>
#include <sparsecast/fields.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Two runs of one chain of dependent operations on a GPU, as read: by one warp it shows the operation's latency, by as
/// many as are resident the throughput. Only the difference of the runs means something.
struct MicroBenchmark {
  std::string name;                      ///< of the operation: "fma-f32", "load-l2", …
  bool throughput = false;               ///< else latency
  std::int64_t groups = 1, threads = 1;  ///< groups launched, threads at work in each
  struct Run {
    std::int64_t steps = 0;  ///< operations of every thread
    double cycles = 0;       ///< of a multiprocessor's clock, median of the groups; 0 where kernels have no clock
    double seconds = 0;      ///< between device events
  };
  Run shorter, longer;
  std::int64_t bytes = 0;  ///< memory: footprint of the chain
};
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
#pragma GCC visibility pop
