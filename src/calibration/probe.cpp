#include "calibration/probe.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/generate.hpp>

#include "base/clock.hpp"
#include "base/embedded.hpp"
#include "base/interrupt.hpp"
#include "calibration/calibrate.hpp"
#include "calibration/measure.hpp"
#include "devices/description.hpp"

namespace sparsecast::calibration {
namespace {
// The largest matrices lie beyond the caches where that takes no more non-zeros than this.
constexpr double smallest_probe = 2e4, least_largest_probe = 1e6, most_largest_probe = 4e6;

double largest_probe(const DeviceProperties& properties) {
  double cached = 0;
  for (const CacheLevel& cache : properties.caches) cached = std::max(cached, static_cast<double>(cache.size_bytes));
  return std::clamp(4 * cached / 12, least_largest_probe, most_largest_probe);
}

// Grids and bands from small to large: what a machine reaches of its memory, cores and launches shows best where
// nothing else matters, and carries from there to other matrices better than what odd ones tell. The order is mixed,
// so that a probe that is cut short has seen large and small ones.
std::vector<MatrixSpec> probe_matrices(int count, double largest) {
  constexpr int stride = 7;
  std::vector<MatrixSpec> specs;
  for (int i = 0; i < count; ++i) {
    const int place = stride * (i + 1) % count;
    const double nonzeros = smallest_probe * std::pow(largest / smallest_probe, place / std::max(1.0, count - 1.0));
    MatrixSpec spec;
    spec.seed = static_cast<std::uint64_t>(i) + 1;
    const auto grid = [&](const char* kind, double edge) {
      spec.kind = kind;
      spec.parameters = fmt::format(R"({{"size":{}}})", std::round(edge));
    };
    switch (i % 4) {
      case 0: grid("stencil27", std::cbrt(nonzeros / 27)); break;
      case 1: grid("poisson2d", std::sqrt(nonzeros / 5)); break;
      case 2:
        spec.kind = "banded";
        spec.row_length = 40;
        spec.rows = static_cast<std::int64_t>(nonzeros / spec.row_length);
        spec.parameters = R"({"bandwidth":120})";
        break;
      default: grid("poisson3d", std::cbrt(nonzeros / 7));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

TimingOptions probe_timing(const hardware::Device& device) {
  TimingOptions options;
  options.max_s = 0.1;
  options.max_blocks = 9;
  options.min_blocks = 5;
  options.threads = device.threads();
  return options;
}

void probe_matrix(Profile& profile, hardware::Device& device, const MatrixSpec& spec, Precision precision) {
  const Matrix matrix = generate(spec, device.threads());
  BenchmarkMatrix benchmark{spec, analyze(matrix, device.threads()), {}};
  const std::vector<Measurement> measured =
      measure_kernels(device, matrix, benchmark.structure, device.kernels(), precision, probe_timing(device));
  const int index = static_cast<int>(profile.matrices.size());
  for (const Measurement& m : measured) {
    if (m.status != "ok" || !(m.timing.seconds > 0)) continue;
    Record record;
    record.matrix = index;
    record.kernel = m.kernel;
    record.precision = precision;
    record.threads = m.threads;
    record.seconds = m.timing.seconds;
    record.spread = m.timing.spread;
    record.preprocess_s = m.preprocess_s.value_or(0);
    record.step_s = m.timing.step_s;
    record.launch_s = m.timing.launch_s;
    record.taken = m.taken;
    profile.records.push_back(std::move(record));
  }
  profile.matrices.push_back(std::move(benchmark));
}

DeviceProperties described_here(const hardware::Device& device) {
  const DeviceProperties& found = device.properties();
  if (found.kind != DeviceKind::host) return found;
  DeviceProperties host = with_threads(hardware::describe_host(), device.threads());
  for (CacheLevel& cache : host.caches) cache.shared_by = std::min(cache.shared_by, host.compute_units);
  return host;
}

// As the script makes it.
Matrix made(const BandMatrix& band) {
  Csr<std::int32_t, std::int32_t> a;
  a.rows = a.cols = band.rows;
  const std::int64_t wide = (band.length - 1) * band.stride;
  a.row_pointers.push_back(0);
  for (std::int64_t i = 0; i < band.rows; ++i) {
    const std::int64_t first = std::clamp<std::int64_t>(i - wide / 2, 0, band.rows - 1 - wide);
    for (std::int64_t k = 0; k < band.length; ++k)
      a.column_indices.push_back(static_cast<std::int32_t>(first + k * band.stride));
    a.row_pointers.push_back(static_cast<std::int32_t>(a.column_indices.size()));
  }
  a.values.assign(a.column_indices.size(), 1.0);
  return {std::move(a), band.name()};
}

constexpr std::string_view columns =
    "matrix\trows\tcols\tnonzeros\trow_min\trow_q1\trow_median\trow_q3\trow_max\trow_std\tbandwidth_"
    "scaled\tneighbours\t"
    "cross_row_similarity";

std::string row_of(const BandMatrix& band) {
  const Structure s = analyze(made(band));
  return fmt::format("{0}\t{1}\t{1}\t{2}\t{3}\t{3}\t{3}\t{3}\t{3}\t0\t{4}\t{5}\t{6}", s.name, s.rows, s.nonzeros,
                     band.length, s.bandwidth_scaled, s.neighbours, s.cross_row_similarity);
}
}  // namespace

Profile probe_device(hardware::Device& device, const ProbeOptions& options) {
  const double start = base::now_s();
  if (options.progress) options.progress({0, -1, "bandwidth and launch"});
  Profile profile;
  profile.properties = described_here(device);
  hardware::require_description(profile.properties, profile.properties.name);
  profile.name = profile.properties.name;
  profile.software = software_text();
  profile.tier = "probe";
  const std::vector<MatrixSpec> specs = probe_matrices(options.matrices, largest_probe(profile.properties));
  double done = 0;
  for (const MatrixSpec& spec : specs) {
    base::throw_if_interrupted();
    const double elapsed = base::now_s() - start;
    if (elapsed > options.max_s) break;
    if (options.progress)
      options.progress({done / static_cast<double>(specs.size()), -1, fmt::format("{} matrix", spec.kind)});
    probe_matrix(profile, device, spec, options.precision);
    ++done;
  }
  profile.taken = base::utc_now();
  if (options.progress) options.progress({1, 0, "probed"});
  return profile;
}

std::string BandMatrix::name() const { return fmt::format("band-{}-{}-{}", rows, length, stride); }

Structure BandMatrix::shape() const {
  Structure s;
  s.name = name();
  s.rows = s.cols = rows;
  s.nonzeros = rows * length;
  s.row_mean = static_cast<double>(length);
  s.row_min = s.row_max = length;
  s.row_quartiles.assign(3, s.row_mean);
  return s;
}

std::vector<BandMatrix> bands_like(const std::vector<Structure>& given) {
  constexpr int count = 16;
  constexpr double smallest = 2e4, least_largest = 1e6, most_largest = 8e6, longest = 512;
  std::vector<double> lengths{8, 32};
  double largest = 0;
  for (const Structure& s : given) {
    largest = std::max(largest, static_cast<double>(s.nonzeros));
    lengths.push_back(std::clamp(std::round(s.row_mean), 1.0, longest));
  }
  largest = std::clamp(largest, least_largest, most_largest);
  std::vector<BandMatrix> bands;
  for (int i = 0; i < count; ++i) {
    const double nonzeros = smallest * std::pow(largest / smallest, i / (count - 1.0));
    BandMatrix band{0, std::llround(lengths[static_cast<std::size_t>(i) % lengths.size()]), 1 + 2 * (i / 2 % 2)};
    band.rows = std::max<std::int64_t>(std::llround(nonzeros / static_cast<double>(band.length)),
                                       2 * band.length * band.stride);
    bands.push_back(band);
  }
  return bands;
}

std::vector<std::string> scripted_kernels(const DeviceProperties& properties) {
  if (properties.kind == DeviceKind::host) return {"csr"};
  const char* library = properties.vendor == "AMD" ? "hipsparse" : "cusparse";
  return {fmt::format("{}-csr", library), fmt::format("{}-coo", library)};
}

std::string probe_script(const std::vector<BandMatrix>& matrices) {
  std::string rows(columns), script(embedded::probe_script()[0].text);
  for (const BandMatrix& band : matrices) rows += "\n" + row_of(band);
  constexpr std::string_view place = "@MATRICES@";
  return script.replace(script.find(place), place.size(), rows);
}
}  // namespace sparsecast::calibration
