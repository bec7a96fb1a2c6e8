// Two tables for benchmarks/gpu-kernels/learn, by the product's own rooms:
//
//   code-numbers code DEVICE…            profiles/gpu-code.tsv: our kernels' machine code for these devices'
//   architectures
//                                        (needs nvcc)
//   code-numbers counts DEVICE MATRIX…   what of each kernel's time on each matrix depends on matrix and description
//
// The machine code runs in the overlap model (gpu_code/overlap), one group alone on rows of two lengths, every load as
// long as another and no bandwidth exhausted; at two latencies. What differs between the lengths is a step, what is
// left the start; what differs between the latencies are loads that follow each other.
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <memory>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "forecast/machines/code_time.hpp"
#include "forecast/physical/workload.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "gpu_code/own/own_product.hpp"
#include "gpu_code/times/kernel_times.hpp"

namespace {
using namespace sparsecast;

// Rows of one group, and the least entries of a step of each.
struct Made {
  const char *kernel, *function;
  int rows, lanes;
  int values;  // that are stored: 1: one for all, 200: codes, 5000 as float, or as double
  bool floats = false;
};
constexpr Made made[] = {{"csr-scalar", "csr_scalar", 256, 1, 5000},
                         {"csr-vector", "csr_vector", 8, 32, 5000},
                         {"csr-half", "csr_half", 16, 16, 5000},
                         {"csr-stream", "csr_stream", 8, 32, 5000},
                         {"csr-tiles", "csr_tiles", 8, 1, 5000},
                         {"ell", "ell", 256, 1, 5000},
                         {"jad", "jad", 256, 1, 5000},
                         {"sell", "sell", 256, 1, 5000},
                         {"sell-compact", "sell_compact_one", 256, 1, 1},
                         {"sell-compact", "sell_compact_codes", 256, 1, 200},
                         {"sell-compact", "sell_compact_single", 256, 1, 5000, true},
                         {"sell-compact", "sell_compact_plain", 256, 1, 5000},
                         {"coo", "coo", 100, 16, 5000},
                         {"csr-merge", "csr_merge", 100, 16, 5000}};

struct Arrays {
  std::vector<std::int32_t> pointers{0}, columns;
  std::vector<double> values;
};

Matrix made_matrix(const Made& of, int length) {
  constexpr int cols = 60000;
  const auto arrays = std::make_shared<Arrays>();
  const int apart = cols / length;
  for (int row = 0; row < of.rows; ++row) {
    for (int k = 0; k < length; ++k) {
      arrays->columns.push_back(k * apart + (row * 7919 + k * 31) % apart);
      const double value = 1 + 0.001 * ((row * 131 + k * 17) % of.values);
      arrays->values.push_back(of.floats ? static_cast<double>(static_cast<float>(value)) : value);
    }
    arrays->pointers.push_back(static_cast<std::int32_t>(arrays->columns.size()));
  }
  return Matrix({.rows = of.rows,
                 .cols = cols,
                 .row_pointers = arrays->pointers,
                 .column_indices = arrays->columns,
                 .values = arrays->values,
                 .owner = arrays},
                "made");
}

struct Ran {
  double steps = 0, warp_steps = 0, instructions = 0;
  std::array<double, 2> cycles{};  // at both latencies
  std::string schedule;            // "PTX" where the machine code has a loop whose turns nothing tells
};
constexpr std::array latencies{100.0, 400.0};

Ran run(const Made& of, int length, Precision precision, const gpu_code::KernelTimes& board) {
  const Matrix matrix = made_matrix(of, length);
  const Structure structure = analyze(matrix);
  DeviceProperties one;  // multiprocessor
  one.kind = DeviceKind::cuda;
  one.compute_units = 1;
  one.warp_size = 32;
  one.warps_per_unit = 8;
  const formats::GpuWork work = forecast::workload(structure, of.kernel, one, precision, 0).gpu_work;
  Ran ran;
  ran.warp_steps = work.warp_steps;
  ran.steps = std::string_view(of.kernel) == "csr-stream" || std::string_view(of.kernel) == "csr-tiles"
                  ? static_cast<double>(structure.nonzeros) / formats::gpu_group_threads
                  : work.chain;
  for (std::size_t l = 0; l < latencies.size(); ++l) {
    gpu_code::KernelTimes times = board;
    times.latency.l1 = times.latency.l2 = times.latency.memory = latencies[l];
    constexpr double endless = 1e6;
    times.l1_bytes_per_cycle = times.l2_to_sm_bytes_per_cycle = times.l2_bytes_per_cycle = endless;
    times.memory_bandwidth = endless * times.clock_hz;
    gpu_code::AnalysisOptions options;
    options.models = {"overlapped"};
    const auto launches = gpu_code::own_launches(matrix, structure, of.kernel, precision, times);
    const auto report = gpu_code::analyze_own(launches, of.kernel, times, options);
    ran.schedule = report.overlap->schedule;
    ran.cycles[l] = (report.estimates.back().seconds.value() - static_cast<double>(launches.size()) * times.launch_s) *
                    times.clock_hz;
    ran.instructions = static_cast<double>(report.overlap->warp_instructions);
  }
  return ran;
}

void print_code(const std::string& device) {
  const gpu_code::KernelTimes board = gpu_code::kernel_times(device);
  for (const Made& of : made)
    for (const Precision precision : {Precision::double_, Precision::single_}) {
      if (precision == Precision::single_ && std::string_view(of.function) == "sell_compact_single") continue;
      const bool tiles = of.rows == 100;
      const Ran few = tiles ? Ran() : run(of, 16 * of.lanes, precision, board);
      const Ran many = run(of, tiles ? of.lanes : 80 * of.lanes, precision, board);
      const double steps = many.steps - few.steps;
      std::array<double, 2> step{}, start{};
      for (std::size_t l = 0; l < latencies.size(); ++l) {
        step[l] = (many.cycles[l] - few.cycles[l]) / steps;
        start[l] = many.cycles[l] - many.steps * step[l];
      }
      const double apart = latencies[1] - latencies[0];
      const double loads = std::max(0.0, (step[1] - step[0]) / apart), start_loads = (start[1] - start[0]) / apart;
      const double issued = (many.instructions - few.instructions) / (many.warp_steps - few.warp_steps);
      constexpr double warps = 8;
      fmt::print("{}\t{}\t{}\t{:.1f}\t{:.3f}\t{:.2f}\t{:.0f}\t{:.2f}\t{:.0f}\t{}\n", board.architecture, of.function,
                 precision == Precision::single_ ? "single" : "double", step[0] - loads * latencies[0], loads, issued,
                 std::max(0.0, start[0] - start_loads * latencies[0]), std::max(0.0, start_loads),
                 std::max(0.0, (many.instructions - issued * many.warp_steps) / warps), many.schedule);
    }
}

void print_counts(const std::string& device, const std::string& file) {
  const DeviceProperties properties = describe_device(device);
  const Structure s = analyze(read_matrix(file));
  for (const std::string& kernel : forecast::kernels_from_code(properties)) {
    const auto p = forecast::code_product(s, kernel, properties, Precision::double_);
    if (!p) continue;
    const forecast::CodeNumbers& c = p->code;
    fmt::print("{}\t{}\t{}\n", s.name, kernel,
               fmt::join(std::array{c.step_cycles, c.step_loads, c.start_cycles, c.start_loads, p->launches, p->carries,
                                    p->waves, p->serial_steps, p->longest_steps, p->tiles, p->far, p->busy,
                                    p->sector_bytes, p->far_bytes, p->memory_x_bytes, p->bytes, p->instructions,
                                    forecast::code_time(*p, properties).seconds},
                         "\t"));
  }
}
}  // namespace

int main(int count, char** words) try {
  const std::string what = count > 2 ? words[1] : "";
  if (what == "code") {
    for (int i = 2; i < count; ++i) print_code(words[i]);
  } else if (what == "counts") {
    for (int i = 3; i < count; ++i) print_counts(words[2], words[i]);
  } else {
    fmt::print(stderr, "usage: code-numbers code DEVICE… | counts DEVICE MATRIX…\n");
    return 2;
  }
  return 0;
} catch (const Error& error) {
  fmt::print(stderr, "code-numbers: {}\n", error.what());
  return 1;
}
