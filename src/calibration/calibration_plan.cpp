#include "calibration/calibration_plan.hpp"

#include <algorithm>
#include <map>

#include "calibration/survey.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::calibration {
namespace {

// One grid of the papers: a kind of matrix, the strips I and the row lengths P, for the kernels of one form.
struct Grid {
  const char* kind;
  formats::PaperForm form;
  std::vector<int> strips;
  std::vector<int> row_lengths;
};

// Guo et al. 2014, section 3.2.2, and Wang et al. 2017, section 3.1. Their figures reach I = 50 and P = 3072 where the
// memory bound and max_nonzeros below allow it; of their points some two thirds, as lines are fitted through them.
const std::vector<Grid>& full_grids() {
  using enum formats::PaperForm;
  static const std::vector<int> ten{1, 2, 4, 5, 7, 10};
  static const std::vector<int> fifty{1, 2, 4, 5, 7, 10, 20, 35, 50};
  static const std::vector<int> powers{4, 8, 16, 64, 256, 1024};
  static const std::vector<int> beyond{4, 8, 16, 64, 256, 512, 1024, 1536, 2048, 3072};
  static const std::vector<int> quarter{4, 16, 64, 256, 1024, 1536, 2048};
  static const std::vector<Grid> grids{
      {"constant", csr, ten, quarter},
      {"constant", ell, ten, quarter},
      {"constant", coo, {1}, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
      {"normal", csr, fifty, beyond},
      {"normal", ell, ten, powers},
      {"uniform", csr, fifty, beyond},
      {"uniform", ell, ten, powers},
      // HYB is forecast from ELL and COO; these only tell how well.
      {"normal", hyb, {1, 5, 10}, {4, 16, 64, 256}},
      {"uniform", hyb, {1, 5, 10}, {4, 16, 64, 256}},
  };
  return grids;
}

const std::vector<Grid>& quick_grids() {
  using enum formats::PaperForm;
  static const std::vector<int> strips{1, 2, 5, 10};
  static const std::vector<int> lengths{4, 16, 64, 256, 1024, 1536};
  static const std::vector<Grid> grids{
      {"constant", csr, strips, lengths},        {"constant", ell, strips, lengths},
      {"constant", coo, {1}, {10, 20, 50, 100}}, {"normal", csr, strips, lengths},
      {"normal", ell, strips, lengths},          {"uniform", csr, strips, lengths},
      {"uniform", ell, strips, lengths},         {"normal", hyb, {1, 10}, {4, 16, 64}},
  };
  return grids;
}

// Bounds the time and memory of one benchmark matrix: 8 million non-zeros are 96 MB of CSR, beyond the last cache of
// most hosts, so that larger ones would tell only more of the same line. A large GPU handles 270,000 rows at once: its
// bound grows with its strip, or the grids of one thread per row would hold no matrix at all (quick: two strips of 16
// a row; full: ten strips of 32).
std::int64_t most_nonzeros(const DeviceProperties& properties, bool quick) {
  const auto per_row = std::ranges::find(formats::kernel_table(), formats::PaperForm::ell, &formats::KernelInfo::form);
  const std::int64_t strip = properties.strip(std::string(per_row->name));
  return quick ? std::max<std::int64_t>(600'000, 2 * 16 * strip) : std::max<std::int64_t>(8'000'000, 10 * 32 * strip);
}

// Matrices of the survey in a full calibration and in a quick one. On a machine whose times repeat within a tenth, 45
// of them already forecast the last quarter of 480 as well as 360 do (benchmarks/forecaster/bench_learning): rounds are
// worth more than matrices.
constexpr int survey_size = 150, quick_survey_size = 30;
// Of the largest matrix of the grids: what is larger is the part of the matrices beyond the last cache.
constexpr std::int64_t survey_share = 2;

// Matrices beyond the last cache, as people bring them: three times what it holds as CSR, within a hundredth of the
// memory and a minute of work.
constexpr int large_count = 8, quick_large_count = 2;
constexpr double caches_full = 3, bytes_per_nonzero = 12, least_large = 8e6, most_large = 4e7, most_quick_large = 1e7;

std::int64_t large_nonzeros(const DeviceProperties& properties, bool quick) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  const double wanted =
      std::clamp(caches_full * last / bytes_per_nonzero, least_large, quick ? most_quick_large : most_large);
  const double room = static_cast<double>(properties.memory_bytes) / 100 / bytes_per_nonzero;
  return static_cast<std::int64_t>(std::min(wanted, room));
}

// Matrices for the kernels made for a structure.
constexpr int form_size = 75, quick_form_size = 30;

std::vector<std::string> made_for(const std::vector<std::string>& kernels,
                                  const std::vector<formats::MadeFor>& structures) {
  std::vector<std::string> some;
  for (const std::string& name : kernels)
    if (const formats::KernelInfo& kernel = formats::kernel_or_plain(name);
        kernel.variant_of.empty() && std::ranges::find(structures, kernel.made_for) != structures.end())
      some.push_back(name);
  return some;
}

// The papers' CSR models take a cross out of the grid (all P at one I, all I at one P) on each side of the break; the
// full grid of the CSR kernels would be ten times the work for the same lines.
bool on_cross(int strips, int row_length) {
  return strips == 5 || strips == 1 || row_length == 16 || row_length == 256 || row_length >= 1024;
}

}  // namespace

std::int64_t largest_row_length(std::string_view format, std::int64_t memory_bytes, std::int64_t rows,
                                Precision precision) {
  if (rows <= 0) return 0;
  const std::int64_t value = value_bytes(precision);
  if (format == formats::csr_format)
    return std::max<std::int64_t>(0, (memory_bytes - 4 * (rows + 1)) / ((value + 4) * rows));
  if (format == formats::coo_format) return memory_bytes / ((value + 8) * rows);
  return memory_bytes / ((value + 4) * rows);
}

std::vector<PlanStep> calibration_plan(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                       Precision precision, bool quick) {
  struct Wanted {
    MatrixSpec spec;
    std::vector<std::string> kernels;
  };
  // Kernels with the same strip share a matrix; the key keeps the order of work: small matrices of all kinds first.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, Wanted> steps;
  const std::int64_t max_nonzeros = most_nonzeros(properties, quick);
  for (const Grid& grid : quick ? quick_grids() : full_grids()) {
    for (const std::string& name : kernels) {
      const formats::KernelInfo* kernel = formats::find_kernel(name);
      if (kernel == nullptr || kernel->form != grid.form || kernel->made_for != formats::MadeFor::any ||
          !kernel->variant_of.empty())
        continue;
      const std::int64_t strip = properties.strip(name);
      for (const int strips : grid.strips) {
        for (const int row_length : grid.row_lengths) {
          if (grid.form == formats::PaperForm::csr && !on_cross(strips, row_length)) continue;
          const std::int64_t rows = strip * strips;
          // Distinct columns, and room for the longest rows of the uniform kind.
          if (rows < row_length || rows * row_length > max_nonzeros) continue;
          if (row_length > largest_row_length(kernel->format, properties.memory_bytes, rows, precision)) continue;
          Wanted& wanted = steps[{rows * row_length, rows, grid.kind}];
          wanted.spec = {grid.kind, strips, static_cast<double>(row_length), rows, rows, 1, {}};
          wanted.kernels.push_back(name);
        }
      }
    }
  }
  // The survey comes first: it is what our own model learns most from, and every kernel is measured on each of its
  // matrices but those made for a structure, which few of them have.
  std::vector<PlanStep> plan;
  const std::int64_t survey_nonzeros =
      std::min(quick || properties.kind != DeviceKind::host ? max_nonzeros : max_nonzeros / survey_share,
               properties.memory_bytes / 48);
  const auto add_step = [&](MatrixSpec spec, const std::vector<std::string>& with) {
    if (with.empty()) return;
    const double nonzeros = spec.row_length > 0 ? spec.row_length * static_cast<double>(spec.rows) : 200'000;
    plan.push_back({std::move(spec), with, (nonzeros + 20000) * static_cast<double>(with.size())});
  };
  const std::vector<std::string> of_any = made_for(kernels, {formats::MadeFor::any});
  std::vector<MatrixSpec> survey = survey_matrices(quick ? quick_survey_size : survey_size, survey_nonzeros);
  std::vector<FormMatrix> forms = form_matrices(quick ? quick_form_size : form_size, survey_nonzeros);
  for (std::size_t s = 0, f = 0; s < survey.size(); ++s) {
    add_step(std::move(survey[s]), of_any);
    for (; f < forms.size() * (s + 1) / survey.size(); ++f)
      add_step(std::move(forms[f].spec), made_for(kernels, forms[f].suits));
  }
  if (properties.kind == DeviceKind::host) {
    const std::int64_t nonzeros = large_nonzeros(properties, quick);
    for (MatrixSpec& spec : large_matrices(quick ? quick_large_count : large_count, nonzeros))
      plan.push_back({std::move(spec), of_any, static_cast<double>(nonzeros) * static_cast<double>(of_any.size()),
                      Again::every_round});
  }
  for (auto& [key, wanted] : steps) {
    const double work = static_cast<double>(std::get<0>(key) + 20000) * static_cast<double>(wanted.kernels.size());
    plan.push_back({std::move(wanted.spec), std::move(wanted.kernels), work, Again::never});
  }
  return plan;
}

}  // namespace sparsecast::calibration
