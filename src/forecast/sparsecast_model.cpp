#include "forecast/sparsecast_model.hpp"

#include <algorithm>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast_constants.hpp>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "calibration/shipped/stand_in.hpp"
#include "calibration/timing.hpp"
#include "fields/tier.hpp"
#include "forecast/fit_announcement.hpp"
#include "forecast/kernel_data.hpp"
#include "forecast/launch.hpp"
#include "forecast/learned/fit_cache.hpp"
#include "forecast/model_names.hpp"
#include "forecast/physical/conversion.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/record_choice.hpp"
#include "forecast/roof.hpp"
#include "forecast/shipped/shipped_beside.hpp"
#include "forecast/shipped/shipped_fits.hpp"

namespace sparsecast::forecast {
namespace {
// Whether this profile's structures tell everything (workload.hpp); mixed ones are taken for records.
bool exact_structures(const Observations& observations) {
  return !observations.workloads.empty() && std::ranges::all_of(observations.workloads, &Workload::exact);
}

// Of mixed ones the part that all of them have.
void forget_counts(Observations& observations) {
  for (Workload& w : observations.workloads) {
    w.slots += w.overflow;  // which hyb counts apart
    w.overflow = 0;
    w.exact = w.gpu = false;
  }
}

// Runs work(i) for i < count on all cores: fitting is not the product whose threads a user chooses.
template <class Work>
void for_each_kernel(std::size_t count, const Work& work) {
  base::parallel_for(static_cast<std::int64_t>(count), {base::available_cores()},
                     [&](std::int64_t i) { work(static_cast<std::size_t>(i)); });
}

// Of what stands in for a calibration.
double doubt_of_probe(const Profile& profile, int threads) {
  const Curve* doubt = profile.curve(calibration::probe_doubt_curve, threads);
  return doubt == nullptr || doubt->y.empty() ? 0 : doubt->y.front();
}

// One kernel and its fits: of everything, and without the benchmark matrices of some names.
struct FittedKernel {
  FittedKernel(TermChoice choice, Roof bounds) : terms(std::move(choice)), roof(std::move(bounds)) {}
  TermChoice terms;
  Roof roof;
  bool exact = false;
  KernelFit whole;
  std::map<std::string, KernelFit> without;
  std::optional<std::pair<KernelFit, BesideWeight>> beside;  // what ships, and its part

  // By the own fit, or by that and what ships together; the parts of the time are the own one's.
  [[nodiscard]] KernelFit::Estimate estimate(const KernelFit& own, const Workload& w) const {
    KernelFit::Estimate estimate = own.estimate(w, terms(own.longest_row));
    if (!beside || &own != &whole) return estimate;
    const auto& [fit, by] = *beside;
    const double shipped = fit.estimate(w, terms(fit.longest_row)).log + by.level;
    // Both weigh by the squares of their errors. Where the own fit is less sure than what ships, its error is that much
    // more than elsewhere.
    const double unsure = std::pow(std::max(1.0, estimate.half_width / by.half_width), 2),
                 weight = by.weight * unsure / (by.weight * unsure + 1 - by.weight);
    estimate.log += weight * (shipped - estimate.log);
    estimate.half_width += weight * (by.half_width - estimate.half_width);
    return estimate;
  }

  [[nodiscard]] const KernelFit& fit_for(const std::string& name) const {
    const auto found = without.find(name);
    return found == without.end() ? whole : found->second;
  }
};

class SparsecastModel final : public FittedModel {
 public:
  // `by_itself`: nothing that ships is held beside it.
  SparsecastModel(const Profile& profile, const FitOptions& options, const std::string* column,
                  const std::vector<std::string>& names, bool by_itself = false)
      : properties_(profile.properties),
        asked_(options),
        from_(records_for(profile, options)),
        conversion_(profile, from_),
        tier_(profile.tier) {
    std::vector<std::string> kernels = kernels_with_records(profile, from_);
    FitAnnouncement announcement(options.notice, profile.name);
    std::optional<ShippedBeside> beside;
    if (!by_itself && column == nullptr) beside = ShippedBeside::of(profile, from_);
    // A calibration of seconds has not seen every conversion; what was known before it stays known.
    if (beside)
      conversion_.take_where_unknown(conversions_here(profile, beside->conversions()), constants::shipped_doubt);
    std::vector<std::string> families;
    for (const BenchmarkMatrix& matrix : profile.matrices) families.push_back(family_of(matrix));
    // Those first whose costs others expect.
    const auto like_others = std::stable_partition(kernels.begin(), kernels.end(), [](const std::string& kernel) {
      return formats::kernel_or_plain(kernel).costs_like.empty();
    });
    const std::span<const std::string> all(kernels);
    const auto first = static_cast<std::size_t>(like_others - kernels.begin());
    for (const std::span<const std::string> round : {all.first(first), all.subspan(first)}) {
      std::vector<std::unique_ptr<FittedKernel>> fitted(round.size());
      for_each_kernel(round.size(), [&](std::size_t k) {
        fitted[k] = column == nullptr ? fit(profile, round[k], families, beside, announcement)
                                      : fit_without(profile, round[k], *column, names);
      });
      for (std::size_t k = 0; k < round.size(); ++k)
        if (fitted[k]) kernels_.emplace(round[k], std::move(fitted[k]));
    }
    if (profile.records.empty() && profile.properties.kind != DeviceKind::host) take_priors(profile);
    if (beside) put_beside(*beside);
  }

