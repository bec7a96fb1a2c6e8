#include "plan/search/block_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

constexpr double most_of_share = 50;  // a strip is forecast as if at most so many times its rows made up the matrix
constexpr double most_scaling = 1.5;  // of the sum over the strips to the forecast of the whole

}  // namespace

GrowingLengths::GrowingLengths(std::int64_t longest) : rows_of_length_(at(longest) + 1, 0) {}

void GrowingLengths::clear() {
  for (const std::int64_t length : touched_) rows_of_length_[at(length)] = 0;
  touched_.clear();
  rows_ = mode_ = width_ = reaching_ = overflow_ = 0;
}

void GrowingLengths::add(std::span<const RowLengthCount> lengths) {
  for (const RowLengthCount& entry : lengths) {
    std::int64_t& rows = rows_of_length_[at(entry.length)];
    if (rows == 0) touched_.push_back(entry.length);
    rows += entry.rows;
    rows_ += entry.rows;
    const std::int64_t commonest = rows_of_length_[at(mode_)];
    if (rows > commonest || (rows == commonest && entry.length < mode_)) mode_ = entry.length;
    if (entry.length >= width_) {
      reaching_ += entry.rows;
      overflow_ += entry.rows * (entry.length - width_);
    }
  }
  settle_width();
}

// The largest width that at least max(4096, rows/3) rows reach. It moves by the few lengths that the new rows shift it.
void GrowingLengths::settle_width() {
  const double needed = std::max(4096.0, number(rows_) / 3);
  while (width_ > 0 && number(reaching_) < needed) {
    --width_;
    overflow_ += reaching_;
    reaching_ += rows_of_length_[at(width_)];
  }
  const auto longest = static_cast<std::int64_t>(rows_of_length_.size()) - 1;
  while (width_ < longest) {
    const std::int64_t next = reaching_ - rows_of_length_[at(width_)];  // rows that reach width_ + 1
    if (number(next) < needed || next == 0) break;
    reaching_ = next;
    ++width_;
    overflow_ -= next;
  }
}

KernelBlockTimes::KernelBlockTimes(const QuickForecast& quick, const StripSums& strips, const Gathering& gathering,
                                   const std::vector<double>& whole_s, const std::vector<bool>& whole_only,
                                   Objective objective)
    : quick_(quick), strips_(strips), objective_(objective), lengths_(strips.whole().longest) {
  const StripContent& whole = strips.whole();
  const double N = number(strips.strips());
  const std::int64_t count = strips.strips();
  whole_ = range(1, count);
  for (int k = 0; k < static_cast<int>(quick.kernels().size()); ++k) {
    if (!(whole_s[static_cast<std::size_t>(k)] < never)) continue;
    Kernel kernel;
    kernel.index = k;
    kernel.padding = quick.info(k).padding;
    kernel.of_block = kernel.padding == Padding::longest_row || kernel.padding == Padding::hyb_split;
    kernel.whole_only = whole_only[static_cast<std::size_t>(k)];
    kernel.launch = quick.launch(k);
    kernel.before.assign(at(count) + 1, 0.0);
    if (!kernel.whole_only) {
      for (std::int64_t s = 1; s <= count; ++s) {
        // The strip's rows as if all of the matrix were like them, so that caches are as full as they will be, and of
        // that time the strip's share.
        const StripContent& strip = strips[s];
        const double times =
            std::min(std::max(1.0, whole.nonzeros) / std::max(1.0, strip.nonzeros), std::min(N, most_of_share) * 4);
        const double slots = kernel.of_block ? strip.nonzeros : quick.slots(k, {strip, 0, 0});
        const double like_it = quick.seconds(k, strip, std::max(1.0, times), gathering, slots);
        kernel.before[at(s)] = kernel.before[at(s - 1)] + std::max(0.0, like_it - kernel.launch) / std::max(1.0, times);
      }
      if (kernel.of_block && whole.nonzeros > 0) {
        const double twice = quick.seconds(k, whole, 1, gathering, 2 * whole.nonzeros);
        kernel.per_pad = std::max(0.0, twice - quick.seconds(k, whole, 1, gathering, whole.nonzeros)) / whole.nonzeros;
      }
      const int overflow = quick.find(std::string(quick.info(k).overflow));
      if (kernel.padding == Padding::hyb_split && overflow >= 0 && whole.nonzeros > 0)
        kernel.per_overflow = std::max(0.0, quick.seconds(overflow, whole, 1, gathering, whole.nonzeros) -
                                                quick.seconds(k, whole, 1, gathering, whole.nonzeros)) /
                              whole.nonzeros;
    }
    // Scaled to the word of the full model on the whole matrix, but not beyond belief: one strip that is like nothing
    // measured before must not move all others.
    const double full = kernel.whole_s = whole_s[static_cast<std::size_t>(k)];
    kernel.launch = std::min(kernel.launch, 0.5 * full);
    if (!kernel.whole_only) {
      const double unscaled = strips_seconds(kernel, whole_, 1, count) - kernel.launch;
      const double wanted = unscaled > 0 ? (full - kernel.launch) / unscaled : 1;
      const double scale = std::clamp(wanted, 1 / most_scaling, most_scaling);
      kernel.doubt = std::abs(std::log(wanted / scale));
      for (double& before : kernel.before) before *= scale;
      kernel.per_pad *= scale;
      kernel.per_overflow *= scale;
    }
    kernels_.push_back(std::move(kernel));
  }
  drop_dominated();
}

