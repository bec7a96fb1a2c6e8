#include "forecast/physical/conversion.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/array.hpp>
#include <sparsecast_constants.hpp>

#include "forecast/kernel_data.hpp"
#include "forecast/physical/conversion_cache.hpp"
#include "forecast/physical/log_least_squares.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"

namespace sparsecast::forecast {
namespace {
enum Unknown { u_constant, u_small_byte, u_large_byte, u_nonzero, u_row, u_padding, u_turn, u_far, unknowns };

double as_real(std::int64_t value) { return static_cast<double>(value); }

// An array of an allocation lies in small or in huge pages.
void add_array(double bytes, ConversionAmounts& amounts) {
  (bytes < static_cast<double>(UninitializedAllocator<char>::large) ? amounts.small_bytes : amounts.large_bytes) +=
      bytes;
}

// Values and the indices beside them; a format's own indices are of 4 bytes but in matrices beyond 2³¹ rows.
void add_slots(double slots, int index_arrays, int value, ConversionAmounts& amounts) {
  add_array(slots * value, amounts);
  for (int k = 0; k < index_arrays; ++k) add_array(slots * 4, amounts);
}

int index_arrays(const formats::KernelInfo& kernel) { return kernel.index_bytes / 4; }

// Entries that wait for memory, or a cache as slow: what is read (CSR) and written goes beyond a quarter of the last
// cache.
double far_of(const ConversionAmounts& amounts, double last_cache) {
  if (!(last_cache > 0)) return 0;
  const double touched = csr_entry_bytes * amounts.nonzeros + amounts.small_bytes + amounts.large_bytes;
  const double fill = constants::cache_kept * last_cache / std::max(touched, 1.0);
  return amounts.nonzeros / (1 + fill * fill);
}

// Decisions whether a slot holds an entry, column by column, as if the rows were shuffled: Σ 2 p (1 − p) · rows over
// the columns up to the width, p the share of the rows that reach so far. Of formats that put rows of a length side by
// side, one decision per row; of diagonals one per slot, and one per entry elsewhere; of blocks one per block.
double turns_of(const formats::KernelInfo& kernel, const Structure& s) {
  const double rows = as_real(s.rows);
  if (kernel.made_for == formats::MadeFor::blocks) return as_real(s.dense_blocks.blocks);
  if (kernel.made_for == formats::MadeFor::diagonals) {
    const double held = as_real(s.dense_diagonals.nonzeros);
    const double slots = std::max(1.0, as_real(s.dense_diagonals.diagonals) * rows);
    return 2 * held * (1 - std::min(1.0, held / slots)) + as_real(s.nonzeros) - held;
  }
  if (kernel.made_for == formats::MadeFor::compact && s.compact.distinct_values > 1)
    return formats::differing_share(s) * rows + as_real(s.nonzeros);  // each value is looked for in the dictionary
  if (kernel.padding != formats::Padding::longest_row && kernel.padding != formats::Padding::hyb_split)
    return formats::differing_share(s) * rows;
  double turns = 0, reaching = 0;
  std::int64_t upper = kernel.padding == formats::Padding::hyb_split ? hyb_split(s).width : s.row_max;
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    if (entry->length < upper) {
      const double share = reaching / std::max(1.0, rows);
      turns += as_real(upper - entry->length) * 2 * share * (1 - share) * rows;
      upper = entry->length;
    }
    reaching += as_real(entry->rows);
  }
  return turns;
}

Eigen::MatrixXd design_of(const MeasuredConversions& measured, const std::vector<Eigen::Index>& chosen) {
  Eigen::MatrixXd design(static_cast<Eigen::Index>(chosen.size()), static_cast<Eigen::Index>(unknowns));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const ConversionAmounts& a = measured.amounts[static_cast<std::size_t>(chosen[i])];
    design.row(static_cast<Eigen::Index>(i)) << 1, a.small_bytes, a.large_bytes, a.nonzeros, a.rows, a.padding, a.turns,
        a.far;
  }
  return design;
}

