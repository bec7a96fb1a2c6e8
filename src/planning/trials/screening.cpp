#include "planning/trials/screening.hpp"

#include <omp.h>
#include <algorithm>
#include <optional>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "formats/kernels.hpp"
#include "planning/run/plan_runner.hpp"
#include "planning/run/timed_plan.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
namespace {
// Stretches begin and end where blocks of every height from 1 to 8 do, and hold a window of sell's sorting.
constexpr std::int64_t whole_blocks = 840, stretch_rows = 2 * whole_blocks;
constexpr int most_stretches = 8;
// Part of the rows that are taken, and above which share of the non-zeros a sample is not worth its name.
constexpr std::int64_t part = 8;
constexpr double largest_share = 0.35;
// More kernels than this are not screened; nor is one whose conversion of the sample takes so many products.
constexpr std::size_t most_screened = 8;
constexpr double longest_conversion = 4;
// All formats of the sample together take no more than the matrix, or than this.
constexpr std::int64_t always_held = std::int64_t{64} << 20;
constexpr int rounds = 5;  // the first one warms up
// Products of the sample that one thread does in less time are run by one: on two, of 39 judged matrices eight were
// misjudged by 5 to 50 % otherwise.
constexpr double short_s = 2e-4;
// Deviation of log(time of all the rows / time by the sample): of kernels that go row by row, and of those that go
// through a column of all rows at a time, whose y and x of a sample stay nearer. Found over 21 of the judged matrices
// on a Zen 4 guest: 0.02 to 0.07, and 0.10 (jad) and 0.16 (hyb).
constexpr double by_rows = 0.045, by_columns = 0.13;
// A sample whose format grows otherwise than the matrix by more than this says nothing of the whole: padding,
// diagonals.
constexpr double like_enough = 1.3;

// Products made meanwhile by this thread run on it alone.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread& operator=(OneThread&&) = delete;  // nor copied

 private:
  int before_;
};

template <class Offset, class Index, class Spans>
Csr<Offset, Index> stretches_of(const Spans& csr, std::int64_t count, std::int64_t rows) {
  Csr<Offset, Index> sample{
      .rows = count * rows, .cols = csr.cols, .row_pointers = {}, .column_indices = {}, .values = {}};
  formats::allocate(sample.row_pointers, sample.rows + 1, "a sample of rows");
  const auto first_of = [&](std::int64_t k) {
    return (2 * k + 1) * csr.rows / (2 * count) / whole_blocks * whole_blocks - rows / 2 / whole_blocks * whole_blocks;
  };
  std::int64_t entries = 0;
  for (std::int64_t k = 0; k < count; ++k)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t from = first_of(k) + row;
      sample.row_pointers[k * rows + row] = static_cast<Offset>(entries);
      entries += csr.row_pointers[from + 1] - csr.row_pointers[from];
    }
  sample.row_pointers[sample.rows] = static_cast<Offset>(entries);
  formats::allocate(sample.column_indices, entries, "a sample of rows");
  formats::allocate(sample.values, entries, "a sample of rows");
  for (std::int64_t k = 0; k < count; ++k) {
    const auto begin = csr.row_pointers[first_of(k)], size = csr.row_pointers[first_of(k) + rows] - begin;
    const std::int64_t to = sample.row_pointers[k * rows];
    std::ranges::copy(csr.column_indices.subspan(begin, size), sample.column_indices.data() + to);
    std::ranges::copy(csr.values.subspan(begin, size), sample.values.data() + to);
  }
  return sample;
}

bool may_win(const Contender& one, double best_s, double share) {
  const PlannedBlock& block = one.strategy.blocks.front();
  return one.strategy.blocks.size() == 1 && one.strategy.device == "host" && !one.strategy.transposed &&
         formats::kernel_or_plain(block.kernel).made_for != formats::MadeFor::symmetry && one.forecast.low_s < best_s &&
         one.forecast.conversion_s * share < longest_conversion * best_s;
}

struct Entrant {
  const Contender* contender;
  std::shared_ptr<Runner> runner;
  double scale = 0, least_s = never;
};

// How much longer the whole takes than its sample; 0 where the sample is unlike it.
double scale_of(const Contender& one, const Runner& runner, double by_bytes) {
  if (one.bytes <= 0 || runner.bytes() <= 0) return by_bytes;
  const double scale = number(one.bytes) / number(runner.bytes());
  return std::abs(std::log(scale / by_bytes)) < std::log(like_enough) ? scale : 0;
}

std::vector<Entrant> entrants(const Matrix& matrix, const Matrix& sample, const std::vector<Contender>& contenders) {
  const double scale = number(matrix.bytes()) / number(sample.bytes());
  double best_s = never;
  for (const Contender& one : contenders) best_s = std::min(best_s, one.forecast.seconds);
  const double most_held = number(std::max(matrix.bytes(), always_held));
  double held = 0;
  std::vector<Entrant> all;
  for (const Contender& one : contenders) {
    if (all.size() == most_screened) break;
    if (!may_win(one, best_s, 1 / scale) || held + number(one.bytes) / scale > most_held) continue;
    base::throw_if_interrupted();
    Strategy strategy = one.strategy;
    strategy.blocks.front().last_row = sample.rows() - 1;
    try {
      std::shared_ptr<Runner> runner = make_runner(sample, std::move(strategy), {.summed = false});
      const double own = scale_of(one, *runner, scale);
      if (!(own > 0)) continue;
      held += number(runner->bytes());
      all.push_back({&one, std::move(runner), own});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::failed && error.code() != ErrorCode::too_large) throw;
    }
  }
  return all;
}