  // With what another processor's calibration was fitted to with `of` threads, as ratios to the priors.
  SparsecastModel(const Profile& profile, const FitOptions& options, const ShippedFits& fits, int of)
      : properties_(profile.properties),
        asked_(options),
        from_(records_for(profile, options)),
        conversion_(profile, from_, conversions_here(profile, fits.conversions),
                    constants::shipped_doubt + (is_single(options.precision) ? constants::other_precision_error : 0)),
        tier_(Tier::shipped),
        doubt_(std::hypot(
            constants::shipped_doubt, doubt_of_probe(profile, options.threads),
            options.threads > of ? constants::shipped_threads_doubt * std::log2(options.threads / of) : 0.0)) {
    const Curve* read = profile.curve("read_bandwidth", options.threads);
    const double fastest = read != nullptr ? *std::ranges::max_element(read->y) : 0;
    for (const auto& [name, kernel] : fits.kernels) {
      auto fitted = std::make_unique<FittedKernel>(
          TermChoice{PhysicalTerms(profile, from_, true, false), PhysicalTerms(profile, from_, true, true)},
          Roof(profile, asked_.threads, kernel.fastest_rate * fastest, kernel.slowest));
      fitted->exact = true;
      fitted->whole = kernel.fit;
      const Eigen::VectorXd& centre = fitted->terms(kernel.fit.longest_row).prior().centre;
      if (centre.size() != kernel.fit.parameters.size())
        throw Error(ErrorCode::bad_input, "the shipped model of '" + name + "' has other terms than this version", {},
                    "scripts/refit host fits it again");
      fitted->whole.parameters += centre;
      kernels_.emplace(name, std::move(fitted));
    }
    find_level(profile);
  }

  // The same the other way round.
  [[nodiscard]] ShippedFits ship(const Profile& profile) const {
    ShippedFits fits;
    const Curve* read = profile.curve("read_bandwidth", asked_.threads);
    const double fastest = read != nullptr ? *std::ranges::max_element(read->y) : 0;
    for (const auto& [name, kernel] : kernels_) {
      if (!kernel->exact || !(fastest > 0)) continue;
      ShippedKernel& shipped =
          fits.kernels[name] = {kernel->whole, kernel->roof.fastest_rate() / fastest, kernel->roof.slowest()};
      const bool longest_row = kernel->whole.longest_row;
      shipped.fit.parameters -= PhysicalTerms(profile, from_, true, longest_row).prior().centre;
    }
    const CoreCosts core(profile);
    for (const auto& [name, fit] : conversion_.fits()) {
      fits.conversions[name] = fit;
      fits.conversions[name].costs = fit.costs / prior_costs(core, core.load_s);
    }
    return fits;
  }

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    return forecast_at(structure, kernel, 0);
  }

