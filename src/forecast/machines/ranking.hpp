#pragma once
// Machines ranked for a matrix: by what each needs for so many products with its best kernel, conversion and upload
// included.

#include <functional>

#include "forecast/interval.hpp"
#include "forecast/model_set.hpp"

namespace sparsecast::forecast {
/// A machine that can be asked.
struct RankedMachine {
  std::string name;  ///< what tells it from the others
  Profile profile;
  std::shared_ptr<const ModelSet> models;
  std::vector<std::string> kernels;
  double hour = 0;  ///< price of one; 0: ranked by time, as all others
};

/// One machine's place for one matrix.
struct RankEntry {
  std::string device;
  Tier tier = Tier::measured;
  Forecast best;  ///< of the kernel that finishes first there
  /// Whether the total holds what conversion takes; a solver's other set-up it holds always.
  bool conversion_known = true;
  double upload_s = 0;    ///< the format, once, where the device has memory of its own
  double total_s = 0;     ///< products, conversion, upload
  double cost = 0;        ///< of that time; 0: without prices
  double roof_share = 0;  ///< of the data sheet's bandwidth, if every byte were moved once; 0 where unknown
  bool fits = true;       ///< format, x and y in the device's memory
  /// That it finishes before the next of the ranking; 0 for the last.
  double faster_probability = 0;
  bool tie = false;  ///< not told apart from the first: that is faster with less than four fifths probability

  /// What is ranked by: money where there are prices, else time.
  [[nodiscard]] double due() const { return cost > 0 ? cost : total_s; }
};

/// What is ranked where it is more than a product, such as an iteration of a solver: made from the product's forecast.
using FromProduct = std::function<Forecast(const RankedMachine& machine, const Forecast& product)>;

/// Moves a machine's forecasts to what is known of its products beside the models.
using SeenProducts = std::function<void(const RankedMachine& machine, std::vector<Forecast>& products)>;

/// Of the logarithm of the total, as the interval of the products has it.
double deviation_of(const RankEntry& entry);
/// Deviation of the logarithm of what one takes over the other, out of the deviations of both.
double doubt_of(double a, double b);
/// That one finishes before the other, or costs less, out of their times and intervals; what two forecasts of one
/// matrix are off by goes together, as left-out devices show.
double faster_probability(const RankEntry& one, const RankEntry& other);

/// Best first; machines that the matrix does not fit come last. Machines without a forecast are left out.
std::vector<RankEntry> rank_machines(const std::vector<RankedMachine>& machines, const Structure& structure,
                                     std::int64_t iterations, Precision precision, const FromProduct& whole = {},
                                     const SeenProducts& seen = {});
}  // namespace sparsecast::forecast
