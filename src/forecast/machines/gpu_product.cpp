#include "forecast/machines/gpu_product.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
GpuNumbers::GpuNumbers(const DeviceProperties& p) {
  units = std::max(1, p.compute_units);
  clock = p.clock_hz;
  bandwidth = p.memory_bandwidth;
  warp = p.warp_size > 0 ? p.warp_size : constants::warp_lanes;
  int last = 0;
  for (const CacheLevel& level : p.caches)
    if (level.level >= last) {
      last = level.level;
      cache = static_cast<double>(level.size_bytes) * std::ceil(units / std::max(1, level.shared_by));
    }
  const auto capability = p.limits.find("compute_capability");
  if (p.vendor == "AMD")
    generation = GpuGeneration::amd;
  else if (capability != p.limits.end() && capability->second < 6)
    generation = GpuGeneration::kepler;
  else if (capability == p.limits.end() || capability->second >= constants::wide_sectors_since)
    sector = constants::wide_sector;
}

namespace {
std::optional<double> counted_slots(const Structure& s) {
  for (const SliceWork& work : s.slices)
    if (work.slice_rows == constants::sell_p_rows && work.sort_rows == 1) return static_cast<double>(work.slots);
  return std::nullopt;
}

// Row lengths at 0, ¼, ½ and ¾ of the rows; nothing where a record does not tell.
std::optional<std::array<double, 4>> quartiles_of(const Structure& s) {
  if (!s.row_histogram.empty())
    return std::array{static_cast<double>(s.row_min), static_cast<double>(s.row_quantile(1. / 4)),
                      static_cast<double>(s.row_quantile(0.5)), static_cast<double>(s.row_quantile(3. / 4))};
  if (s.row_quartiles.size() != 3) return std::nullopt;
  return std::array{static_cast<double>(s.row_min), s.row_quartiles[0], s.row_quartiles[1], s.row_quartiles[2]};
}

double power_of_two(double exponent) { return std::exp2(exponent); }
}  // namespace

