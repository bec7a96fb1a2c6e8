#pragma once
// What the micro-benchmarks of every device share: the course of measuring its curves (which are there already, how far
// it is, whether to stop) and the ring of a chase.

#include <functional>
#include <sparsecast/array.hpp>
#include <sparsecast/curve.hpp>
#include <sparsecast/device.hpp>

#include "base/progress.hpp"

namespace sparsecast::hardware {
class CurveSteps {
 public:
  /// `curves` is what there is, and takes what is measured: so many curves over the footprints, and one of one point.
  CurveSteps(std::vector<Curve>& curves, int threads, std::vector<double> footprints, int over_footprints,
             const base::ProgressFunction& progress);

  /// Footprints from `least` to `most` in even steps of their logarithms; `quick`: half as many.
  static std::vector<double> footprints(double least, std::int64_t most, bool quick);

  /// Measures the curve where it is not there yet; told of before every point. Error interrupted.
  void measure(const std::string& name, const std::function<double(std::int64_t)>& value) {
    measure(name, footprints_, value);
  }
  /// The same over footprints of its own.
  void measure(const std::string& name, const std::vector<double>& footprints,
               const std::function<double(std::int64_t)>& value);
  /// The same of the cost of a launch, at x alone.
  void launch(double x, const std::function<double()>& seconds) { once("launch", x, seconds); }
  /// And of anything else at x alone.
  void once(const std::string& name, double x, const std::function<double()>& seconds);

 private:
  std::vector<Curve>& curves_;
  int threads_, steps_;
  std::vector<double> footprints_;
  const base::ProgressFunction& progress_;
  double start_s_;
  int done_ = 0, measured_ = 0;

  [[nodiscard]] bool passes(const std::string& name, int its_steps);
  void begin(const std::string& name, double footprint_bytes);
};

/// The last cache of a device and the length of its lines; `last` where it tells of none.
[[nodiscard]] CacheLevel last_cache(const DeviceProperties& properties, CacheLevel last);

/// One random cycle through all lines of a ring (Sattolo's shuffle), so that every load waits for the one before: at
/// the beginning of each line stands where the next one begins.
[[nodiscard]] Array<std::int64_t> chase_ring(std::int64_t bytes, int line_bytes);
}  // namespace sparsecast::hardware
