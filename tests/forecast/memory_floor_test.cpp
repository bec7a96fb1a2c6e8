// No forecast of a machine that is only described beats its memory, and no number of its threads jumps.

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/device.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>

#include "forecast/machines/described_model.hpp"
#include "forecast/memory_floor.hpp"
#include "forecast/task_forecast.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
namespace {
// As analyze() counts it, without the gigabyte: every row has `length` entries beside the diagonal, all of x is read.
Structure band(std::int64_t rows, std::int64_t length) {
  constexpr std::int64_t small = 1 << 14;
  Csr<std::int32_t, std::int32_t> csr{small, small, {0}, {}, {}};
  for (std::int64_t row = 0; row < small; ++row) {
    for (std::int64_t k = 0; k < length; ++k)
      csr.column_indices.push_back(static_cast<std::int32_t>(std::min(row, small - length) + k));
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  csr.values.assign(csr.column_indices.size(), 1.5);
  Structure s = analyze(Matrix(std::move(csr), "band"), 1);
  const std::int64_t times = rows / small;
  s.rows = s.cols = times * small;
  s.nonzeros *= times;
  for (RowLengthCount& one : s.row_histogram) one.rows *= times;
  for (SliceWork& one : s.slices) one.slots *= times;
  for (XReuse& one : s.x_reuse) one.lines *= times;
  return s;
}

double last_cache(const DeviceProperties& device) {
  return static_cast<double>(device.caches.back().size_bytes) *
         std::ceil(1.0 * device.compute_units / std::max(1, device.caches.back().shared_by));
}

TEST(MemoryFloor, NoKernelOfADescribedGpuReadsItsArraysFasterThanTheDataSheetsMemory) {
  std::vector<std::string> gpus = described_devices();
  std::erase_if(gpus, [](const std::string& name) { return describe_device(name).kind == DeviceKind::host; });
  ASSERT_GE(gpus.size(), 25U);
  for (const auto& [rows, length] : {std::pair{16'000'000, 1}, {10'000'000, 3}, {1'000'000, 40}, {100'000, 8}}) {
    const Structure s = band(rows, length);
    const double vectors = 8.0 * static_cast<double>(s.rows + s.cols);
    for (const std::string& name : gpus) {
      const DeviceProperties device = describe_device(name);
      const Profile profile = described_profile(device);
      const auto model = fit_described_model(profile, {});
      int kernels = 0;
      for (const std::string& kernel : described_kernels(profile)) {
        if (!formats::refusal_of(kernel, s).empty()) continue;
        const std::optional<Forecast> f = model->forecast(s, kernel);
        if (!f) continue;
        ++kernels;
        const double stored = std::min(static_cast<double>(*f->bytes), 12.0 * static_cast<double>(s.nonzeros));
        const double least = (stored + vectors - last_cache(device)) / device.memory_bandwidth;
        EXPECT_GE(f->seconds, least) << name << " " << kernel << " " << rows << " × " << length;
        EXPECT_GE(f->low_s, least) << name << " " << kernel << " " << rows << " × " << length;
        EXPECT_LE(f->low_s, f->seconds);
        EXPECT_LE(f->seconds, f->high_s);
      }
      EXPECT_GE(kernels, 3) << name;
    }
  }
}

TEST(MemoryFloor, BlocksOfVectorsAreReadAndWrittenToo) {
  const Structure s = band(4'000'000, 5);
  const DeviceProperties device = describe_device("nvidia-l4");
  const Profile profile = described_profile(device);
  const ProductKind task{.vectors = 64};
  const auto plain = fit_described_model(profile, {})->forecast(s, "csr-stream");
  ASSERT_TRUE(plain);
  const auto block = TaskForecast(profile, RecordSet{Precision::double_, 0}, task).of(*plain, s);
  ASSERT_TRUE(block);
  const double moved = 12.0 * static_cast<double>(s.nonzeros) + 64 * 8.0 * static_cast<double>(s.rows + s.cols);
  EXPECT_GE(block->low_s, (moved - last_cache(device)) / device.memory_bandwidth);
}

TEST(MemoryFloor, OfXOnlyWhatEntriesTouchCounts) {
  Structure s = analyze(Matrix(Csr<std::int32_t, std::int32_t>{1, 1'000'000, {0, 1}, {5}, {1.0}}, "one"), 1);
  EXPECT_LE(read_of_x(s, Precision::double_), 64);
  Forecast csr;
  csr.bytes = 20;
  EXPECT_EQ(compulsory_bytes(s, Precision::double_, csr), 16 + read_of_x(s, Precision::double_) + 8);
  s.x_reuse.clear();
  EXPECT_EQ(read_of_x(s, Precision::double_), 0) << "not counted: it may be none";
  EXPECT_EQ(least_memory_seconds({}, 1e9), 0) << "no bandwidth is known";
}

TEST(MemoryFloor, WhatIsLiftedKeepsItsOrderAndItsIntervalBeginsThere) {
  Forecast fast;
  fast.seconds = 1;
  fast.low_s = 0.5;
  fast.high_s = 3;
  Forecast slow = fast;
  slow.seconds = 1.5;
  keep_above_memory(fast, 2);
  keep_above_memory(slow, 2);
  EXPECT_GE(fast.seconds, 2);
  EXPECT_LT(fast.seconds, slow.seconds);
  EXPECT_LT(slow.seconds, 2.03);
  EXPECT_EQ(fast.low_s, 2);
  EXPECT_NEAR(fast.high_s, 3 * fast.seconds, 1e-9);
  EXPECT_TRUE(fast.extrapolated);
  Forecast above;
  above.seconds = 3;
  above.low_s = 1;
  above.high_s = 4;
  keep_above_memory(above, 2);
  EXPECT_EQ(above.seconds, 3);
  EXPECT_EQ(above.low_s, 2);
  EXPECT_FALSE(above.extrapolated);
}

// One core of many is one core: the time changes by no more than what it could take over, and half as much again.
TEST(DescribedModel, OneMoreThreadChangesNoTimeByMuch) {
  std::vector<std::string> processors = described_devices();
  std::erase_if(processors, [](const std::string& name) {
    const DeviceProperties device = describe_device(name);
    return device.kind != DeviceKind::host || device.sockets > 1;
  });
  ASSERT_GE(processors.size(), 10U);
  for (const Structure& s : {band(6'000'000, 3), band(400'000, 20)})
    for (const std::string& name : processors) {
      const Profile profile = described_profile(describe_device(name));
      const int units = profile.properties.compute_units;
      std::map<std::string, double> before;
      for (int threads = std::max(1, units / 2 - 2); threads <= units; ++threads) {
        const auto model = fit_described_model(profile, {.precision = Precision::double_, .threads = threads});
        for (const char* kernel : {"csr", "csr-merge", "ell", "sell"}) {
          const std::optional<Forecast> f = model->forecast(s, kernel);
          if (!f) continue;
          const double most = threads > 1 ? 1.5 * threads / (threads - 1) : 1;
          if (const auto one = before.find(kernel); one != before.end()) {
            EXPECT_LE(f->seconds, most * one->second) << name << " " << kernel << " on " << threads;
            EXPECT_GE(f->seconds, one->second / most) << name << " " << kernel << " on " << threads;
          }
          before[kernel] = f->seconds;
        }
      }
      EXPECT_GE(before.size(), 3U) << name;
    }
}
}  // namespace
}  // namespace sparsecast::forecast
