#pragma once
// How many threads a call may use. All parallel loops of the library are OpenMP loops with an explicit num_threads.

#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <sparsecast/threads.hpp>
#include <string>

#include "base/guard/cleanup.hpp"
#include "base/interrupt.hpp"

namespace sparsecast::base {
using sparsecast::available_cores;

/// Why available_cores() are fewer than the machine's processors; empty where they are not.
std::string cores_text();

/// Cores that the control groups of a process give it time for, by the kernel's files: `own` as /proc/self/cgroup,
/// `root` as /sys/fs/cgroup (cpu.max; cpu/cpu.cfs_quota_us of version 1). Infinity where nothing limits it.
double group_cores(const std::filesystem::path& own, const std::filesystem::path& root);

/// `requested` where positive, else default_threads(); never more than 1024.
int thread_count(int requested);

/// Raises what OpenMP allows the calling thread (omp_get_max_threads()) to so many threads: for a program whose user
/// says how many it is to use, as the command's does. Products keep to that limit (formats/parts/split.hpp).
void allow_threads(int threads);

// Loops over indices on several threads whose work may throw. An exception must not leave a parallel region, it would
// end the process; the first one is carried out instead. The loops of products, which never throw, have regions of
// their own.

/// Brings the first exception out of a parallel region.
class CarriedException {
 public:
  /// Within the region: does the work; from the first failure on nothing more is begun.
  template <class Work>
  void run(const Work& work) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Behind the region, whose end all threads have waited for.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr first_;
};

struct ParallelLoop {
  int threads = 1;
  bool interruptible = false;  ///< asks before every index, and ends with Error interrupted
};

/// Calls work(index) for 0 ≤ index < count, each index by the thread that is free next. Throws what is thrown first;
/// after that no further index is begun. One thread opens no parallel region.
template <class Work>
void parallel_for(std::int64_t count, const ParallelLoop& loop, const Work& work) {
  const auto one = [&](std::int64_t index) {
    if (loop.interruptible) throw_if_interrupted();
    work(index);
  };
  if (loop.threads <= 1 || count <= 1) {
    for (std::int64_t index = 0; index < count; ++index) one(index);
    return;
  }
  CarriedException failure;
  const std::stop_token stop = StopScope::current();
  const ProgramRules rules = program_rules();
#pragma omp parallel for schedule(dynamic) num_threads(loop.threads)
  for (std::int64_t index = 0; index < count; ++index)
    failure.run([&] {
      const StopScope scope(stop);
      const ProgramScope guard(rules);
      one(index);
    });
  failure.rethrow();
}

// How long several threads take to start together and to wait for each other, now. Where a hypervisor moves a guest's
// processors, the way between two of them changes for minutes at a time, and every short product moves along.

/// Seconds that an empty parallel region of so many threads takes: the shortest of `series` means over 100 regions,
/// some 0.1 ms each. 0 for a single thread, which needs none.
[[nodiscard]] double fork_join_seconds(int threads, int series = 3);
}  // namespace sparsecast::base