// Logarithms of the costs; `start` saves most of the search where a fit of nearly the same is known.
Eigen::VectorXd fit_costs(const MeasuredConversions& measured, const std::vector<Eigen::Index>& chosen,
                          const LogPrior& prior, const Eigen::VectorXd& start) {
  const Eigen::MatrixXd design = design_of(measured, chosen);
  Eigen::VectorXd logs(design.rows());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    logs[static_cast<Eigen::Index>(i)] = std::log(measured.seconds[static_cast<std::size_t>(chosen[i])]);
  const LogFormula formula = [&](const Eigen::VectorXd& p, Eigen::VectorXd& log_seconds) {
    log_seconds = (design * costs_of_logs(p)).array().max(1e-300).log();
  };
  return fit_log_formula(formula, logs, prior, start, constants::usual_error);
}

ConversionCosts costs_of(const Eigen::VectorXd& p) {
  const Eigen::VectorXd c = costs_of_logs(p);
  return {c[u_constant], c[u_small_byte], c[u_large_byte], c[u_nonzero], c[u_row], c[u_padding], c[u_turn], c[u_far]};
}

Eigen::VectorXd vector_of(const ConversionCosts& c) {
  Eigen::VectorXd costs(unknowns);
  costs << c.constant, c.small_byte, c.large_byte, c.nonzero, c.row, c.padding, c.turn, c.far;
  return costs;
}

// Of a device, driver and copies decide.
double host_cache(const DeviceProperties& properties) {
  return properties.kind == DeviceKind::host ? last_cache_bytes(properties) : 0;
}

// The conversions that a profile tells of a kernel, evenly out of all.
MeasuredConversions measured_conversions(const Profile& profile, const std::string& kernel, Precision precision,
                                         int threads) {
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  MeasuredConversions all;
  if (info == nullptr) return all;
  std::map<std::string, int> families;
  for (const Record& record : profile.records) {
    if (record.kernel != kernel || record.precision != precision || record.threads != threads ||
        !(record.preprocess_s > 0))
      continue;
    const BenchmarkMatrix& matrix = profile.matrices[static_cast<std::size_t>(record.matrix)];
    const auto bytes = storage_bytes(profile.properties.kind, matrix.structure, kernel, precision);
    if (!bytes || matrix.structure.nonzeros == 0) continue;
    all.amounts.push_back(conversion_amounts(*info, matrix.structure, *bytes, precision, profile.properties.kind,
                                             host_cache(profile.properties)));
    all.families.push_back(families.emplace(family_of(matrix), static_cast<int>(families.size())).first->second);
    all.seconds.push_back(record.preprocess_s);
  }
  const std::size_t count = std::min(constants::count<std::size_t>(constants::conversions_fitted), all.seconds.size());
  MeasuredConversions some;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * all.seconds.size() / count;
    some.amounts.push_back(all.amounts[from]);
    some.families.push_back(all.families[from]);
    some.seconds.push_back(all.seconds[from]);
  }
  return some;
}

// Every kernel whose conversions these records tell of.
std::map<std::string, ConversionFit> fitted_conversions(const Profile& profile, const RecordSet& records) {
  std::map<std::string, MeasuredConversions> measured;
  for (const std::string& kernel : kernels_with_records(profile, records)) {
    MeasuredConversions conversions = measured_conversions(profile, kernel, records.precision, records.threads);
    if (static_cast<double>(conversions.seconds.size()) >= constants::fewest_conversions)
      measured.emplace(kernel, std::move(conversions));
  }
  if (measured.empty()) return {};
  const CoreCosts core(profile);
  const std::string key = conversions_key(measured, core);
  if (std::map<std::string, ConversionFit> cached = cached_conversions(key); !cached.empty()) return cached;
  std::map<std::string, ConversionFit> fits;
  for (const bool expecting : {false, true})  // those last whose costs are like others'
    for (const auto& [kernel, conversions] : measured) {
      const std::string like(formats::kernel_or_plain(kernel).costs_like);
      if (like.empty() == expecting) continue;
      const auto known = fits.find(like);
      fits.emplace(kernel, fit_conversions(conversions, core, known == fits.end() ? nullptr : &known->second));
    }
  cache_conversions(key, fits);
  return fits;
}

