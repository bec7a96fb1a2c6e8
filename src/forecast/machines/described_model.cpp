#include "forecast/machines/described_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast_constants.hpp>

#include "fields/tier.hpp"
#include "forecast/interval.hpp"
#include "forecast/launch.hpp"
#include "forecast/machines/code_model.hpp"
#include "forecast/machines/gpu_fitted.hpp"
#include "forecast/machines/probe_scale.hpp"
#include "forecast/memory_floor.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/record_set.hpp"
#include "hardware/description.hpp"

namespace sparsecast::forecast {
namespace {
class DescribedModel final : public FittedModel {
 public:
  DescribedModel(const Profile& profile, const FitOptions& options, const MachineModel& coefficients)
      : coefficients_(coefficients), properties_(profile.properties), options_(options), tier_(profile.tier) {
    if (options_.threads <= 0) options_.threads = properties_.compute_units;
    struct Products {
      std::vector<MachineEstimate> estimates;
      std::vector<double> seconds;
    };
    std::map<std::string, Products> measured;
    Products all;
    for (const Record& record : profile.records) {
      if (record.precision != options.precision) continue;
      const Structure& structure = profile.matrices[static_cast<std::size_t>(record.matrix)].structure;
      auto estimate = estimate_of(structure, record.kernel);
      if (!estimate) continue;
      for (Products* products : {&measured[record.kernel], &all}) {
        products->estimates.push_back(*estimate);
        products->seconds.push_back(record.seconds);
      }
    }
    for (const auto& [kernel, m] : measured)
      scales_.emplace(kernel, ProbeScale(coefficients.probe(), m.estimates, m.seconds));
    if (!measured.empty()) others_ = ProbeScale(coefficients.probe(), all.estimates, all.seconds);
  }

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    const auto estimate = estimate_of(structure, kernel);
    if (!estimate) return std::nullopt;
    const auto scale = scales_.find(kernel);
    const bool probed = scale != scales_.end();
    if (tier_ == Tier::probe && !probed) return std::nullopt;  // a probe speaks of what it measured
    Forecast f;
    f.kernel = kernel;
    f.model = described_model_name;
    f.tier = tier_;
    f.seconds = estimate->seconds * std::exp((probed ? scale->second : others_).log_correction(*estimate));
    const auto& [low, high] = probed ? estimate->intervals.probe : estimate->intervals.sheet;
    f.low_s = f.seconds * std::exp(low);
    f.high_s = f.seconds * std::exp(high);
    f.gflops = gflops_of(structure, f.seconds);
    f.bytes = estimate->stored_bytes;
    f.extrapolated = estimate->extrapolated;
    extrapolate_to(options_.precision, f);
    // What is learned beside the terms lengthens or shortens the whole: each has its share of that.
    const double learned = f.seconds / std::accumulate(estimate->parts.begin(), estimate->parts.end(), 0.0);
    std::size_t binds = 0;
    for (std::size_t i = 0; i < machine_term_count; ++i) {
      if (estimate->parts[i] > estimate->parts[binds]) binds = i;
      const bool stream = machine_terms[i] == Term::stream;
      f.parts.push_back({machine_terms[i], learned * estimate->parts[i], stream ? estimate->moved_bytes : 0});
    }
    f.bound_by = machine_terms[binds];
    return f;
  }

 private:
  // A host's own formats tell what they store where the structure counts it: padding is moved like everything else.
  [[nodiscard]] std::optional<MachineEstimate> estimate_of(const Structure& structure,
                                                           const std::string& kernel) const {
    auto estimate = blended(structure, kernel);
    if (!estimate || structure.row_histogram.empty() || structure.slices.empty()) return estimate;
    const auto exact = storage_bytes(properties_.kind, structure, kernel, options_.precision);
    if (exact.value_or(0) <= 0) return estimate;
    const double padding = static_cast<double>(*exact) / static_cast<double>(estimate->stored_bytes);
    if (padding > 1) estimate->seconds *= padding;
    estimate->stored_bytes = *exact;
    return estimate;
  }

