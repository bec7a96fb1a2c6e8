#include "devices/curve_steps.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"

namespace sparsecast::hardware {
CurveSteps::CurveSteps(const std::vector<Curve>& curves, int threads, int steps, const base::ProgressFunction& progress)
    : curves_(curves), threads_(threads), steps_(steps), progress_(progress), start_s_(base::now_s()) {}

bool CurveSteps::passes(const std::string& name, int its_steps) {
  const bool there =
      std::ranges::any_of(curves_, [&](const Curve& curve) { return curve.name == name && curve.threads == threads_; });
  if (there) done_ += its_steps;
  return there;
}

void CurveSteps::begin(const std::string& name, double footprint_bytes) {
  base::throw_if_interrupted();
  if (progress_) {
    std::string what = name;
    std::ranges::replace(what, '_', ' ');
    const double left =
        measured_ > 0 ? (base::now_s() - start_s_) / measured_ * static_cast<double>(steps_ - done_) : -1;
    progress_({static_cast<double>(done_) / steps_, left,
               fmt::format("{} of {}", what, base::format_bytes(footprint_bytes))});
  }
  ++done_;
  ++measured_;
}
}  // namespace sparsecast::hardware
