#include "forecast/machines/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/recommend.hpp>

#include "calibration/probe_script.hpp"
#include "calibration/tier.hpp"
#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
namespace {
double products_s(const RankEntry& entry, double seconds, double products) {
  return products * seconds + entry.best.preprocess_s.value_or(0) + entry.upload_s;
}

std::optional<RankEntry> entry_of(const RankedMachine& machine, const Structure& structure, std::int64_t iterations,
                                  Precision precision, const FromProduct& whole) {
  std::vector<Forecast> forecasts = machine.models->best(structure, machine.kernels);
  if (whole)
    for (Forecast& forecast : forecasts) forecast = whole(machine, forecast);
  const Recommendation use = recommend(forecasts, iterations);
  const auto chosen = std::ranges::find(forecasts, use.kernel, &Forecast::kernel);
  if (chosen == forecasts.end()) return std::nullopt;
  const DeviceProperties& p = machine.profile.properties;
  const double products = static_cast<double>(std::max<std::int64_t>(1, iterations));
  const double vectors = value_bytes(precision) * static_cast<double>(structure.rows + structure.cols);
  RankEntry entry;
  entry.device = machine.profile.name;
  entry.tier = machine.profile.tier;
  entry.best = *chosen;
  const auto stored = static_cast<double>(chosen->bytes.value_or(0));
  if (p.kind != DeviceKind::host) entry.upload_s = (stored + vectors) / constants::upload_rate;
  entry.total_s = products_s(entry, chosen->seconds, products);
  entry.cost = machine.hour * entry.total_s / 3600;
  if (p.memory_bandwidth > 0) entry.roof_share = (stored + vectors) / chosen->seconds / p.memory_bandwidth;
  entry.fits = p.memory_bytes == 0 || stored + vectors <= static_cast<double>(p.memory_bytes);
  return entry;
}

constexpr std::size_t most_products = 16;

double below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }  // the normal distribution

// Probability of the wrong order, in the mean of where a measurement may put a lead that was normal about `lead`.
double doubt_after(double lead, double before, double after) {
  const double moved = std::sqrt(std::max(0.0, before * before - after * after));
  constexpr int steps = 20;
  constexpr double reach = 4;
  double sum = 0, weights = 0;
  for (int i = -steps; i <= steps; ++i) {
    const double z = reach * i / steps, weight = std::exp(-z * z / 2);
    sum += weight * below(-std::abs(lead + moved * z) / after);
    weights += weight;
  }
  return sum / weights;
}

// One of the two machines at the top, and what products would teach of its kernel.
class Pupil {
 public:
  Pupil(const RankedMachine& machine, const RankEntry& entry, const Structure& structure, Precision precision)
      : device_(GpuModel::current(), machine.profile.properties, 0),
        kernel_(entry.best.kernel),
        nonzeros_(static_cast<double>(structure.nonzeros)),
        target_(device_.product(structure, precision, kernel_)) {
    if (calibration::tier_of(machine.profile.tier) != calibration::Tier::data_sheet || device_.has_tables() || !target_) return;
    for (const calibration::BandMatrix& band : calibration::bands_like({structure}))
      for (const std::string& kernel : calibration::scripted_kernels(machine.profile.properties))
        if (auto product = device_.product(band.shape(), precision, kernel))
          open_.push_back({{band, kernel}, {product->kernel, device_.slopes(*product)}});
  }

  [[nodiscard]] bool can_learn() const { return !open_.empty(); }
  // By the product that narrows the interval most.
  ProductToMeasure take() {
    double narrowest = INFINITY;
    std::size_t best = 0;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      taken_.push_back(open_[i].told);
      if (const double width = deviation(); width < narrowest) narrowest = width, best = i;
      taken_.pop_back();
    }
    ProductToMeasure product = open_[best].product;
    taken_.push_back(open_[best].told);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(best));
    return product;
  }
  [[nodiscard]] double deviation() const {
    const auto [low, high] = device_.interval(*target_, nonzeros_, taken_);
    return (high - low) / interval_deviations;
  }

 private:
  struct Open {
    ProductToMeasure product;
    GpuTold told;
  };
  GpuDevice device_;
  std::string kernel_;
  double nonzeros_;
  std::optional<GpuProduct> target_;
  std::vector<Open> open_;
  std::vector<GpuTold> taken_;
};
}  // namespace

