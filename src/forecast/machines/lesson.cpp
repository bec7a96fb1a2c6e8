#include "forecast/machines/lesson.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sparsecast_constants.hpp>

#include "forecast/machines/code_time.hpp"
#include "forecast/machines/gpu_device.hpp"

namespace sparsecast::forecast {
namespace {
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
    if (machine.profile.tier != Tier::data_sheet || device_.has_tables() || !target_) return;
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

std::optional<Lesson> lesson_of(const std::vector<RankedMachine>& machines, const std::vector<RankEntry>& ranking,
                                const Structure& structure, Precision precision) {
  if (ranking.size() < 2 || !ranking[1].fits || ranking[0].faster_probability > constants::interval_share)
    return std::nullopt;
  const double lead = std::log(ranking[1].due() / ranking[0].due());
  const double doubt = 1 - ranking[0].faster_probability;
  std::optional<Lesson> best;
  for (const std::size_t i : {0, 1}) {
    const RankEntry &one = ranking[i], &other = ranking[1 - i];
    const auto machine = std::ranges::find(machines, one.device, &RankedMachine::name);
    // The script's kernels teach nothing of our code.
    if (machine->profile.properties.kind == DeviceKind::host || one.best.model == code_model_name) continue;
    Pupil pupil(*machine, one, structure, precision);
    Lesson lesson{one.device, {}, doubt, doubt};
    const double own = deviation_of(one), others = deviation_of(other), before = doubt_of(own, others);
    const double whole = pupil.can_learn() ? pupil.deviation() : 1;
    while (pupil.can_learn() && static_cast<double>(lesson.products.size()) < constants::products_to_measure &&
           lesson.doubt_after > constants::doubt_to_reach * doubt) {
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
