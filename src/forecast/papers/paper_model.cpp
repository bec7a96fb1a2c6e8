#include "forecast/papers/paper_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sparsecast_constants.hpp>
#include <variant>

#include "forecast/launch.hpp"
#include "forecast/papers/paper_forms.hpp"
#include "forecast/physical/conversion.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/reach.hpp"

namespace sparsecast::forecast {
namespace {
// The two numbers of a matrix for one form (Guo section 3.4; Wang section 3.1, equation 6).
struct Coordinates {
  double strips = 0;
  double row_length = 0;
};

Coordinates coordinates(formats::PaperForm form, const Structure& structure, double strip) {
  if (form == formats::PaperForm::coo) return {std::ceil(static_cast<double>(structure.nonzeros) / strip), 0};
  const double strips = std::ceil(static_cast<double>(structure.rows) / strip);
  if (form != formats::PaperForm::csr) return {strips, static_cast<double>(structure.row_max)};
  // A record of quartiles alone tells no mode: the median is the nearest to it.
  if (structure.row_histogram.empty() && structure.row_quartiles.size() == 3)
    return {strips, structure.row_quartiles[1]};
  return {strips, static_cast<double>(structure.row_mode)};
}

// The range of a kernel's benchmark matrices, for the remark that a forecast is outside of it.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

struct FittedKernel {
  formats::PaperForm form;
  double strip = 0;
  std::variant<CsrForm, EllForm, CooForm> function;
  Range strips, row_lengths;
  double error_90 = 0;  // 90 % quantile of the relative error over the device's benchmark records, all kinds

  [[nodiscard]] double seconds(const Coordinates& at) const {
    if (const auto* csr = std::get_if<CsrForm>(&function)) return (*csr)(at.strips, at.row_length);
    if (const auto* ell = std::get_if<EllForm>(&function)) return (*ell)(at.strips, at.row_length);
    return std::get<CooForm>(function)(at.strips);
  }
  // Why the formula does not reach there; nothing where it does.
  [[nodiscard]] std::optional<Beyond> beyond(const Coordinates& at) const {
    const auto* csr = std::get_if<CsrForm>(&function);
    if (csr != nullptr && !csr->has_line(at.row_length)) return Beyond::never_measured;
    const bool within =
        strips.holds(at.strips) && (form == formats::PaperForm::coo || row_lengths.holds(at.row_length));
    return within ? std::nullopt : std::optional(Beyond::grid);
  }
};

// The fastest that the device was ever measured to read; 0: it was not. A formula that is faster is told as it is, and
// marked.
double fastest_bandwidth(const Profile& profile, int threads) {
  const Curve* curve = profile.curve("read_bandwidth", threads);
  return curve != nullptr && !curve->y.empty() ? *std::ranges::max_element(curve->y) : 0;
}

// Of two reasons the one that says more against the number.
std::optional<Beyond> graver(const std::optional<Beyond>& one, const std::optional<Beyond>& other) {
  if (!one) return other;
  return other.has_value() && other.value() < one.value() ? other : one;
}

class PaperModel final : public FittedModel {
 public:
  PaperModel(std::string_view name, std::string_view kind, bool with_coo, const Profile& profile,
             const FitOptions& options)
      : name_(name),
        properties_(with_threads(profile.properties, options.threads)),
        precision_(options.precision),
        launch_s_(launch_seconds(profile, options)),
        bandwidth_(fastest_bandwidth(profile, options.threads)),
        conversion_(profile, options) {
    for (const formats::KernelInfo& kernel : formats::kernel_table()) fit(kernel, kind, with_coo, profile, options);
    for (auto& [kernel, fitted] : kernels_) fitted.error_90 = error_90(kernel, profile, options);
    for (const formats::KernelInfo& kernel : formats::kernel_table()) {
      if (!made_of_two(kernel)) continue;
      const std::string name(kernel.name);
      of_two_[name] = 0;
      of_two_[name] = error_90(name, profile, options);
    }
  }

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    const std::optional<Estimate> estimate = this->estimate(structure, kernel);
    if (!estimate) return std::nullopt;
    Forecast forecast;
    forecast.kernel = kernel;
    forecast.model = name_;
    forecast.bytes = storage_bytes(properties_.kind, structure, kernel, precision_);
    tell_seconds(*estimate, forecast);
    forecast.gflops = gflops_of(structure, forecast.seconds);
    conversion_.tell(forecast, structure);
    return forecast;
  }

 private:
  struct Estimate {
    double seconds = 0;
    double error_90 = 0;
    std::optional<Beyond> beyond;
    std::vector<ForecastPart> parts;
  };

  // The formula's number as it is, but for one that no product takes: lines through times that grow a thousandfold have
  // intercepts that can be negative for small matrices.
  void tell_seconds(const Estimate& estimate, Forecast& forecast) const {
    const bool lifted = !(estimate.seconds >= launch_s_);
    const double read_s = bandwidth_ > 0 ? static_cast<double>(forecast.bytes.value_or(0)) / bandwidth_ : 0;
    forecast.beyond = graver(estimate.beyond, lifted                      ? std::optional(Beyond::launch)
                                              : estimate.seconds < read_s ? std::optional(Beyond::bandwidth)
                                                                          : std::nullopt);
    forecast.extrapolated = forecast.beyond.has_value();
    forecast.seconds = lifted ? launch_s_ : estimate.seconds;
    forecast.low_s = forecast.seconds / (1 + estimate.error_90);
    forecast.high_s = forecast.seconds * (1 + estimate.error_90);
    if (stands_in(forecast)) forecast.high_s = constants::prior_doubt * std::max(forecast.high_s, launch_s_ + read_s);
    if (!lifted) forecast.parts = estimate.parts;
  }

