#include "hardware/curve_steps.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace sparsecast::hardware {
CurveSteps::CurveSteps(std::vector<Curve>& curves, int threads, std::vector<double> footprints, int over_footprints,
                       const base::ProgressFunction& progress)
    : curves_(curves),
      threads_(threads),
      steps_(static_cast<int>(footprints.size()) * over_footprints + 1),
      footprints_(std::move(footprints)),
      progress_(progress),
      start_s_(base::now_s()) {}

std::vector<double> CurveSteps::footprints(double least, std::int64_t most, bool quick) {
  std::vector<double> footprints;
  for (double bytes = least; bytes <= static_cast<double>(most); bytes *= quick ? 4 : 2) footprints.push_back(bytes);
  return footprints;
}

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

void CurveSteps::measure(const std::string& name, const std::vector<double>& footprints,
                         const std::function<double(std::int64_t)>& value) {
  if (passes(name, static_cast<int>(footprints.size()))) return;
  Curve curve{name, threads_, footprints, {}};
  for (const double bytes : footprints) {
    begin(name, bytes);
    curve.y.push_back(value(static_cast<std::int64_t>(bytes)));
  }
  curves_.push_back(std::move(curve));
}

void CurveSteps::once(const std::string& name, double x, const std::function<double()>& seconds) {
  if (!passes(name, 1)) curves_.push_back({name, threads_, {x}, {seconds()}});
}

CacheLevel last_cache(const DeviceProperties& properties, CacheLevel last) {
  return properties.caches.empty() ? last : properties.caches.back();
}

Array<std::int64_t> chase_ring(std::int64_t bytes, int line_bytes) {
  const std::int64_t stride = line_bytes / 8, lines = std::max<std::int64_t>(2, bytes / line_bytes);
  std::vector<std::int64_t> order(static_cast<std::size_t>(lines));
  std::iota(order.begin(), order.end(), 0);
  base::Random random(2);
  for (std::int64_t i = lines - 1; i > 0; --i) std::swap(order[i], order[random.below(static_cast<std::uint64_t>(i))]);
  Array<std::int64_t> ring(static_cast<std::size_t>(lines * stride), 0);
  for (std::int64_t i = 0; i < lines; ++i) ring[i * stride] = order[i] * stride;
  return ring;
}
}  // namespace sparsecast::hardware