GpuProduct::GpuProduct(const Structure& s, Precision precision, const GpuKernel& does, const GpuNumbers& numbers,
                       const GpuStrategy& strategy)
    : kernel(does.name), work_(does.work), layout_(does.layout), number_(does.number), numbers_(numbers) {
  const double value = value_bytes(precision), index = 4;
  entry_ = value + index;
  rows_ = std::max(1.0, static_cast<double>(s.rows));
  cols_ = std::max(1.0, static_cast<double>(s.cols));
  nonzeros_ = std::max(1.0, static_cast<double>(s.nonzeros));
  mean_ = nonzeros_ / rows_;
  const std::optional<double> counted = counted_slots(s);
  longest_ = std::max(1.0, static_cast<double>(s.row_max));
  if (counted) longest_ = std::min(longest_, *counted / constants::sell_p_rows);
  longest_ = std::max(longest_, std::ceil(mean_));
  cv_ = s.row_std / mean_;
  // The longest of 64 lengths drawn alone lies some two deviations above the mean; neighbours are alike.
  const double drawn =
      nonzeros_ * (1 + std::min({constants::longest_of_64 * cv_, longest_ / mean_ - 1, constants::sell_p_rows - 1}));
  slots_ = std::max(nonzeros_, std::min(counted.value_or(drawn), rows_ * longest_));
  // HYB: rows up to the third quartile as ELL, what is over it as coordinates.
  const auto quartiles = quartiles_of(s);
  double width = mean_, kept = mean_ * (1 - std::min(constants::lost_to_split[0] * cv_, constants::lost_to_split[1]));
  if (quartiles) {
    const auto& [least, first, second, third] = *quartiles;
    width = third;
    kept = std::min((least + 2 * first + 2 * second + third) / 8 + third / 4, mean_);
  }
  split_ = entry_ * rows_ * width + (entry_ + index) * std::max(0.0, nonzeros_ - rows_ * kept);
  switch (layout_) {
    case GpuLayout::csr: stored = entry_ * nonzeros_ + index * rows_; break;
    case GpuLayout::ell: stored = entry_ * rows_ * longest_; break;
    case GpuLayout::sell: stored = entry_ * slots_; break;
    case GpuLayout::hyb: stored = split_; break;
    case GpuLayout::coo: stored = (entry_ + index) * nonzeros_; break;
  }
  // ELL's threads stop where their row ends: what is moved is what a warp's longest row has.
  moved = (layout_ == GpuLayout::ell ? entry_ * slots_ : stored) + value * (rows_ + cols_);
  double of_row = 1;  // threads
  if (does.shares) of_row = mean_ < constants::shared_rows[0] ? 1 : mean_ < constants::shared_rows[1] ? 2 : 4;
  // A thread that walks a row of CSR alone shares sectors with its neighbours only where rows are short.
  if (work_ == GpuWork::threads && layout_ == GpuLayout::csr)
    moved += (2 * numbers_.sector / of_row - entry_) * nonzeros_ * std::min(1.0, mean_ / constants::row_of_lone_thread);
  roof = std::max(0.0, entry_ * nonzeros_ - numbers_.cache) / numbers_.bandwidth;
  lanes_ = std::min(power_of_two(std::ceil(std::log2(longest_))), numbers_.warp);
  const bool hyb = layout_ == GpuLayout::hyb;
  const double along = hyb ? std::max(1.0, width) : longest_;
  const bool wide =
      hyb ? does.library != GpuLibrary::rocsparse : layout_ == GpuLayout::ell && does.library == GpuLibrary::ginkgo;
  if (work_ == GpuWork::warps) of_row = lanes_;
  if (wide && strategy.wide && along / rows_ >= constants::ginkgo_wide_share) {
    of_row = power_of_two(std::floor(std::log2(std::min(along, constants::ell_threads))));
    // Before Volta, whose first-level cache holds them, each thread of such a row of ELL fetches its sectors alone.
    if (!hyb && numbers_.generation == GpuGeneration::kepler)
      moved = std::max(moved, 2 * numbers_.sector * nonzeros_ + value * (rows_ + cols_));
  }
  if (hyb || work_ == GpuWork::warps || work_ == GpuWork::threads) steps_ = std::ceil(along / of_row);
  threads_ = rows_ * of_row;
  counts = {moved / numbers_.bandwidth, steps_ * constants::step_cycles / numbers_.clock,
            threads_ / constants::warp_lanes * constants::thread_cycles / numbers_.units / numbers_.clock};
  for (std::size_t i = 0; i < quartiles_.size(); ++i)
    quartiles_[i] = quartiles ? std::log((*quartiles)[i] + constants::between_lengths) : constants::unknown_quartile;
}

std::array<double, gpu_features> GpuProduct::features(double floor, double base) const {
  return {std::log(nonzeros_),
          std::log(rows_),
          std::log(cols_ / rows_),
          std::log(mean_),
          std::log(longest_),
          std::log(longest_ / mean_),
          std::log(longest_ / rows_),
          std::log(lanes_ * rows_ / nonzeros_),
          quartiles_[0],
          quartiles_[1],
          quartiles_[2],
          quartiles_[3],
          std::log(cv_ + constants::least_variation),
          std::log(moved / (entry_ * nonzeros_)),
          std::log(slots_ / nonzeros_),
          std::log(split_ / (entry_ * nonzeros_)),
          std::log(steps_),
          std::log(floor / base),
          std::log(counts[0] / base),
          std::log(counts[1] / base),
          std::log(moved / numbers_.cache),
          std::log(8 * cols_ / numbers_.cache),
          std::log(threads_ / numbers_.units),
          std::log(nonzeros_ / numbers_.units),
          static_cast<double>(work_) * 8 + static_cast<double>(layout_),
          static_cast<double>(numbers_.generation),
          number_,
          std::log(numbers_.bandwidth / numbers_.units / numbers_.clock)};
}
}  // namespace sparsecast::forecast
