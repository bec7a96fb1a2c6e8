#include "calibration/plan/paper_grids.hpp"

#include <algorithm>
#include <map>
#include <tuple>

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

// The papers' CSR models take a cross out of the grid (all P at one I, all I at one P) on each side of the break; the
// full grid of the CSR kernels would be ten times the work for the same lines.
bool on_cross(int strips, int row_length) {
  return strips == 5 || strips == 1 || row_length == 16 || row_length == 256 || row_length >= 1024;
}
// Of the whole grids a line of CSR's takes two numbers of strips and two lengths beyond the break, however many rows a
// strip has: an eighth of the memory, and on a GPU what a host makes in seconds, is not too much for that.
std::int64_t most_of_whole(const DeviceProperties& properties, std::int64_t strip, Precision precision,
                           std::int64_t max_nonzeros) {
  constexpr std::int64_t longest = 2048, most_for_gpu = 300'000'000;
  const std::int64_t second_line = 2 * longest * strip;
  std::int64_t most = properties.memory_bytes / 8 / (value_bytes(precision) + 4);
  if (properties.kind != DeviceKind::host) most = std::min(most, most_for_gpu);
  return second_line <= most ? std::max(max_nonzeros, second_line) : max_nonzeros;
}
}  // namespace

std::int64_t most_nonzeros(const DeviceProperties& properties, bool quick) {
  const auto per_row = std::ranges::find(formats::kernel_table(), formats::PaperForm::ell, &formats::KernelInfo::form);
  const std::int64_t strip = properties.strip(std::string(per_row->name));
  return quick ? std::max<std::int64_t>(600'000, 2 * 16 * strip) : std::max<std::int64_t>(8'000'000, 10 * 32 * strip);
}

std::int64_t largest_row_length(std::string_view format, std::int64_t memory_bytes, std::int64_t rows,
                                Precision precision) {
  if (rows <= 0) return 0;
  const std::int64_t value = value_bytes(precision);
  if (format == formats::csr_format)
    return std::max<std::int64_t>(0, (memory_bytes - 4 * (rows + 1)) / ((value + 4) * rows));
  if (format == formats::coo_format) return memory_bytes / ((value + 8) * rows);
  return memory_bytes / ((value + 4) * rows);
}

std::vector<PlanStep> grid_steps(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                 Precision precision, std::int64_t max_nonzeros, GridExtent extent) {
  struct Wanted {
    MatrixSpec spec;
    std::vector<std::string> kernels;
  };
  // Kernels with the same strip share a matrix; the key keeps the order of work: small matrices of all kinds first.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, Wanted> steps;
  for (const Grid& grid : extent == GridExtent::quick ? quick_grids() : full_grids()) {
    for (const std::string& name : kernels) {
      const formats::KernelInfo* kernel = formats::find_kernel(name);
      if (kernel == nullptr || kernel->form != grid.form || kernel->made_for != formats::MadeFor::any ||
          !kernel->variant_of.empty())
        continue;
      const std::int64_t strip = properties.strip(name);
      const std::int64_t most = extent == GridExtent::whole && grid.form == formats::PaperForm::csr
                                    ? most_of_whole(properties, strip, precision, max_nonzeros)
                                    : max_nonzeros;
      for (const int strips : grid.strips) {
        for (const int row_length : grid.row_lengths) {
          if (extent != GridExtent::whole && grid.form == formats::PaperForm::csr && !on_cross(strips, row_length))
            continue;
          const std::int64_t rows = strip * strips;
          // Distinct columns, and room for the longest rows of the uniform kind.
          if (rows < row_length || rows * row_length > most) continue;
          if (row_length > largest_row_length(kernel->format, properties.memory_bytes, rows, precision)) continue;
          Wanted& wanted = steps[{rows * row_length, rows, grid.kind}];
          wanted.spec = {grid.kind, strips, static_cast<double>(row_length), rows, rows, 1, {}};
          wanted.kernels.push_back(name);
        }
      }
    }
  }
  std::vector<PlanStep> plan;
  for (auto& [key, wanted] : steps) {
    const double work = static_cast<double>(std::get<0>(key) + 20000) * static_cast<double>(wanted.kernels.size());
    plan.push_back({std::move(wanted.spec), std::move(wanted.kernels), work, Again::never});
  }
  return plan;
}

std::vector<PlanStep> paper_grids(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                  Precision precision) {
  return grid_steps(properties, kernels, precision, most_nonzeros(properties, false), GridExtent::whole);
}
}  // namespace sparsecast::calibration
