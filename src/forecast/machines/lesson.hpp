#pragma once
// What would make a ranking of machines surer: products that a script can time on one of the first two.

#include "calibration/probe_script.hpp"
#include "forecast/machines/ranking.hpp"

namespace sparsecast::forecast {
struct ProductToMeasure {
  calibration::BandMatrix matrix;
  std::string kernel;
};

struct Lesson {
  std::string device;                      ///< where they are to be measured
  std::vector<ProductToMeasure> products;  ///< what teaches most comes first
  /// That the second finishes before the first after all: now, and in the mean of what the products may tell.
  double doubt = 0, doubt_after = 0;
};

/// At most sixteen products, fewer where these halve the doubt. Nothing where the order is sure, or where
/// none of the two is a GPU known by its data sheet alone or products would tell little.
std::optional<Lesson> lesson_of(const std::vector<RankedMachine>& machines, const std::vector<RankEntry>& ranking,
                                const Structure& structure, Precision precision);
}  // namespace sparsecast::forecast