// Whether starting threads, and how few slices they share, would show in products of the sample.
bool is_short(const std::vector<Entrant>& all) {
  return std::ranges::all_of(all, [](const Entrant& one) {
    return one.contender->forecast.seconds / one.scale * one.runner->strategy.threads < short_s;
  });
}

// What was seen and what was forecast, each by how far it is to be trusted. Half of a forecast's variance is common to
// the kernels of a matrix: `moved`, the factor by which those that were screened miss theirs, takes it out.
Candidate weighed(const Candidate& forecast, double seen_s, double moved) {
  // A forecast that is further off than it promised is trusted no more than that.
  const double own = std::log(forecast.high_s / forecast.low_s) / 2 / two_sided_90 / std::sqrt(2.0);
  const double foreseen = std::max(own, std::abs(std::log(seen_s / (forecast.seconds * moved))));
  const formats::PaperForm form = formats::kernel_or_plain(forecast.name).form;
  const bool columns = form == formats::PaperForm::ell || form == formats::PaperForm::hyb;
  const double by_sample = std::pow(columns ? by_columns : by_rows, -2);
  const double by_forecast = forecast.low_s > 0 ? 1 / (foreseen * foreseen) : 0;
  const double seconds = std::exp((by_sample * std::log(seen_s) + by_forecast * std::log(forecast.seconds * moved)) /
                                  (by_sample + by_forecast));
  const double width = std::exp(two_sided_90 / std::sqrt(by_sample + by_forecast));
  return {forecast.name, seconds, seconds / width, seconds * width, forecast.conversion_s};
}

std::vector<TriedKernel> take_in(const std::vector<Entrant>& entrants, std::vector<Contender>& contenders) {
  std::vector<TriedKernel> seen;
  double sum = 0;
  for (const Entrant& one : entrants) {
    const Candidate& forecast = one.contender->forecast;
    seen.push_back({.kernel = forecast.name,
                    .seconds = one.least_s * one.scale,
                    .predicted_s = forecast.seconds,
                    .conversion_s = one.runner->conversion_s,
                    .products = rounds});
    sum += std::log(seen.back().seconds / forecast.seconds);
  }
  const double moved = std::exp(sum / (1 + number(std::ssize(seen))));
  for (Contender& one : contenders) {
    Candidate& forecast = one.forecast;
    const auto found = std::ranges::find(seen, forecast.name, &TriedKernel::kernel);
    if (found != seen.end()) {
      forecast = weighed(forecast, found->seconds, moved);
    } else {
      forecast.seconds *= moved, forecast.low_s *= moved, forecast.high_s *= moved;
    }
  }
  return seen;
}
}  // namespace

Matrix sample_of_rows(const Matrix& matrix) {
  const std::int64_t count = std::clamp<std::int64_t>(matrix.rows() / part / stretch_rows, 1, most_stretches);
  const std::int64_t rows = std::max(stretch_rows, matrix.rows() / part / count / whole_blocks * whole_blocks);
  if (matrix.rows() < 2 * stretch_rows || matrix.is_complex()) return {};
  return matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) -> Matrix {
    if constexpr (sizeof(Offset) < sizeof(Index)) {
      return {};
    } else {
      return {stretches_of<Offset, Index>(csr, count, rows), matrix.name()};
    }
  });
}

Screening screen(const Matrix& matrix, std::vector<Contender>& contenders) {
  Screening screening;
  const double start = base::now_s();
  try {
    const Matrix sample = sample_of_rows(matrix);
    if (sample.nonzeros() == 0 || number(sample.nonzeros()) > largest_share * number(matrix.nonzeros()))
      return screening;
    std::vector<Entrant> all = entrants(matrix, sample, contenders);
    if (all.size() < 2) return screening;
    TimingVectors vectors(*all.front().runner);
    const bool alone = is_short(all);
    std::optional<OneThread> one_thread;
    if (alone) one_thread.emplace();
    for (int round = 0; round < rounds; ++round)
      for (Entrant& one : all) {
        base::throw_if_interrupted();
        const double seconds = vectors.run(*one.runner, 1) / (alone ? one.runner->strategy.threads : 1);
        if (round > 0) one.least_s = std::min(one.least_s, seconds);
      }
    screening.seen = take_in(all, contenders);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
    screening.interrupted = true;
  } catch (const std::bad_alloc&) {
    screening.seen.clear();
  }
  screening.spent_s = base::now_s() - start;
  return screening;
}
}  // namespace sparsecast::planning
