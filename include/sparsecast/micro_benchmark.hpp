#pragma once
// MicroBenchmark: one operation of a GPU timed by itself. Thread safety: as a value type.

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Two runs of one chain of dependent operations on a GPU, as read: by one warp it shows the operation's latency, by as
/// many as are resident the throughput. Only the difference of the runs means something.
struct MicroBenchmark {
  std::string name;                      ///< name of the operation: fma-f32, load-l2, …
  bool throughput = false;               ///< else latency
  std::int64_t groups = 1, threads = 1;  ///< groups launched, threads at work in each
  struct Run {
    std::int64_t steps = 0;  ///< operations of every thread
    double cycles = 0;       ///< of a multiprocessor's clock, median of the groups; 0 where kernels have no clock
    double seconds = 0;      ///< time between two events of the device
  };
  Run shorter, longer;
  std::int64_t bytes = 0;  ///< memory: footprint of the chain
};

}  // namespace sparsecast
#pragma GCC visibility pop
