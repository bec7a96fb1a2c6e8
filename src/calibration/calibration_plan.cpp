#include "calibration/calibration_plan.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sparsecast::calibration {
namespace {
constexpr double least_nonzeros = 3000;

// Halton's sequence (Halton 1960): the digits of the index mirrored at the point, a prime base per dimension.
double radical_inverse(int index, int base) {
  double value = 0, digit = 1.0 / base;
  for (; index > 0; index /= base, digit /= base) value += digit * (index % base);
  return value;
}

// A point of the unit cube. The order of its coordinates goes from the most to the least important property, as the
// small bases fill most evenly.
struct Point {
  explicit Point(int index) {
    constexpr std::array<int, 8> bases{2, 3, 5, 7, 11, 13, 17, 19};
    for (std::size_t d = 0; d < bases.size(); ++d) at[d] = radical_inverse(index + 1, bases[d]);
  }
  std::array<double, 8> at{};
  [[nodiscard]] double between(std::size_t d, double low, double high) const { return low + at[d] * (high - low); }
  [[nodiscard]] double log_between(std::size_t d, double low, double high) const {
    return low * std::pow(high / low, at[d]);
  }
};

// Decimals that specs carry: enough for the purpose, and the same text on every machine.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

MatrixSpec spec_of(const char* kind, double rows, double row_mean, int index) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = static_cast<std::int64_t>(std::max(1.0, rows));
  spec.row_length = rounded(row_mean);
  spec.seed = static_cast<std::uint64_t>(index) + 1;
  return spec;
}

// Any features: nonzeros, row length, deviation, bandwidth, neighbours, similarity, skew, cols over rows.
MatrixSpec structured(const Point& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros);
  const double mean = std::min(p.log_between(1, 2, 200), nonzeros / 50);
  const double rows = std::max(50.0, std::round(nonzeros / mean));
  const double aspect = p.at[7] < 0.8 ? 1 : p.log_between(3, 0.3, 4);
  const double cols = std::max(std::round(rows * aspect), 4 * std::ceil(mean));
  // A third of the matrices have nearly constant rows, as meshes do; the rest up to heavy tails.
  double variation = p.at[2] < 0.33 ? p.at[2] : 0.1 * std::pow(30, (p.at[2] - 0.33) / 0.67);
  // Lengths with deviation v·mean and a longest row s·mean beyond the mean exist where v² / s of the rows can be long:
  // s between v² and √rows·v, and no row is longer than the matrix is wide.
  const double widest = 0.5 * cols / mean - 1;
  variation = std::min({variation, 0.5 * std::sqrt(widest), 0.2 * std::sqrt(rows)});
  const double least_skew = std::max(2 * variation * variation, 2 * variation),
               most_skew = std::min(widest, 0.5 * variation * std::sqrt(rows));
  const double skew = most_skew > least_skew ? least_skew * std::pow(most_skew / least_skew, p.at[6]) : least_skew;
  MatrixSpec spec = spec_of("structured", rows, mean, index);
  spec.cols = static_cast<std::int64_t>(cols);
  const double least_band = std::min(1.0, 2 * mean / cols);
  const double bandwidth = least_band * std::pow(1 / least_band, p.at[3]);
  const double similarity = p.at[5] < 0.5 ? 1.6 * p.at[5] : 0.8 + 0.3 * (p.at[5] - 0.5);
  if (skew < widest && variation > 0.01) {
    spec.parameters = fmt::format(R"({{"row_std":{},"skew":{},"bandwidth":{},"neighbours":{},"similarity":{}}})",
                                  rounded(variation * mean), rounded(skew), rounded(bandwidth),
                                  rounded(p.between(4, 0, 1.9)), rounded(similarity));
  } else {
    spec.parameters = fmt::format(R"({{"row_std":0,"bandwidth":{},"neighbours":{},"similarity":{}}})",
                                  rounded(bandwidth), rounded(p.between(4, 0, 1.9)), rounded(similarity));
  }
  return spec;
}

// Every row the same one to four entries: diagonal and incidence matrices.
MatrixSpec thin(const Point& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros), mean = std::floor(p.between(2, 1, 5));
  const double rows = std::round(nonzeros / mean), cols = std::max(std::round(rows * p.log_between(1, 0.5, 2)), 50.0);
  MatrixSpec spec = spec_of("structured", rows, mean, index);
  spec.cols = static_cast<std::int64_t>(cols);
  const double least_band = 2 * mean / cols;
  spec.parameters = fmt::format(R"({{"row_std":0,"bandwidth":{},"neighbours":{},"similarity":{}}})",
                                rounded(least_band * std::pow(1 / least_band, p.at[3])),
                                rounded(p.between(4, 0, 1.8) * (mean - 1) / mean), rounded(p.between(5, 0, 0.9)));
  return spec;
}

