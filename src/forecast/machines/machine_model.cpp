#include "forecast/machines/machine_model.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sparsecast_constants.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "hardware/description.hpp"
#include "forecast/physical/conversion.hpp"
#include "formats/parts/thread_parts.hpp"
#include "matrix/generate/portable_math.hpp"

namespace sparsecast::forecast {
MachineNumbers::MachineNumbers(const DeviceProperties& p) {
  units = std::max(1, p.compute_units);
  clock = p.base_clock_hz > 0 ? std::sqrt(p.clock_hz * p.base_clock_hz) : p.clock_hz;
  bandwidth = p.memory_bandwidth;
  std::map<int, double> levels;
  for (const CacheLevel& cache : p.caches)
    levels[cache.level] = static_cast<double>(cache.size_bytes) * std::ceil(units / std::max(1, cache.shared_by));
  if (!levels.empty()) {
    last_cache = levels.rbegin()->second;
    near_cache = (levels.size() > 1 ? std::next(levels.rbegin())->second : last_cache) / units;
  }
  constexpr double value_bits = 64;
  if (p.vector_bits > 0) lanes = p.vector_bits / value_bits;
}

namespace {
// Entries that slices of 32 rows in their order store for one non-zero: counted, or as far as the moments of the
// lengths tell. The longest of 32 lengths drawn alone lies two deviations above the mean and never above the longest
// row; rows that are like the next one pad half as much.
double slice_padding(const Structure& s, double alike) {
  constexpr int slice_rows = 32;
  for (const SliceWork& work : s.slices)
    if (work.slice_rows == slice_rows && work.sort_rows == 1 && s.nonzeros > 0)
      return std::max(1.0, static_cast<double>(work.slots) / static_cast<double>(s.nonzeros));
  static const double longest = matrix::normal_quantile((slice_rows - 3. / 8) / (slice_rows + 1. / 4));  // Blom 1958
  const double variation = s.row_std / std::max(s.row_mean, constants::least_variation);
  const double over = std::min({longest * variation, s.row_skew, slice_rows - 1.0});
  return 1 + std::max(0.0, over) * (1 - alike / 2);
}

double rise(double z) { return 1 / (1 + std::exp(-z)); }
}  // namespace

MatrixNumbers::MatrixNumbers(const Structure& s, Precision precision, bool slices) {
  const double value = value_bytes(precision), index = 4;
  rows = std::max(1.0, static_cast<double>(s.rows));
  cols = std::max(1.0, static_cast<double>(s.cols));
  nonzeros = std::max(1.0, static_cast<double>(s.nonzeros));
  row_mean = s.row_mean;
  row_std = s.row_std;
  row_skew = s.row_skew;
  longest = std::clamp(row_mean * (1 + row_skew), 1.0, cols);
  lone = 1 - std::clamp(s.neighbours, 0.0, 2.0) / 2;
  alike = std::clamp(s.cross_row_similarity, 0.0, 1.0);
  span = s.bandwidth_scaled;
  window = std::min(span * cols + 1, cols) * value;
  x_bytes = value * cols;
  if (slices) nonzeros *= slice_padding(s, alike);
  stored = (value + index) * nonzeros + index * rows;
  bytes = stored + value * (rows + cols);
}

std::array<double, machine_feature_count> machine_features(const MatrixNumbers& m, const MachineNumbers& machine) {
  const auto& [no_window, no_mean, no_spread, no_length, no_lone] = constants::machine_floors;
  const double ideal = m.bytes / machine.bandwidth;
  return {std::log(m.bytes / machine.cached()),
          std::log(m.window / machine.last_cache + no_window),
          std::log(m.x_bytes / machine.last_cache),
          std::log(m.row_mean + 0.5),
          std::log(m.row_std / (m.row_mean + no_mean) + no_spread),
          std::sqrt(std::log(1 + m.row_skew)),
          m.lone,
          m.alike,
          m.span,
          std::log(m.longest * machine.units / m.nonzeros + no_length),
          std::log(constants::launch_s / ideal),
          std::log(m.rows / machine.core() / ideal),
          std::log(m.longest / machine.clock / ideal + 1e-9),
          std::log(m.nonzeros * (m.lone + no_lone) / (2 * machine.core()) / ideal),
          std::log(machine.last_cache / machine.units)};
}

MachineTerms::Sum MachineTerms::operator()(const MatrixNumbers& m, const MachineNumbers& machine) const {
  const auto [steep, place, x_steep, x_place, power, sum_power, lanes_power] = shape;
  const double beyond = rise(std::exp(steep) * (std::log(m.bytes / machine.cached()) - place));
  const double irregular = std::pow(m.lone * (1 - m.alike) + 1e-3, std::exp(power));
  const auto x_beyond = [&, steepness = std::exp(x_steep), middle = x_place](double size) {
    return rise(steepness * (std::log(m.window / size) - middle));
  };
  // What the longest row has beyond a fair share of a core.
  const double over = std::max(0.0, m.longest - m.nonzeros / machine.units) / machine.clock;
  const double core = machine.core(), stream = beyond * m.bytes / machine.bandwidth, rows = m.rows / core;
  // Lines of 64 bytes; some 20 cycles to the next cache.
  std::array<double, machine_term_count> t{
      machine.units > 1 ? 1e-6 : 0,
      stream,
      m.bytes / (16 * core),
      m.nonzeros * irregular * x_beyond(machine.last_cache) * beyond * 64 / machine.bandwidth,
      m.nonzeros * irregular * x_beyond(machine.near_cache) * 20 / core,
      rows,
      over,
      m.nonzeros / core * std::pow(4 / machine.lanes, lanes_power)};
  // Terms other than the launch run side by side: between the largest and the sum.
  const double together = 1 + std::exp(sum_power);
  double powers = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    t[i] *= std::exp(prices[i]);
    if (i > 0) powers += std::pow(t[i], together);
  }
  const double side_by_side = std::pow(powers, 1 / together);
  Sum sum;
  sum.seconds = t[0] + side_by_side;
  sum.parts[0] = t[0];
  for (std::size_t i = 1; i < t.size(); ++i) sum.parts[i] = side_by_side * std::pow(t[i], together) / powers;
  return sum;
}