  [[nodiscard]] std::optional<Forecast> forecast_at(const Structure& structure, const std::string& kernel,
                                                    double launch_s) const override {
    const formats::KernelInfo& info = formats::kernel_or_plain(kernel);
    const bool variant = !info.variant_of.empty();
    const auto found = kernels_.find(std::string(formats::measured_as(kernel)));
    if (found == kernels_.end() || (variant && !may_take(structure))) return std::nullopt;
    const FittedKernel& fitted = *found->second;
    const KernelFit& fit = fitted.fit_for(structure.name);
    const PhysicalTerms& terms = fitted.terms(fit.longest_row);
    Workload w = fitted.exact ? workload(structure, kernel, properties_, asked_.precision, asked_.threads)
                              : estimated_workload(structure, kernel, properties_);
    if (fitted.exact && !w.exact) return std::nullopt;  // a feature record cannot be counted as a matrix can
    w.launch_s = launch_s;
    const bool other_precision = from_.precision != asked_.precision;
    if (other_precision && !w.exact) take_values_of(asked_.precision, w);
    KernelFit::Estimate estimate = fitted.estimate(fit, w);
    estimate.physical_log += level_;
    estimate.log += level_;
    Forecast forecast;
    forecast.kernel = kernel;
    forecast.model = own_model;
    // Of few records the two may contradict each other: nothing is faster than its bytes.
    forecast.seconds = std::max(fitted.roof.least(w), std::min(fitted.roof.most(w), std::exp(estimate.log)));
    const double drift = w.exact && calibration::runs_on_cores(properties_) ? constants::host_drift : 0;
    const double half_width = std::hypot(std::hypot(estimate.half_width, drift),
                                         other_precision ? constants::other_precision_error : 0, doubt_) +
                              (variant ? constants::worthwhile : 0);
    forecast.low_s = forecast.seconds * std::exp(-half_width);
    forecast.high_s = forecast.seconds * std::exp(half_width);
    forecast.gflops = gflops_of(structure, forecast.seconds, asked_.precision);
    forecast.bytes = storage_bytes(properties_.kind, structure, kernel, asked_.precision);
    conversion_.tell(forecast, structure);
    forecast.extrapolated = estimate.extrapolated;
    forecast.records_precision = from_.precision;
    forecast.tier = tier_;
    forecast.parts = terms.parts(w, fit.parameters);
    double rest = forecast.seconds;  // so that the total is the sum of its parts, however terms overlap
    for (ForecastPart& part : forecast.parts) {
      part.seconds *= std::exp(level_);
      rest -= part.seconds;
    }
    forecast.parts.push_back({Term::learned, rest, 0});
    return forecast;
  }

 private:
  // Variants are the host's, and counted.
  [[nodiscard]] bool may_take(const Structure& structure) const {
    if (properties_.kind != DeviceKind::host || structure.row_histogram.empty()) return false;
    return static_cast<double>(structure.nonzeros) >= constants::fewest_for_variants;
  }

  [[nodiscard]] std::unique_ptr<FittedKernel> prepare(const Profile& profile, const KernelData& data) const {
    if (data.observations.size() == 0) return nullptr;
    const bool exact = exact_structures(data.observations);
    auto fitted = std::make_unique<FittedKernel>(
        TermChoice{PhysicalTerms(profile, from_, exact, false), PhysicalTerms(profile, from_, exact, true)},
        Roof(profile, asked_.threads, data.observations, data.fastest_rate));
    fitted->exact = exact;
    return fitted;
  }

  // Before there is any record of a GPU: what its description says that counted work costs.
  void take_priors(const Profile& profile) {
    tier_ = Tier::data_sheet;
    for (const formats::KernelInfo& kernel : formats::kernel_table()) {
      if (kernel.gpu.count == nullptr) continue;
      auto fitted = std::make_unique<FittedKernel>(
          TermChoice{PhysicalTerms(profile, from_, true, false), PhysicalTerms(profile, from_, true, true)},
          Roof(profile, asked_.threads, Observations(), 0));
      fitted->exact = fitted->whole.longest_row = true;
      fitted->whole.parameters = fitted->terms.with.prior().centre;
      fitted->whole.interval_factor = std::log(constants::prior_doubt);
      kernels_.emplace(kernel.name, std::move(fitted));
    }
  }

  // `families`: of each matrix of the profile. Writing them down for every kernel anew took a tenth of reading the
  // fits.
  [[nodiscard]] std::unique_ptr<FittedKernel> fit(const Profile& profile, const std::string& kernel,
                                                  const std::vector<std::string>& families,
                                                  const std::optional<ShippedBeside>& beside,
                                                  FitAnnouncement& announcement) const {
    KernelData data = kernel_data(profile, from_, kernel, [&](const BenchmarkMatrix& matrix) {
      return families[static_cast<std::size_t>(&matrix - profile.matrices.data())];
    });
    std::unique_ptr<FittedKernel> fitted = prepare(profile, data);
    if (!fitted) return nullptr;
    if (!fitted->exact) forget_counts(data.observations);
    const auto like = kernels_.find(std::string(formats::kernel_or_plain(kernel).costs_like));
    if (like != kernels_.end() && like->second->exact && fitted->exact)
      for (PhysicalTerms* terms : {&fitted->terms.with, &fitted->terms.without})
        terms->expect_costs(like->second->whole.parameters);
    const std::string key = fit_key(data.observations, fitted->terms) + (beside ? beside->stamp() : "");
    if (std::optional<KernelFit> cached = cached_fit(key)) {
      fitted->whole = std::move(*cached);
    } else {
      announcement.before_fit(data.observations.size());
      fitted->whole = fit_kernel(data.observations, fitted->terms);
      if (beside) fitted->whole.shipped_errors = beside->errors(kernel, data.observations, fitted->terms);
      cache_fit(key, fitted->whole);
    }
    return fitted;
  }

