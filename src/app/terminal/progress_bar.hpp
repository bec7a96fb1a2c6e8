#pragma once
// A progress bar with the time left on stderr; nothing at all where stderr is no terminal or with --quiet.

#include "app/commands.hpp"
#include "base/progress.hpp"

namespace sparsecast::app {
class ProgressBar {
 public:
  explicit ProgressBar(const Globals& globals);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// To be handed to the library; the bar must outlive it. Empty where nothing is to be shown.
  [[nodiscard]] base::ProgressFunction function();
  /// Takes the bar away, for a line of text in its place; the next step draws it again.
  void clear();

 private:
  void show(const base::ProgressStep& step);
  bool visible_;
  bool drawn_ = false;
};
}  // namespace sparsecast::app
