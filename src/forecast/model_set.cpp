#include "forecast/model_set.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast_constants.hpp>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "calibration/shipped/stand_in.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"
#include "forecast/machines/described_model.hpp"
#include "forecast/machines/machine_model.hpp"
#include "forecast/model_names.hpp"
#include "forecast/papers/paper_model.hpp"
#include "forecast/reach.hpp"
#include "forecast/record_choice.hpp"
#include "forecast/thread_counts.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
namespace {
void fastest_first(std::vector<Forecast>& forecasts) { std::ranges::stable_sort(forecasts, {}, by_reach); }

// What models are asked of in place of a matrix without rows, where there is nothing that they could look at: one that
// has next to nothing.
Structure next_to_nothing(const Structure& empty) {
  static const Structure one_entry = analyze(Matrix(Csr<std::int32_t, std::int32_t>{1, 1, {0, 1}, {0}, {1.0}}, ""), 1);
  Structure structure = one_entry;
  structure.complex_values = empty.complex_values;
  return structure;
}

// A paper's model is lines through benchmark matrices of its own: a calibration that ended before them has none.
void require_lines(const std::string& name, const FittedModel& model, const Profile& profile,
                   const FitOptions& options) {
  const Structure any = next_to_nothing({});
  if (std::ranges::any_of(formats::kernel_table(), [&](const formats::KernelInfo& kernel) {
        return model.forecast(any, std::string(kernel.name)).has_value();
      }))
    return;
  std::vector<wording::Argument> grids{{"device", profile.name}, {"papers", true}, {"precision", options.precision}};
  if (options.threads > 0) grids.push_back({"threads", options.threads});
  throw Error(ErrorCode::failed,
              fmt::format("the profile '{}' has too few of the benchmark matrices that model {} is fitted to",
                          profile.name, name),
              {}, wording::format("run {}", wording::ask("calibrate", grids)));
}
}  // namespace

ModelSet::ModelSet(const std::string& model, const Profile& profile, const FitOptions& options)
    : threads_(std::clamp(options.threads, 1, available_cores())) {
  if (counts_alone(model, profile)) {
    models_.emplace_back(model, fit_model(model, profile, options));
    return;
  }
  if (!profile.is_measured()) {
    if (model != best_model && model != all_models && model != described_model_name)
      throw Error(ErrorCode::usage, fmt::format("model '{}' needs measurements of '{}'", model, profile.name), {},
                  wording::format("omit {}, or give {}", wording::option("model"), described_model_name));
    models_.emplace_back(described_model_name, fit_described_model(profile, options));
    return;
  }
  // The papers' models are lines through records of their own precision; ours reckons from one to the other.
  const bool reckons = model == all_models || asks_own(model);
  if (!reckons) require_model(model);  // before a name that is none is said to lack measurements
  const std::optional<CountsAround> around = counts_around(profile, options);
  const bool shipped = is_shipped(profile, options);
  const bool known = has_records(profile, options) || around.has_value();
  if (!known || (!reckons && (shipped || records_for(profile, options).precision != options.precision))) {
    const std::string threads = options.threads > 0 ? fmt::format(" and {} thread(s)", options.threads) : "";
    std::vector<wording::Argument> missing{
        {"device", profile.name}, {"quick", false}, {"precision", options.precision}};
    if (options.threads > 0) missing.push_back({"threads", options.threads});
    throw Error(ErrorCode::failed,
                fmt::format("the profile '{}' has no records in {} precision{}", profile.name,
                            to_string(options.precision), threads),
                {}, wording::format("run {}", wording::ask("calibrate", missing)));
  }
  // What ships knows no paper's line.
  const bool several = (model == best_model || model == all_models) && !shipped;
  const std::vector<std::string> wanted =
      several ? model_names() : std::vector<std::string>{reckons ? model_names().front() : model};
  for (const std::string& name : wanted)
    models_.emplace_back(name,
                         around ? fit_between(name, profile, options, *around) : fit_model(name, profile, options));
  if (!reckons) require_lines(model, *models_.front().second, profile, options);
}

std::vector<Forecast> ModelSet::forecasts(const Structure& structure, const std::string& kernel,
                                          double launch_s) const {
  if (structure.rows == 0) {
    std::vector<Forecast> found = forecasts(next_to_nothing(structure), kernel, launch_s);
    for (Forecast& forecast : found) forecast.gflops = 0;  // of no entry, and not of one
    return found;
  }
  std::vector<Forecast> forecasts;
  if (!formats::refusal_of(kernel, structure).empty()) return forecasts;
  for (const auto& [name, model] : models_)
    if (auto forecast = model->forecast_at(structure, kernel, launch_s)) forecasts.push_back(std::move(*forecast));
  return forecasts;
}

