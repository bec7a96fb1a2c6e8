#pragma once
// What has to happen at the end of a scope, however that comes.

#include <utility>

namespace sparsecast::base {
/// Does its work when it goes. It can be handed on, but not copied: the work is done once.
template <class Work>
class [[nodiscard]] ScopeExit {
 public:
  explicit ScopeExit(Work work) : work_(std::move(work)) {}
  ScopeExit(ScopeExit&& other) noexcept : work_(std::move(other.work_)), due_(std::exchange(other.due_, false)) {}
  ScopeExit& operator=(ScopeExit&&) = delete;
  ~ScopeExit() {
    if (due_) work_();
  }

 private:
  Work work_;
  bool due_ = true;
};
}  // namespace sparsecast::base
