#include "gpu_code/overlap/unlike_blocks.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <sparsecast/error.hpp>

#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {
// Shares by which blocks differ and count as alike: "more than a few percent" is said.
constexpr double alike_within = 0.05;
// A look costs little beside the forecast, and a sample not much more: both are bounded by warp instructions, not by
// time, so that the answer is the same everywhere. A long block is followed in leaps: more than `most_of_one` it does
// not cost.
constexpr double look_instructions = 2e5, sample_instructions = 2e6, most_of_one = 4e6;
constexpr double fewest_looks = 4, most_looks = 12, fewest_drawn = 16, most_drawn = 256;

BlockDuty duty_of(const Dim3& block, const BlockTrace& trace) {
  const auto sum = [](const std::vector<std::int64_t>& counts) {
    double total = 0;
    for (const auto c : counts) total += static_cast<double>(c);
    return total;
  };
  return {block, trace.work(), sum(trace.executed_lanes), sum(trace.sectors)};
}

constexpr double BlockDuty::*measures[] = {&BlockDuty::instructions, &BlockDuty::lanes, &BlockDuty::sectors};

/// A number for every place of the sample, always the same (splitmix64).
std::uint64_t drawn_number(std::uint64_t place) {
  std::uint64_t z = (place + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// One block of each of `count` equal stretches of the launch. Odd and even ones, and all remainders modulo eight, come
/// up equally often: what a kernel does every other block is then met as often as it is done.
std::int64_t drawn_block(std::int64_t place, std::int64_t count, std::int64_t blocks) {
  const std::int64_t first = place * (blocks / count) + place * (blocks % count) / count;
  const std::int64_t length = std::max<std::int64_t>(blocks / count, 1);
  std::int64_t number = first + static_cast<std::int64_t>(drawn_number(static_cast<std::uint64_t>(place)) %
                                                          static_cast<std::uint64_t>(length));
  if (length >= 8) number = number / 8 * 8 + (place * 5 + place / 8) % 8;
  return std::min(number, blocks - 1);
}

/// Runs blocks, each once, and keeps what they did.
class Follower {
 public:
  Follower(const Code& code, const Launch& launch, const Dim3& base, FollowedBlocks& followed)
      : code_(code), launch_(launch), followed_(followed), seen_{{launch.number_of(base), 0}} {
    options_.keep_trace = false;
  }

  void follow(std::int64_t number, bool drawn) {
    const auto [found, fresh] = seen_.try_emplace(number, followed_.duties.size());
    if (!fresh) {
      if (drawn && found->second < followed_.duties.size()) followed_.duties[found->second].drawn = true;
      return;
    }
    const Dim3 block = launch_.block_at(number);
    try {
      followed_.duties.push_back(duty_of(block, run_block(code_, launch_, block, options_)));
      followed_.duties.back().drawn = drawn;
      spent_ += std::min(followed_.duties.back().instructions, most_of_one);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      found->second = lost;
      spent_ += most_of_one;
      followed_.lost.push_back(error.reason_text().in(Voice::library));
    }
  }
  /// `count` blocks of the launch, fewer where long ones are among them.
  void draw(std::int64_t count) {
    spent_ = 0;
    for (std::int64_t k = 0; k < count && spent_ < most_of_one; ++k)
      follow(drawn_block(k, count, launch_.blocks()), true);
  }
  [[nodiscard]] bool met_all() const { return static_cast<std::int64_t>(followed_.duties.size()) == launch_.blocks(); }

 private:
  const Code& code_;
  const Launch& launch_;
  FollowedBlocks& followed_;
  static constexpr std::size_t lost = SIZE_MAX;
  std::map<std::int64_t, std::size_t> seen_;  ///< block, its place in duties
  double spent_ = 0;
  TraceOptions options_;
};

/// Share by which two counts differ; a handful of either is nothing.
bool differ(double a, double b) { return std::fabs(a - b) > alike_within * std::max({a, b, 1.0}); }

bool all_alike(const std::vector<BlockDuty>& duties) {
  return std::ranges::all_of(duties, [&](const BlockDuty& d) {
    return std::ranges::none_of(measures, [&](auto m) { return differ(d.*m, duties.front().*m); });
  });
}

/// Of the launch, from values of its followed blocks: the drawn ones stand for all but those that stand for themselves.
struct Mean {
  double mean = 0, low = 0, high = 0;  ///< 90 % interval of what the sample leaves open
};
Mean mean_of(const FollowedBlocks& followed, const std::vector<double>& values, std::int64_t blocks) {
  double own = 0, sum = 0, squares = 0, n = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!followed.duties[i].drawn && !followed.all) {
      own += values[i];
      continue;
    }
    sum += values[i];
    squares += values[i] * values[i];
    ++n;
  }
  const auto [least, most] = std::ranges::minmax(values);
  if (n == 0) return {values.front(), least, most};
  const double drawn = sum / n, count = static_cast<double>(blocks);
  if (followed.all) return {drawn, drawn, drawn};
  const double mean = (own + (count - (static_cast<double>(values.size()) - n)) * drawn) / count;
  // What no drawn block shows may still be three in n of them (95 %).
  constexpr double normal_90 = 1.645, rule_of_three = 3;
  const double error = normal_90 * std::sqrt(std::max(squares / n - drawn * drawn, 0.0) / n),
               unseen = rule_of_three / n;
  return {mean, std::max(std::min(mean - error, mean + unseen * (least - mean)), least),
          std::min(std::max(mean + error, mean + unseen * (most - mean)), most)};
}

