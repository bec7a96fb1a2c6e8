#include "forecast/physical/workload.hpp"

#include <sparsecast_constants.hpp>

#include "forecast/physical/storage.hpp"
#include "forecast/physical/x_misses.hpp"
#include "formats/gpu/gpu_shape.hpp"

namespace sparsecast::forecast {
namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

const XReuse* reuse_of(const Structure& s, int elements) {
  const auto reuse = std::ranges::find_if(s.x_reuse, [&](const XReuse& r) { return r.elements_per_line == elements; });
  return reuse == s.x_reuse.end() ? nullptr : &*reuse;
}

bool is_processor(const DeviceProperties& properties) { return properties.limits.contains("host_processor"); }

double limit(const DeviceProperties& properties, const char* name) {
  const auto found = properties.limits.find(name);
  return found == properties.limits.end() ? 0 : found->second;
}

// First-level cache of a unit: few drivers tell it. A GPU's that shares its memory with the groups, and a core's.
double first_cache_bytes(const DeviceProperties& properties) {
  const auto& [of_gpu, of_core] = constants::first_caches;
  for (const CacheLevel& cache : properties.caches)
    if (cache.level == 1 && cache.size_bytes > 0) return number(cache.size_bytes);
  return is_processor(properties) ? of_core : of_gpu;
}

// Where rows are sorted by length, those of one length keep their order: x is gone through once for each.
double lines_by_lengths(const Structure& s, const XReuse& reuse) {
  double lines = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    lines += std::min(number(reuse.lines), number(entry.length * entry.rows) * (1 - s.neighbours / 2));
  return lines;
}

// Share of what such sweeps over x would miss that does not fit: all of it or nothing.
double swept_share(double lines_bytes, double capacity) {
  return 1 - 1 / (1 + std::pow(lines_bytes / capacity, constants::capacity_edge));
}

// On the host, the lines of a sweep lie apart where lengths differ: no prefetcher foresees them.
void count_sweeps(const Structure& s, const XReuse& reuse, Workload& w) {
  const double swept = lines_by_lengths(s, reuse) - number(reuse.lines), bytes = number(reuse.lines) * cache_line_bytes;
  for (int level = 0; level < Workload::scatter_levels; ++level) {
    const double capacity = Workload::scatter_capacity(level);
    double& scattered = w.scattered[static_cast<std::size_t>(level)];
    scattered = std::max(scattered, swept * swept_share(bytes, capacity) * too_large(capacity, w));
  }
}

// Sectors of x that miss the first level and the last; and of every capacity in between how many lie beyond, for the
// device's own curve of gathers. A GPU fetches sectors, a processor lines.
void count_gpu_misses(const Structure& s, const DeviceProperties& properties, int value, bool longest_first,
                      Workload& w) {
  const int fetched = is_processor(properties) ? cache_line_bytes : static_cast<int>(formats::sector_bytes);
  const XReuse* reuse = reuse_of(s, fetched / value);
  if (reuse == nullptr) return;
  const double swept = longest_first ? lines_by_lengths(s, *reuse) : 0;
  const auto missed = [&](double capacity) {
    const double share = reuse->miss_share(constants::cache_for_x * capacity / fetched);
    const double again = swept * swept_share(number(reuse->lines) * fetched, constants::cache_for_x * capacity);
    return std::max(number(s.nonzeros) * share, again) * too_large(capacity, w);
  };
  w.misses[0] = missed(first_cache_bytes(properties));
  w.misses[1] = w.misses[2] = missed(std::max(last_cache_bytes(properties), 1.0));
  for (int level = 0; level < formats::GpuWork::gather_levels; ++level)
    w.gpu_work.x_beyond[static_cast<std::size_t>(level)] = missed(formats::GpuWork::gather_capacity(level));
}

// Whether a Structure tells what the kernels of a GPU go through: one that came from a matrix does.
bool counts_for_gpu(const Structure& s, int warp_size) {
  return !s.row_histogram.empty() && s.slice(warp_size, 1) != nullptr &&
         s.slice(formats::gpu_sell.slice_rows, formats::gpu_sell.sort_rows) != nullptr;
}

void count_on_gpu(const Structure& s, const formats::KernelInfo& info, const DeviceProperties& properties,
                  Precision precision, Workload& w) {
  formats::GpuContext context;
  context.value_bytes = value_bytes(precision);
  context.compute_units = std::max(1, properties.compute_units);
  context.warp_size = std::max(1, properties.warp_size);
  context.warps_per_unit = properties.warps_per_unit;
  context.registers_per_unit = limit(properties, "registers_per_unit");
  context.shared_bytes_per_unit = limit(properties, "shared_bytes_per_unit");
  context.processor = is_processor(properties);
  w.gpu = true;
  w.row_steps = w.rows;
  count_gpu_misses(s, properties, context.value_bytes, info.gpu.longest_first, w);
  info.gpu.count(s, context, w);
  formats::GpuWork& work = w.gpu_work;
  const double index = info.index_bytes, value = context.value_bytes;
  const double entry_bytes = w.slots * (value + index) + w.overflow * (value + 8);
  work.partial = std::max(0.0, work.sectors - entry_bytes / static_cast<double>(formats::sector_bytes));
  work.resident = formats::resident_warps(info.gpu, context);
  const double queued = work.groups * formats::gpu_group_threads / context.warp_size;
  work.latency_steps = work.warp_steps / std::max(1.0, std::min(queued, work.resident));
}
}  // namespace