namespace {
using Json = nlohmann::ordered_json;

constexpr const char* schema_name = "sparsecast/machine-model/2";

using Row = Eigen::Matrix<double, ProbeScale::terms, 1>;

Row row_of(const MachineEstimate& estimate) {
  const auto& parts = estimate.parts;
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  // The order of machine_terms.
  Row row;
  row << 1, parts[1] / all - 0.5, parts[0] / all, (parts[3] + parts[4] + parts[5] + parts[6]) / all;
  return row;
}

class DescribedModel final : public FittedModel {
 public:
  DescribedModel(const Profile& profile, const FitOptions& options, const MachineModel& coefficients)
      : coefficients_(coefficients),
        properties_(with_threads(profile.properties, options.threads)),
        options_(options),
        tier_(calibration::tier_of(profile.tier)) {
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
    if (tier_ == calibration::Tier::probe && !probed) return std::nullopt;  // a probe speaks of what it measured
    Forecast f;
    f.kernel = kernel;
    f.model = described_model_name;
    f.tier = word_of(tier_);
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
  calibration::Tier tier_;
  std::map<std::string, ProbeScale> scales_;
};
}  // namespace

MachineModel::Kernel MachineModel::kernel_of(const Json& entry) {
  Kernel kernel;
  kernel.name = entry.at("kernel").get<std::string>();
  kernel.slices = entry.value("padding", "") == "slices";
  kernel.deals_rows = entry.value("deals", "") == "rows";
  kernel.vendors = entry.value("vendors", std::vector<std::string>());
  kernel.physical_share = entry.at("physical_share").get<double>();
  entry.at("interval").at("data sheet").get_to(kernel.intervals.sheet);
  entry.at("interval").at("probe").get_to(kernel.intervals.probe);
  kernel.multiple_of = entry.value("multiple_of", "");
  for (const Json& member : entry.at("members")) {
    const MachineTerms terms{member.at("prices").get<std::array<double, machine_term_count>>(),
                             member.at("shape").get<std::array<double, 7>>()};
    const auto trees = [&](const char* name) { return SumOfTrees(member.at(name), machine_feature_count); };
    kernel.members.push_back({terms, trees("trees"), kernel.multiple_of.empty() ? SumOfTrees() : trees("multiple")});
  }
  if (kernel.members.empty()) throw Error(ErrorCode::bad_input, "a kernel without members");
  return kernel;
}

MachineModel::MachineModel(const Json& document, const std::string& file) {
  try {
    if (document.at("schema") != schema_name) throw Error(ErrorCode::bad_input, "another schema");
    for (const auto& [name, fold] : document.at("families").items()) folds_[name] = fold.get<std::size_t>();
    own_ = document.at("own").get<std::map<std::string, std::string>>();
    roof_ = document.at("roof").get<double>();
    const Json& probe = document.at("probe");
    probe_ = {probe.at("all").get<double>(), probe.at("parts").get<double>(), probe.at("noise").get<double>(),
              probe.at("carries").get<double>()};
    for (const Json& entry : document.at("kernels")) kernels_.push_back(kernel_of(entry));
    require_bases();
  } catch (const Error& wrong) {
    throw Error(ErrorCode::bad_input, wrong.reason(), {file}, "scripts/refit machines writes it");
  } catch (const Json::exception& wrong) {
    throw Error(ErrorCode::bad_input, wrong.what(), {file}, "scripts/refit machines writes it");
  }
}

void MachineModel::require_bases() const {
  for (const Kernel& kernel : kernels_) {
    if (kernel.multiple_of.empty()) continue;
    const Kernel* base = find(kernel.multiple_of);
    if (base == nullptr || !base->multiple_of.empty() || base->members.size() != kernel.members.size())
      throw Error(ErrorCode::bad_input, fmt::format("\"{}\" is told as a multiple of \"{}\", which cannot be",
                                                    kernel.name, kernel.multiple_of));
  }
}

const MachineModel& MachineModel::current() {
  static const MachineModel model = [] {
    const char* elsewhere = std::getenv("SPARSECAST_MACHINE_MODEL");
    if (elsewhere == nullptr) {
      const embedded::File& file = embedded::machine_model()[0];
      return MachineModel(Json::parse(file.text), std::string(file.name));
    }
    const std::string text = base::read_file(elsewhere, {.what = "model across machines"});
    return MachineModel(base::parse_sorted_json(text, {elsewhere, "scripts/refit machines writes it"}), elsewhere);
  }();
  return model;
}

std::vector<std::string> MachineModel::kernels(const DeviceProperties& properties) const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_) {
    if (!kernel.vendors.empty() && std::ranges::find(kernel.vendors, properties.vendor) == kernel.vendors.end())
      continue;
    names.push_back(kernel.name);
  }
  return names;
}

