#include "forecast/machines/described_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast_constants.hpp>

#include "fields/tier.hpp"
#include "forecast/launch.hpp"
#include "forecast/machines/code_model.hpp"
#include "forecast/machines/gpu_fitted.hpp"
#include "forecast/machines/probe_scale.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/record_set.hpp"
#include "hardware/description.hpp"

namespace sparsecast::forecast {
namespace {
class DescribedModel final : public FittedModel {
 public:
  DescribedModel(const Profile& profile, const FitOptions& options, const MachineModel& coefficients)
      : coefficients_(coefficients),
        properties_(with_threads(profile.properties, options.threads)),
        options_(options),
        tier_(profile.tier) {
    const auto& [fewest, doubt, channels] = constants::few_threads;
    if (properties_.compute_units < std::max<double>(fewest, profile.properties.compute_units)) doubt_ = doubt;
    std::map<std::string, std::pair<std::vector<MachineEstimate>, std::vector<double>>> measured;
    for (const Record& record : profile.records) {
      if (record.precision != options.precision) continue;
      const Structure& structure = profile.matrices[static_cast<std::size_t>(record.matrix)].structure;
      auto estimate = estimate_of(structure, record.kernel);
      if (!estimate) continue;
      measured[record.kernel].first.push_back(*estimate);
      measured[record.kernel].second.push_back(record.seconds);
    }
    for (const auto& [kernel, m] : measured)
      scales_.emplace(kernel, ProbeScale(coefficients.probe(), m.first, m.second));
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
    f.seconds = estimate->seconds * (probed ? std::exp(scale->second.log_correction(*estimate)) : 1);
    const auto& [low, high] = probed ? estimate->intervals.probe : estimate->intervals.sheet;
    f.low_s = f.seconds * std::exp(low - doubt_);
    f.high_s = f.seconds * std::exp(high + doubt_);
    f.gflops = gflops_of(structure, f.seconds);
    f.bytes = estimate->stored_bytes;
    f.extrapolated = options_.precision == Precision::single_;  // nothing was measured in it
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
    auto estimate = coefficients_.estimate(structure, properties_, kernel, options_.precision);
    if (!estimate || structure.row_histogram.empty() || structure.slices.empty()) return estimate;
    const auto exact = storage_bytes(properties_.kind, structure, kernel, options_.precision);
    if (exact.value_or(0) <= 0) return estimate;
    const double padding = static_cast<double>(*exact) / static_cast<double>(estimate->stored_bytes);
    if (padding > 1) estimate->seconds *= padding;
    estimate->stored_bytes = *exact;
    return estimate;
  }

  const MachineModel& coefficients_;
  DeviceProperties properties_;
  FitOptions options_;
  double doubt_ = 0;  // of fewer threads than tables tell of, in logarithms
  Tier tier_;
  std::map<std::string, ProbeScale> scales_;
};
}  // namespace

std::unique_ptr<FittedModel> fit_described_model(const Profile& profile, const FitOptions& options,
                                                 const MachineModel& coefficients) {
  hardware::require_description(profile.properties, profile.name);
  // What a team of threads takes to begin depends on their number: the terms have it, a description's launch is of all.
  if (profile.properties.kind == DeviceKind::host)
    return std::make_unique<DescribedModel>(profile, options, coefficients);
  // What code says is of products queued behind each other: no wait is in it.
  return with_code(never_below_launch(fit_gpu_model(profile, options), profile, options), profile, options);
}

std::vector<std::string> described_kernels(const Profile& profile, const MachineModel& coefficients) {
  const bool gpu = profile.properties.kind != DeviceKind::host;
  // Products move what is common to all kernels of a GPU.
  const Tier tier = profile.tier;
  if (tier == Tier::data_sheet || (gpu && tier == Tier::anchors))
    return gpu ? kernels_with_code(profile.properties, GpuModel::current().kernels(profile.properties))
               : coefficients.kernels(profile.properties);
  std::vector<std::string> kernels;
  for (const Record& record : profile.records)
    if (std::ranges::find(kernels, record.kernel) == kernels.end()) kernels.push_back(record.kernel);
  return kernels;
}
}  // namespace sparsecast::forecast
