#pragma once
// What a machine's profile says of the passes of a solve: seconds a byte from so far away, of waits, of triangles.

#include <optional>
#include <sparsecast/profile.hpp>

#include "solving/forecast/estimate.hpp"
#include "solving/preconditioners/preconditioner.hpp"

namespace sparsecast::solving {
class Rates {
 public:
  /// `threads`: of a host.
  Rates(const Profile& profile, int threads);

  /// Of the host on so many threads, as far as a profile or description tells; 0: of a GPU.
  [[nodiscard]] int host_threads() const { return gpu_ ? 0 : threads_; }
  /// Seconds a byte that is read, having been used last so many bytes ago; and one that is written where it was read.
  [[nodiscard]] double read_s(double reach) const;
  [[nodiscard]] double write_s(double reach) const;
  /// Threads, or a kernel, start and are waited for; the further wait for a sum.
  [[nodiscard]] double start_s() const { return start_s_; }
  [[nodiscard]] double sum_s() const { return sum_s_; }
  /// Small dense products, a multiplication and addition counting two.
  [[nodiscard]] double flop_s() const { return flop_s_; }
  /// One triangular solve whose bytes come from so far away.
  [[nodiscard]] double triangle_s(const TriangleWork& work, double reach) const;
  /// An application of the preconditioner.
  [[nodiscard]] Estimate apply(const PreconditionerWork& work, double reach) const;
  /// Making it.
  [[nodiscard]] double make_s(const PreconditionerWork& work) const;
  /// How far off these times are, as a factor either way.
  [[nodiscard]] double doubt() const { return doubt_; }
  /// Whether the profile knows how rates fall from cache to cache.
  [[nodiscard]] bool measured() const { return reads_.has_value(); }

 private:
  void take_curves(const Profile& profile);
  void describe_host(const DeviceProperties& properties);
  void describe_gpu(const Profile& profile);

  int threads_;
  bool gpu_ = false;
  double cycle_s_, start_s_ = 0, sum_s_ = 0, flop_s_ = 0, doubt_;
  std::optional<Curve> reads_, updates_;     // bytes/s over bytes
  double slowest_read_s_ = 0;                // of a byte, where there is no curve: from memory
  double fast_read_s_ = 0, fast_bytes_ = 0;  // and from the caches, up to so many bytes
};

/// Bytes that an application of a preconditioner reads beside its vectors.
[[nodiscard]] double preconditioner_bytes(const PreconditionerWork& work);
}  // namespace sparsecast::solving
