// A body of ordinary rows and a tail of long ones. The body is a normal or a log-normal distribution cut to
// [least, longest], whose two parameters are solved for; the tail falls geometrically from the longest row, as long as
// it takes to bring the deviation that the body leaves open. Instead of drawing lengths, the rows take the quantiles of
// the distribution in random order: mean and deviation then come out as solved for, whatever the seed.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/team.hpp"
#include "base/threads.hpp"
#include "matrix/generate/counter_random.hpp"
#include "matrix/generate/portable_math.hpp"
#include "matrix/generate/structured_lengths.hpp"

namespace sparsecast::matrix {
namespace {
// A random order of 0 … size − 1 without storing it: a Feistel network over the next power of four, applied again while
// it leaves the range (cycle walking, Black & Rogaway 2002).
class RandomOrder {
 public:
  RandomOrder(std::uint64_t size, std::uint64_t seed) : size_(size), seed_(seed) {
    while ((std::uint64_t{1} << (2 * half_)) < size) ++half_;
  }
  std::uint64_t operator()(std::uint64_t i) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    do {
      std::uint64_t left = i >> half_, right = i & mask;
      for (std::uint64_t round = 0; round < 4; ++round) {
        const std::uint64_t mixed = left ^ (mix_bits(seed_ + 0x9E3779B97F4A7C15U * (right * 4 + round + 1)) & mask);
        left = right;
        right = mixed;
      }
      i = left << half_ | right;
    } while (i >= size_);
    return i;
  }

 private:
  std::uint64_t size_, seed_;
  int half_ = 1;
};

struct Moments {
  double mean = 0, variance = 0;
};

// A cut normal (or log-normal) distribution of whole lengths.
struct Body {
  bool logarithmic = false;
  double least = 0, longest = 0;
  double centre = 0, width = 0;

  [[nodiscard]] double length(double z) const {
    const double x = centre + width * z;
    const double length = logarithmic ? (x > 600 ? longest : x < -600 ? least : portable_exp(x)) : x;
    return std::floor(std::clamp(length, least, longest) + 0.5);
  }
  [[nodiscard]] Moments moments(const std::vector<double>& quantiles) const {
    Moments m;
    double squares = 0;
    for (const double z : quantiles) {
      const double l = length(z);
      m.mean += l;
      squares += l * l;
    }
    const double n = static_cast<double>(quantiles.size());
    m.mean /= n;
    m.variance = std::max(0.0, squares / n - m.mean * m.mean);
    return m;
  }
  // Solves for the centre (inner bisection: the mean grows with it) and the width (outer: so does the deviation).
  void solve(double mean, double deviation) {
    constexpr int points = 512, steps = 36;
    std::vector<double> quantiles;
    for (int i = 0; i < points; ++i) quantiles.push_back(normal_quantile((i + 0.5) / points));
    double narrow = 1e-4, wide = logarithmic ? 12 : 4 * (longest - least) + 4;
    for (int outer = 0; outer < steps; ++outer) {
      // Widths span orders of magnitude.
      width = std::sqrt(narrow * wide);
      double low = logarithmic ? portable_log(std::max(least, 0.01)) - 4 * width - 3 : least - 4 * width - 1;
      double high = logarithmic ? portable_log(std::max(longest, 1.0)) + 4 * width + 3 : longest + 4 * width + 1;
      Moments m;
      for (int inner = 0; inner < steps; ++inner) {
        centre = 0.5 * (low + high);
        m = moments(quantiles);
        (m.mean < mean ? low : high) = centre;
      }
      (m.variance < deviation * deviation ? narrow : wide) = width;
    }
  }
};

constexpr double tail_decay = 5;  // the last row of the tail is e^-5 of the longest

double tail_length(double longest, double mean, std::int64_t j, std::int64_t tail) {
  return std::floor(
      std::max(mean, longest * portable_exp(-tail_decay * static_cast<double>(j) / static_cast<double>(tail))) + 0.5);
}

Moments tail_sums(double longest, double mean, std::int64_t tail) {
  Moments sums;
  for (std::int64_t j = 0; j < tail; ++j) {
    const double l = tail_length(longest, mean, j, tail);
    sums.mean += l;
    sums.variance += (l - mean) * (l - mean);
  }
  return sums;
}

[[noreturn]] void infeasible(const std::string& why) {
  throw Error(ErrorCode::usage, "row lengths cannot have these features together: " + why, {},
              "change row_std, skew or row_mean");
}
}  // namespace

