#pragma once
// Workspace: what a product may use beside its own arrays, working memory and threads. A call borrows an array and
// gives it back, so that calls one after the other use the same pages (fresh ones cost more than most products) and
// calls at once have arrays of their own.

#include <cstdint>
#include <mutex>
#include <span>
#include <sparsecast/array.hpp>
#include <utility>
#include <vector>

#include "formats/parts/sizes.hpp"

namespace sparsecast::formats {

/// Thread safety: any number of threads may borrow at once.
template <class Value>
class Workspace {
 public:
  /// `threads`: of the passes over vectors that come before or after a product's own loops.
  explicit Workspace(int threads) : threads_(threads) {}
  [[nodiscard]] int threads() const { return threads_; }

  /// An array that goes back when the borrower is gone, which must be before the Workspace is.
  class Loan {
   public:
    Loan(Workspace& home, Array<Value> array) : home_(&home), array_(std::move(array)) {}
    Loan(Loan&&) = delete;
    Loan& operator=(Loan&&) = delete;
    ~Loan() { home_->give_back(std::move(array_)); }
    [[nodiscard]] Value* data() { return array_.data(); }
    [[nodiscard]] std::span<Value> first(std::int64_t count) {
      return std::span<Value>(array_).first(static_cast<std::size_t>(count));
    }

   private:
    Workspace* home_;
    Array<Value> array_;
  };

  /// At least so many elements, not initialised. Error too_large where they cannot be had.
  [[nodiscard]] Loan borrow(std::int64_t count) {
    Array<Value> array;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        array = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (static_cast<std::int64_t>(array.size()) < count) {
      array = {};  // what it holds is not worth a copy
      allocate(array, count, "the working memory of a product");
    }
    return Loan(*this, std::move(array));
  }

 private:
  void give_back(Array<Value> array) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(array));
    } catch (...) {  // the list could not grow: the array is freed
      return;
    }
  }

  int threads_;
  std::mutex mutex_;
  std::vector<Array<Value>> free_;
};

}  // namespace sparsecast::formats
