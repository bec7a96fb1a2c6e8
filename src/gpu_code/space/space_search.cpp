#include "gpu_code/space/space_search.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/home.hpp"
#include "base/interrupt.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "fields/wording.hpp"
#include "gpu_code/compile/digest.hpp"
#include "gpu_code/space/surrogate.hpp"
#include "gpu_code/times/time_belief.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Larger spaces are searched in a sample of this many, drawn evenly.
constexpr std::size_t most_held = 50'000;
/// Standard deviations by which a bound lies below what is expected: 95 % of a normal law's values lie above it.
constexpr double bound_deviations = 1.645;

/// A parameter as a coordinate from 0 to 1: by the logarithm where all values are positive numbers, else by rank; and
/// what the launch makes of it.
class SpaceCoordinates {
 public:
  explicit SpaceCoordinates(const TuningProblem& problem) : problem_(problem) {
    for (std::size_t p = 0; p < problem.parameters().size(); ++p) {
      const auto& values = problem.parameters()[p].values;
      if (values.size() < 2) continue;
      Axis axis{p, {}};
      const bool positive = std::ranges::all_of(values, [](const auto& v) { return v.is_number() && v.number() > 0; });
      for (std::size_t i = 0; i < values.size(); ++i)
        axis.at.push_back(positive ? std::log2(values[i].number()) : static_cast<double>(i));
      const auto [least, most] = std::ranges::minmax_element(axis.at);
      const double from = *least, range = std::max(*most - *least, 1e-9);
      for (auto& at : axis.at) at = (at - from) / range;
      axes_.push_back(std::move(axis));
    }
  }

  [[nodiscard]] std::vector<double> of(std::span<const std::uint16_t> choice) const {
    std::vector<double> point;
    for (const auto& axis : axes_) point.push_back(axis.at[choice[axis.parameter]]);
    const auto row = problem_.row(choice);
    const auto count = [](const Dim3& d) {
      return std::log2(static_cast<double>(d[0]) * static_cast<double>(d[1]) * static_cast<double>(d[2]));
    };
    // Half a unit for a factor of four: they vary over as much as the parameters do.
    point.push_back(count(row.block) / 8);
    point.push_back(count(row.grid) / 8);
    const auto threads = static_cast<double>(row.block[0] * row.block[1] * row.block[2]);
    point.push_back(threads / (32 * std::ceil(threads / 32)));
    return point;
  }

 private:
  struct Axis {
    std::size_t parameter;
    std::vector<double> at;
  };
  const TuningProblem& problem_;
  std::vector<Axis> axes_;
};

struct Candidate {
  Choice choice;
  std::vector<double> point;
  const JournalEntry* entry = nullptr;  ///< once it was forecast or refused
  Surrogate::Prediction predicted;
};