// A kernel that is slower than another on every strip, with a higher launch and a dearer conversion, is in no best cut.
void KernelBlockTimes::drop_dominated() {
  searched_.assign(kernels_.size(), 1);
  for (std::size_t a = 0; a < kernels_.size(); ++a) {
    for (std::size_t b = 0; b < kernels_.size() && searched_[a] != 0; ++b) {
      const Kernel &slow = kernels_[a], &fast = kernels_[b];
      if (a == b || searched_[b] == 0 || slow.whole_only || fast.whole_only || fast.of_block ||
          slow.launch < fast.launch)
        continue;
      if (objective_.conversion > 0 && !quick_.converts_for_less(fast.index, slow.index)) continue;
      bool everywhere = true;
      for (std::size_t s = 1; s < slow.before.size() && everywhere; ++s)
        everywhere = slow.before[s] - slow.before[s - 1] >= fast.before[s] - fast.before[s - 1];
      if (everywhere) searched_[a] = 0;
    }
  }
  for (std::size_t k = 0; k < kernels_.size(); ++k)
    needs_lengths_ |= searched_[k] != 0 && kernels_[k].padding == Padding::hyb_split;
}

double KernelBlockTimes::slots(const Kernel& kernel, const Range& range) const {
  return formats::slots_of(kernel.padding,
                           formats::BlockShape{range.rows, range.nonzeros, range.sell_slots, number(range.longest),
                                               number(range.hyb.width), number(range.hyb.overflow)});
}

double KernelBlockTimes::seconds(const Kernel& kernel, const Range& range, std::int64_t first,
                                 std::int64_t last) const {
  if (first == 1 && last == strips()) return kernel.whole_s;
  return strips_seconds(kernel, range, first, last);
}

double KernelBlockTimes::strips_seconds(const Kernel& kernel, const Range& range, std::int64_t first,
                                        std::int64_t last) const {
  double seconds = kernel.launch + kernel.before[at(last)] - kernel.before[at(first - 1)];
  if (kernel.of_block) seconds += kernel.per_pad * std::max(0.0, slots(kernel, range) - range.nonzeros);
  if (kernel.padding == Padding::hyb_split) seconds += kernel.per_overflow * number(range.hyb.overflow);
  return seconds;
}

double KernelBlockTimes::conversion(const Kernel& kernel, const Range& range) const {
  StripContent rows;
  rows.rows = range.rows;
  rows.nonzeros = range.nonzeros;
  return quick_.conversion_seconds(kernel.index, rows, slots(kernel, range));
}

void KernelBlockTimes::column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) {
  Range block;
  if (needs_lengths_) lengths_.clear();
  for (std::int64_t i = j; i >= 1; --i) {
    const StripContent& strip = strips_[i];
    block.rows += strip.rows;
    block.nonzeros += strip.nonzeros;
    block.sell_slots += strip.slots_8;
    block.longest = std::max(block.longest, strip.longest);
    if (needs_lengths_) {
      lengths_.add(strips_.lengths(i));
      block.hyb = lengths_.hyb();
    }
    const bool whole = i == 1 && j == strips();
    double least = never;
    std::int32_t best = kernels_.empty() ? 0 : kernels_.front().index;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const Kernel& kernel = kernels_[k];
      if ((searched_[k] == 0 && !whole) || (kernel.whole_only && !whole)) continue;
      if (whole && kernel.padding == Padding::hyb_split && !needs_lengths_) block.hyb = whole_.hyb;
      double value = objective_.product * this->seconds(kernel, block, i, j);
      if (objective_.conversion > 0) value += objective_.conversion * conversion(kernel, block);
      if (value < least) {
        least = value;
        best = kernel.index;
      }
    }
    seconds[at(i - 1)] = least;
    kernels[at(i - 1)] = best;
  }
}

KernelBlockTimes::Range KernelBlockTimes::range(std::int64_t first, std::int64_t last) const {
  Range range;
  GrowingLengths lengths(strips_.whole().longest);
  for (std::int64_t s = first; s <= last; ++s) {
    const StripContent& strip = strips_[s];
    range.rows += strip.rows;
    range.nonzeros += strip.nonzeros;
    range.sell_slots += strip.slots_8;
    range.longest = std::max(range.longest, strip.longest);
    lengths.add(strips_.lengths(s));
  }
  range.hyb = lengths.hyb();
  return range;
}

double KernelBlockTimes::doubt(int kernel, int single) const {
  // The same kernel errs much the same way on the whole and on its parts, but for what the scaling could not mend.
  return std::max(least_disagreement, quick_.disagreement(kernel, single)) + find(kernel).doubt;
}

const KernelBlockTimes::Kernel& KernelBlockTimes::find(int kernel) const {
  return *std::ranges::find(kernels_, kernel, &Kernel::index);
}

double KernelBlockTimes::seconds(int kernel, std::int64_t first, std::int64_t last) const {
  return seconds(find(kernel), first == 1 && last == strips() ? whole_ : range(first, last), first, last);
}
double KernelBlockTimes::conversion_seconds(int kernel, std::int64_t first, std::int64_t last) const {
  return conversion(find(kernel), first == 1 && last == strips() ? whole_ : range(first, last));
}

}  // namespace sparsecast::planning
