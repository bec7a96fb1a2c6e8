// The counted work of every GPU kernel (formats/gpu/gpu_counts.hpp) against the converted arrays, read as the kernel
// texts read them, and against what a product launches.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sparsecast/generate.hpp>

#include "forecast/physical/workload.hpp"
#include "formats/coo.hpp"
#include "formats/ell.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/gpu/row_tiles.hpp"
#include "formats/hyb.hpp"
#include "formats/jad.hpp"
#include "formats/kernels.hpp"
#include "formats/parts/split.hpp"
#include "formats/sell.hpp"
#include "formats/sell_compact.hpp"
#include "hardware/gpu/gpu_kernels.hpp"
#include "hardware/gpu/gpu_product.hpp"
#include "support/matrices.hpp"

namespace sparsecast {
namespace {

DeviceProperties two_units() {
  DeviceProperties p;
  p.name = "cuda:0";
  p.kind = DeviceKind::cuda;
  p.compute_units = 2;
  p.warp_size = 32;
  p.warps_per_unit = 64;
  p.threads_per_unit = 2048;
  p.memory_bytes = std::int64_t{8} << 30;
  p.caches = {{1, 128 << 10, 128, 1}, {2, 4 << 20, 128, 2}};
  return p;
}

// Runs nothing and counts what is launched.
class CountingRuntime final : public hardware::GpuRuntime {
 public:
  [[nodiscard]] const DeviceProperties& properties() const override { return properties_; }
  [[nodiscard]] std::int64_t largest_buffer() const override { return properties_.memory_bytes; }
  [[nodiscard]] std::int64_t most_groups() const override { return std::int64_t{1} << 31; }
  std::unique_ptr<hardware::GpuBuffer> allocate(std::int64_t) override {
    return std::make_unique<hardware::GpuBuffer>();
  }
  void upload(hardware::GpuBuffer&, const void*, std::int64_t) override {}
  void download(const hardware::GpuBuffer&, void*, std::int64_t) override {}
  void launch(hardware::GpuKernel&, std::int64_t groups, std::span<const hardware::GpuArgument>) override {
    ++launches;
    all_groups += groups;
  }
  void start_timer() override {}
  double stop_timer() override { return 1; }

  std::int64_t launches = 0, all_groups = 0;

 private:
  DeviceProperties properties_ = two_units();

  std::unique_ptr<hardware::GpuKernel> make_kernel(const hardware::GpuFunction&, Precision, int) override {
    return std::make_unique<hardware::GpuKernel>();
  }
};

// What a kernel reads, request by request: the entries of one array that neighbouring threads ask for at once.
class Reads {
 public:
  explicit Reads(int value_bytes) : value_bytes_(value_bytes) {}
  // Columns and values of these entries.
  void entries(const std::vector<std::int64_t>& at) {
    array(at, 4);
    array(at, value_bytes_);
  }
  void array(const std::vector<std::int64_t>& at, int bytes) {
    std::int64_t before = -1;  // they ascend
    for (const std::int64_t entry : at) {
      const std::int64_t sector = entry * bytes / 32;
      sectors += sector != before ? 1 : 0;
      before = sector;
    }
  }
  double sectors = 0, slots = 0;