std::optional<Forecast> ModelSet::preferred(const Structure& structure, const std::string& kernel) const {
  if (structure.rows == 0) {
    std::optional<Forecast> found = preferred(next_to_nothing(structure), kernel);
    if (found) found->gflops = 0;
    return found;
  }
  if (!formats::refusal_of(kernel, structure).empty()) return std::nullopt;
  // The table of models stands in order of preference.
  for (const auto& [name, model] : models_)
    if (std::optional<Forecast> forecast = model->forecast(structure, kernel)) return forecast;
  return std::nullopt;
}

std::vector<Forecast> ModelSet::best(const Structure& structure, const std::vector<std::string>& kernels) const {
  std::vector<std::optional<Forecast>> found(kernels.size());
  const int threads = static_cast<double>(structure.nonzeros) < constants::one_thread_below ? 1 : threads_;
  base::parallel_for(static_cast<std::int64_t>(kernels.size()), {threads}, [&](std::int64_t k) {
    found[static_cast<std::size_t>(k)] = preferred(structure, kernels[static_cast<std::size_t>(k)]);
  });
  std::vector<Forecast> forecasts;
  for (std::optional<Forecast>& forecast : found)
    if (forecast) forecasts.push_back(std::move(*forecast));
  fastest_first(forecasts);
  return forecasts;
}

std::vector<Forecast> ModelSet::all(const Structure& structure, const std::vector<std::string>& kernels) const {
  std::vector<Forecast> all;
  for (const std::string& kernel : kernels) std::ranges::move(forecasts(structure, kernel), std::back_inserter(all));
  fastest_first(all);
  return all;
}

std::vector<std::string> ModelSet::names() const {
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) names.push_back(name);
  return names;
}

bool counts_alone(const std::string& model, const Profile& profile) {
  return model == own_model && profile.records.empty() && profile.properties.kind != DeviceKind::host;
}

std::vector<std::string> kernels_of(const Profile& profile, const std::string& model) {
  if (counts_alone(model, profile)) {
    std::vector<std::string> counted;
    for (const formats::KernelInfo& kernel : formats::kernel_table())
      if (kernel.gpu.count != nullptr) counted.emplace_back(kernel.name);
    return counted;
  }
  if (!profile.is_measured()) return described_kernels(profile);
  std::set<std::string> present;
  for (const Record& record : profile.records) present.insert(record.kernel);
  // HYB takes the relations of its two parts (Guo, Wang & Chen 2014, section 3.5.4): it needs no record of its own.
  if (model == guo_model)
    for (const formats::KernelInfo& kernel : formats::kernel_table())
      if (kernel.form == formats::PaperForm::hyb && present.contains(std::string(kernel.regular)) &&
          present.contains(std::string(kernel.overflow)))
        present.emplace(kernel.name);
  if (!profile.shipped.empty())
    std::ranges::copy(calibration::processor_like(profile).kernels, std::inserter(present, present.end()));
  std::vector<std::string> kernels;
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    const bool variant = profile.properties.kind == DeviceKind::host && !kernel.variant_of.empty() &&
                         std::ranges::find(kernels, kernel.variant_of) != kernels.end();
    if (present.erase(std::string(kernel.name)) > 0 || variant) kernels.emplace_back(kernel.name);
  }
  std::ranges::copy(present, std::back_inserter(kernels));
  return kernels;
}

std::vector<Forecast> far_behind(const std::vector<Forecast>& forecasts) {
  std::vector<Forecast> behind;
  for (const Forecast& forecast : forecasts)
    if (forecast.seconds >= constants::far_behind * forecasts.front().seconds) behind.push_back(forecast);
  return behind;
}

void require_row_lengths(const Structure& structure, const Profile& profile) {
  if (profile.properties.kind != DeviceKind::host || structure.rows == 0 || !profile.is_measured()) return;
  if (!structure.row_histogram.empty() && !structure.slices.empty()) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("the features of '{}' alone do not say what the host's formats would store", structure.name),
              {},
              wording::format("give the matrix file, the output of {}, or {} of an imported table",
                              wording::ask("info", {{"matrix", wording::placeholder("MATRIX")}, {"json", true}}),
                              wording::option("profile")));
}
}  // namespace sparsecast::forecast
