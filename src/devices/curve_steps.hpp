#pragma once
// The course of measuring a device's curves: which are there already, how far it is, whether to stop.

#include <sparsecast/curve.hpp>
#include <string>
#include <vector>

#include "base/progress.hpp"

namespace sparsecast::hardware {
class CurveSteps {
 public:
  /// `curves` is what there is, `steps` how many there are in all.
  CurveSteps(const std::vector<Curve>& curves, int threads, int steps, const base::ProgressFunction& progress);

  /// Whether the curve is there; then its steps are passed over.
  bool passes(const std::string& name, int its_steps);
  /// Before every point: tells of it. Error interrupted.
  void begin(const std::string& name, double footprint_bytes);

 private:
  const std::vector<Curve>& curves_;
  int threads_, steps_;
  const base::ProgressFunction& progress_;
  double start_s_;
  int done_ = 0, measured_ = 0;
};
}  // namespace sparsecast::hardware