double distance2(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

class Search {
 public:
  Search(const std::filesystem::path& source, const TuningProblem& problem, const KernelTimes& times,
         const SpaceSearchOptions& options, const base::ProgressFunction& progress)
      : source_(source),
        problem_(problem),
        times_(times),
        options_(options),
        progress_(progress),
        journal_(options.journal) {}

  SpaceSearch run() {
    list_candidates();
    take_up_journal();
    first_sample();
    while (!finished()) {
      const auto next = in_front();
      if (next.empty()) break;
      forecast(next);
    }
    result_.settled |= all_known();
    rank();
    return std::move(result_);
  }

 private:
  void list_candidates() {
    std::mt19937_64 random(1);
    std::int64_t count = 0;
    std::vector<Choice> held;
    problem_.walk([&](std::span<const std::uint16_t> choice) {
      if ((count & 0xfff) == 0) base::throw_if_interrupted();
      ++count;
      if (held.size() < most_held) {
        held.emplace_back(choice.begin(), choice.end());
      } else if (const auto at = random() % static_cast<std::uint64_t>(count); at < most_held) {
        held[at].assign(choice.begin(), choice.end());
      }
      return true;
    });
    if (held.empty())
      throw Error(ErrorCode::bad_input, "the restrictions leave no configuration", {}, "see Conditions in its file");
    result_.configurations = count;
    result_.clock_hz = times_.clock_hz;
    result_.bounded = static_cast<std::int64_t>(held.size());
    const SpaceCoordinates coordinates(problem_);
    std::optional<Error> unlike;
    for (auto& choice : held) {
      Candidate c;
      try {
        c.point = coordinates.of(choice);
      } catch (const Error& error) {  // its grid or block is no size
        refuse(error.reason());
        if (!unlike) unlike = error;
        continue;
      }
      c.choice = std::move(choice);
      candidates_.push_back(std::move(c));
    }
    if (candidates_.empty()) throw Error(*unlike);
    without_launch_ = result_.refused;
  }

  void refuse(const std::string& reason) {
    ++result_.refused;
    if (result_.first_refusal.empty()) result_.first_refusal = reason;
  }

  void take_up_journal() {
    for (auto& c : candidates_) {
      const auto found = journal_.entries().find(c.choice);
      if (found == journal_.entries().end()) continue;
      c.entry = &found->second;
      note(*c.entry);
      ++result_.resumed;
    }
  }

  /// Configurations as far from each other as a sample of the space has them.
  void first_sample() {
    const auto known = static_cast<std::size_t>(result_.forecast + result_.refused - without_launch_);
    const auto wanted =
        std::min<std::size_t>(candidates_.size(), std::max<std::size_t>(16, 3 * candidates_.front().point.size()));
    if (known >= wanted) return;
    std::mt19937_64 random(2);
    std::vector<std::size_t> pool(candidates_.size());
    std::iota(pool.begin(), pool.end(), 0u);
    std::ranges::shuffle(pool, random);
    pool.resize(std::min<std::size_t>(pool.size(), 1000));
    std::vector<double> nearest(pool.size(), 1e300);
    std::vector<std::size_t> chosen;
    std::size_t at = 0;
    while (chosen.size() + known < wanted && at < pool.size()) {
      chosen.push_back(pool[at]);
      std::size_t farthest = pool.size();
      for (std::size_t i = 0; i < pool.size(); ++i) {
        nearest[i] = std::min(nearest[i], distance2(candidates_[pool[i]].point, candidates_[pool[at]].point));
        if (nearest[i] > 0 && (farthest == pool.size() || nearest[i] > nearest[farthest])) farthest = i;
      }
      at = farthest;
    }
    std::erase_if(chosen, [&](auto i) { return candidates_[i].entry != nullptr; });
    forecast(chosen);
  }

  [[noreturn]] void refuse_all() const {
    throw Error(
        ErrorCode::bad_input,
        "no configuration can be forecast: " + (first_failure_.empty() ? result_.first_refusal : first_failure_), {},
        "check that the space belongs to this source");
  }

  [[nodiscard]] bool finished() {
    return made_ >= options_.forecasts || base::now_s() - start_ > options_.within_s || all_known();
  }

  [[nodiscard]] bool all_known() const {
    return result_.forecast + result_.refused - without_launch_ >= static_cast<std::int64_t>(candidates_.size());
  }

  /// The lowest bounds of what was not compiled; none where all lie above the last of the ranking.
  std::vector<std::size_t> in_front() {
    std::vector<std::vector<double>> points;
    std::vector<double> logs;
    for (const auto& c : candidates_)
      if (c.entry && c.entry->refusal.empty()) {
        points.push_back(c.point);
        logs.push_back(std::log(c.entry->seconds));
      }
    if (points.empty()) refuse_all();
    surrogate_.fit(std::move(points), logs);
    base::parallel_for(static_cast<std::int64_t>(candidates_.size()), {options_.jobs, true}, [&](std::int64_t i) {
      auto& c = candidates_[static_cast<std::size_t>(i)];
      if (!c.entry) c.predicted = surrogate_.predict(c.point);
    });
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (!candidates_[i].entry) open.push_back(i);
    std::ranges::sort(logs);
    const double last = logs[std::min(options_.top, logs.size()) - 1];
    std::ranges::sort(open, {}, [&](auto i) { return bound(candidates_[i]); });
    const auto below = std::ranges::find_if(open, [&](auto i) { return bound(candidates_[i]) > last; });
    open.erase(logs.size() < options_.top ? open.end() : below, open.end());
    if (open.empty()) result_.settled = true;
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(options_.forecasts - made_, 0));
    open.resize(std::min({open.size(), room, static_cast<std::size_t>(2 * options_.jobs)}));
    return open;
  }
  [[nodiscard]] static double bound(const Candidate& c) {
    return c.predicted.mean - bound_deviations * c.predicted.deviation;
  }

  [[nodiscard]] JournalEntry forecast_one(const Candidate& candidate) const {
    JournalEntry entry;
    entry.choice = candidate.choice;
    AnalysisOptions analysis;
    analysis.models = {"overlapped"};
    try {
      const auto row = problem_.row(candidate.choice);
      const auto report = forecast_row(source_, row, times_, analysis, &options_.launch, problem_.scalars());
      const auto& estimate = report.estimates.back();
      entry.seconds = estimate.seconds.value();
      entry.low_s = estimate.low_s.value_or(0);
      entry.high_s = estimate.high_s.value_or(0);
      entry.bound_by = estimate.bound_by;
      if (report.overlap) {
        const double blocks = static_cast<double>(row.grid[0] * row.grid[1] * row.grid[2]) / times_.multiprocessors;
        for (const auto& [name, cycles] : report.overlap->cycles_per_block)
          entry.resource_s.emplace_back(name, cycles * blocks / times_.clock_hz);
      }
    } catch (const Error& error) {
      // One that cannot be compiled, launched or followed is left out. What no other could do either ends the search.
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::unavailable) throw;
      entry.refusal = error.reason();
    }
    return entry;
  }

  void forecast(const std::vector<std::size_t>& chosen) {
    std::mutex lock;
    base::parallel_for(static_cast<std::int64_t>(chosen.size()), {options_.jobs, true}, [&](std::int64_t index) {
      auto& candidate = candidates_[chosen[static_cast<std::size_t>(index)]];
      if (base::now_s() - start_ > options_.within_s) return;
      const auto entry = forecast_one(candidate);
      const std::lock_guard guard(lock);
      candidate.entry = &journal_.add(entry);
      ++made_;
      note(entry);
      tell();
    });
  }

  void note(const JournalEntry& entry) {
    if (entry.refusal.empty()) {
      ++result_.forecast;
      fastest_ = fastest_ > 0 ? std::min(fastest_, entry.seconds) : entry.seconds;
    } else {
      refuse(entry.refusal);
      if (first_failure_.empty()) first_failure_ = entry.refusal;
    }
  }

  void tell() const {
    if (!progress_) return;
    const double passed = base::now_s() - start_;
    const double by_count =
        static_cast<double>(made_) /
        static_cast<double>(std::max<std::int64_t>(1, std::min<std::int64_t>(options_.forecasts, result_.bounded)));
    const double done = std::clamp(std::max(by_count, passed / options_.within_s), 1e-6, 1.0);
    progress_({done, passed * (1 - done) / done,
               fmt::format("{} of {} configurations forecast, the fastest {}", result_.forecast, result_.configurations,
                           base::format_seconds(fastest_))});
  }

  /// From the anchors' forecasts, which are made where they were not.
  [[nodiscard]] std::optional<TimeBelief> belief() {
    if (options_.anchors.empty()) return std::nullopt;
    std::vector<AnchoredTime> known;
    for (const auto& anchor : options_.anchors) {
      const auto found = std::ranges::find_if(candidates_, [&](const auto& c) { return matches(anchor, c.choice); });
      if (found == candidates_.end())
        throw Error(ErrorCode::usage, wording::option("kernel.anchors") + ": the space has no such configuration", {},
                    "give NAME=VALUE of every parameter, by commas");
      if (!found->entry) {
        found->entry = &journal_.add(forecast_one(*found));
        note(*found->entry);
      }
      const auto& entry = *found->entry;
      if (entry.refusal.empty()) known.push_back({entry.seconds, anchor.seconds, bound_by_memory(entry.bound_by)});
    }
    std::vector<double> forecasts;
    for (const auto& [choice, entry] : journal_.entries())
      if (entry.refusal.empty()) forecasts.push_back(entry.seconds);
    return TimeBelief(times_, forecast_spread(forecasts), known);
  }
  [[nodiscard]] bool matches(const KernelAnchor& anchor, const Choice& choice) const {
    const auto& parameters = problem_.parameters();
    for (const auto& given : anchor.parameters)
      if (std::ranges::find(parameters, given.first, &TuningParameter::name) == parameters.end()) return false;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const auto given =
          std::ranges::find(anchor.parameters, parameters[p].name, &std::pair<std::string, std::string>::first);
      if (given == anchor.parameters.end() ? parameters[p].values.size() > 1
                                           : problem_.value(choice, p).written() != given->second)
        return false;
    }
    return !anchor.parameters.empty();
  }

  /// The launch's own, and where anchors moved it, theirs, as much wider as its own is.
  [[nodiscard]] ForecastInterval interval_of(const JournalEntry& entry,
                                             const std::optional<TimeBelief>& believed) const {
    const bool by_memory = bound_by_memory(entry.bound_by);
    const auto usual = TimeBelief(times_).interval(entry.seconds, by_memory);
    const ForecastInterval own = entry.high_s > 0 ? ForecastInterval{entry.low_s, entry.high_s} : usual;
    if (!believed) return own;
    const auto moved = believed->interval(entry.seconds, by_memory);
    return {moved.low_s * own.low_s / usual.low_s, moved.high_s * own.high_s / usual.high_s};
  }

  void rank() {
    if (result_.forecast == 0) refuse_all();
    const auto believed = belief();
    std::vector<const Candidate*> known;
    for (const auto& c : candidates_)
      if (c.entry && c.entry->refusal.empty()) known.push_back(&c);
    const auto seconds = [&](const Candidate* c) {
      return c->entry->seconds * (believed ? believed->scale(bound_by_memory(c->entry->bound_by)) : 1.0);
    };
    std::ranges::stable_sort(known, {}, seconds);
    known.resize(std::min(known.size(), options_.top));
    for (const auto* c : known) {
      const auto within = interval_of(*c->entry, believed);
      result_.ranking.push_back({*c->entry, problem_.row(c->choice), within.low_s, within.high_s});
      result_.ranking.back().seconds = seconds(c);
    }
  }

  const std::filesystem::path& source_;
  const TuningProblem& problem_;
  const KernelTimes& times_;
  const SpaceSearchOptions& options_;
  const base::ProgressFunction& progress_;
  SearchJournal journal_;
  std::vector<Candidate> candidates_;
  Surrogate surrogate_;
  SpaceSearch result_;
  std::string first_failure_;  ///< of those that have a launch
  std::int64_t made_ = 0, without_launch_ = 0;
  double fastest_ = 0;
  const double start_ = base::now_s();
};
}  // namespace