const MachineModel::Kernel* MachineModel::find(const std::string& name) const {
  const auto named = [&](const std::string& wanted) {
    return std::ranges::find_if(kernels_, [&](const Kernel& k) { return k.name == wanted; });
  };
  auto found = named(name);
  if (const auto nearest = own_.find(name); found == kernels_.end() && nearest != own_.end())
    found = named(nearest->second);
  return found == kernels_.end() ? nullptr : &*found;
}

// What one member says of a matrix, as the kernel meets it and as one without padding does.
MachineModel::Told MachineModel::told(const Kernel& kernel, std::size_t member, const MatrixNumbers& matrix,
                                      const MatrixNumbers& plain, const MachineNumbers& machine) const {
  const Member& m = kernel.members[member];
  const auto features = machine_features(matrix, machine);
  const double ideal = std::log(matrix.bytes / machine.bandwidth);
  const MachineTerms::Sum sum = m.terms(matrix, machine);
  Told told;
  told.parts = sum.parts;
  told.log_seconds = ideal + kernel.physical_share * (std::log(sum.seconds) - ideal) + m.trees(features);
  if (!kernel.multiple_of.empty()) {
    const Told base = this->told(*find(kernel.multiple_of), member, plain, plain, machine);
    told.log_seconds = (told.log_seconds + base.log_seconds + m.multiple(features)) / 2;
  }
  const double beyond = matrix.bytes - machine.cached();
  if (beyond > 0) told.log_seconds = std::max(told.log_seconds, std::log(roof_ * beyond / machine.bandwidth));
  return told;
}

