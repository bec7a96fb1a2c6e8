#include "calibration/plan/calibration_plan.hpp"

#include <algorithm>
#include <iterator>

#include "calibration/plan/form_matrices.hpp"
#include "calibration/plan/large_matrices.hpp"
#include "calibration/plan/paper_grids.hpp"
#include "calibration/plan/survey.hpp"

namespace sparsecast::calibration {
namespace {
// Matrices of the survey in a full calibration and in a quick one, and for the kernels made for a structure. Rounds are
// worth more than matrices: of 480 made ones 45 forecast the last quarter as well as 360 do (bench_learning).
constexpr int survey_size = 60, quick_survey_size = 30, form_size = 48;
// On the host what ships stands beside a quick calibration: with 20 of the survey, and a third of the matrices made for
// a structure left out too, 25 real matrices were forecast as well as with 30 (one calibration, one thread of an EPYC
// guest, Zen 4; looked at: they judge both).
constexpr int host_quick_survey_size = 20;
// Of what a device's grids and survey may hold, on the host: what is larger is the part of the matrices beyond the last
// cache.
constexpr std::int64_t host_share = 2;

// Matrices beyond the last cache, as people bring them: three times what it holds as CSR, within a hundredth of the
// memory and a minute of work.
constexpr int large_count = 5, quick_large_count = 2;
constexpr double caches_full = 3, bytes_per_nonzero = 12, least_large = 8e6, most_large = 4e7, most_quick_large = 1e7;
// A quick one's on the host are smaller: what ships beside it knows the way to memory.
constexpr double quick_caches_full = 2.25, least_quick_large = 4e6;

std::int64_t large_nonzeros(const DeviceProperties& properties, bool quick) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  const bool quick_host = quick && properties.kind == DeviceKind::host;
  const double wanted = std::clamp((quick_host ? quick_caches_full : caches_full) * last / bytes_per_nonzero,
                                   quick_host ? least_quick_large : least_large, quick ? most_quick_large : most_large);
  const double room = static_cast<double>(properties.memory_bytes) / 100 / bytes_per_nonzero;
  return static_cast<std::int64_t>(std::min(wanted, room));
}

std::vector<std::string> made_for(const std::vector<std::string>& kernels,
                                  const std::vector<formats::MadeFor>& structures) {
  std::vector<std::string> some;
  for (const std::string& name : kernels)
    if (const formats::KernelInfo& kernel = formats::kernel_or_plain(name);
        kernel.variant_of.empty() && std::ranges::find(structures, kernel.made_for) != structures.end())
      some.push_back(name);
  return some;
}
}  // namespace

std::vector<PlanStep> calibration_plan(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                       Precision precision, bool quick) {
  const std::int64_t max_nonzeros =
      most_nonzeros(properties, quick) / (quick || properties.kind != DeviceKind::host ? 1 : host_share);
  // The survey comes first: it is what our own model learns most from, and every kernel is measured on each of its
  // matrices but those made for a structure, which few of them have.
  std::vector<PlanStep> plan;
  const std::int64_t survey_nonzeros = std::min(max_nonzeros, properties.memory_bytes / 48);
  const auto add_step = [&](MatrixSpec spec, const std::vector<std::string>& with) {
    if (with.empty()) return;
    const double nonzeros = spec.row_length > 0 ? spec.row_length * static_cast<double>(spec.rows) : 200'000;
    plan.push_back({std::move(spec), with, (nonzeros + 20000) * static_cast<double>(with.size())});
  };
  const bool processor = properties.limits.contains("host_processor");  // the host's, by OpenCL
  const bool compact_too = properties.kind == DeviceKind::host ? !quick : !processor;
  const std::vector<formats::MadeFor> surveyed =
      compact_too ? std::vector{formats::MadeFor::any, formats::MadeFor::compact} : std::vector{formats::MadeFor::any};
  const std::vector<std::string> of_any = made_for(kernels, surveyed);
  const bool quick_host = quick && properties.kind == DeviceKind::host;
  const int surveyed_matrices = quick_host ? host_quick_survey_size : quick ? quick_survey_size : survey_size;
  std::vector<MatrixSpec> survey = survey_matrices(surveyed_matrices, survey_nonzeros);
  std::vector<FormMatrix> forms = form_matrices(form_size, survey_nonzeros);
  for (std::size_t s = 0, f = 0; s < survey.size(); ++s) {
    add_step(std::move(survey[s]), of_any);
    for (; f < forms.size() * (s + 1) / survey.size(); ++f)
      add_step(std::move(forms[f].spec), made_for(kernels, forms[f].suits));
  }
  if (!processor) {  // its conversions would take longer than all the rest
    const std::int64_t nonzeros = large_nonzeros(properties, quick);
    const std::vector<std::string> with = made_for(kernels, {formats::MadeFor::any, formats::MadeFor::compact});
    for (MatrixSpec& spec : large_matrices(quick ? quick_large_count : large_count, nonzeros))
      plan.push_back({std::move(spec), with, static_cast<double>(nonzeros) * static_cast<double>(with.size()),
                      Again::every_round});
  }
  std::ranges::move(
      grid_steps(properties, kernels, precision, max_nonzeros, quick ? GridExtent::quick : GridExtent::full),
      std::back_inserter(plan));
  return plan;
}
}  // namespace sparsecast::calibration