void add_parameter(MatrixSpec& spec, const char* name, int value) {
  if (spec.parameters.empty()) spec.parameters = "{}";
  const bool first = spec.parameters.size() == 2;
  spec.parameters.insert(spec.parameters.size() - 1, fmt::format(R"({}"{}":{})", first ? "" : ",", name, value));
}

MatrixSpec edges_at_random(const Point& p, int index, double most_nonzeros) {
  const double edges = p.log_between(0, least_nonzeros, most_nonzeros), degree = p.log_between(1, 3, 40);
  MatrixSpec spec;
  spec.kind = "rmat";
  spec.seed = static_cast<std::uint64_t>(index) + 1;
  spec.parameters = fmt::format(R"({{"scale":{},"edges":{}}})", std::max(6.0, std::round(std::log2(edges / degree))),
                                std::round(edges));
  return spec;
}

// Most graphs have one value, and x is read all over by those whose entries take few bytes.
MatrixSpec graph(const Point& p, int index, double most_nonzeros) {
  MatrixSpec spec = edges_at_random(p, index, most_nonzeros);
  add_parameter(spec, "distinct", 1);
  return spec;
}

MatrixSpec graph_without_directions(const Point& p, int index, double most_nonzeros) {
  MatrixSpec spec = edges_at_random(p, index, most_nonzeros);
  add_parameter(spec, "symmetric", 1);
  return spec;
}

MatrixSpec mesh(const Point& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros);
  const int dimensions = p.at[3] < 0.5 ? 2 : 3;
  if (p.at[2] < 0.5) {
    const double mean = p.log_between(1, 4, 20);
    MatrixSpec spec = spec_of("geometric", nonzeros / mean, mean, index);
    spec.parameters = fmt::format(R"({{"dimensions":{}}})", dimensions);
    return spec;
  }
  const int dof = 2 + static_cast<int>(5 * p.at[4]);
  const double mean = std::round(p.log_between(1, 6, 27)) * dof;
  MatrixSpec spec = spec_of("blocks", std::round(std::max(nonzeros / mean, 2 * mean) / dof) * dof, mean, index);
  spec.parameters = fmt::format(R"({{"dof":{},"dimensions":{}}})", dof, dimensions);
  return spec;
}

MatrixSpec long_rows(const Point& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros), mean = p.log_between(1, 2, 30);
  const double rows = std::max(300.0, nonzeros / mean);
  if (p.at[2] < 0.5) {
    MatrixSpec spec = spec_of("powerlaw", rows, mean, index);
    spec.parameters = fmt::format(R"({{"exponent":{}}})", rounded(p.between(3, 2.1, 3)));
    return spec;
  }
  MatrixSpec spec = spec_of("longrow", rows, mean, index);
  const double share = p.between(3, 0.05, 0.4);
  // Every long row must fit in the columns: share · rows · mean / count ≤ rows.
  const double count = std::ceil(std::max(p.log_between(4, 1, 50), 2 * share * mean));
  spec.parameters = fmt::format(R"({{"long_rows":{},"long_share":{}}})", count, rounded(share));
  return spec;
}

MatrixSpec stencil(const Point& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros);
  MatrixSpec spec;
  spec.seed = static_cast<std::uint64_t>(index) + 1;
  const auto grid = [&](const char* kind, double edge) {
    spec.kind = kind;
    spec.parameters = fmt::format(R"({{"size":{}}})", std::max(4.0, std::round(edge)));
  };
  if (p.at[2] < 0.25) {
    grid("poisson2d", std::sqrt(nonzeros / 5));
  } else if (p.at[2] < 0.5) {
    grid("poisson3d", std::cbrt(nonzeros / 7));
  } else if (p.at[2] < 0.75) {
    grid("stencil27", std::cbrt(nonzeros / 27));
  } else {
    const double mean = p.log_between(1, 1, 60), rows = std::max(200.0, nonzeros / mean);
    spec = spec_of("banded", rows, mean, index);
    spec.parameters =
        fmt::format(R"({{"bandwidth":{}}})", std::ceil(std::min(rows / 3, mean * p.log_between(3, 1, 30))));
  }
  return spec;
}

