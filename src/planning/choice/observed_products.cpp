#include "planning/choice/observed_products.hpp"

#include <fmt/format.h>
#include <cmath>
#include <mutex>
#include <sparsecast/error.hpp>

#include "base/home.hpp"
#include "base/text.hpp"
#include "forecast/model_names.hpp"
#include "forecast/record_choice.hpp"
#include "formats/kernels.hpp"
#include "matrix/structure/symmetry.hpp"
#include "planning/run/matrix_checksums.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
using calibration::Observation;
using calibration::Observations;

// A time that was observed is no better than the machine repeats itself.
constexpr double least_spread = 0.02;
// Of log(seconds), of a forecast without an interval.
constexpr double usual_doubt = 0.2;

// Opening the file takes longer than asking it: it stays open as long as the home folder is the same. One for all
// questions of a process, so that what is wrong with it is told once.
struct OpenObservations {
  std::mutex mutex;
  std::filesystem::path home;
  std::optional<Observations> file;
  bool told = false;

  void open() {
    const std::filesystem::path now = base::home_folder_if_any();
    std::error_code error;
    if (file && home == now && (now.empty() || std::filesystem::exists(now / "observations.sqlite", error))) return;
    file.emplace();
    home = now;
    told = false;
  }
};

OpenObservations& open_observations() {
  static OpenObservations opened;
  return opened;
}

template <class Work>
auto with_observations(const Listener& listener, const Work& work) {
  OpenObservations& opened = open_observations();
  const std::lock_guard lock(opened.mutex);
  opened.open();
  auto answer = work(*opened.file);
  const std::string& why = opened.file->why();
  if (!why.empty() && listener.remark && !std::exchange(opened.told, true)) listener.remark(why);
  return answer;
}

// Nothing for a device that is not here. It does not change while a process lives.
std::string stamp_of_device(const std::string& device) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  std::string stamp;
  try {
    stamp = calibration::machine_stamp(hardware::open_device(device)->properties());
  } catch (const Error&) {
  }
  return known[device] = stamp;
}

// Whether a plan of this matrix may have the kernel, or all of a cut. Files from elsewhere may name what this program
// does not have, and forms for symmetric values multiply others as csr does: a pattern does not tell the values.
class Available {
 public:
  Available(const Matrix& matrix, int threads) : matrix_(matrix), threads_(threads) {}
  bool operator()(std::string_view kernels) {
    return std::ranges::all_of(base::split(kernels, '+'), [&](std::string_view name) {
      const formats::KernelInfo* kernel = formats::find_kernel(name);
      return kernel != nullptr && (kernel->made_for != formats::MadeFor::symmetry || symmetric());
    });
  }

 private:
  bool symmetric() {
    if (!symmetric_) symmetric_ = matrix::value_symmetry(matrix_, threads_).symmetric == 1;
    return *symmetric_;
  }

  const Matrix& matrix_;
  int threads_;
  std::optional<bool> symmetric_;  // once it was asked for
};

// The same terms in another time.
void move_to(Forecast& forecast, double seconds) {
  const double ratio = seconds / forecast.seconds;
  forecast.seconds = seconds;
  forecast.high_s = std::max(forecast.high_s, seconds);
  forecast.gflops /= ratio;
  for (ForecastPart& part : forecast.parts) part.seconds *= ratio;
}
}  // namespace

void ObservedProducts::prepare(const std::string& device, const Listener& listener) {
  (void)stamp_of_device(device);
  with_observations(listener, [](Observations& all) { return all.knows({}); });
}

ObservedProducts::ObservedProducts(const Matrix& matrix, const std::string& device, const ProductKind& product,
                                   int threads, const Listener& listener, const std::string& pattern)
    : matrix_(matrix) {
  like_ = {.matrix = matrix.name(),
           .pattern = pattern,
           .rows = matrix.rows(),
           .cols = matrix.cols(),
           .nonzeros = matrix.nonzeros(),
           .device = device,
           .machine = stamp_of_device(device),
           .precision = product.precision,
           .threads = device == "host" ? threads : 0,
           .vectors = product.vectors,
           .transposed = product.transposed};
  if (like_.machine.empty()) return;
  observed_ = with_observations(listener, [&](Observations& all) {
    if (!all.knows(like_)) return std::vector<Observation>();
    if (pattern.empty()) like_.pattern = pattern_checksum(matrix);
    return all.of_pattern(like_);
  });
  Available available(matrix, std::max(1, threads));
  std::erase_if(observed_, [&](const Observation& one) { return !available(one.kernel); });
}

ObservedProducts& ObservedProducts::of(const Structure& structure) {
  like_.features = calibration::features_of(structure);
  return *this;
}

void ObservedProducts::look_around(const Structure& structure, const Profile& profile, const FitOptions& fit,
                                   const Listener& listener) {
  if (like_.machine.empty()) return;
  of(structure);
  const forecast::RecordSet from = forecast::records_for(profile, fit);
  std::string since;
  for (const Record& record : profile.records)
    if (record.precision == from.precision && record.threads == from.threads) since = std::max(since, record.taken);
  neighbours_ = {like_.features,
                 with_observations(listener, [&](Observations& all) { return all.around(like_, since); })};
}

const Observation* ObservedProducts::find(const std::string& kernel) const {
  const auto found = std::ranges::find(observed_, kernel, &Observation::kernel);
  return found == observed_.end() ? nullptr : &*found;
}

// Where most of a product is left to win, those that were tried were disturbed, or were not the ones to try: that is no
// end.
std::optional<double> ObservedProducts::settled() const {
  constexpr double most_left = 0.5;
  std::optional<double> left;
  for (const Observation& one : observed_)
    if (one.left_to_win && *one.left_to_win <= most_left && (!left || *one.left_to_win < *left)) left = one.left_to_win;
  return left;
}

