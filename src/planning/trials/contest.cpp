#include "planning/trials/contest.hpp"

#include <omp.h>
#include <unistd.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "formats/kernels.hpp"
#include "planning/run/device_runner.hpp"
#include "planning/run/turns.hpp"
#include "planning/search/planner_parts.hpp"

namespace sparsecast::planning {
namespace {
std::string name_of_blocks(const std::vector<PlannedBlock>& blocks) {
  std::string name;
  for (const PlannedBlock& block : blocks)
    name += (name.empty() ? "" : "+") + block.kernel + (block.reordered ? " sorted" : "");
  return name;
}

Contender contender(const Strategy& planned, std::vector<PlannedBlock> blocks, double seconds, double low_s,
                    double high_s) {
  Contender one;
  one.strategy = planned;
  one.strategy.blocks = std::move(blocks);
  one.strategy.cut = one.strategy.blocks.size() > 1;
  one.strategy.predicted_s = seconds;
  one.strategy.conversion_s = 0;
  for (const PlannedBlock& block : one.strategy.blocks) one.strategy.conversion_s += block.conversion_s;
  one.forecast = {name_of_blocks(one.strategy.blocks), seconds, low_s, high_s, one.strategy.conversion_s};
  return one;
}

Contender cut_of(const Strategy& planned, const std::vector<PlannedBlock>& blocks) {
  double seconds = 0;
  for (const PlannedBlock& block : blocks) seconds += block.seconds;
  // The gain's interval is of the whole cost, which where the conversion counts is not the product's alone.
  const double half =
      std::clamp((planned.gain_high - planned.gain_low) / 2 * planned.best_single.seconds / seconds, 0.05, 0.9);
  return contender(planned, blocks, seconds, seconds * (1 - half), seconds / (1 - half));
}

Contender single_of(const Strategy& planned, const SingleKernel& single) {
  PlannedBlock block{.last_strip = planned.strips, .kernel = single.kernel, .seconds = single.seconds};
  block.last_row = planned.blocks.empty() ? -1 : planned.blocks.back().last_row;
  block.conversion_s = single.conversion_s;
  Contender one = contender(planned, {block}, single.seconds, single.low_s, single.high_s);
  one.bytes = single.bytes;
  return one;
}

// By what finishes first.
void in_order(std::vector<Contender>& all, std::int64_t iterations) {
  std::ranges::stable_sort(all, {}, [&](const Contender& one) {
    return iterations > 0 ? number(iterations) * one.forecast.seconds + one.forecast.conversion_s
                          : one.forecast.seconds;
  });
}

// What screening takes, in products, and the share of a product that must be left to win.
constexpr double products_of_a_screening = 15, least_worth_looking = 0.005;

// Half of what the device has, for the two formats that are held.
double memory_for(const Runner& beside) {
  if (const auto* device = dynamic_cast<const DeviceRunner*>(&beside))
    return number(device->device()->properties().memory_bytes) / 2;
  return number(sysconf(_SC_PHYS_PAGES)) * number(sysconf(_SC_PAGESIZE)) / 2;
}

TrialCourse course_of(const std::vector<Contender>& all, const Strategy& planned, const TrialOptions& options,
                      double spent_s = 0) {
  std::vector<Candidate> candidates;
  for (const Contender& one : all) candidates.push_back(one.forecast);
  return {std::move(candidates),
          {.iterations = planned.iterations,
           .most = options.mode == TrialMode::count ? options.most : 0,
           .threads = planned.threads,
           .spent_s = spent_s}};
}

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

std::vector<Contender> contenders(const Strategy& planned) {
  std::vector<Contender> all;
  for (const SingleKernel& single : planned.singles) all.push_back(single_of(planned, single));
  if (!planned.best_cut.empty()) all.push_back(cut_of(planned, planned.best_cut));
  in_order(all, planned.iterations);
  const std::string first = name_of_blocks(planned.blocks);
  const auto found = std::ranges::find(all, first, [](const Contender& one) { return one.forecast.name; });
  if (found != all.end()) {
    std::rotate(all.begin(), found, found + 1);
  } else {
    const SingleKernel& like = planned.best_single;
    const double ratio = like.seconds > 0 ? planned.predicted_s / like.seconds : 1;
    all.insert(all.begin(),
               contender(planned, planned.blocks, planned.predicted_s, like.low_s * ratio, like.high_s * ratio));
  }
  return all;
}

Contest::Contest(Matrix matrix, const Strategy& planned, const TrialOptions& options)
    : matrix_(std::move(matrix)),
      options_(options),
      contenders_(contenders(planned)),
      course_(course_of(contenders_, planned, options)) {
  if (options.mode == TrialMode::automatic) look();
  convert();
  if (!best_) best_ = make_runner(matrix_, contenders_[course_.best()].strategy, {.summed = false});
}

// Screens where all that may be won pays for it, and begins with what looks best then.
void Contest::look() {
  const Strategy planned = contenders_.front().strategy;
  const double share = course_.report().left_to_win;
  if (share < least_worth_looking) return;
  if (planned.iterations > 0 && share * number(planned.iterations) < wins_of_price * products_of_a_screening) return;
  Screening screening = screen(matrix_, contenders_);
  screened_ = std::move(screening.seen);
  if (planned.blocks.size() == 1) in_order(contenders_, planned.iterations);
  course_ = course_of(contenders_, planned, options_, screening.spent_s);
  if (screening.interrupted) course_.end("interrupted", false);
}

void Contest::convert() {
  while (course_.step().action == TrialAction::convert) {
    const std::size_t place = course_.step().candidate;
    const Contender& one = contenders_[place];
    if (best_ && place == best_place_) {  // it is converted already
      course_.took(0);
      continue;
    }
    try {
      if (best_ && number(one.bytes) + number(best_->bytes()) > memory_for(*best_))
        throw Error(ErrorCode::too_large, "too large beside the best one so far");
      std::shared_ptr<Runner> runner = make_runner(matrix_, one.strategy, {.summed = false, .beside = best_.get()});
      // A kernel made for symmetric values goes back to csr where a sample of them had promised too much.
      if (formats::kernel_or_plain(one.strategy.blocks.front().kernel).made_for == formats::MadeFor::symmetry &&
          one.bytes > 0 && number(runner->bytes()) > 1.2 * number(one.bytes))
        throw Error(ErrorCode::failed, "its values are not symmetric");
      const double seconds = runner->conversion_s;
      (best_ ? challenger_ : best_) = std::move(runner);
      if (!challenger_) best_place_ = place;
      course_.took(seconds);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::failed && error.code() != ErrorCode::too_large) throw;
      if (!best_ && course_.report().tried.size() == contenders_.size()) throw;
      course_.failed(error.reason());
    } catch (const std::bad_alloc&) {
      course_.failed("too large: out of memory");
    }
  }
}

const std::shared_ptr<Runner>& Contest::next() const {
  const TrialStep step = course_.step();
  return step.action == TrialAction::multiply && step.candidate != best_place_ ? challenger_ : best_;
}

void Contest::took(double seconds) {
  course_.took(seconds);
  follow();
}

// Holds what the course still needs.
void Contest::follow() {
  if (course_.best() != best_place_) {
    best_ = challenger_;
    best_place_ = course_.best();
    challenger_.reset();
  } else if (!course_.challenger() || course_.step().action == TrialAction::convert) {
    challenger_.reset();
  }
}

void Contest::interrupt() {
  course_.end("interrupted", false);
  challenger_.reset();
}

void Contest::again() {
  const auto best = contenders_.begin() + static_cast<std::ptrdiff_t>(best_place_);
  std::rotate(contenders_.begin(), best, best + 1);
  best_place_ = 0;
  challenger_.reset();
  course_ = course_of(contenders_, contenders_.front().strategy, options_);
}

void Contest::replace(Matrix matrix, std::shared_ptr<Runner> best) {
  matrix_ = std::move(matrix);
  if (best) best_ = std::move(best);
  if (challenger_) {
    challenger_.reset();
    course_.end("the matrix has new values");
  }
}

Strategy Contest::outcome() const {
  Strategy strategy = contenders_[course_.best()].strategy;
  strategy.trials = course_.report();
  strategy.trials->screened = screened_;
  std::vector<TriedKernel>& tried = strategy.trials->tried;
  for (TriedKernel& one : tried) {
    const auto own = std::ranges::find(contenders_, one.kernel, [](const Contender& c) { return c.forecast.name; });
    if (own != contenders_.end()) one.predicted_s = own->strategy.predicted_s;
    const auto single = std::ranges::find(strategy.singles, one.kernel, &SingleKernel::kernel);
    if (single == strategy.singles.end()) continue;
    single->status = one.status;
    if (one.seconds > 0) single->measured_s = one.seconds;
  }
  const auto own = std::ranges::find(tried, contenders_[course_.best()].forecast.name, &TriedKernel::kernel);
  if (own == tried.end() || !(own->seconds > 0)) return strategy;
  const double ratio = own->seconds / strategy.predicted_s;
  strategy.predicted_s = own->seconds;
  strategy.conversion_s = own->conversion_s;
  for (PlannedBlock& block : strategy.blocks) block.seconds *= ratio;
  if (strategy.blocks.size() == 1) {
    strategy.blocks.front().conversion_s = own->conversion_s;
    const auto single = std::ranges::find(strategy.singles, strategy.blocks.front().kernel, &SingleKernel::kernel);
    if (single != strategy.singles.end()) strategy.best_single = *single;
    strategy.best_single.seconds = own->seconds;
  }
  find_break_even(strategy);
  strategy.reason = std::ssize(tried) > 1 ? "the fastest of " + std::to_string(tried.size()) + " that were tried"
                                          : "as forecast; nothing else was tried";
  return strategy;
}

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
    const std::shared_ptr<void> team(nullptr, [before = omp_get_max_threads()](void*) { omp_set_num_threads(before); });
    if (alone) omp_set_num_threads(1);
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
