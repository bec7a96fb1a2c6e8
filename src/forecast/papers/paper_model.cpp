#include "forecast/papers/paper_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <variant>

#include "forecast/papers/paper_forms.hpp"
#include "forecast/physical/conversion.hpp"
#include "forecast/physical/storage.hpp"

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
  [[nodiscard]] bool covers(const Coordinates& at) const {
    return strips.holds(at.strips) && (form == formats::PaperForm::coo || row_lengths.holds(at.row_length));
  }
};

// The fastest that the device's memory was ever measured to be: no forecast is below the time of reading the format
// at that rate. Lines through times that grow a thousandfold have intercepts that can be negative for small matrices.
double fastest_bandwidth(const Profile& profile, int threads) {
  const Curve* curve = profile.curve("read_bandwidth", threads);
  if (curve != nullptr && !curve->y.empty()) return *std::ranges::max_element(curve->y);
  return profile.properties.memory_bandwidth;
}

class PaperModel final : public FittedModel {
 public:
  PaperModel(std::string_view name, std::string_view kind, bool with_coo, const Profile& profile,
             const FitOptions& options)
      : name_(name),
        properties_(with_threads(profile.properties, options.threads)),
        precision_(options.precision),
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
    // On the host alone: imported tables tell no bandwidth that could bound a device.
    const auto streamed = properties_.kind == DeviceKind::host ? static_cast<double>(forecast.bytes.value_or(0)) : 0.0;
    const double floor = bandwidth_ > 0 ? streamed / bandwidth_ : 1e-9;
    forecast.seconds = std::max({estimate->seconds, floor, 1e-9});
    forecast.extrapolated = estimate->extrapolated || estimate->seconds < floor;
    forecast.low_s = forecast.seconds / (1 + estimate->error_90);
    forecast.high_s = forecast.seconds * (1 + estimate->error_90);
    forecast.gflops = gflops_of(structure, forecast.seconds);
    conversion_.tell(forecast, structure);
    forecast.parts = estimate->parts;
    return forecast;
  }

 private:
  struct Estimate {
    double seconds = 0;
    double error_90 = 0;
    bool extrapolated = false;
    std::vector<ForecastPart> parts;
  };

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
          matrix.spec.kind != kind)
        continue;
      // The papers fit over the P that the matrix was made for, not over the P that chance gave it.
      GridPoint point{static_cast<double>(matrix.spec.strips), matrix.spec.row_length, record.seconds};
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
    return Estimate{found->second.seconds(at), found->second.error_90, !found->second.covers(at), {}};
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
      const double seconds = std::max(0.0, kernel.seconds(at));
      estimate.seconds += seconds;
      estimate.extrapolated |= !kernel.covers(at);
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
  double bandwidth_;
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
