#include "plan/search/quick_forecast.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/median.hpp"
#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "forecast/learned/fit_cache.hpp"
#include "forecast/learned/residual_features.hpp"
#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

// To be raised whenever a fit of the same records comes out differently.
constexpr int quick_version = 1;
constexpr std::size_t most_records = 600;     // of a kernel: more change little
constexpr double bits_per_misprediction = 2;  // of row lengths: a guess where there is no histogram
constexpr int folds = 5;                      // families held back in turn
constexpr double widest_correction = 1.5;     // of the quadratic, in logarithms

// Constant, features, and their products.
Eigen::VectorXd quadratic(const Eigen::VectorXd& z) {
  const Eigen::Index n = z.size();
  Eigen::VectorXd terms(1 + n + n * (n + 1) / 2);
  terms[0] = 1;
  terms.segment(1, n) = z;
  Eigen::Index at = 1 + n;
  for (Eigen::Index i = 0; i < n; ++i) {
    terms.segment(at, n - i) = z[i] * z.tail(n - i);
    at += n - i;
  }
  return terms;
}

Eigen::VectorXd solve_ridge(const Eigen::MatrixXd& design, const Eigen::VectorXd& y, double ridge) {
  Eigen::MatrixXd normal = design.transpose() * design;
  normal.diagonal().tail(normal.rows() - 1).array() += ridge;
  normal(0, 0) += 1e-6;
  return normal.ldlt().solve(design.transpose() * y);
}

// A correction of so much freedom; ridge: pull of every weight to 0, in squared deviations of the features.
enum class Freedom { constant, linear, quadratic };
struct Correction {
  Freedom freedom;
  double ridge;
};
constexpr Correction corrections[] = {{Freedom::constant, 1},
                                      {Freedom::linear, 10},
                                      {Freedom::linear, 100},
                                      {Freedom::quadratic, 100},
                                      {Freedom::quadratic, 1000}};

// Benchmark matrices of one recipe vary one matrix; what is learned from one is known of the others.
std::string family_of(const BenchmarkMatrix& matrix) {
  if (!matrix.twin_of.empty()) return matrix.twin_of;
  if (matrix.spec.kind.empty() || matrix.spec.kind == "imported") return matrix.structure.name;
  return matrix.spec.kind + "/" + std::to_string(matrix.spec.row_length) + "/" + matrix.spec.parameters;
}

}  // namespace

QuickForecast::QuickForecast(const Profile& profile, const FitOptions& options)
    : properties_(profile.properties), options_(options), from_(forecast::records_for(profile, options)) {
  options_.notice = from_.notice = {};  // it may refer to what does not outlive this call
  std::map<std::string, std::size_t> records;
  for (const Record& record : profile.records)
    if (record.precision == from_.precision && record.threads == from_.threads && record.seconds > 0)
      ++records[record.kernel];
  std::vector<std::string> kernels;
  for (const auto& [kernel, count] : records)
    if (count >= forecast::fewest_observations) kernels.push_back(kernel);
  names_ = kernels;
  const forecast::ConversionModel conversion(profile, from_);
  for (const std::string& name : names_) {
    infos_.push_back(&formats::kernel_or_plain(name));
    conversions_.push_back(conversion.costs(name).value_or(forecast::ConversionCosts{}));
  }
  fits_.resize(kernels.size());
  forecast::FitAnnouncement announcement(options.notice, profile.name);
  base::parallel_for(static_cast<std::int64_t>(kernels.size()), {base::available_cores()}, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    fits_[k] = fit(profile, kernels[k], announcement);
  });

  const auto count = static_cast<Eigen::Index>(fits_.size());
  disagreement_ = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index a = 0; a < count; ++a) {
    for (Eigen::Index b = 0; b < a; ++b) {
      const Fit &one = fits_[static_cast<std::size_t>(a)], &other = fits_[static_cast<std::size_t>(b)];
      std::map<int, double> errors;
      for (std::size_t i = 0; i < one.matrices.size(); ++i)
        errors[one.matrices[i]] = one.held_back[static_cast<Eigen::Index>(i)];
      std::vector<double> differences;
      for (std::size_t i = 0; i < other.matrices.size(); ++i)
        if (const auto found = errors.find(other.matrices[i]); found != errors.end())
          differences.push_back(std::abs(found->second - other.held_back[static_cast<Eigen::Index>(i)]));
      // The median deviation of a normal distribution is 0.6745 of its standard deviation; without a matrix in common
      // the errors are taken to be independent.
      const double deviation = differences.size() >= forecast::fewest_observations
                                   ? base::median(std::move(differences)) / 0.6745
                                   : std::hypot(one.error, other.error) / 0.6745;
      disagreement_(a, b) = disagreement_(b, a) = deviation;
    }
  }
}