// The kernel whose conversions tell of this one's.
std::string converted_as(const std::string& kernel) {
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  return info == nullptr || info->converts_like.empty() ? kernel : std::string(info->converts_like);
}
}  // namespace

ConversionAmounts conversion_amounts(const formats::KernelInfo& kernel, const Structure& structure, std::int64_t bytes,
                                     Precision precision, DeviceKind kind, double last_cache) {
  const double nonzeros = as_real(structure.nonzeros), rows = as_real(structure.rows);
  const int value = value_bytes(precision);
  ConversionAmounts amounts;
  double slots =
      formats::slots_of(kernel.padding, structure, kind == DeviceKind::host ? formats::host_sell : formats::gpu_sell);
  if (kernel.keeps_values) {
    add_array(slots * kernel.index_bytes, amounts);
    if (is_single(precision)) add_array(slots * value, amounts);
    bytes = 0;
  } else if (kernel.padding == formats::Padding::hyb_split) {
    const HybSplit split = hyb_split(structure);
    const double overflow = as_real(split.overflow);
    slots = rows * as_real(split.width) + overflow;
    add_slots(slots - overflow, 1, value, amounts);
    add_slots(overflow, 2, value, amounts);
  } else if (kernel.made_for == formats::MadeFor::compact) {
    // Columns of two bytes, and what the rest of the bytes is: values, if any.
    add_array(std::min(2 * slots, as_real(bytes)), amounts);
  } else {
    add_slots(slots, index_arrays(kernel), value, amounts);
  }
  // Pointers and orders; indices of 8 bytes count here as well.
  const double rest = as_real(bytes) - amounts.small_bytes - amounts.large_bytes;
  if (rest > 0) add_array(rest, amounts);
  amounts.nonzeros = nonzeros;
  amounts.rows = rows;
  amounts.padding = std::max(0.0, slots - nonzeros);
  amounts.far = far_of(amounts, last_cache);
  amounts.turns = structure.row_histogram.empty() ? 0 : turns_of(kernel, structure);
  return amounts;
}

double ConversionFit::half_width(double seconds) const {
  if (errors.empty()) return std::log(constants::prior_doubt);  // of one family alone none was held back
  // Nine in ten of the third that takes most nearly as long: short conversions scatter more than long ones.
  const auto fewest = constants::count<std::size_t>(constants::judged_window);
  const auto part = constants::count<std::size_t>(constants::judged_part);
  const std::size_t window = std::max(std::min(fewest, errors.size()), errors.size() / part);
  const auto at = static_cast<std::size_t>(
      std::ranges::lower_bound(errors, std::log(std::max(seconds, 1e-300)), {}, &std::pair<double, double>::first) -
      errors.begin());
  const std::size_t first = std::min(at > window / 2 ? at - window / 2 : 0, errors.size() - window);
  std::vector<double> near;
  for (std::size_t i = first; i < first + window; ++i) near.push_back(std::abs(errors[i].second));
  std::ranges::sort(near);
  return near[std::min(near.size() - 1, near.size() * 9 / 10)];
}

// Nothing starts later than the shortest took; an entry, a row, a decision wait for a load.
ConversionCosts prior_costs(const CoreCosts& core, double shortest_s) {
  const double load = core.load_s;
  return {shortest_s, core.fresh_byte_s, core.fresh_large_byte_s, load, load, load, load, load};
}