SpaceSearch search_space(const std::filesystem::path& source, const TuningProblem& problem, const KernelTimes& times,
                         const SpaceSearchOptions& options, const base::ProgressFunction& progress) {
  return Search(source, problem, times, options, progress).run();
}

std::string why_first(const RankedConfiguration& first, const RankedConfiguration& second) {
  // The resource on which the second is busy the longest of those on which the first is less so.
  const std::pair<std::string, double>* most = nullptr;
  double gained = 0, against = 0;
  for (const auto& r : first.resource_s)
    for (const auto& [name, busy] : second.resource_s)
      if (name == r.first && busy - r.second > gained) {
        gained = busy - r.second;
        most = &r;
        against = busy;
      }
  if (!most) return "equally busy on every resource: they differ in the order of their work";
  return fmt::format("less of the {} ({} against {})", most->first, base::format_seconds(most->second),
                     base::format_seconds(against));
}

std::filesystem::path search_journal(const std::filesystem::path& source, const TuningProblem& problem,
                                     const KernelTimes& times, const Launch& launch) {
  Digest digest;
  digest.add("model 2");  // another number where the model's forecasts change: those of an earlier one do not stand
  digest.add_source(source);
  digest.add(problem.fingerprint());
  digest.add(times.name + " " + std::to_string(times.clock_hz));
  for (const auto& [name, value] : launch.arguments) digest.add(fmt::format("{}={}", name, value));
  for (const auto& [name, bytes] : launch.buffers) {
    digest.add(name);
    digest.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return store_folder("kernel-searches") / (digest.text() + ".jsonl");
}
}  // namespace sparsecast::gpu_code