int ObservedProducts::compared() const {
  const auto most = std::ranges::max_element(observed_, {}, &Observation::compared);
  return most == observed_.end() ? 0 : most->compared;
}

std::string ObservedProducts::when() const {
  double days = 1e9;
  for (const Observation& one : observed_) days = std::min(days, calibration::days_since(one.taken));
  return calibration::days_ago(days);
}

ObservedProducts::Told ObservedProducts::told(const std::string& kernel, Told models) const {
  if (const Observation* seen = find(kernel)) {
    const double spread = two_sided_90 * std::max(seen->spread, least_spread);
    return {seen->seconds, seen->seconds / (1 + spread), seen->seconds * (1 + spread)};
  }
  const bool interval = models.low_s > 0 && models.high_s > models.low_s;
  const double doubt = interval ? std::log(models.high_s / models.low_s) / 2 / two_sided_90 : usual_doubt;
  const std::optional<calibration::ForecastError> error = neighbours_.error_of(kernel, doubt);
  if (!error) return models;
  const double seconds = models.seconds * std::exp(error->mean);
  const double width = std::exp(two_sided_90 * error->deviation);
  return {seconds, interval ? seconds / width : models.low_s, interval ? seconds * width : models.high_s};
}

void ObservedProducts::apply(std::vector<Forecast>& forecasts) const {
  if (empty() && neighbours_.empty()) return;
  // Where everything that may win was tried, what was not is no faster.
  double fastest = 0;
  if (settled())
    for (const Observation& seen : observed_) fastest = fastest > 0 ? std::min(fastest, seen.seconds) : seen.seconds;
  for (Forecast& one : forecasts) {
    const Observation* seen = find(one.kernel);
    const Told models{one.seconds, one.low_s, one.high_s};
    const Told now = seen != nullptr || one.model == forecast::own_model ? told(one.kernel, models) : models;
    move_to(one, std::max(now.seconds, seen == nullptr ? fastest : 0));
    one.low_s = now.low_s;
    one.high_s = std::max(now.high_s, one.seconds);
    if (seen == nullptr && now.seconds != models.seconds) one.moved = now.seconds / models.seconds;
    if (seen == nullptr) continue;
    if (seen->conversion_s) one.preprocess_s = one.preprocess_low_s = one.preprocess_high_s = seen->conversion_s;
    one.extrapolated = false;
    one.beyond.reset();
    one.tier = Tier::observed;
  }
  std::ranges::stable_sort(forecasts, {}, [](const Forecast& one) {
    return std::tuple(one.beyond.has_value(), one.seconds, one.tier != Tier::observed);
  });
}

Observation ObservedProducts::observation(const std::string& kernel, double seconds) const {
  const auto forecast_of = [&](std::string_view one) {
    const auto found = forecast_.find(one);
    return found == forecast_.end() ? std::nullopt : std::optional(found->second);
  };
  Observation one = like_;
  one.kernel = kernel;
  one.seconds = seconds;
  one.forecast_s = forecast_of(kernel).value_or(0);
  one.csr_s = forecast_of(formats::default_kernel().name);
  one.taken = base::utc_now();
  return one;
}

void ObservedProducts::add(std::vector<Observation> observations, const Listener& listener) const {
  if (like_.machine.empty() || observations.empty()) return;
  if (like_.pattern.empty()) {
    const std::string pattern = pattern_checksum(*matrix_);
    for (Observation& one : observations) one.pattern = pattern;
  }
  with_observations(listener, [&](Observations& all) {
    all.add(observations);
    return 0;
  });
}

void ObservedProducts::keep(const TrialReport& trials, const Listener& listener) const {
  std::vector<Observation> seen;
  for (const TriedKernel& tried : trials.tried) {
    if (!(tried.seconds > 0)) continue;
    Observation& one = seen.emplace_back(observation(tried.kernel, tried.seconds));
    one.spread = tried.spread;
    one.conversion_s = tried.conversion_s;
    if (trials.settled) one.left_to_win = trials.left_to_win;
  }
  add(std::move(seen), listener);
}

void ObservedProducts::keep(const std::vector<calibration::Measurement>& measurements, bool all,
                            const std::vector<Forecast>& forecasts, const Listener& listener) {
  for (const Forecast& one : forecasts)
    if (one.model == forecast::own_model) forecast_[one.kernel] = one.seconds;
  std::vector<Observation> seen;
  for (const calibration::Measurement& measured : measurements) {
    if (!measured.timed() || !(measured.timing.seconds > 0)) continue;
    Observation& one = seen.emplace_back(observation(measured.kernel, measured.timing.seconds));
    one.spread = measured.timing.spread;
    one.conversion_s = measured.preprocess_s;
    if (all) one.left_to_win = 0;
  }
  add(std::move(seen), listener);
}

bool is_here(const Profile& profile) {
  const std::string& name = profile.name;
  return (name == "host" || name.starts_with("opencl:") || name.starts_with("cuda:")) &&
         (profile.tier == Profile().tier || profile.tier == Tier::shipped);
}

ObservedProducts observed_here(const Matrix& matrix, const Structure& structure, const Profile& profile,
                               const FitOptions& fit, const ProductKind& product, const Listener& listener) {
  if (matrix.rows() == 0 || !is_here(profile)) return {};
  ObservedProducts observed(matrix, profile.name, product, fit.threads, listener);
  observed.look_around(structure, profile, fit, listener);
  return observed;
}
}  // namespace sparsecast::planning