/// The mean is what the base and the mean of its work say, and no block is so long that it may end last.
bool mean_is(const FollowedBlocks& followed, std::int64_t blocks, double mean_work) {
  constexpr double longer = 1.5;
  const auto& base = followed.duties.front();
  return std::ranges::all_of(measures, [&](auto m) {
    std::vector<double> values;
    for (const auto& d : followed.duties) values.push_back(d.*m);
    const bool is_long = std::ranges::max(values) > longer * std::max(base.*m, 1.0);
    return !is_long && !differ(mean_of(followed, values, blocks).mean, base.*m * mean_work);
  });
}

/// Blocks of about the same work, and the one that stands for them.
struct Kind {
  std::vector<std::size_t> members;  ///< indices of duties, ascending by weight
};

double weight(const BlockDuty& d) { return d.instructions + d.sectors; }

/// At most `most_kinds`: a gap of a quarter begins another, and what is left over joins the last.
std::vector<Kind> kinds_of(const std::vector<BlockDuty>& duties) {
  constexpr std::size_t most_kinds = 6;
  constexpr double step = 1.25;
  std::vector<std::size_t> order(duties.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return weight(duties[i]); });
  const double least = std::max(weight(duties[order.front()]), 1.0), most = std::max(weight(duties[order.back()]), 1.0);
  const double ratio = std::max(step, std::pow(most / least, 1.0 / static_cast<double>(most_kinds)) * 1.001);
  std::vector<Kind> kinds;
  double begun = 0;
  for (const auto i : order) {
    const double w = std::max(weight(duties[i]), 1.0);
    if (kinds.empty() || w > begun * ratio) {
      kinds.emplace_back();
      begun = w;
    }
    kinds.back().members.push_back(i);
  }
  return kinds;
}

/// Parts of the launch as they are told, so that they add up to its time.
void put_total(Overlap& result, double seconds) {
  auto& d = result.details;
  d.transient_s = 0;
  d.wave_s = (seconds - d.launch_s) / static_cast<double>(std::max<std::int64_t>(d.waves, 1));
  result.estimate.cycles = seconds * d.clock_hz;
  result.estimate.seconds = seconds;
}

std::string note_of(const FollowedBlocks& followed, const Launch& launch, bool longest_binds) {
  const auto [least, most] = std::ranges::minmax(followed.duties, {}, weight);
  return fmt::format(
      "blocks differ: of {} blocks {} were followed, which run {:.0f} to {:.0f} instructions of a warp; the time is {}",
      launch.blocks(), followed.all ? "all" : std::to_string(followed.duties.size()), least.instructions,
      most.instructions, longest_binds ? "that of the longest block alone" : "the mean by their shares");
}
/// As many as `instructions` allow, by the usual one of those that are known; a multiple of eight, or all there are.
std::int64_t number_of_blocks(const std::vector<BlockDuty>& known, double instructions, double fewest, double most,
                              std::int64_t blocks) {
  std::vector<double> each;
  for (const auto& d : known) each.push_back(d.instructions);
  std::ranges::nth_element(each, each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2));
  const double count = std::clamp(instructions / std::max(each[each.size() / 2], 1.0), fewest, most);
  return std::min(count < 8 ? static_cast<std::int64_t>(count) : static_cast<std::int64_t>(count) / 8 * 8, blocks);
}
}  // namespace