int QuickForecast::find(const std::string& kernel) const {
  const auto found = std::ranges::find(names_, kernel);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

// The steps of a kernel that the sums of a strip tell: slots and row ends, as if the rows were shuffled. The same is
// kept of the benchmark matrices, or the terms would be fitted to one thing and asked about another.
void QuickForecast::estimate_steps(forecast::Workload& w, double differing_rows) {
  if (!w.exact) return;
  w.slots += w.overflow;
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  w.calls = w.more_vectors = w.long_rows = w.rest = w.partial = w.empty = w.overflow = w.small_mispredictions = 0;
  w.in_runs = 0;
  w.aliased = w.unaligned = w.unprefetched = w.stream_bytes = 0;
  w.mispredictions = differing_rows;
  w.misprediction_bits = w.remembered = bits_per_misprediction * differing_rows;
  w.chained = std::max(0.0, w.nonzeros - forecast::Workload::chain_free * w.rows);
}

// Of the corrections the one with the least error on families that it has not seen: more freedom must earn its place.
void QuickForecast::choose_correction(const Eigen::MatrixXd& design, Eigen::Index features, const Eigen::VectorXd& y,
                                      const std::vector<int>& families, Fit& fit) {
  double least = std::numeric_limits<double>::infinity();
  for (const Correction& correction : corrections) {
    const Eigen::Index columns = correction.freedom == Freedom::constant ? 1
                                 : correction.freedom == Freedom::linear ? 1 + features
                                                                         : design.cols();
    const auto used = design.leftCols(columns);
    Eigen::VectorXd held_back = Eigen::VectorXd::Zero(y.size());
    for (int fold = 0; fold < folds; ++fold) {
      std::vector<Eigen::Index> kept, held;
      for (Eigen::Index i = 0; i < y.size(); ++i)
        (families[static_cast<std::size_t>(i)] % folds == fold ? held : kept).push_back(i);
      if (held.empty() || kept.empty()) continue;
      const Eigen::VectorXd weights = solve_ridge(used(kept, Eigen::all), y(kept), correction.ridge);
      for (const Eigen::Index i : held)
        held_back[i] = std::clamp(used.row(i).dot(weights), -widest_correction, widest_correction) - y[i];
    }
    std::vector<double> errors;
    for (const double error : held_back) errors.push_back(std::abs(error));
    const double error = base::median(std::move(errors));
    if (error >= least) continue;
    least = fit.error = error;
    fit.held_back = held_back;
    fit.weights = Eigen::VectorXd::Zero(design.cols());
    fit.weights.head(columns) = solve_ridge(used, y, correction.ridge);
  }
}

// The correction of what the physical terms leave over, in logarithms of seconds.
void QuickForecast::fit_correction(const forecast::Observations& seen, const Eigen::VectorXd& y, Fit& fit) {
  const Eigen::Index features = forecast::residual_features(seen.workloads[0]).size(), rows = y.size();
  Eigen::MatrixXd z(rows, features);
  for (Eigen::Index i = 0; i < rows; ++i)
    z.row(i) = forecast::residual_features(seen.workloads[static_cast<std::size_t>(i)]).transpose();
  fit.centre = z.colwise().mean();
  fit.low = z.colwise().minCoeff();
  fit.high = z.colwise().maxCoeff();
  z.rowwise() -= fit.centre.transpose();
  fit.scale = (z.colwise().squaredNorm() / static_cast<double>(rows)).cwiseSqrt().cwiseMax(1e-3);
  z = z * fit.scale.cwiseInverse().asDiagonal();
  Eigen::MatrixXd design(rows, 1 + features + features * (features + 1) / 2);
  for (Eigen::Index i = 0; i < rows; ++i) design.row(i) = quadratic(z.row(i).transpose()).transpose();
  choose_correction(design, features, y, seen.families, fit);
}

double QuickForecast::least_seconds(const forecast::Observations& seen, const Fit& fit) {
  // The time of next to nothing; never more than the fastest product ever seen.
  forecast::Workload nothing = *std::ranges::min_element(seen.workloads, {}, &forecast::Workload::footprint_bytes);
  const double fastest = std::exp(seen.log_seconds.minCoeff());
  nothing.nonzeros = nothing.rows = nothing.cols = nothing.runs = nothing.slots = nothing.padding = 0;
  nothing.in_runs = 0;
  nothing.mispredictions = nothing.chained = nothing.longest_row = nothing.format_bytes = 0;
  std::ranges::fill(nothing.misses, 0.0);
  std::ranges::fill(nothing.followed, 0.0);
  nothing.scattered.fill(0);
  nothing.footprint_bytes = 1;
  return std::min(fastest, std::exp(fit.terms->log_seconds(nothing, fit.parameters)));
}

// The physical terms, then what they leave over.
void QuickForecast::learn(const forecast::Observations& seen, std::size_t families, Fit& fit) {
  forecast::LogPrior prior = fit.terms->prior();
  prior.weight = 0.25 * static_cast<double>(seen.size()) / static_cast<double>(families);
  const forecast::LogFormula formula = fit.terms->formula(seen.workloads);
  fit.parameters = forecast::fit_log_formula(formula, seen.log_seconds, prior, prior.centre, 0.15);
  Eigen::VectorXd physical;
  formula(fit.parameters, physical);
  fit_correction(seen, seen.log_seconds - physical, fit);
  fit.launch = least_seconds(seen, fit);
}

void QuickForecast::keep(const std::string& key, const Fit& fit) {
  forecast::cache_numbers(key, {{"parameters", fit.parameters},
                                {"centre", fit.centre},
                                {"scale", fit.scale},
                                {"low", fit.low},
                                {"high", fit.high},
                                {"weights", fit.weights},
                                {"held_back", fit.held_back},
                                {"launch_and_error", Eigen::Vector2d(fit.launch, fit.error)}});
}

// False where there is no such fit, or none of these sizes.
bool QuickForecast::recall(const std::string& key, const forecast::Observations& seen, Fit& fit) {
  const auto kept = forecast::cached_numbers(key);
  if (!kept) return false;
  const auto take = [&](const char* name, Eigen::Index size, Eigen::VectorXd& to) {
    const auto found = kept->find(name);
    if (found == kept->end() || found->second.cols() != 1 || found->second.rows() != size) return false;
    to = found->second;
    return true;
  };
  const Eigen::Index features = forecast::residual_features(seen.workloads[0]).size();
  const Eigen::Index terms = 1 + features + features * (features + 1) / 2;
  Eigen::VectorXd scalars;
  if (!take("parameters", fit.terms->prior().centre.size(), fit.parameters) || !take("centre", features, fit.centre) ||
      !take("scale", features, fit.scale) || !take("low", features, fit.low) || !take("high", features, fit.high) ||
      !take("weights", terms, fit.weights) || !take("held_back", seen.log_seconds.size(), fit.held_back) ||
      !take("launch_and_error", 2, scalars))
    return false;
  fit.launch = scalars[0];
  fit.error = scalars[1];
  return true;
}

QuickForecast::Fit QuickForecast::fit(const Profile& profile, const std::string& kernel,
                                      forecast::FitAnnouncement& announcement) const {
  Fit fit;
  forecast::Observations all;
  std::vector<double> logs;
  std::vector<int> matrices;
  std::map<std::string, int> families;
  for (const Record& record : profile.records) {
    if (record.kernel != kernel || record.precision != from_.precision || record.threads != from_.threads ||
        record.seconds <= 0)
      continue;
    const BenchmarkMatrix& matrix = profile.matrices[static_cast<std::size_t>(record.matrix)];
    if (matrix.structure.nonzeros == 0) continue;
    // The sums of a strip do not tell what a GPU's kernels count.
    forecast::Workload w =
        properties_.kind == DeviceKind::host
            ? forecast::workload(matrix.structure, kernel, properties_, from_.precision, from_.threads)
            : forecast::estimated_workload(matrix.structure, kernel, properties_);
    estimate_steps(w, w.differing_rows);
    w.launch_s = record.launch_s;
    all.workloads.push_back(w);
    all.families.push_back(families.emplace(family_of(matrix), static_cast<int>(families.size())).first->second);
    logs.push_back(std::log(record.seconds));
    matrices.push_back(record.matrix);
  }
  // Evenly over the records, which stand in the order of measuring.
  const std::size_t count = std::min(most_records, logs.size());
  forecast::Observations seen;
  seen.log_seconds.resize(static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * logs.size() / count;
    seen.workloads.push_back(all.workloads[from]);
    seen.families.push_back(all.families[from]);
    seen.log_seconds[static_cast<Eigen::Index>(i)] = logs[from];
    fit.matrices.push_back(matrices[from]);
  }
  const bool exact = std::ranges::all_of(seen.workloads, &forecast::Workload::exact);
  fit.terms = std::make_unique<forecast::PhysicalTerms>(profile, from_, exact, true);
  // What the full model's key does not tell: the number of all families, and the caches, which the terms look at.
  double last_cache = 0;
  for (const CacheLevel& cache : properties_.caches) last_cache = std::max(last_cache, number(cache.size_bytes));
  const std::string key = fmt::format("quick-{}-{}-{:.0f}-{}", quick_version, families.size(), last_cache,
                                      forecast::fit_key(seen, forecast::TermChoice{*fit.terms, *fit.terms}));
  if (recall(key, seen, fit)) return fit;
  announcement.before_fit(seen.size());
  learn(seen, families.size(), fit);
  keep(key, fit);
  return fit;
}

double QuickForecast::log_seconds(const Fit& fit, const forecast::Workload& workload) const {
  const Eigen::VectorXd z = (forecast::residual_features(workload).cwiseMax(fit.low).cwiseMin(fit.high) - fit.centre)
                                .cwiseQuotient(fit.scale);
  const double correction = quadratic(z).dot(fit.weights);
  return fit.terms->log_seconds(workload, fit.parameters) +
         std::clamp(correction, -widest_correction, widest_correction);
}

double QuickForecast::seconds(int kernel, const StripContent& rows, double times, const Gathering& gathering,
                              double slots) const {
  const auto k = static_cast<std::size_t>(kernel);
  forecast::Workload w;
  w.nonzeros = std::max(1.0, rows.nonzeros * times);
  w.rows = std::max(1.0, rows.rows * times);
  w.cols = std::max(1.0, gathering.cols);
  w.row_mean = w.nonzeros / w.rows;
  const double mean = rows.nonzeros / std::max(1.0, rows.rows);
  w.row_std = std::sqrt(std::max(0.0, rows.squared_lengths / std::max(1.0, rows.rows) - mean * mean));
  w.longest_row = std::max({1.0, w.row_mean, number(rows.longest)});
  w.neighbours = rows.nonzeros > 0 ? std::clamp(2 * rows.adjacent / rows.nonzeros, 0.0, 1.98) : 0;
  w.runs = w.nonzeros * (1 - w.neighbours / 2);
  w.span = std::clamp(rows.span / std::max(1.0, rows.rows), 1e-6, 1.0);
  w.similarity = std::clamp(rows.similar / std::max(1.0, rows.rows), 0.0, 1.0);
  w.footprint_bytes = 12 * w.nonzeros + 12 * w.rows + 8 * w.cols;
  w.slots = std::max(1.0, slots * times);
  w.exact = properties_.kind == DeviceKind::host;
  if (w.exact) {
    w.format_bytes = bytes(kernel, rows, slots) * times + value_bytes(options_.precision) * (w.rows + w.cols);
    estimate_steps(w, rows.mispredictions * times);
    const double reads = gathering.runs_per_nonzero > 0 ? w.runs / gathering.runs_per_nonzero : w.nonzeros;
    forecast::count_misses(gathering.misses, std::min(reads, w.nonzeros), properties_, 1, w);
  } else if (from_.precision != options_.precision) {
    forecast::halve_values(w);
  }
  return std::exp(log_seconds(fits_[k], w));
}

double QuickForecast::slots(int kernel, const BlockContent& block) const {
  const double sell_slots = properties_.kind == DeviceKind::host ? block.sums.slots_8 : block.sums.slots_32;
  return formats::slots_of(info(kernel).padding,
                           formats::BlockShape{block.sums.rows, block.sums.nonzeros, sell_slots,
                                               number(block.sums.longest), block.hyb_width, block.hyb_overflow});
}

double QuickForecast::bytes(int kernel, const StripContent& rows, double slots) const {
  const formats::IndexBytes& index = info(kernel).index_bytes;
  return slots * (index.of_slot + value_bytes(options_.precision)) + index.of_row * rows.rows;
}

double QuickForecast::conversion_seconds(int kernel, const StripContent& rows, double slots) const {
  const forecast::ConversionCosts& costs = conversions_[static_cast<std::size_t>(kernel)];
  if (costs.free()) return 0;
  return costs.seconds(forecast::conversion_amounts(info(kernel), rows.rows, rows.nonzeros, slots, options_.precision));
}

bool QuickForecast::converts_for_less(int kernel, int other) const {
  const auto k = static_cast<std::size_t>(kernel), o = static_cast<std::size_t>(other);
  return conversions_[k].free() ||
         (info(kernel).padding == formats::Padding::none && conversions_[k].nowhere_above(conversions_[o]) &&
          info(kernel).index_bytes.of_slot <= info(other).index_bytes.of_slot &&
          info(kernel).index_bytes.of_row <= info(other).index_bytes.of_row);
}

}  // namespace sparsecast::planning