ConversionFit fit_conversions(const MeasuredConversions& measured, const CoreCosts& core, const ConversionFit* like) {
  const Eigen::VectorXd costs =
      vector_of(like != nullptr ? like->costs : prior_costs(core, std::ranges::min(measured.seconds)));
  const LogPrior prior{costs.array().log(), Eigen::VectorXd::Constant(unknowns, constants::prior_deviation), 1};
  const auto count = static_cast<Eigen::Index>(measured.seconds.size());
  std::vector<Eigen::Index> all;
  for (Eigen::Index i = 0; i < count; ++i) all.push_back(i);
  const Eigen::VectorXd whole = fit_costs(measured, all, prior, prior.centre);
  ConversionFit fit;
  fit.costs = costs_of(whole);
  const int folds = constants::count(constants::conversion_folds);
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<Eigen::Index> kept, held;
    for (const Eigen::Index i : all)
      (measured.families[static_cast<std::size_t>(i)] % folds == fold ? held : kept).push_back(i);
    if (held.empty() || kept.empty()) continue;
    const ConversionCosts without = costs_of(fit_costs(measured, kept, prior, whole));
    for (const Eigen::Index i : held) {
      const double log = std::log(without.seconds(measured.amounts[static_cast<std::size_t>(i)]));
      fit.errors.emplace_back(log, log - std::log(measured.seconds[static_cast<std::size_t>(i)]));
    }
  }
  std::ranges::sort(fit.errors);
  return fit;
}

ConversionModel::ConversionModel(const Profile& profile, const RecordSet& records)
    : kind_(profile.properties.kind),
      precision_(records.precision),
      last_cache_(host_cache(profile.properties)),
      fits_(fitted_conversions(profile, records)) {
  if (!fits_.empty()) return;
  // Values of another width, but the same loops: bytes written and the steps are counted, not the precision.
  RecordSet others = records;
  others.precision = records.precision == Precision::double_ ? Precision::single_ : Precision::double_;
  fits_ = fitted_conversions(profile, others);
  for (auto& [kernel, fit] : fits_) fit.widening = constants::other_precision_error;
}

ConversionModel::ConversionModel(const Profile& profile, const RecordSet& records,
                                 std::map<std::string, ConversionFit> fits, double widening)
    : kind_(profile.properties.kind),
      precision_(records.precision),
      last_cache_(host_cache(profile.properties)),
      fits_(std::move(fits)) {
  for (auto& [kernel, fit] : fits_) fit.widening = widening;
}

void ConversionModel::take_where_unknown(std::map<std::string, ConversionFit> fits, double widening) {
  for (auto& [kernel, fit] : fits) fit.widening = widening;
  fits_.merge(fits);
}

std::optional<ConversionModel::Estimate> ConversionModel::estimate(const std::string& kernel,
                                                                   const Structure& structure,
                                                                   std::optional<std::int64_t> bytes) const {
  if (borrows_matrix(kind_, kernel, precision_)) return Estimate{};
  const auto found = fits_.find(converted_as(kernel));
  const formats::KernelInfo* info = formats::find_kernel(kernel);
  if (found == fits_.end() || info == nullptr || !bytes) return std::nullopt;
  const double seconds =
      found->second.costs.seconds(conversion_amounts(*info, structure, *bytes, precision_, kind_, last_cache_));
  const double half_width = found->second.half_width(seconds) + found->second.widening;
  return Estimate{seconds, seconds * std::exp(-half_width), seconds * std::exp(half_width)};
}

void ConversionModel::tell(Forecast& forecast, const Structure& structure) const {
  const std::optional<Estimate> conversion = estimate(forecast.kernel, structure, forecast.bytes);
  if (!conversion) return;
  forecast.preprocess_s = conversion->seconds;
  forecast.preprocess_low_s = conversion->low_s;
  forecast.preprocess_high_s = conversion->high_s;
}
}  // namespace sparsecast::forecast