FollowedBlocks follow_blocks(const Code& code, const Launch& launch, const Dim3& base, const BlockTrace& block,
                             double mean_work) {
  FollowedBlocks followed;
  followed.duties.push_back(duty_of(base, block));
  const std::int64_t blocks = launch.blocks(), middle = launch.number_of(base);
  Follower follower(code, launch, base, followed);
  // The first block is where a kernel does what is done once, the last where the data end.
  for (const auto number : {std::int64_t{0}, blocks - 1, std::min(middle + 1, blocks - 1)})
    follower.follow(number, false);
  follower.draw(number_of_blocks(followed.duties, look_instructions, fewest_looks, most_looks, blocks));
  if (!all_alike(followed.duties)) {
    const auto count = number_of_blocks(followed.duties, sample_instructions, fewest_drawn, most_drawn, blocks);
    // The looks are left out of the mean: they are no even sample together with the others.
    for (auto& d : followed.duties) d.drawn = false;
    follower.draw(count);
    followed.all = follower.met_all();
    followed.alike = followed.lost.empty() && mean_is(followed, blocks, mean_work);
  }
  followed.alike &= followed.lost.empty();
  return followed;
}

Overlap mixed(const FollowedBlocks& followed, const Overlap& middle, const BlockForecasts& forecasts,
              const Launch& launch) {
  const auto& duties = followed.duties;
  std::vector<double> seconds(duties.size()), bytes(duties.size()), l2_bytes(duties.size());
  std::optional<Overlap> heaviest;
  const double launch_s = middle.details.launch_s;
  for (auto& kind : kinds_of(duties)) {
    const bool has_base = std::ranges::find(kind.members, std::size_t{0}) != kind.members.end();
    const auto stands = has_base ? 0 : kind.members[kind.members.size() / 2];
    const Overlap one = stands == 0 ? middle : forecasts.launch(duties[stands].block);
    for (const auto i : kind.members) {
      const double share = std::max(weight(duties[i]), 1.0) / std::max(weight(duties[stands]), 1.0);
      seconds[i] = (one.estimate.seconds.value() - launch_s) * share;
      bytes[i] = one.details.memory_bytes * share;
      l2_bytes[i] = one.details.l2_bytes * share;
    }
    heaviest = one;
  }
  const auto count = launch.blocks();
  const Mean time = mean_of(followed, seconds, count);
  std::vector<double> instructions;
  for (const auto& d : duties) instructions.push_back(d.instructions);
  const double alone = forecasts.alone_s(std::ranges::max(duties, {}, weight).block);
  const double total = std::max(time.mean, alone), told = middle.estimate.seconds.value() - launch_s;
  // Where it comes to what the middle says, and the sample leaves little open, that stands.
  constexpr double little = 1.3;
  if (followed.lost.empty() && !differ(total / told, 1) && time.high < little * time.mean &&
      time.low * little > time.mean)
    return middle;
  Overlap result = std::move(*heaviest);  // what binds is what binds those that take most of the time
  auto& d = result.details;
  d.memory_bytes = mean_of(followed, bytes, count).mean;
  d.l2_bytes = mean_of(followed, l2_bytes, count).mean;
  d.warp_instructions = std::llround(mean_of(followed, instructions, count).mean * static_cast<double>(count));
  if (alone > time.mean) result.estimate.bound_by = "longest block";
  put_total(result, launch_s + total);
  // In one wave, blocks that are long may meet on a multiprocessor.
  const double meeting = d.waves <= 1 ? std::ranges::max(seconds) : 0;
  result.low *= (launch_s + std::max(time.low, alone)) / (launch_s + total);
  result.high *= (launch_s + std::max({time.high, alone, meeting})) / (launch_s + total);
  // What could not be followed may be anything: assumed, a factor.
  constexpr double lost_factor = 4;
  if (!followed.lost.empty()) result.low /= lost_factor, result.high *= lost_factor;
  if (!all_alike(duties)) result.notes.push_back(note_of(followed, launch, alone > time.mean));
  if (!followed.lost.empty())
    result.notes.push_back(fmt::format("{} of the blocks could not be followed ({}), so the interval is wider",
                                       followed.lost.size(), followed.lost.front()));
  return result;
}
}  // namespace sparsecast::gpu_code