std::vector<std::int32_t> structured_lengths(const LengthTargets& t, std::uint64_t seed, int threads) {
  const double rows = static_cast<double>(t.rows), cols = static_cast<double>(t.cols);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(t.rows), 0);
  if (t.rows == 0 || t.mean <= 0) return lengths;
  if (t.mean > cols) infeasible(fmt::format("{} non-zeros per row in {} columns", t.mean, t.cols));
  const double longest = t.skew < 0 ? cols : std::floor(t.mean * (1 + t.skew) + 0.5);
  if (longest > cols) infeasible(fmt::format("the longest row would have {} non-zeros in {} columns", longest, t.cols));

  // The tail: one row where the body can bring the deviation itself, more where the longest row is far out.
  const double squares = rows * t.deviation * t.deviation, away = longest - t.mean;
  std::int64_t tail = 0;
  Moments tail_sum;
  if (t.skew >= 0 && away >= 1) {
    tail = 1;
    const double body_share = rows * std::min(t.deviation, t.mean) * std::min(t.deviation, t.mean);
    if (away > 6 * t.deviation && squares > body_share)
      tail = std::max<std::int64_t>(1, std::llround((squares - body_share) / (longest * longest) * 2 * tail_decay));
    tail = std::min(tail, t.rows);
    for (tail_sum = tail_sums(longest, t.mean, tail); tail > 1 && tail_sum.variance > squares;
         tail_sum = tail_sums(longest, t.mean, tail))
      tail -= std::max<std::int64_t>(1, tail / 16);
    // A single row that is out by itself makes a deviation of its own.
    if (tail_sum.variance > squares * 1.02 + 0.5 * rows * 1e-6)
      infeasible(fmt::format("one row of {} among {} makes the deviation at least {:.4g}", longest, t.rows,
                             std::sqrt(tail_sum.variance / rows)));
  }
  const double body_rows = rows - static_cast<double>(tail);
  Body body;
  if (body_rows > 0) {
    const double mean = (rows * t.mean - tail_sum.mean) / body_rows;
    if (mean < 0) infeasible(fmt::format("the {} long rows alone make more than {} non-zeros per row", tail, t.mean));
    const double deviation = std::sqrt(std::max(0.0, squares - tail_sum.variance) / body_rows);
    body.least = mean >= 2 ? 1 : 0;
    body.longest = longest;
    body.logarithmic = deviation > 0.35 * mean && longest - mean >= 2 * deviation;
    const double most = std::sqrt(std::max(0.0, (longest - mean) * (mean - body.least)));
    if (deviation > most * 1.001 + 0.5)
      infeasible(
          fmt::format("lengths up to {} with mean {:.4g} have a deviation of at most {:.4g}", longest, mean, most));
    body.solve(mean, deviation);
  }
  const RandomOrder order(static_cast<std::uint64_t>(t.rows), mix_bits(seed + 17));
#pragma omp parallel for schedule(static) num_threads(base::team_of(base::thread_count(threads)))
  for (std::int64_t r = 0; r < t.rows; ++r) {
    const auto rank = static_cast<std::int64_t>(order(static_cast<std::uint64_t>(r)));
    const double length = rank < tail
                              ? tail_length(longest, t.mean, rank, tail)
                              : body.length(normal_quantile((static_cast<double>(rank - tail) + 0.5) / body_rows));
    lengths[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(length);
  }
  return lengths;
}
}  // namespace sparsecast::matrix
