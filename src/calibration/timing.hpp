#pragma once
// The timing protocol: how long one product takes, told with the spread of the telling.
//
// T = (Σ over β runs − Σ over α runs) / (β − α), α < β, after warm-up (Guo et al. 2014, section 3.3): what it costs to
// start and stop a series cancels. One such difference is a block. Products as long as a block are timed from the start
// (α = 0): of them that cost is no part. Where products take turns, one that is not timed goes before each block, so
// that the caches are warm. The centre of the blocks is their half-sample mode: the mean is biased up by every
// interruption, the minimum has lucky shots, and the mode is where undisturbed blocks crowd. Products under comparison
// take turns block by block, so that a drifting machine hurts all alike.

#include <span>
#include <vector>

#include "hardware/device.hpp"

namespace sparsecast::calibration {
struct TimingOptions {
  double target_spread = 0.002;  ///< stop early once the relative deviation of the centre is below this
  double block_s =
      0.004;  ///< a block's β − α products take about so long: shorter follows the clock's noise, longer drifts
  int min_blocks = 7;       ///< blocks taken in any case: below 7 a mode says little
  int max_blocks = 31;      ///< blocks after which the spread is reported as it is
  double max_s = 1.0;       ///< soft bound on the time per product: no new block is begun beyond it
  bool core_speed = false;  ///< look at the core's speed before every block: the products run on it
  int threads = 1;          ///< look at how long so many take to start as well, if several: the products run on them
};

/// Whether its products run on this machine's cores, whose speed is then looked at: the host, and an OpenCL device that
/// is a processor.
[[nodiscard]] bool runs_on_cores(const DeviceProperties& properties);

struct Timing {
  double seconds = 0;            ///< centre of the blocks
  double low_s = 0, high_s = 0;  ///< 5 % and 95 % quantiles of the blocks
  double spread = 0;             ///< median absolute deviation of the blocks from the centre, relative
  int repeats = 0;               ///< products that were timed, α and β runs together
  double step_s = 0;    ///< core_step_seconds() between the blocks, or a cycle of a GPU's clock, median; 0: not known
  double launch_s = 0;  ///< fork_join_seconds() between the blocks, median; 0 where not looked at
};

/// Whether two fork-join latencies are of one state of the machine: within a quarter of each other, as far as one state
/// scatters; so too where either is not known (0).
[[nodiscard]] bool same_fork_join(double launch_s, double other_s);

/// Whether `again` is the better measurement of the product than `before`: a lower fork-join latency, else less noise,
/// which is fewer of the core's cycles, or of the clock's seconds where its speed is not known. With a low latency
/// small products are faster and large ones slower: measurements are not to be chosen by what favours each
/// (docs/models/host.md). What runs beside on a shared machine stays for seconds, longer than a series of blocks, and
/// only ever adds time; so a product is worth two rounds some minutes apart, and the better one counts.
[[nodiscard]] bool less_noisy(const Timing& again, const Timing& before);

/// Whether a round over products that were timed in turns can stay, or is worth another: the fork-join latency was the
/// usual one, and half of the products or more repeated within 3 %, or within half as much again as is usual on the
/// machine (`usual_spread`, 0 where it is not known): of a machine that is never still no round would be. What runs
/// beside disturbs most of them at once.
[[nodiscard]] bool undisturbed(std::span<const Timing> timings, double usual_launch_s, double usual_spread = 0);

/// Times all products in turns; one result per product, in their order.
std::vector<Timing> time_interleaved(std::span<hardware::Product* const> products, const TimingOptions& options);

/// The half-sample mode (Robertson & Cryer 1974; Bickel & Frühwirth 2006): the densest half, again and again.
/// The values need not be sorted; 0 for none.
double half_sample_mode(std::vector<double> values);
}  // namespace sparsecast::calibration
