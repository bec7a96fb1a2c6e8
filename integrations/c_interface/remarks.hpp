#pragma once
// What an answer says beside itself, which C has no function for: the lines are kept for sparsecast_remarks().

#include <memory>
#include <sparsecast/progress.hpp>

namespace sparsecast::c_interface {

/// The remarks of one call. They become the calling thread's text when the call ends, also where it fails. A plan may
/// keep the listener for longer; what it says after the call is not told.
class Remarks {
 public:
  Remarks();
  ~Remarks();
  Remarks(const Remarks&) = delete;
  Remarks& operator=(const Remarks&) = delete;

  /// In C's words.
  [[nodiscard]] Listener listener() const;

 private:
  struct Lines;
  std::shared_ptr<Lines> lines_;
};

}  // namespace sparsecast::c_interface