std::optional<MachineEstimate> MachineModel::estimate(const Structure& structure, const DeviceProperties& properties,
                                                      const std::string& name, Precision precision) const {
  const MachineNumbers machine(properties);
  const Kernel* kernel = find(name);
  if (kernel == nullptr) return std::nullopt;
  MachineEstimate estimate;
  estimate.stand_in = kernel->name != name;
  // Kernels of this program that stand for a table's have formats of their own, whose padding is counted elsewhere.
  const MatrixNumbers plain(structure, precision, false);
  MatrixNumbers matrix(structure, precision, kernel->slices && !estimate.stand_in);
  // Where the order of the rows is known the slowest thread is: the time of equal rows, its share instead of the mean.
  double slowest = 1;
  if (kernel->deals_rows && !estimate.stand_in && !structure.block_nonzeros.empty()) {
    slowest = formats::parts_in_order(structure, formats::by_rows, properties.compute_units)[0].nonzeros;
    matrix.row_std = matrix.row_skew = 0;
    matrix.longest = matrix.row_mean;
  }
  const auto seen = folds_.find(structure.name);
  double log_seconds = 0, members = 0;
  for (std::size_t fold = 0; fold < kernel->members.size(); ++fold) {
    if (seen != folds_.end() && seen->second != fold) continue;
    const Told one = told(*kernel, fold, matrix, plain, machine);
    log_seconds += one.log_seconds;
    for (std::size_t i = 0; i < one.parts.size(); ++i) estimate.parts[i] += one.parts[i];
    ++members;
  }
  for (double& part : estimate.parts) part /= members;
  const double launch = estimate.parts[0] / std::accumulate(estimate.parts.begin(), estimate.parts.end(), 0.0);
  estimate.seconds = std::exp(log_seconds / members) * (launch + (1 - launch) * slowest);
  for (std::size_t i = 1; i < estimate.parts.size(); ++i) estimate.parts[i] *= slowest;
  estimate.intervals = kernel->intervals;
  estimate.stored_bytes = static_cast<std::int64_t>(matrix.stored);
  estimate.moved_bytes = matrix.bytes;
  return estimate;
}

ProbeScale::ProbeScale(const ProbeNumbers& numbers, const std::vector<MachineEstimate>& estimates,
                       const std::vector<double>& measured_s)
    : carries_(numbers.carries) {
  Eigen::Matrix<double, terms, terms> precision = Eigen::Matrix<double, terms, terms>::Zero();
  precision.diagonal().setConstant(1 / (numbers.parts * numbers.parts));
  precision(0, 0) = 1 / (numbers.all * numbers.all);
  const double noise = numbers.noise * numbers.noise;
  Row right = Row::Zero();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Row row = row_of(estimates[i]);
    precision += row * row.transpose() / noise;
    right += row * std::log(measured_s[i] / estimates[i].seconds) / noise;
  }
  weights_ = precision.ldlt().solve(right);
}

double ProbeScale::log_correction(const MachineEstimate& estimate) const {
  // What a kernel of this program takes over the one that stands in for it, it takes everywhere.
  return (estimate.stand_in ? 1 : carries_) * weights_.dot(row_of(estimate));
}

std::unique_ptr<FittedModel> fit_described_model(const Profile& profile, const FitOptions& options,
                                                 const MachineModel& coefficients) {
  hardware::require_description(profile.properties, profile.name);
  if (profile.properties.kind != DeviceKind::host) return fit_gpu_model(profile, options);
  return std::make_unique<DescribedModel>(profile, options, coefficients);
}

std::vector<std::string> described_kernels(const Profile& profile, const MachineModel& coefficients) {
  const bool gpu = profile.properties.kind != DeviceKind::host;
  // Products move what is common to all kernels of a GPU.
  const calibration::Tier tier = calibration::tier_of(profile.tier);
  if (tier == calibration::Tier::data_sheet || (gpu && tier == calibration::Tier::anchors))
    return gpu ? GpuModel::current().kernels(profile.properties) : coefficients.kernels(profile.properties);
  std::vector<std::string> kernels;
  for (const Record& record : profile.records)
    if (std::ranges::find(kernels, record.kernel) == kernels.end()) kernels.push_back(record.kernel);
  return kernels;
}
}  // namespace sparsecast::forecast