  // Trees stand for what their tables are of: one socket with all its cores, large matrices of which it is known where
  // entries lie. Loops stand for everything else, and between both the logarithms go over into each other, by entries
  // and by threads.
  [[nodiscard]] std::optional<MachineEstimate> blended(const Structure& structure, const std::string& kernel) const {
    const std::string standing = coefficients_.standing(kernel);
    const auto loops = coefficients_.loops().estimate(structure, properties_, standing, options_.precision,
                                                      options_.threads, options_.places);
    auto trees = coefficients_.estimate(structure, properties_, kernel, options_.precision);
    if (!loops) return trees;
    const double share = trees ? share_of_trees(structure) : 0;
    if (!trees) trees.emplace();
    MachineEstimate both = *trees;
    const auto mean = [share](double of_trees, double of_loops) { return share * of_trees + (1 - share) * of_loops; };
    const auto logarithms = [&](double of_trees, double of_loops) {
      return share <= 0 ? of_loops : std::exp(mean(std::log(of_trees), std::log(of_loops)));
    };
    both.seconds = std::max(loops->sum.parts[0], logarithms(trees->seconds, loops->sum.seconds));
    for (std::size_t i = 0; i < both.parts.size(); ++i) both.parts[i] = mean(trees->parts[i], loops->sum.parts[i]);
    const auto widths = [&](std::pair<double, double> of_trees, DecadeIntervals::Width of_loops) {
      return std::pair(mean(of_trees.first, of_loops.low) - loops->doubt,
                       mean(of_trees.second, of_loops.high) + loops->doubt);
    };
    both.intervals = {widths(trees->intervals.sheet, loops->sheet), widths(trees->intervals.probe, loops->anchors)};
    both.of_loops = 1 - share;
    both.extrapolated = loops->extrapolated;
    both.stand_in = standing != kernel;
    both.stored_bytes = loops->stored_bytes;
    both.moved_bytes = loops->moved_bytes;
    return both;
  }

  [[nodiscard]] double share_of_trees(const Structure& s) const {
    const bool places = s.bandwidth_scaled > 0 || s.neighbours > 0 || s.cross_row_similarity > 0;
    const auto& [from, alone, cores, some] = constants::trees_from;
    if (!places || properties_.sockets > 1 || properties_.compute_units < cores) return 0;
    const double nonzeros = std::max(1.0, static_cast<double>(s.nonzeros));
    const auto towards = [](double is, double begin, double end) {
      return std::clamp(std::log(is / begin) / std::log(end / begin), 0.0, 1.0);
    };
    // The tables are of all cores, and one core more or less does not change a product's time by what the models
    // differ in: from a part of the cores on their share grows with the number.
    const double units = properties_.compute_units;
    return towards(nonzeros, from, alone) * towards(options_.threads, some * units, units);
  }

  const MachineModel& coefficients_;
  DeviceProperties properties_;
  FitOptions options_;
  Tier tier_;
  std::map<std::string, ProbeScale> scales_;
  ProbeScale others_;  ///< of kernels of which nothing was measured: what all that was measured have in common
};
}  // namespace

std::unique_ptr<FittedModel> fit_described_model(const Profile& profile, const FitOptions& options,
                                                 const MachineModel& coefficients) {
  hardware::require_description(profile.properties, profile.name);
  // What a team of threads takes to begin depends on their number: the terms have it, a description's launch is of all.
  if (profile.properties.kind == DeviceKind::host)
    return never_below_memory(std::make_unique<DescribedModel>(profile, options, coefficients), profile.properties,
                              options.precision);
  // What code says is of products queued behind each other: no wait is in it.
  const auto least_of = [device = profile.properties.name](const std::string& kernel) {
    return GpuModel::current().least_start(kernel, device);
  };
  auto model =
      with_code(never_below_launch(fit_gpu_model(profile, options), profile, options, least_of), profile, options);
  return never_below_memory(std::move(model), profile.properties, options.precision);
}

std::vector<std::string> described_kernels(const Profile& profile, const MachineModel& coefficients) {
  const bool gpu = profile.properties.kind != DeviceKind::host;
  std::vector<std::string> kernels;
  // Products of some kernels move what is common to all: the others stay candidates.
  if (profile.tier == Tier::data_sheet || profile.tier == Tier::anchors)
    kernels = gpu ? kernels_with_code(profile.properties, GpuModel::current().kernels(profile.properties))
                  : coefficients.kernels(profile.properties);
  if (gpu && !kernels.empty()) return kernels;
  for (const Record& record : profile.records)
    if (std::ranges::find(kernels, record.kernel) == kernels.end()) kernels.push_back(record.kernel);
  return kernels;
}
}  // namespace sparsecast::forecast