Workload estimated_workload(const Structure& s, const std::string& kernel, const DeviceProperties& properties) {
  const formats::KernelInfo& info = formats::kernel_or_plain(kernel);
  const bool host = properties.kind == DeviceKind::host;
  Workload w;
  w.nonzeros = std::max(1.0, number(s.nonzeros));
  w.rows = std::max(1.0, number(s.rows));
  w.cols = std::max(1.0, number(s.cols));
  w.row_mean = w.nonzeros / w.rows;
  w.row_std = s.row_std;
  w.longest_row = std::max({1.0, w.row_mean * (1 + s.row_skew), number(s.row_max)});
  w.neighbours = std::clamp(s.neighbours, 0.0, 2 - constants::least_lone);
  w.runs = w.nonzeros * (1 - w.neighbours / 2);
  w.span = std::clamp(s.bandwidth_scaled, constants::least_span, 1.0);
  w.similarity = std::clamp(s.cross_row_similarity, 0.0, 1.0);
  // Value and column, pointer and y, x.
  w.footprint_bytes = 12 * w.nonzeros + 12 * w.rows + 8 * w.cols;
  w.slots = std::max(1.0, formats::slots_of(info.padding, s, host ? formats::host_sell : formats::gpu_sell));
  return w;
}

Workload workload(const Structure& s, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads) {
  const formats::KernelInfo& info = formats::kernel_or_plain(kernel);
  const bool host = properties.kind == DeviceKind::host;
  Workload w = estimated_workload(s, kernel, properties);
  w.exact = host ? !s.row_histogram.empty()
                 : info.gpu.count != nullptr && counts_for_gpu(s, std::max(1, properties.warp_size));
  if (!w.exact) return w;
  const int value = value_bytes(precision);
  w.format_bytes = number(storage_bytes(properties.kind, s, kernel, precision).value_or(0)) + value * (w.rows + w.cols);
  if (!host) {
    count_on_gpu(s, info, properties, precision, w);
    return w;
  }
  w.row_steps = w.rows;
  w.differing_rows = formats::differing_share(s) * number(s.rows);
  if (const XReuse* reuse = reuse_of(s, cache_line_bytes / value)) {
    count_misses(MissShares(*reuse, properties), number(s.nonzeros), properties, threads, w);
    if (info.gpu.longest_first) count_sweeps(s, *reuse, w);
  }
  info.count(s, {threads, value, is_complex(precision), last_cache_bytes(properties)}, w);
  return w;
}
}  // namespace sparsecast::forecast