  [[nodiscard]] std::unique_ptr<FittedKernel> fit_without(const Profile& profile, const std::string& kernel,
                                                          const std::string& column,
                                                          const std::vector<std::string>& names) const {
    const KernelData data = kernel_data(profile, from_, kernel, [&](const BenchmarkMatrix& matrix) {
      const std::string value = column_of(matrix, column);
      return value.empty() ? family_of(matrix) : value;
    });
    std::unique_ptr<FittedKernel> fitted = prepare(profile, data);
    if (!fitted) return nullptr;
    std::vector<int> families;
    std::vector<std::string> left_out;
    bool whole = false;
    for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
      const auto found = data.families.find(name);
      if (found == data.families.end()) {
        whole = true;  // nothing to leave out
      } else {
        families.push_back(found->second);
        left_out.push_back(name);
      }
    }
    std::vector<KernelFit> fits = fit_kernel_without_each(data.observations, fitted->terms, families);
    for (std::size_t i = 0; i < fits.size(); ++i) fitted->without.emplace(left_out[i], std::move(fits[i]));
    if (whole) fitted->whole = fit_kernel(data.observations, fitted->terms);
    return fitted;
  }

  // What ships gets its part in every kernel's forecast.
  void put_beside(const ShippedBeside& shipped) {
    std::map<std::string, const KernelFit*> own;
    for (const auto& [kernel, fitted] : kernels_) own[kernel] = &fitted->whole;
    for (const auto& [kernel, weight] : weigh_shipped(own))
      if (const KernelFit* fit = shipped.fit(kernel)) kernels_.at(kernel)->beside = {*fit, weight};
  }

  // What conversions cost here, out of what they cost over their priors elsewhere.
  static std::map<std::string, ConversionFit> conversions_here(const Profile& profile,
                                                               std::map<std::string, ConversionFit> here) {
    const CoreCosts core(profile);
    for (auto& [name, fit] : here) fit.costs = fit.costs * prior_costs(core, core.load_s);
    return here;
  }

  // How far the one product of the probe was off; of what it tells a part is every kernel's.
  void find_level(const Profile& profile) {
    const Curve* probed = profile.curve("csr_product", asked_.threads);
    if (probed == nullptr || from_.precision != Precision::double_) return;
    const std::string kernel(formats::default_kernel().name);
    const auto found = kernels_.find(kernel);
    if (found == kernels_.end()) return;
    const Matrix matrix = generate(calibration::probed_matrix(), 1);
    const Workload w = workload(analyze(matrix, 1), kernel, properties_, Precision::double_, asked_.threads);
    const KernelFit& fit = found->second->whole;
    const double off = std::log(probed->y.front()) - fit.estimate(w, found->second->terms(fit.longest_row)).log;
    level_ = constants::shipped_level_carried *
             std::clamp(off, -constants::shipped_level_most, constants::shipped_level_most);
  }

  DeviceProperties properties_;
  RecordSet asked_;  // what is forecast
  RecordSet from_;   // the records that it is fitted to
  ConversionModel conversion_;
  Tier tier_;
  double doubt_ = 0, level_ = 0;  // of what ships: of the logarithm
  std::map<std::string, std::unique_ptr<FittedKernel>> kernels_;
};

std::unique_ptr<FittedModel> shipped_model(const Profile& profile, const FitOptions& options) {
  const calibration::ShippedProcessor& processor = calibration::processor_like(profile);
  const int of = calibration::shipped_threads(processor, options.threads);
  return std::make_unique<SparsecastModel>(profile, options, shipped_fits_from(processor.fits.at(of)), of);
}
}  // namespace

ShippedFits fits_to_ship(const Profile& profile, int threads) {
  const FitOptions options{Precision::double_, threads};
  return SparsecastModel(profile, options, nullptr, std::vector<std::string>(), true).ship(profile);
}

std::unique_ptr<FittedModel> fit_sparsecast_model(const Profile& profile, const FitOptions& options) {
  if (is_shipped(profile, options)) return never_below_launch(shipped_model(profile, options), profile, options);
  return never_below_launch(std::make_unique<SparsecastModel>(profile, options, nullptr, std::vector<std::string>()),
                            profile, options);
}

std::unique_ptr<FittedModel> fit_sparsecast_model_without(const Profile& profile, const FitOptions& options,
                                                          const std::string& column,
                                                          const std::vector<std::string>& names) {
  if (column != "twin_of" && column != "matrix")
    throw Error(ErrorCode::usage, "there is no column '" + column + "' in a profile", {}, "use twin_of or matrix");
  return never_below_launch(std::make_unique<SparsecastModel>(profile, options, &column, names), profile, options);
}
}  // namespace sparsecast::forecast