double deviation_of(const RankEntry& entry) {
  // Conversion and upload are no part of the doubt, but of the time.
  const Forecast& f = entry.best;
  const double products = (entry.total_s - entry.upload_s - f.preprocess_s.value_or(0)) / f.seconds;
  return std::log(products_s(entry, f.high_s, products) / products_s(entry, f.low_s, products)) / interval_deviations;
}

double doubt_of(double a, double b) {
  const double variance = a * a + b * b - 2 * GpuModel::current().alike_machines() * a * b;
  return std::sqrt(std::max(constants::least_doubt * constants::least_doubt, variance));
}

double faster_probability(const RankEntry& one, const RankEntry& other) {
  const double doubt = doubt_of(deviation_of(one), deviation_of(other));
  return std::erfc(-std::log(other.due() / one.due()) / doubt / std::sqrt(2.0)) / 2;
}

std::vector<RankEntry> rank_machines(const std::vector<RankedMachine>& machines, const Structure& structure,
                                     std::int64_t iterations, Precision precision, const FromProduct& whole) {
  std::vector<RankEntry> ranking;
  for (const RankedMachine& machine : machines)
    if (auto entry = entry_of(machine, structure, iterations, precision, whole)) ranking.push_back(std::move(*entry));
  std::ranges::stable_sort(ranking, {}, [](const RankEntry& one) { return std::pair(!one.fits, one.due()); });
  for (std::size_t i = 1; i < ranking.size(); ++i)
    ranking[i].tie = faster_probability(ranking[0], ranking[i]) < constants::called;
  for (std::size_t i = 0; i + 1 < ranking.size(); ++i)
    ranking[i].faster_probability = faster_probability(ranking[i], ranking[i + 1]);
  return ranking;
}

std::optional<Lesson> lesson_of(const std::vector<RankedMachine>& machines, const std::vector<RankEntry>& ranking,
                                const Structure& structure, Precision precision) {
  if (ranking.size() < 2 || !ranking[1].fits || ranking[0].faster_probability > constants::interval_share)
    return std::nullopt;
  const double lead = std::log(ranking[1].due() / ranking[0].due());
  const double doubt = 1 - ranking[0].faster_probability;
  std::optional<Lesson> best;
  for (const std::size_t i : {0, 1}) {
    const RankEntry &one = ranking[i], &other = ranking[1 - i];
    const auto machine = std::ranges::find(machines, one.device, [](const RankedMachine& m) { return m.profile.name; });
    if (machine->profile.properties.kind == DeviceKind::host) continue;
    Pupil pupil(*machine, one, structure, precision);
    Lesson lesson{one.device, {}, doubt, doubt};
    const double own = deviation_of(one), others = deviation_of(other), before = doubt_of(own, others);
    const double whole = pupil.can_learn() ? pupil.deviation() : 1;
    while (pupil.can_learn() && lesson.products.size() < most_products && lesson.doubt_after > doubt / 2) {
      lesson.products.push_back(pupil.take());
      // The products' part of the total alone becomes surer.
      const double after = own * pupil.deviation() / whole;
      lesson.doubt_after = doubt_after(lead, before, std::min(before, doubt_of(after, others)));
    }
    if (lesson.doubt_after > (1 - constants::worthwhile) * doubt) continue;
    if (!lesson.products.empty() && (!best || lesson.doubt_after < best->doubt_after)) best = lesson;
  }
  return best;
}
}  // namespace sparsecast::forecast
