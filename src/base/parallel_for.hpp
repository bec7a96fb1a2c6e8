#pragma once
// Loops over indices on several threads whose work may throw. An exception must not leave a parallel region, it would
// end the process; the first one is carried out instead. The loops of products, which never throw, have regions of
// their own.

#include <atomic>
#include <cstdint>
#include <exception>

#include "base/guard/program_rules.hpp"
#include "base/interrupt.hpp"
#include "base/team.hpp"

namespace sparsecast::base {
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
#pragma omp parallel for schedule(dynamic) num_threads(base::team_of(loop.threads))
  for (std::int64_t index = 0; index < count; ++index)
    failure.run([&] {
      const StopScope scope(stop);
      const ProgramScope guard(rules);
      one(index);
    });
  failure.rethrow();
}
}  // namespace sparsecast::base