  [[nodiscard]] bool made_of_two(const formats::KernelInfo& kernel) const {
    return kernel.form == formats::PaperForm::hyb && kernels_.contains(std::string(kernel.regular)) &&
           kernels_.contains(std::string(kernel.overflow));
  }

  void fit(const formats::KernelInfo& kernel, std::string_view kind, bool with_coo, const Profile& profile,
           const FitOptions& options) {
    if (kernel.form == formats::PaperForm::hyb || (kernel.form == formats::PaperForm::coo && !with_coo)) return;
    const std::string name(kernel.name);
    const auto strip = static_cast<double>(properties_.strip(name));
    if (strip <= 0) return;
    std::vector<GridPoint> points;
    FittedKernel fitted{kernel.form, strip, CooForm(), {}, {}, 0};
    for (const Record& record : profile.records) {
      const BenchmarkMatrix& matrix = profile.matrices[record.matrix];
      if (record.kernel != name || record.precision != options.precision || record.threads != options.threads ||
          matrix.spec.kind != kind || matrix.spec.strips <= 0)
        continue;
      // Strips are the kernel's own: another, whose strip is twice as long, may have had the matrix made. The papers
      // fit over the P that it was made for, not over the P that chance gave it.
      GridPoint point{static_cast<double>(matrix.spec.rows) / strip, matrix.spec.row_length, record.seconds};
      if (kernel.form == formats::PaperForm::coo) point.strips = static_cast<double>(matrix.structure.nonzeros) / strip;
      fitted.strips.include(point.strips);
      fitted.row_lengths.include(point.row_length);
      points.push_back(point);
    }
    const auto keep = [&](auto form) {
      if (!form) return;
      fitted.function = *form;
      kernels_.emplace(name, fitted);
    };
    if (kernel.form == formats::PaperForm::csr) {
      keep(CsrForm::fit(points, properties_.max_threads_per_block));
    } else if (kernel.form == formats::PaperForm::ell) {
      keep(EllForm::fit(points));
    } else {
      keep(CooForm::fit(points));
    }
  }

  [[nodiscard]] std::optional<Estimate> estimate(const Structure& structure, const std::string& kernel) const {
    if (const auto two = of_two_.find(kernel); two != of_two_.end()) {
      if (structure.row_histogram.empty() && structure.nonzeros > 0) return std::nullopt;  // nothing tells the split
      return estimate_hyb(formats::kernel_or_plain(kernel), two->second, structure);
    }
    const auto found = kernels_.find(kernel);
    if (found == kernels_.end()) return std::nullopt;
    const Coordinates at = coordinates(found->second.form, structure, found->second.strip);
    return Estimate{found->second.seconds(at), found->second.error_90, found->second.beyond(at), {}};
  }

  // HYB: the ELL forecast with P0 = K, plus the COO forecast of the overflow (Guo section 3.5.4).
  [[nodiscard]] Estimate estimate_hyb(const formats::KernelInfo& hyb, double error_90,
                                      const Structure& structure) const {
    const std::string regular(hyb.regular), overflow(hyb.overflow);
    const FittedKernel &ell = kernels_.at(regular), &coo = kernels_.at(overflow);
    const HybSplit split = hyb_split(structure);
    Estimate estimate;
    estimate.error_90 = error_90;
    const auto add = [&](Term part, const FittedKernel& kernel, const Coordinates& at) {
      const double seconds = kernel.seconds(at);
      estimate.seconds += seconds;
      estimate.beyond = graver(estimate.beyond, seconds > 0 ? kernel.beyond(at) : Beyond::launch);
      estimate.parts.push_back({part, seconds, 0});
    };
    if (split.width > 0)
      add(Term::regular_part, ell,
          {std::ceil(static_cast<double>(structure.rows) / ell.strip), static_cast<double>(split.width)});
    if (split.overflow > 0)
      add(Term::overflow_part, coo, {std::ceil(static_cast<double>(split.overflow) / coo.strip), 0});
    return estimate;
  }

  // How far the fitted model is off on nine in ten of the device's own benchmark matrices, of every kind; 0 where there
  // are none.
  [[nodiscard]] double error_90(const std::string& kernel, const Profile& profile, const FitOptions& options) const {
    std::vector<double> errors;
    for (const Record& record : profile.records) {
      if (record.kernel != kernel || record.precision != options.precision || record.threads != options.threads)
        continue;
      if (const auto forecast = this->forecast(profile.matrices[record.matrix].structure, kernel))
        errors.push_back(std::abs(forecast->seconds - record.seconds) / record.seconds);
    }
    if (errors.empty()) return 0;
    std::ranges::sort(errors);
    return errors[std::min(errors.size() - 1, errors.size() * 9 / 10)];
  }

  std::string name_;
  DeviceProperties properties_;
  Precision precision_;
  double launch_s_, bandwidth_;
  ConversionModel conversion_;
  std::map<std::string, FittedKernel> kernels_;
  std::map<std::string, double> of_two_;  // the error_90 of kernels that are two in one
};
}  // namespace

std::unique_ptr<FittedModel> fit_paper_model(std::string_view name, std::string_view kind, bool with_coo,
                                             const Profile& profile, const FitOptions& options) {
  return std::make_unique<PaperModel>(name, kind, with_coo, profile, options);
}
}  // namespace sparsecast::forecast