// Stencils and bands at least half full.
MatrixSpec diagonal_wise(const Point& p, int index, double most_nonzeros) {
  if (p.at[2] < 0.75) return stencil(p, index, most_nonzeros);
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros), mean = std::round(p.log_between(1, 3, 40));
  MatrixSpec spec = spec_of("banded", std::max(200.0, nonzeros / mean), mean, index);
  spec.parameters = fmt::format(R"({{"bandwidth":{}}})", std::ceil((mean - 1) / 2 / p.between(3, 0.55, 1)));
  return spec;
}

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

// Matrices of the survey in a full calibration and in a quick one, and for the kernels made for a structure. Rounds are
// worth more than matrices: of 480 made ones 45 forecast the last quarter as well as 360 do (bench_learning).
constexpr int survey_size = 60, quick_survey_size = 30, form_size = 48;
// Of what a device's grids and survey may hold, on the host: what is larger is the part of the matrices beyond the last
// cache.
constexpr std::int64_t host_share = 2;

// Matrices beyond the last cache, as people bring them: three times what it holds as CSR, within a hundredth of the
// memory and a minute of work.
constexpr int large_count = 5, quick_large_count = 2;
constexpr double caches_full = 3, bytes_per_nonzero = 12, least_large = 8e6, most_large = 4e7, most_quick_large = 1e7;

std::int64_t large_nonzeros(const DeviceProperties& properties, bool quick) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  const double wanted =
      std::clamp(caches_full * last / bytes_per_nonzero, least_large, quick ? most_quick_large : most_large);
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

// The papers' CSR models take a cross out of the grid (all P at one I, all I at one P) on each side of the break; the
// full grid of the CSR kernels would be ten times the work for the same lines.
bool on_cross(int strips, int row_length) {
  return strips == 5 || strips == 1 || row_length == 16 || row_length == 256 || row_length >= 1024;
}
}  // namespace

std::vector<MatrixSpec> survey_matrices(int count, std::int64_t most_nonzeros) {
  // In every twenty: eleven of any features, a thin one, and two each of graphs, meshes, ones with few long rows and
  // stencils. Each kind walks through a sequence of its own, or the rhythm would beat with that of the sequence.
  using Make = MatrixSpec (*)(const Point&, int, double);
  struct Kind {
    Make make;
    int made = 0;
  };
  std::array<Kind, 6> kinds{{{structured}, {graph}, {mesh}, {long_rows}, {stencil}, {thin}}};
  constexpr std::array<std::size_t, 20> turn{0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 1, 0, 2, 0, 3, 0, 4, 0, 0};
  std::vector<MatrixSpec> matrices;
  for (int i = 0; i < count; ++i) {
    Kind& kind = kinds[turn[static_cast<std::size_t>(i) % turn.size()]];
    matrices.push_back(kind.make(Point(kind.made++), i, static_cast<double>(most_nonzeros)));
  }
  return matrices;
}

std::vector<MatrixSpec> large_matrices(int count, std::int64_t nonzeros) {
  // The kinds take turns in what they ask of memory: streams alone, x at random from far beyond a cache, and between.
  // Some of those at random have one value, so that compact storage is among what is learned of them.
  // `size` times the non-zeros, rows of `row_mean`.
  struct Large {
    const char* kind;
    double size, row_mean;
    const char* parameters;
  };
  constexpr std::array<Large, 8> table{{{"poisson3d", 1, 7, nullptr},
                                        {"uniform", 1, 6, R"({"distinct":1})"},
                                        {"rmat", 1, 12, nullptr},
                                        {"powerlaw", 1, 5, R"({"exponent":2.3})"},
                                        {"banded", 1.6, 5, R"({"bandwidth":2})"},
                                        {"rmat", 1.3, 4, nullptr},
                                        {"uniform", 1, 2, nullptr},
                                        {"geometric", 2, 20, R"({"dimensions":3})"}}};
  std::vector<MatrixSpec> matrices;
  for (const Large& large : table) {
    const double size = large.size * static_cast<double>(nonzeros);
    MatrixSpec spec = spec_of(large.kind, size / large.row_mean, large.row_mean, static_cast<int>(matrices.size()));
    const std::string_view kind = large.kind;
    if (kind == "rmat") {
      spec.rows = 0, spec.row_length = 0;
      spec.parameters = fmt::format(R"({{"scale":{},"edges":{},"distinct":1}})",
                                    std::round(std::log2(size / large.row_mean)), std::round(size));
    } else if (kind == "poisson3d") {
      spec.rows = 0, spec.row_length = 0;
      spec.parameters = fmt::format(R"({{"size":{}}})", std::round(std::cbrt(size / large.row_mean)));
    } else if (large.parameters != nullptr) {
      spec.parameters = large.parameters;
    }
    matrices.push_back(std::move(spec));
  }
  matrices.resize(static_cast<std::size_t>(std::clamp<int>(count, 0, static_cast<int>(matrices.size()))));
  return matrices;
}