 private:
  int value_bytes_;
};

constexpr int warp = 32;

std::vector<std::int64_t> lengths_of(const Matrix& matrix, std::vector<std::int64_t>& starts) {
  std::vector<std::int64_t> lengths;
  matrix.visit_pattern([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      starts.push_back(csr.row_pointers[static_cast<std::size_t>(row)]);
      lengths.push_back(csr.row_pointers[static_cast<std::size_t>(row) + 1] - starts.back());
    }
  });
  return lengths;
}

// csr_scalar.cl: the threads of a warp have a row each.
void read_scalar(const Matrix& matrix, Reads& reads) {
  std::vector<std::int64_t> starts;
  const std::vector<std::int64_t> lengths = lengths_of(matrix, starts);
  for (std::size_t first = 0; first < lengths.size(); first += warp) {
    const std::size_t last = std::min(lengths.size(), first + warp);
    for (std::int64_t step = 0;; ++step) {
      std::vector<std::int64_t> at;
      for (std::size_t row = first; row < last; ++row)
        if (lengths[row] > step) at.push_back(starts[row] + step);
      if (at.empty()) break;
      reads.slots += static_cast<double>(at.size());
      reads.entries(at);
    }
  }
}

// csr_lanes.cl: so many threads have a row.
void read_lanes(const Matrix& matrix, std::int64_t lanes, Reads& reads) {
  std::vector<std::int64_t> starts;
  const std::vector<std::int64_t> lengths = lengths_of(matrix, starts);
  for (std::size_t row = 0; row < lengths.size(); ++row)
    for (std::int64_t k = 0; k < lengths[row]; k += lanes) {
      std::vector<std::int64_t> at;
      for (std::int64_t lane = 0; lane < lanes && k + lane < lengths[row]; ++lane) at.push_back(starts[row] + k + lane);
      reads.slots += static_cast<double>(at.size());
      reads.entries(at);
    }
}

// ell.cl
void read_ell(std::int64_t rows, std::int64_t width, Reads& reads) {
  for (std::int64_t first = 0; first < rows; first += warp)
    for (std::int64_t k = 0; k < width; ++k) {
      std::vector<std::int64_t> at;
      for (std::int64_t row = first; row < std::min(rows, first + warp); ++row) at.push_back(k * rows + row);
      reads.slots += static_cast<double>(at.size());
      reads.entries(at);
    }
}

// coo.cl: a tile side by side, and the row that follows it.
void read_coo(std::int64_t entries, Reads& reads) {
  for (std::int64_t tile = 0; tile < entries; tile += formats::gpu_tile_items) {
    const std::int64_t end = std::min(entries, tile + formats::gpu_tile_items);
    for (std::int64_t first = tile; first < end; first += warp) {
      std::vector<std::int64_t> at;
      for (std::int64_t k = first; k < std::min(end, first + warp); ++k) at.push_back(k);
      reads.slots += static_cast<double>(at.size());
      reads.entries(at);
      reads.array(at, 4);
    }
    if (end < entries) reads.array({end}, 4);
  }
}

// csr_merge.cl: a tile's entries begin where the merge path is.
void read_merge(const Matrix& matrix, Reads& reads) {
  matrix.visit_pattern([&](const auto& csr) {
    const std::int64_t items = csr.rows + matrix.nonzeros();
    const auto entry_at = [&](std::int64_t item) {
      item = std::min(item, items);
      return item - formats::merge_path_search(csr.row_pointers.data(), csr.rows, item).row;
    };
    for (std::int64_t tile = 0; tile < items; tile += formats::gpu_tile_items) {
      const std::int64_t end = entry_at(tile + formats::gpu_tile_items);
      for (std::int64_t first = entry_at(tile); first < end; first += warp) {
        std::vector<std::int64_t> at;
        for (std::int64_t k = first; k < std::min(end, first + warp); ++k) at.push_back(k);
        reads.slots += static_cast<double>(at.size());
        reads.entries(at);
      }
    }
  });
}

// csr_stream.cl: two entries a thread, from an even one on.
void read_stream(const Matrix& matrix, Reads& reads) {
  std::vector<std::int64_t> starts;
  const std::vector<std::int64_t> lengths = lengths_of(matrix, starts);
  const auto of_group = static_cast<std::size_t>(formats::gpu_stream_rows(matrix.rows(), matrix.nonzeros()));
  for (std::size_t first = 0; first < lengths.size(); first += of_group) {
    const std::size_t last = std::min(lengths.size(), first + of_group) - 1;
    const std::int64_t stop = starts[last] + lengths[last];
    reads.slots += static_cast<double>(stop - starts[first]);
    for (std::int64_t k = starts[first] / 2 * 2; k < stop; k += std::int64_t{2} * warp) {
      std::vector<std::int64_t> at;
      for (std::int64_t i = k; i < std::min(k + 2 * warp, stop); ++i) at.push_back(i);
      reads.entries(at);
    }
  }
}

// csr_tiles.cl: a tile's entries, side by side.
void read_tiles(const Matrix& matrix, Reads& reads) {
  matrix.visit_pattern([&](const auto& csr) {
    const auto tiles = formats::row_tiles<std::int64_t>(csr.row_pointers.data(), csr.rows);
    for (std::size_t tile = 0; tile + 1 < tiles.starts.size(); ++tile)
      for (std::int64_t first = tiles.starts[tile]; first < tiles.starts[tile + 1]; first += warp) {
        std::vector<std::int64_t> at;
        for (std::int64_t k = first; k < std::min(tiles.starts[tile + 1], first + warp); ++k) at.push_back(k);
        reads.slots += static_cast<double>(at.size());
        reads.entries(at);
      }
  });
}

// jad.cl
template <class Value>
void read_jad(const Matrix& matrix, Reads& reads) {
  const auto jad = formats::to_jad<Value, std::int32_t>(matrix, 1);
  for (std::int64_t first = 0; first < jad.rows; first += warp)
    for (std::int64_t d = 0; d < jad.diagonals(); ++d) {
      const std::int64_t begin = jad.diagonal_pointers[static_cast<std::size_t>(d)],
                         end = jad.diagonal_pointers[static_cast<std::size_t>(d) + 1];
      std::vector<std::int64_t> at;
      for (std::int64_t position = first; position < std::min(jad.rows, first + warp); ++position)
        if (begin + position < end) at.push_back(begin + position);
      reads.slots += static_cast<double>(at.size());
      reads.entries(at);
    }
}

// sell.cl, with the last slice as it is stored: in full.
template <class Value>
void read_sell(const Matrix& matrix, Reads& reads) {
  const auto sell =
      formats::to_sell<Value, std::int32_t>(matrix, formats::gpu_sell.slice_rows, formats::gpu_sell.sort_rows, 1);
  for (std::size_t slice = 0; slice < static_cast<std::size_t>(sell.slices()); ++slice)
    for (std::int64_t slot = sell.slice_pointers[slice]; slot < sell.slice_pointers[slice + 1]; slot += warp) {
      std::vector<std::int64_t> at;
      for (std::int64_t lane = 0; lane < warp; ++lane) at.push_back(slot + lane);
      reads.slots += warp;
      reads.entries(at);
    }
}

// sell_compact.cl: the same slots, columns of 16 or 32 bits, values as they are stored.
template <class Value>
void read_sell_compact(const Matrix& matrix, Reads& reads) {
  const auto sell = formats::to_sell_compact<Value, warp>(matrix, 1);
  const int stored = formats::stored_bytes(sell.kind, sizeof(Value));
  const auto of_window = static_cast<std::int64_t>(sell.window_rows / warp);
  for (std::int64_t slice = 0; slice < sell.slices(); ++slice)
    for (std::int64_t slot = sell.slice_pointers[slice]; slot < sell.slice_pointers[slice + 1]; slot += warp) {
      std::vector<std::int64_t> at, place;
      for (std::int64_t lane = 0; lane < warp; ++lane) {
        at.push_back(slot + lane);
        place.push_back(slot + lane - sell.shifts[slice / of_window]);
      }
      reads.slots += warp;
      reads.array(place, sell.bases[slice / of_window] < 0 ? 4 : 2);
      if (stored > 0) reads.array(at, stored);
    }
}

template <class Value>
Reads read(const std::string& kernel, const Matrix& matrix) {
  Reads reads(sizeof(Value));
  if (kernel == "csr-scalar") read_scalar(matrix, reads);
  if (kernel == "csr-vector") read_lanes(matrix, warp, reads);
  if (kernel == "csr-half") read_lanes(matrix, warp / 2, reads);
  if (kernel == "csr-merge") read_merge(matrix, reads);
  if (kernel == "csr-tiles") read_tiles(matrix, reads);
  if (kernel == "csr-stream") read_stream(matrix, reads);
  if (kernel == "ell") read_ell(matrix.rows(), formats::to_ell<Value, std::int32_t>(matrix, 1).width, reads);
  if (kernel == "coo") read_coo(matrix.nonzeros(), reads);
  if (kernel == "hyb") {
    const auto hyb = formats::to_hyb<Value, std::int32_t>(matrix, 1);
    read_ell(matrix.rows(), hyb.regular.width, reads);
    read_coo(static_cast<std::int64_t>(hyb.overflow.values.size()), reads);
  }
  if (kernel == "jad") read_jad<Value>(matrix, reads);
  if (kernel == "sell") read_sell<Value>(matrix, reads);
  if (kernel == "sell-compact") read_sell_compact<Value>(matrix, reads);
  return reads;
}

// Where a row of CSR begins follows from all rows before, which windows of slices of 32 are far apart from those of
// slices of eight: a Structure does not tell.
bool placed_by_chance(const std::string& kernel) { return kernel.starts_with("csr-") || kernel == "sell-compact"; }

std::vector<std::string> counted_kernels() {
  std::vector<std::string> kernels;
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    if (kernel.gpu.count != nullptr) kernels.emplace_back(kernel.name);
  return kernels;
}

// Of no rows and of one, of one length and of many, empty rows, a long row, rows that no sector divides.
std::vector<Matrix> matrices() {
  std::vector<Matrix> all;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    all.push_back(test::random_matrix(4000 + 337 * static_cast<std::int64_t>(seed), 3000,
                                      9000 * static_cast<std::int64_t>(seed), seed));
  for (const char* kind : {"constant", "normal", "uniform", "powerlaw"}) {
    MatrixSpec spec;
    spec.kind = kind;
    spec.rows = spec.cols = 6011;
    spec.row_length = 11;
    spec.seed = 3;
    all.push_back(generate(spec));
  }
  return all;
}

TEST(GpuWork, EveryKernelOfOursIsCounted) {
  const std::vector<std::string> counted = counted_kernels();
  EXPECT_EQ(counted.size(), 12U);
  for (const formats::KernelInfo& kernel : formats::kernel_table())
    EXPECT_EQ(kernel.gpu.count != nullptr, kernel.on_gpu && !kernel.vendor) << kernel.name;
}

TEST(GpuWork, SlotsAndSectorsAreThoseOfTheConvertedArrays) {
  int compared = 0;
  for (const Matrix& matrix : matrices()) {
    const Structure structure = analyze(matrix, 1);
    for (const std::string& kernel : counted_kernels()) {
      for (const Precision precision : {Precision::single_, Precision::double_}) {
        const forecast::Workload w = forecast::workload(structure, kernel, two_units(), precision, 0);
        ASSERT_TRUE(w.exact && w.gpu) << kernel;
        const Reads seen = precision == Precision::single_ ? read<float>(kernel, matrix) : read<double>(kernel, matrix);
        // Where all is overflow, the slots that are left are none and count as one.
        const double slots = w.overflow == w.nonzeros ? w.overflow : w.slots + w.overflow;
        EXPECT_DOUBLE_EQ(slots, seen.slots) << kernel << ", " << matrix.name();
        if (placed_by_chance(kernel)) {
          EXPECT_NEAR(w.gpu_work.sectors / seen.sectors, 1, 0.05) << kernel << ", " << matrix.name();
        } else {
          EXPECT_DOUBLE_EQ(w.gpu_work.sectors, seen.sectors) << kernel << ", " << matrix.name();
        }
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 10 * 12 * 2);
}

TEST(GpuWork, LaunchesAndGroupsAreThoseOfTheProduct) {
  std::vector<Matrix> all = matrices();
  for (const auto& [rows, cols, entries] : {std::array<std::int64_t, 3>{1, 1, 1}, {5000, 70, 20}, {40, 9000, 8000}})
    all.push_back(test::random_matrix(rows, cols, entries, 9));
  for (const Matrix& matrix : all) {
    const Structure structure = analyze(matrix, 1);
    for (const std::string& kernel : counted_kernels()) {
      CountingRuntime runtime;
      hardware::make_gpu_product(runtime, matrix, structure, kernel, Precision::double_, 1, {})->run(1);
      const forecast::Workload w = forecast::workload(structure, kernel, two_units(), Precision::double_, 0);
      EXPECT_EQ(w.gpu_work.launches, runtime.launches) << kernel << ", " << matrix.name();
      // Which rows share a tile follows from their order, which a Structure tells in part.
      const double doubt = kernel == "csr-tiles" ? 1 + 0.05 * w.gpu_work.groups : 0;
      EXPECT_NEAR(w.gpu_work.groups, static_cast<double>(runtime.all_groups), doubt) << kernel << ", " << matrix.name();
    }
  }
}

// Rows of 1 and 33 in turn: a warp of the first kernel walks 33 steps, and of the second two for every other row.
TEST(GpuWork, AWarpWaitsForItsLongestRow) {
  Csr<std::int32_t, std::int32_t> csr{64, 64, {}, {}, {}};
  csr.row_pointers = {0};
  for (int row = 0; row < 64; ++row) {
    for (int k = 0; k < (row % 2 == 0 ? 1 : 33); ++k) {
      csr.column_indices.push_back(k);
      csr.values.push_back(1);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  const Matrix matrix(std::move(csr), "turns");
  const Structure structure = analyze(matrix, 1);
  const auto work = [&](const char* kernel) {
    return forecast::workload(structure, kernel, two_units(), Precision::double_, 0).gpu_work;
  };
  EXPECT_EQ(work("csr-scalar").warp_steps, 2 * 33);
  EXPECT_EQ(work("csr-scalar").idle, 2 * 33 * 32 - 32 * 34);
  EXPECT_EQ(work("csr-vector").warp_steps, 32 * 1 + 32 * 2);
  EXPECT_EQ(work("jad").warp_steps, 33 + 1) << "sorted, long rows share a warp";
  EXPECT_EQ(work("sell").idle, 0);
}

TEST(GpuWork, OccupancyIsBoundByWhatRunsOutFirst) {
  formats::GpuContext context;
  context.compute_units = 10;
  context.warps_per_unit = 64;
  formats::GpuText text;
  EXPECT_EQ(formats::resident_warps(text, context), 640) << "nothing else is known";
  context.registers_per_unit = 65536;
  EXPECT_EQ(formats::resident_warps(text, context), 640) << "32 registers: 8 groups of 256 threads";
  text.registers = 40;
  EXPECT_EQ(formats::resident_warps(text, context), 480) << "40: 6 groups";
  text.shared_entries = 2048;
  context.shared_bytes_per_unit = 102400;
  EXPECT_EQ(formats::resident_warps(text, context), 320) << "24 KiB of 100: 4 groups";
}

TEST(GpuWork, AProcessorTakesLanesOneAfterTheOther) {
  DeviceProperties pocl = two_units();
  const Structure structure = analyze(test::random_matrix(4000, 4000, 40000, 2), 1);
  EXPECT_EQ(forecast::workload(structure, "csr-scalar", pocl, Precision::double_, 0).mispredictions, 0);
  pocl.limits["host_processor"] = 1;
  EXPECT_GT(forecast::workload(structure, "csr-scalar", pocl, Precision::double_, 0).mispredictions, 0);
}

}  // namespace
}  // namespace sparsecast
