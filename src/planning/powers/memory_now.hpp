#pragma once
// What products from memory take now: a machine that others use gives other rates than it gave its calibration, while
// its caches go on as they were. One look at the memory, some tens of milliseconds, tells by how much; and no product
// is faster than its bytes. The look reads and writes, as products do: rates of reading alone hardly moved in hours in
// which products took half as long again.

#include <sparsecast/plan.hpp>
#include <sparsecast/profile.hpp>

namespace sparsecast::planning {
class MemoryNow {
 public:
  /// Of a host's profile on so many threads; `rate`: what rate_now() saw, 0 where nobody looked.
  MemoryNow(const Profile& profile, int threads, double rate, int value_bytes);

  /// Bytes/s of y += a·x from memory now, on so many threads, each vector counted once; 0 where the profile has no such
  /// curve to set it beside.
  [[nodiscard]] static double rate_now(const Profile& profile, int threads);
  /// Whether the matrix in that format, with x and y, is far larger than the last cache.
  [[nodiscard]] bool from_memory(const SingleKernel& product, std::int64_t rows) const;
  /// Seconds of a product of a square matrix: as forecast, but no faster than its bytes come by, and by as much later
  /// as memory is slower now. As it is where it lies in the caches, was measured or has a size that is not known.
  [[nodiscard]] double product_s(const SingleKernel& product, std::int64_t rows) const;
  /// By how much later so many bytes come by than they did when the device was calibrated; negative: sooner.
  [[nodiscard]] double later_s(double bytes) const;

 private:
  [[nodiscard]] double bytes_of(const SingleKernel& product, std::int64_t rows) const;

  double last_cache_ = 0, read_ = 0;  // of the curve of reading, from memory
  double calibrated_ = 0, rate_ = 0;  // of y += a·x: then and now
  int value_bytes_;
};
}  // namespace sparsecast::planning
