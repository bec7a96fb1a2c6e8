#include "gpu_code/trace/atomic_traffic.hpp"

#include <algorithm>
#include <random>
#include <sparsecast/error.hpp>
#include <unordered_map>

#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {
namespace {
using LinePasses = std::unordered_map<std::uint64_t, double>;

double most_of(const LinePasses& passes) {
  double most = 0;
  for (const auto& [line, count] : passes) most = std::max(most, count);
  return most;
}

/// A block's lines with the most operations: those of a wave are looked at one by one.
std::vector<AtomicLine> hottest_lines(std::vector<AtomicLine> lines) {
  constexpr std::size_t most = 64;
  std::ranges::stable_sort(lines, std::ranges::greater{}, &AtomicLine::passes);
  lines.resize(std::min(lines.size(), most));
  return lines;
}

class Meetings {
 public:
  Meetings(const Code& code, const Launch& launch, const Dim3& base, const LaunchFootprint& footprint,
           std::int64_t wave, const AtomicLines& own)
      : code_(code), launch_(launch), base_(base), footprint_(footprint), wave_(wave), own_(hottest_lines(own.lines)) {}

  /// Operations on the line that the blocks of a wave ask most, where lines move from block to block as the footprint
  /// says.
  [[nodiscard]] double by_shifts() const {
    const std::int64_t blocks = launch_.blocks();
    const std::int64_t first = std::clamp<std::int64_t>(blocks / 2 - wave_, 0, blocks - wave_);
    LinePasses passes;
    for (std::int64_t i = 0; i < wave_; ++i)
      for (const auto& l : own_) passes[moved(l.line, launch_.block_at(first + i))] += l.passes;
    return most_of(passes);
  }

  /// The same by some blocks of the launch, as the share of them that meets on a line; none where they do what the
  /// footprint says.
  [[nodiscard]] double by_sample() const {
    constexpr int drawn = 6;
    if (own_.empty() || launch_.blocks() < 2) return 0;
    std::mt19937_64 random(3);
    LinePasses passes, blocks;
    bool elsewhere = false;
    for (int k = 0; k < drawn; ++k) {
      const auto number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(launch_.blocks()));
      const Dim3 at = launch_.block_at(number);
      const auto found = lines_of(at);
      const auto expected = moved(own_.front().line, at);
      elsewhere |= !found.empty() && std::ranges::find(found, expected, &AtomicLine::line) == found.end();
      for (const auto& l : found) {
        passes[l.line] += l.passes;
        ++blocks[l.line];
      }
    }
    if (!elsewhere) return 0;
    double most = 0;
    for (const auto& [line, count] : passes)
      if (blocks[line] > 1) most = std::max(most, count / drawn * static_cast<double>(wave_));
    return most;
  }

 private:
  /// None of a block that cannot be followed.
  [[nodiscard]] std::vector<AtomicLine> lines_of(const Dim3& block) const {
    try {
      return atomic_lines(run_block(code_, launch_, block, {.window = 400})).lines;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      return {};
    }
  }
  [[nodiscard]] std::uint64_t moved(std::uint64_t line, const Dim3& block) const {
    const std::int64_t by = footprint_.shift(line >> 33, base_, block);
    return static_cast<std::uint64_t>((static_cast<std::int64_t>(line * 128) + by) / 128);
  }

  const Code& code_;
  const Launch& launch_;
  const Dim3& base_;
  const LaunchFootprint& footprint_;
  const std::int64_t wave_;
  const std::vector<AtomicLine> own_;
};
}  // namespace

AtomicTraffic atomic_traffic(const Code& code, const Launch& launch, const Dim3& base, const BlockTrace& block,
                             const LaunchFootprint& footprint, std::int64_t wave) {
  const AtomicLines own = atomic_lines(block);
  AtomicTraffic result;
  if (own.none()) return result;
  const auto blocks = static_cast<double>(launch.blocks());
  result.passes = own.passes * blocks;
  result.scattered_operations = own.scattered_operations * blocks;
  result.block_shared_unknown = own.shared_unknown_passes;
  result.lanes_meet = own.warp_on_one_address > 0;
  const Meetings meetings(code, launch, base, footprint, wave, own);
  result.hottest_passes = std::max(meetings.by_shifts(), meetings.by_sample()) * blocks /
                          static_cast<double>(std::max<std::int64_t>(wave, 1));
  return result;
}
}  // namespace sparsecast::gpu_code