std::vector<FormMatrix> form_matrices(int count, std::int64_t most_nonzeros) {
  constexpr int beyond_the_survey = 1000;  // points of the sequence that it does not reach
  using enum formats::MadeFor;
  const auto most = static_cast<double>(most_nonzeros);
  // In every eight: two of diagonals, two of blocks, a graph, whose columns no band holds, and three of the survey
  // whose values repeat: one, 200, 16 and as many as a kind has, or so many that single precision holds.
  constexpr std::array<std::size_t, 8> turn{0, 1, 3, 0, 1, 3, 2, 3};
  constexpr std::array<int, 5> distinct{1, 200, 100'000, 16, 0};
  const std::vector<MatrixSpec> survey = survey_matrices(count, most_nonzeros);
  std::array<int, 4> made{};
  std::vector<FormMatrix> matrices;
  for (int i = 0; i < count; ++i) {
    const std::size_t kind = turn[static_cast<std::size_t>(i) % turn.size()];
    const int of_kind = made[kind]++;
    Point p(beyond_the_survey + of_kind);
    if (kind == 0) {
      matrices.push_back({diagonal_wise(p, i, most), {diagonals, symmetry}});
    } else if (kind == 1) {
      p.at[2] = 1;  // of the meshes, those in blocks
      matrices.push_back({mesh(p, i, most), {blocks, symmetry}});
    } else if (kind == 2) {
      matrices.push_back({graph_without_directions(p, i, most), {symmetry}});
    } else {
      MatrixSpec spec = survey[static_cast<std::size_t>(of_kind)];
      if (spec.kind != "rmat")  // which has one
        add_parameter(spec, "distinct", distinct[static_cast<std::size_t>(of_kind) % distinct.size()]);
      matrices.push_back({std::move(spec), {compact}});
    }
  }
  return matrices;
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

namespace {
// `whole`: without the cut that keeps a calibration short (on_cross).
std::vector<PlanStep> grid_steps(const std::vector<Grid>& grids, const DeviceProperties& properties,
                                 const std::vector<std::string>& kernels, Precision precision,
                                 std::int64_t max_nonzeros, bool whole) {
  struct Wanted {
    MatrixSpec spec;
    std::vector<std::string> kernels;
  };
  // Kernels with the same strip share a matrix; the key keeps the order of work: small matrices of all kinds first.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, Wanted> steps;
  for (const Grid& grid : grids) {
    for (const std::string& name : kernels) {
      const formats::KernelInfo* kernel = formats::find_kernel(name);
      if (kernel == nullptr || kernel->form != grid.form || kernel->made_for != formats::MadeFor::any ||
          !kernel->variant_of.empty())
        continue;
      const std::int64_t strip = properties.strip(name);
      for (const int strips : grid.strips) {
        for (const int row_length : grid.row_lengths) {
          if (!whole && grid.form == formats::PaperForm::csr && !on_cross(strips, row_length)) continue;
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
  std::vector<PlanStep> plan;
  for (auto& [key, wanted] : steps) {
    const double work = static_cast<double>(std::get<0>(key) + 20000) * static_cast<double>(wanted.kernels.size());
    plan.push_back({std::move(wanted.spec), std::move(wanted.kernels), work, Again::never});
  }
  return plan;
}
}  // namespace

std::vector<PlanStep> paper_grids(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                  Precision precision) {
  return grid_steps(full_grids(), properties, kernels, precision, most_nonzeros(properties, false), true);
}

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
  std::vector<MatrixSpec> survey = survey_matrices(quick ? quick_survey_size : survey_size, survey_nonzeros);
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
  std::ranges::move(grid_steps(quick ? quick_grids() : full_grids(), properties, kernels, precision, max_nonzeros, false),
                    std::back_inserter(plan));
  return plan;
}
}  // namespace sparsecast::calibration
