#include "calibration/plan/survey_recipes.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::calibration {
namespace {
constexpr double least_nonzeros = 3000;

// Decimals that specs carry: enough for the purpose, and the same text on every machine.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

// Halton's sequence (Halton 1960): the digits of the index mirrored at the point, a prime base per dimension.
double radical_inverse(int index, int base) {
  double value = 0, digit = 1.0 / base;
  for (; index > 0; index /= base, digit /= base) value += digit * (index % base);
  return value;
}

MatrixSpec edges_at_random(const SurveyPoint& p, int index, double most_nonzeros) {
  const double edges = p.log_between(0, least_nonzeros, most_nonzeros), degree = p.log_between(1, 3, 40);
  MatrixSpec spec;
  spec.kind = "rmat";
  spec.seed = static_cast<std::uint64_t>(index) + 1;
  spec.parameters = {.scale = std::max(6.0, std::round(std::log2(edges / degree))), .edges = std::round(edges)};
  return spec;
}
}  // namespace

SurveyPoint::SurveyPoint(int index) {
  constexpr std::array<int, 8> bases{2, 3, 5, 7, 11, 13, 17, 19};
  for (std::size_t d = 0; d < bases.size(); ++d) at[d] = radical_inverse(index + 1, bases[d]);
}

double SurveyPoint::log_between(std::size_t d, double low, double high) const {
  return low * std::pow(high / low, at[d]);
}

MatrixSpec spec_of(const char* kind, double rows, double row_mean, int index) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = static_cast<std::int64_t>(std::max(1.0, rows));
  spec.row_length = rounded(row_mean);
  spec.seed = static_cast<std::uint64_t>(index) + 1;
  return spec;
}

// Any features: nonzeros, row length, deviation, bandwidth, neighbours, similarity, skew, cols over rows.
MatrixSpec structured(const SurveyPoint& p, int index, double most_nonzeros) {
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
    spec.parameters = {.row_std = rounded(variation * mean), .skew = rounded(skew)};
  } else {
    spec.parameters = {.row_std = 0};
  }
  spec.parameters.bandwidth = rounded(bandwidth);
  spec.parameters.neighbours = rounded(p.between(4, 0, 1.9));
  spec.parameters.similarity = rounded(similarity);
  return spec;
}

// Every row the same one to four entries: diagonal and incidence matrices.
MatrixSpec thin(const SurveyPoint& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros), mean = std::floor(p.between(2, 1, 5));
  const double rows = std::round(nonzeros / mean), cols = std::max(std::round(rows * p.log_between(1, 0.5, 2)), 50.0);
  MatrixSpec spec = spec_of("structured", rows, mean, index);
  spec.cols = static_cast<std::int64_t>(cols);
  const double least_band = 2 * mean / cols;
  spec.parameters = {.row_std = 0,
                     .bandwidth = rounded(least_band * std::pow(1 / least_band, p.at[3])),
                     .neighbours = rounded(p.between(4, 0, 1.8) * (mean - 1) / mean),
                     .similarity = rounded(p.between(5, 0, 0.9))};
  return spec;
}

// Most graphs have one value, and x is read all over by those whose entries take few bytes.
MatrixSpec graph(const SurveyPoint& p, int index, double most_nonzeros) {
  MatrixSpec spec = edges_at_random(p, index, most_nonzeros);
  spec.parameters.distinct = 1;
  return spec;
}

MatrixSpec graph_without_directions(const SurveyPoint& p, int index, double most_nonzeros) {
  MatrixSpec spec = edges_at_random(p, index, most_nonzeros);
  spec.parameters.symmetric = 1;
  return spec;
}

MatrixSpec mesh(const SurveyPoint& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros);
  const int dimensions = p.at[3] < 0.5 ? 2 : 3;
  if (p.at[mesh_in_blocks] < 0.5) {
    const double mean = p.log_between(1, 4, 20);
    MatrixSpec spec = spec_of("geometric", nonzeros / mean, mean, index);
    spec.parameters = {.dimensions = dimensions};
    return spec;
  }
  const int dof = 2 + static_cast<int>(5 * p.at[4]);
  const double mean = std::round(p.log_between(1, 6, 27)) * dof;
  MatrixSpec spec = spec_of("blocks", std::round(std::max(nonzeros / mean, 2 * mean) / dof) * dof, mean, index);
  spec.parameters = {.dof = dof, .dimensions = dimensions};
  return spec;
}

MatrixSpec long_rows(const SurveyPoint& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros), mean = p.log_between(1, 2, 30);
  const double rows = std::max(300.0, nonzeros / mean);
  if (p.at[2] < 0.5) {
    MatrixSpec spec = spec_of("powerlaw", rows, mean, index);
    spec.parameters = {.exponent = rounded(p.between(3, 2.1, 3))};
    return spec;
  }
  MatrixSpec spec = spec_of("longrow", rows, mean, index);
  const double share = p.between(3, 0.05, 0.4);
  // Every long row must fit in the columns: share · rows · mean / count ≤ rows.
  const double count = std::ceil(std::max(p.log_between(4, 1, 50), 2 * share * mean));
  spec.parameters = {.long_rows = count, .long_share = rounded(share)};
  return spec;
}

MatrixSpec stencil(const SurveyPoint& p, int index, double most_nonzeros) {
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros);
  MatrixSpec spec;
  spec.seed = static_cast<std::uint64_t>(index) + 1;
  const auto grid = [&](const char* kind, double edge) {
    spec.kind = kind;
    spec.parameters = {.size = std::max(4.0, std::round(edge))};
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
    spec.parameters = {.bandwidth = std::ceil(std::min(rows / 3, mean * p.log_between(3, 1, 30)))};
  }
  return spec;
}

// Stencils and bands at least half full.
MatrixSpec diagonal_wise(const SurveyPoint& p, int index, double most_nonzeros) {
  if (p.at[2] < 0.75) return stencil(p, index, most_nonzeros);
  const double nonzeros = p.log_between(0, least_nonzeros, most_nonzeros), mean = std::round(p.log_between(1, 3, 40));
  MatrixSpec spec = spec_of("banded", std::max(200.0, nonzeros / mean), mean, index);
  spec.parameters = {.bandwidth = std::ceil((mean - 1) / 2 / p.between(3, 0.55, 1))};
  return spec;
}
}  // namespace sparsecast::calibration
