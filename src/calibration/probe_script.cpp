#include "calibration/probe_script.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/embedded.hpp"

namespace sparsecast::calibration {
namespace {
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
