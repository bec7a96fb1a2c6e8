#pragma once
// An exception must not leave a parallel region: it would end the process. The first one is carried out instead.

#include <atomic>
#include <exception>

namespace sparsecast::base {

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

}  // namespace sparsecast::base
