#include "forecast/machines/code_time.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/kernels.hpp>
#include <sparsecast_constants.hpp>
#include <utility>

#include "base/median.hpp"
#include "forecast/interval.hpp"
#include "forecast/machines/gpu_reach.hpp"
#include "forecast/machines/ranking.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/kernels.hpp"
#include "formats/sell_compact.hpp"

namespace sparsecast::forecast {
namespace {
// What was learned of a kernel's code: latency of a load, and what it takes longer where x is far; both again of the
// longest lane alone; factors of a group's start and of its format's bytes; the 90 % interval.
enum LearnedOfCode { near_load, far_load, near_alone, far_alone, start_factor, bytes_factor, low_end, high_end };
using CodeCosts = std::array<double, 8>;

struct CodeRow {
  std::string_view kernel, function;
  const CodeCosts& costs;
};

const auto& code_rows() {
  static const std::array rows{
#define CODE_KERNEL(kernel, function, costs) CodeRow{kernel, function, costs},
#include "forecast/machines/code_kernels.def"
#undef CODE_KERNEL
  };
  return rows;
}

const CodeRow* code_row(std::string_view kernel) {
  const auto found = std::ranges::find(code_rows(), kernel, &CodeRow::kernel);
  return found == code_rows().end() ? nullptr : &*found;
}

double capability_of(const DeviceProperties& device) {
  const auto found = device.limits.find("compute_capability");
  return found == device.limits.end() ? 0 : found->second;
}

bool runs_code(const DeviceProperties& device) {
  return device.kind == DeviceKind::cuda && code_capability(capability_of(device)) > 0;
}

// The function that gpu_product.cpp launches for what the values are stored as.
std::string_view function_of(const CodeRow& row, const Structure& s, Precision precision) {
  if (row.kernel != "sell-compact") return row.function;
  switch (formats::stored_on_gpu(s.compact, value_bytes(precision))) {
    case formats::StoredValues::one: return "sell_compact_one";
    case formats::StoredValues::sixteen:
    case formats::StoredValues::codes: return "sell_compact_codes";
    case formats::StoredValues::single: return "sell_compact_single";
    default: return row.function;
  }
}

// One value for all is read like `sell`: four columns at once. The others of sell-compact wait for each.
const CodeCosts& costs_of(const CodeRow& row, std::string_view function) {
  return function == "sell_compact_one" ? static_cast<const CodeCosts&>(constants::code_sell) : row.costs;
}

// Entries of that many neighbouring rows where they have the most: of the 64 blocks of rows that are counted, and
// within one as entries crowd from all rows to it (of R-MAT graphs each half has the same share of the whole's).
double heaviest_rows(const Structure& s, double rows) {
  const auto all = static_cast<double>(s.nonzeros), mean = all / static_cast<double>(s.rows);
  const double longest = std::min(all, static_cast<double>(s.row_max) + mean * (rows - 1));
  if (s.block_nonzeros.size() < 2) return longest;
  const auto blocks = static_cast<double>(s.block_nonzeros.size()), of_block = static_cast<double>(s.rows) / blocks;
  double most = 0;
  if (rows >= of_block) {
    const auto width = static_cast<std::size_t>(std::ceil(rows / of_block));
    for (std::size_t first = 0; first < s.block_nonzeros.size(); ++first) {
      double sum = 0;
      for (std::size_t b = first; b < std::min(first + width, s.block_nonzeros.size()); ++b)
        sum += static_cast<double>(s.block_nonzeros[b]);
      most = std::max(most, sum);
    }
  } else {
    const auto block = static_cast<double>(*std::ranges::max_element(s.block_nonzeros));
    most = block * std::pow(std::clamp(block / all, 1 / blocks, 1.0), std::log(of_block / rows) / std::log(blocks));
  }
  return std::min(all, std::max(most, longest));
}

// csr-stream reads its groups' entries by all threads, a turn, and adds them up by as many threads as each row has.
void count_stream(const Structure& s, CodeProduct& p) {
  const auto tile = static_cast<double>(formats::gpu_stream_tile);
  const auto rows = static_cast<double>(formats::gpu_stream_rows(s.rows, s.nonzeros));
  const double lanes = formats::gpu_group_threads / rows, entries = heaviest_rows(s, rows);
  const auto longest = static_cast<double>(s.row_max);
  // Beyond what rows usually have, the group's entries are of long rows: so many of each tile are added one by one.
  const double usual = static_cast<double>(s.nonzeros) / static_cast<double>(s.rows) * rows;
  const double added = std::max(longest, std::min(entries - usual, constants::stream_alone * std::ceil(entries / tile) *
                                                                       std::min(longest, tile)));
  p.longest_steps = entries / formats::gpu_group_threads + added / lanes / constants::stream_additions;
  p.serial_steps += p.waves * static_cast<double>(s.row_quantile(1 - 1 / rows)) / lanes / constants::stream_additions;
}

// Of what is read again in every product, the share that the last cache does not hold.
double beyond_cache(double bytes, const DeviceProperties& device) {
  const double cache = std::max(last_cache_bytes(device), 1.0) * constants::code_cache[0];
  return 1 / (1 + std::pow(cache / std::max(bytes, 1.0), constants::code_cache[1]));
}

// Standard deviation in logarithms: of boards of the H100's architecture, and of other architectures, as far as tuning
// tables tell of either.
double doubt_of_device(const DeviceProperties& device) {
  const auto& [learned_on, board, architecture] = constants::code_doubt;
  const bool same = std::lround(10 * capability_of(device)) == std::lround(10 * learned_on);
  return same ? board : architecture;
}

Term term_of(const CodeTime& t) {
  const std::array<std::pair<double, Term>, 6> parts{{{t.launch, Term::launch},
                                                      {t.latency, Term::rows},
                                                      {t.longest, Term::longest_row},
                                                      {t.caches, Term::cache},
                                                      {t.instructions, Term::compute},
                                                      {t.memory, Term::stream}}};
  return std::ranges::max_element(parts)->second;
}
}  // namespace

std::optional<CodeProduct> code_product(const Structure& s, const std::string& kernel, const DeviceProperties& device,
                                        Precision precision) {
  const CodeRow* row = code_row(kernel);
  if (row == nullptr || !runs_code(device) || is_complex(precision) || s.nonzeros <= 0) return std::nullopt;
  const Workload w = workload(s, kernel, device, precision, 0);
  if (!w.exact || s.x_reuse.empty()) return std::nullopt;
  const formats::GpuWork& work = w.gpu_work;
  const double warps_of_group = static_cast<double>(formats::gpu_group_threads) / std::max(1, device.warp_size);
  constexpr auto sector = static_cast<double>(formats::sector_bytes);
  CodeProduct p;
  p.kernel = kernel;
  p.function = function_of(*row, s, precision);
  p.code = *code_numbers(p.function, precision, capability_of(device));
  p.launches = work.launches;
  p.carries = work.carries;
  p.waves = std::max(1.0, work.groups * warps_of_group / std::max(1.0, work.resident));
  p.serial_steps = work.latency_steps;
  p.longest_steps = work.chain;
  if (kernel == "csr-stream") count_stream(s, p);
  p.tiles = work.tiles / std::max(1.0, work.groups);
  p.far = std::min(1.0, w.misses[0] / std::max(1.0, w.nonzeros));
  p.busy = std::min(1.0, work.groups / std::max(1, device.compute_units));
  p.sector_bytes = work.sectors * sector;
  p.far_bytes = w.misses[0] * sector;
  p.memory_x_bytes = w.misses[1] * sector;
  p.bytes = w.format_bytes;
  p.instructions =
      work.warp_steps * p.code.step_instructions + work.groups * warps_of_group * p.code.start_instructions;
  return p;
}

CodeTime code_time(const CodeProduct& p, const DeviceProperties& device) {
  const CodeCosts& costs = costs_of(*code_row(p.kernel), p.function);
  const double clock = device.clock_hz, units = std::max(1, device.compute_units);
  const double beyond = beyond_cache(p.bytes, device);
  const double slower = 1 + beyond * (constants::code_latency_beyond - 1);
  const auto seconds_of = [&](double steps, double near, double far) {
    return steps * (p.code.step_cycles + p.code.step_loads * (near + far * p.far) * slower) / clock;
  };
  const double start = costs[start_factor] *
                       (constants::code_group_cycles + p.code.start_cycles + p.code.start_loads * costs[near_load]) /
                       clock;
  CodeTime t;
  const auto& [first, further, carry] = constants::code_launch;
  t.launch = first + (p.launches - 1) * further + p.carries * carry;
  t.latency = seconds_of(p.serial_steps, costs[near_load], costs[far_load]) + p.waves * start +
              p.tiles * constants::code_tile_cycles / clock;
  t.longest = seconds_of(p.longest_steps, costs[near_alone], costs[far_alone]) + start;
  // What the last cache gives to all, and to a few of the multiprocessors.
  const auto& [of_all, of_one] = constants::code_cache_bytes;
  const double rate = of_all * units * clock * std::pow(1 + std::pow(of_all / (of_one * p.busy), 4), -1.0 / 4);
  t.caches = (costs[bytes_factor] * p.sector_bytes + constants::code_far_x[0] * p.far_bytes) / rate;
  const double running = units * p.busy * clock;
  t.instructions = p.instructions / (constants::code_issue * running);
  const double memory = constants::code_memory_share * device.memory_bandwidth;
  t.memory = (p.bytes * beyond + constants::code_far_x[1] * p.memory_x_bytes) / memory;
  // What a warp waits for hides behind others' work, and a longest row behind everybody's: a mean near the longest.
  double sum = 0;
  for (const double part : {t.latency, t.longest, t.caches + t.instructions, t.memory})
    sum += std::pow(part, constants::code_overlap);
  t.seconds = t.launch + std::pow(sum, 1 / constants::code_overlap);
  return t;
}

CodeMoved moved_by(const std::string& kernel, const DeviceProperties& device, std::vector<double> off) {
  const CodeCosts& costs = code_row(kernel)->costs;
  const double of_device = std::pow(doubt_of_device(device), 2), count = static_cast<double>(off.size()),
               of_product = std::pow((costs[low_end] + costs[high_end]) / interval_deviations, 2) / count;
  const double believed = of_device / (of_device + of_product);
  return {believed * base::median(std::move(off)), std::sqrt(1 - believed)};
}

std::optional<Forecast> forecast_from_code(const Structure& structure, const std::string& kernel,
                                           const DeviceProperties& device, Precision precision,
                                           const CodeMoved& moved) {
  const auto product = code_product(structure, kernel, device, precision);
  if (!product) return std::nullopt;
  const CodeTime time = code_time(*product, device);
  Forecast f;
  f.kernel = kernel;
  f.model = code_model_name;
  f.tier = Tier::data_sheet;
  f.seconds = time.seconds * std::exp(moved.log_factor);
  const CodeCosts& costs = code_row(kernel)->costs;
  const double doubt = interval_deviations / 2 * moved.doubt_left * doubt_of_device(device);
  f.low_s = f.seconds * std::exp(-std::hypot(costs[low_end], doubt));
  f.high_s = f.seconds * std::exp(std::hypot(costs[high_end], doubt));
  f.gflops = gflops_of(structure, f.seconds);
  f.bytes = storage_bytes(device.kind, structure, kernel, precision);
  extrapolate_to(precision, f);
  doubt_beyond_boards(beyond_boards(device), f);
  const double parts = time.latency + time.longest + time.caches + time.instructions + time.memory;
  const double factor = f.seconds / time.seconds, share = factor * (time.seconds - time.launch) / parts;
  f.parts = {{Term::launch, factor * time.launch, 0},
             {Term::stream, share * time.memory, product->bytes},
             {Term::cache, share * time.caches, product->sector_bytes},
             {Term::compute, share * time.instructions, 0},
             {Term::rows, share * time.latency, 0},
             {Term::longest_row, share * time.longest, 0}};
  f.bound_by = term_of(time);
  return f;
}

std::vector<std::string> kernels_from_code(const DeviceProperties& device) {
  std::vector<std::string> kernels;
  for (const CodeRow& row : code_rows())
    if (runs_code(device)) kernels.emplace_back(row.kernel);
  return kernels;
}

bool is_from_code(const std::string& kernel, const DeviceProperties& device) {
  return code_row(kernel) != nullptr && runs_code(device);
}
}  // namespace sparsecast::forecast
