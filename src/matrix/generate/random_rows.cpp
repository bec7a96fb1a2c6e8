// Kinds whose rows are independent: a length from some distribution, and columns drawn evenly from all.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "matrix/generate/generators.hpp"
#include "matrix/generate/portable_math.hpp"
#include "matrix/generate/row_builder.hpp"

namespace sparsecast::matrix {
namespace {
// Streams of a row: 0 its length, 1 its columns, 2 its values.
constexpr std::uint64_t length_stream = 0, column_stream = 1;

Matrix random_rows(const GeneratorCall& call, std::function<std::int64_t(std::int64_t)> length, int threads) {
  const std::int64_t cols = call.cols();
  RowRecipe recipe;
  recipe.rows = call.rows();
  recipe.cols = cols;
  require_buildable(call.name, static_cast<double>(recipe.rows), static_cast<double>(cols),
                    static_cast<double>(recipe.rows) * std::min(call.number("row_mean"), static_cast<double>(cols)));
  recipe.length = std::move(length);
  recipe.columns = [seed = call.seed, cols](std::int64_t row, std::span<std::int32_t> columns, DrawScratch& scratch) {
    CounterRandom random(seed, row, column_stream);
    draw_distinct(random, cols, columns, scratch);
  };
  recipe.values = random_values(call.seed);
  return build_rows(recipe, call.name, threads);
}

// The whole number below or above x, so that the mean is x.
std::int64_t round_randomly(double x, CounterRandom& random) {
  const double below = std::floor(x);
  return static_cast<std::int64_t>(below) + (random.unit() < x - below ? 1 : 0);
}

std::int64_t round_nearest(double x) { return static_cast<std::int64_t>(std::floor(x + 0.5)); }

// row_mean of a kind whose rows cannot be longer than the matrix is wide.
double feasible_mean(const GeneratorCall& call) {
  const double mean = call.number("row_mean");
  if (mean > static_cast<double>(call.cols()))
    throw Error(ErrorCode::usage, fmt::format("{} non-zeros per row do not fit in {} columns", mean, call.cols()));
  return mean;
}
}  // namespace

Matrix generate_constant(const GeneratorCall& call, int threads) {
  feasible_mean(call);
  const std::int64_t length = call.count("row_mean");
  return random_rows(
      call, [length](std::int64_t) { return length; }, threads);
}

Matrix generate_normal(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call);
  const double deviation = call.given.at("row_std") ? call.number("row_std") : mean / 4;
  const double most = static_cast<double>(call.cols());
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) {
        CounterRandom random(seed, row, length_stream);
        return round_nearest(std::clamp(mean + deviation * normal_quantile(random.unit()), 0.0, most));
      },
      threads);
}

Matrix generate_uniform(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call);
  const std::int64_t choices = std::max<std::int64_t>(1, round_nearest(2 * mean - 1));
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) { return 1 + CounterRandom(seed, row, length_stream).below(choices); },
      threads);
}

Matrix generate_random(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call), cells = static_cast<double>(call.cols());
  // The length of a row is binomial. Long rows are taken as normal, short ones as Poisson, by inversion of the
  // cumulated probabilities: the difference is below that between two seeds.
  const double deviation = cells > 0 ? std::sqrt(mean * (1 - mean / cells)) : 0;
  std::vector<double> cumulated;
  if (mean <= 30)
    for (double term = portable_exp(-mean), sum = term; cumulated.size() < 120; sum += term) {
      cumulated.push_back(sum);
      term *= mean / static_cast<double>(cumulated.size());
    }
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) -> std::int64_t {
        CounterRandom random(seed, row, length_stream);
        const double u = random.unit();
        if (cumulated.empty()) return round_nearest(std::clamp(mean + deviation * normal_quantile(u), 0.0, cells));
        return std::ranges::lower_bound(cumulated, u) - cumulated.begin();
      },
      threads);
}

Matrix generate_powerlaw(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call), most = static_cast<double>(call.cols());
  const double exponent = call.number("exponent");
  // Pareto: length = least · u^(−1/(exponent − 1)), cut at the number of columns. `least` follows from the mean by
  // bisection, since the cut takes a part of the mean away: E min(X, m) = least · (1 + (1 − (least/m)^(e−2)) / (e −
  // 2)).
  double low = 0, high = std::max(mean, 1e-300);
  for (int step = 0; step < 60 && most > 0; ++step) {
    const double least = 0.5 * (low + high);
    const double cut = least < 1e-200 ? 0 : portable_exp((exponent - 2) * portable_log(least / most));
    (least * (1 + (1 - cut) / (exponent - 2)) < mean ? low : high) = least;
  }
  const double least = 0.5 * (low + high), power = -1 / (exponent - 1);
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) {
        CounterRandom random(seed, row, length_stream);
        const double length = least * portable_exp(power * portable_log(random.unit()));
        return round_randomly(std::min(length, most), random);
      },
      threads);
}

Matrix generate_longrow(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call), share = call.number("long_share");
  const std::int64_t rows = call.rows(), cols = call.cols();
  const std::int64_t long_rows = std::min(rows, call.whole("long_rows"));
  const double nonzeros = mean * static_cast<double>(rows);
  const std::int64_t long_length =
      long_rows == 0 ? 0 : std::min(cols, round_nearest(share * nonzeros / static_cast<double>(long_rows)));
  const std::int64_t short_rows = std::max<std::int64_t>(1, rows - long_rows);
  const double short_mean =
      std::max(0.0, nonzeros - static_cast<double>(long_length * long_rows)) / static_cast<double>(short_rows);
  // The k-th long row lies somewhere in the k-th of long_rows equal blocks of rows.
  const auto is_long = [=, seed = call.seed](std::int64_t row) {
    if (long_rows == 0) return false;
    const std::int64_t block = std::min(long_rows - 1, row * long_rows / rows);
    for (const std::int64_t k : {block, block + 1}) {
      const std::int64_t first = k * rows / long_rows, next = (k + 1) * rows / long_rows;
      if (k < long_rows && row == first + CounterRandom(seed, k, 5).below(std::max<std::int64_t>(1, next - first)))
        return true;
    }
    return false;
  };
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) {
        if (is_long(row)) return long_length;
        CounterRandom random(seed, row, length_stream);
        const double spread = std::min(short_mean, static_cast<double>(cols) - short_mean);
        return round_randomly(short_mean + spread * (2 * random.unit() - 1), random);
      },
      threads);
}
}  // namespace sparsecast::matrix
