#pragma once
// What a product keeps for each queue of its callers, so that products in several of them may run at once.

#include <algorithm>
#include <list>
#include <utility>

namespace sparsecast::hardware {
/// By queue, of those used last: drivers free memory when what is queued with it is done, so that the one let go may
/// still be in use. A name may come back as another queue's only when the first has nothing left to do.
template <class Kept>
class OfQueues {
 public:
  /// Empty for a queue that is new here, or was away for long.
  Kept& of(void* queue) {
    const auto found = std::ranges::find(kept_, queue, &std::pair<void*, Kept>::first);
    if (found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
    } else {
      if (kept_.size() == most) kept_.pop_back();
      kept_.emplace_front(queue, Kept{});
    }
    return kept_.front().second;
  }

 private:
  static constexpr std::size_t most = 16;
  std::list<std::pair<void*, Kept>> kept_;
};
}  // namespace sparsecast::hardware
