#include "cluster/training_matrices.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/generate.hpp>
#include <sstream>
#include <string_view>

#include "base/embedded.hpp"
#include "base/text.hpp"

namespace sparsecast::embedded {
std::span<const File> training_recipes();  // src/cluster/training/*.txt
}  // namespace sparsecast::embedded

namespace sparsecast::cluster {
namespace {
// Of the small ones the mesh that no cache of today holds: without it nothing tells what memory costs.
const MatrixParameters beyond_cache{.size = 1100};

constexpr std::int64_t most_linear_nonzeros = 3'000'000;

std::vector<MatrixSpec> specs(std::string_view file) {
  const auto recipes = std::ranges::find(embedded::training_recipes(), file, &embedded::File::name);
  std::vector<MatrixSpec> out;
  for (const std::string_view line : base::split(recipes->text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream recipe{std::string(line)};
    MatrixSpec spec;
    recipe >> spec.kind;
    // A kind that this build does not generate is left out.
    if (find_generator_kind(spec.kind) == nullptr) continue;
    if (const auto parameters = line.find('{'); parameters == std::string_view::npos)
      recipe >> spec.rows >> spec.row_length;
    else
      spec.parameters = MatrixParameters::from_json(line.substr(parameters));
    spec.seed = 1000 + out.size();
    out.push_back(std::move(spec));
  }
  return out;
}
}  // namespace

std::vector<MatrixSpec> training_matrices(bool for_large_cluster) {
  return specs(for_large_cluster ? "large.txt" : "small.txt");
}

std::vector<MatrixSpec> quick_matrices(bool for_large_cluster) {
  const std::vector<MatrixSpec> all = training_matrices(for_large_cluster);
  std::vector<MatrixSpec> some;
  // From both ends in turns, as the time may be over before all are done: regular and irregular ones alike.
  const auto place = [&](std::size_t k) { return k % 2 == 0 ? k / 2 : all.size() - 1 - k / 2; };
  for (std::size_t k = 0; k < all.size(); ++k)
    if (const MatrixSpec& one = all[place(k)]; one.parameters == beyond_cache)
      some.insert(some.begin(), one);
    else if (place(k) % 2 == 0)
      some.push_back(one);
  return some;
}

std::vector<MatrixSpec> ninety_matrices(bool for_large_cluster) {
  constexpr std::size_t papers = 90;
  static constexpr double lengths[] = {2.5, 4, 6, 9, 14, 20, 30, 5};
  static constexpr std::int64_t sizes[] = {4000, 8000, 14000, 22000, 35000, 50000, 75000, 110000};
  std::vector<MatrixSpec> out = training_matrices(for_large_cluster);
  const std::int64_t scale = for_large_cluster ? 5 : 1;
  std::size_t turn = 0;
  for (const std::int64_t rows : sizes)
    for (const char* const kind :
         {"geometric", "random", "powerlaw", "normal", "uniform", "constant", "longrow", "rmat", "poisson2d"}) {
      if (out.size() == papers) return out;
      const double length = lengths[turn++ % std::size(lengths)];
      MatrixSpec spec;
      spec.kind = kind;
      if (find_generator_kind(kind) == nullptr) continue;
      if (spec.kind == "poisson2d") {
        spec.parameters = {.size = std::round(std::sqrt(static_cast<double>(rows * scale))) + 1};
      } else if (spec.kind == "rmat") {
        const int power = static_cast<int>(std::lround(std::log2(static_cast<double>(rows * scale))));
        spec.parameters = {.scale = power, .edges = std::round(length * std::ldexp(1.0, power))};
      } else {
        spec.rows = rows * scale;
        spec.row_length = spec.kind == "constant" ? std::round(length) : length;
      }
      spec.seed = 3000 + out.size();
      out.push_back(std::move(spec));
    }
  return out;
}

std::vector<MatrixSpec> linear_matrices(int side, bool for_large_cluster) {
  static constexpr std::int64_t few[] = {500, 4000, 20000}, many[] = {1000, 6000, 25000, 70000};
  std::vector<MatrixSpec> out;
  const auto add = [&](std::int64_t rows_per_block) {
    const std::int64_t rows = rows_per_block * side;
    for (int length = 1; length <= 128; length *= 2) {
      // Two points at least make the line of every number of rows.
      if (length > 2 && (rows * length > most_linear_nonzeros || length > rows / 4)) break;
      MatrixSpec spec;
      spec.kind = "random";
      spec.rows = rows;
      spec.row_length = length;
      spec.seed = 7000 + out.size();
      out.push_back(std::move(spec));
    }
  };
  if (for_large_cluster) {
    for (const std::int64_t rows : many)
      if (rows * side <= 1'200'000) add(rows);
  } else {
    for (const std::int64_t rows : few) add(rows);
  }
  return out;
}

std::vector<int> outermost_first(std::vector<int> counts) {
  std::ranges::sort(counts);
  if (counts.size() > 2) std::rotate(counts.begin() + 1, counts.end() - 1, counts.end());
  return counts;
}
}  // namespace sparsecast::cluster
