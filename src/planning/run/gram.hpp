#pragma once
// y = Aᵀ·(A·x) of a runner: in one pass over A, or by both products in turns, whichever is faster here. What both take
// depends on how the columns lie and on what else the caches hold; a few products of each tell, in the first call.

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>

#include "formats/host_product.hpp"

namespace sparsecast::planning {
class Runner;

/// Thread safety: may be used from several threads at once.
class Gram {
 public:
  /// Of that runner, which it belongs to.
  template <class Value>
  void apply(const Runner& runner, std::span<const Value> x, std::span<Value> y);
  /// Values or their places in memory are others: it is measured anew.
  void forget() { way_ = Way::unknown; }

 private:
  enum class Way { unknown, one_pass, both };
  template <class Value>
  void both(const Runner& runner, std::span<const Value> x, std::span<Value> y);
  template <class Value>
  Way measured(const Runner& runner, std::span<const Value> x, std::span<Value> y);

  std::atomic<Way> way_ = Way::unknown;
  std::mutex mutex_;  // held by who measures
  template <class Value>
  using Work = formats::Workspace<Value>;
  std::tuple<Work<float>, Work<double>, Work<std::complex<float>>, Work<std::complex<double>>> between_{1, 1, 1, 1};
};
}  // namespace sparsecast::planning
