// What loops take on threads of a processor that is not here: relations that hold whatever was learned.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>

#include "forecast/machines/described_model.hpp"

namespace sparsecast::forecast {
namespace {
// As a table with quartiles of the row lengths tells it, and without where entries lie.
Structure of_rows(std::int64_t rows, double row_mean, double variation) {
  Structure s;
  s.name = "rows";
  s.rows = s.cols = rows;
  s.row_mean = row_mean;
  s.nonzeros = static_cast<std::int64_t>(static_cast<double>(rows) * row_mean);
  s.row_std = variation * row_mean;
  s.row_max = std::min(rows, static_cast<std::int64_t>(row_mean * (1 + 4 * variation)) + 1);
  s.row_skew = static_cast<double>(s.row_max) / row_mean - 1;
  s.row_quartiles = {row_mean * (1 - variation / 2), row_mean, row_mean * (1 + variation / 2)};
  return s;
}

Forecast forecast_on(const DeviceProperties& device, const Structure& s, int threads, Places places = Places::spread,
                     const char* kernel = "csr-naive") {
  const Profile profile = described_profile(device);
  FitOptions fit;
  fit.threads = threads;
  fit.places = places;
  const auto forecast = fit_described_model(profile, fit)->forecast(s, kernel);
  EXPECT_TRUE(forecast) << device.name << ' ' << kernel;
  return forecast.value_or(Forecast());
}

DeviceProperties two_sockets(const char* name) {
  DeviceProperties device = describe_device(name);
  device.compute_units *= 2;
  device.memory_bandwidth *= 2;
  device.memory_channels *= 2;
  device.sockets *= 2;
  return device;
}

const std::array processors{"amd-epyc-7742", "amd-epyc-9654", "fujitsu-a64fx", "intel-xeon-e5-2695-v4", "nvidia-grace"};

TEST(Loops, PartsAddUpAndTheIntervalHoldsTheForecast) {
  for (const char* name : processors)
    for (const int threads : {1, 4, 18})
      for (const std::int64_t rows : {100, 10'000, 1'000'000}) {
        const Forecast f = forecast_on(describe_device(name), of_rows(rows, 12, 0.4), threads);
        double sum = 0;
        for (const ForecastPart& part : f.parts) sum += part.seconds;
        EXPECT_NEAR(sum, f.seconds, 1e-9 * f.seconds) << name;
        EXPECT_LT(f.low_s, f.seconds) << name;
        EXPECT_GT(f.high_s, f.seconds) << name;
      }
}

TEST(Loops, MoreEntriesTakeLonger) {
  for (const char* name : processors)
    for (const int threads : {1, 16}) {
      double before = 0;
      for (std::int64_t rows = 64; rows < 40'000'000; rows *= 2) {
        const double now = forecast_on(describe_device(name), of_rows(rows, 12, 0.4), threads).seconds;
        EXPECT_GT(now, before) << name << ' ' << threads << ' ' << rows;
        before = now;
      }
    }
}

// A stream that no cache holds comes from memory, however many threads read it, and from one socket's where one thread
// filled it.
TEST(Loops, NoNumberOfThreadsBeatsTheMemory) {
  const Structure large = of_rows(60'000'000, 12, 0.1);
  const double bytes = 12 * static_cast<double>(large.nonzeros);
  for (const char* name : processors) {
    const DeviceProperties device = describe_device(name);
    for (const int threads : {1, 2, 8, device.compute_units})
      EXPECT_GT(forecast_on(device, large, threads).seconds, bytes / device.memory_bandwidth) << name << threads;
    const DeviceProperties two = two_sockets(name);
    EXPECT_GT(forecast_on(two, large, two.compute_units).seconds, bytes / device.memory_bandwidth) << name;
  }
}

TEST(Loops, AProductIsNeverShorterThanAForkAndAJoin) {
  const Structure small = of_rows(50, 4, 0);
  double before = forecast_on(describe_device("amd-epyc-7742"), small, 1).seconds;
  EXPECT_LT(before, 1e-6) << "one thread begins no team";
  for (const int threads : {2, 4, 16, 64}) {
    const Forecast f = forecast_on(describe_device("amd-epyc-7742"), small, threads);
    EXPECT_GT(f.seconds, before) << threads;
    EXPECT_GT(f.parts.front().seconds, 0.8 * f.seconds) << "starting is all there is";
    before = f.seconds;
  }
  const Forecast one = forecast_on(describe_device("amd-epyc-7742"), small, 64);
  EXPECT_GT(forecast_on(two_sockets("amd-epyc-7742"), small, 64).seconds, one.seconds) << "a line between sockets";
}

TEST(Loops, ThreadsSideBySideShareCachesAndMemory) {
  const DeviceProperties epyc = describe_device("amd-epyc-7742");
  const Structure in_caches = of_rows(400'000, 15, 0.1), large = of_rows(40'000'000, 15, 0.1);
  for (const Structure* s : {&in_caches, &large})
    EXPECT_GT(forecast_on(epyc, *s, 16, Places::close).seconds, 1.2 * forecast_on(epyc, *s, 16).seconds);
  EXPECT_EQ(forecast_on(epyc, large, 64, Places::close).seconds, forecast_on(epyc, large, 64).seconds);
  const Team close(epyc, 16, Places::close), spread(epyc, 16, Places::spread);
  EXPECT_EQ(close.last_cache, 4.0 * (16 << 20)) << "four complexes of four cores";
  EXPECT_EQ(spread.last_cache, 16.0 * (16 << 20));
  EXPECT_EQ(close.memory, epyc.memory_bandwidth / 4);
  EXPECT_EQ(Team(two_sockets("amd-epyc-7742"), 64, Places::close).sockets, 1);
  EXPECT_EQ(Team(two_sockets("amd-epyc-7742"), 64, Places::spread).sockets, 2);
}

TEST(Loops, TheSlowestShareOfRowsCountsWhereRowsAreDealt) {
  const DeviceProperties xeon = describe_device("intel-xeon-e5-2695-v4");
  const auto ratio = [&](const char* kernel) {
    const Structure even = of_rows(200'000, 12, 0), uneven = of_rows(200'000, 12, 8);
    return forecast_on(xeon, uneven, 18, Places::spread, kernel).seconds /
           forecast_on(xeon, even, 18, Places::spread, kernel).seconds;
  };
  EXPECT_GT(ratio("csr-naive"), 1.5 * ratio("csr-merge"));
}

TEST(Loops, AnEntryWaitsForTheOneBefore) {
  DeviceProperties slow = describe_device("fujitsu-a64fx");
  ASSERT_EQ(slow.limits.at("fma_cycles"), 9);
  DeviceProperties fast = slow;
  fast.limits["fma_cycles"] = 4;
  const Structure long_rows = of_rows(200, 100, 0);
  EXPECT_NEAR(forecast_on(slow, long_rows, 1).seconds / forecast_on(fast, long_rows, 1).seconds, 9. / 4, 0.3);
  fast.limits.erase("fma_cycles");
  EXPECT_EQ(Team(fast, 1, Places::spread).chain, 4) << "where no description tells";
}

// Cores that are slower than described move what cores take, and not what the memory does.
TEST(Loops, ProductsMoveCoresAndMemoryApart) {
  const DeviceProperties epyc = describe_device("amd-epyc-7742");
  FitOptions fit;
  fit.threads = 16;
  fit.places = Places::close;
  Profile anchors = described_profile(epyc);
  const auto sheet = fit_described_model(anchors, fit);
  const auto forecast = [&](const FittedModel& model, std::int64_t rows) {
    return model.forecast(of_rows(rows, 15, 0.1), "csr-naive")->seconds;
  };
  const std::int64_t in_caches = 60'000, large = 20'000'000;
  anchors.tier = Tier::anchors;
  for (int i = 0; i < 16; ++i) {
    const std::int64_t rows = i % 2 == 0 ? in_caches + 1000 * i : large + 1000 * i;
    Record& record = anchors.records.emplace_back();
    record.matrix = static_cast<int>(anchors.matrices.size());
    record.kernel = "csr-naive";
    record.seconds = forecast(*sheet, rows) * (i == 4 ? 20 : i % 2 == 0 ? 1.5 : 1);  // one is an odd one out
    anchors.matrices.push_back({{}, of_rows(rows, 15, 0.1), {}});
  }
  const auto moved = fit_described_model(anchors, fit);
  EXPECT_NEAR(forecast(*moved, in_caches) / forecast(*sheet, in_caches), 1.5, 0.2);
  EXPECT_NEAR(forecast(*moved, large) / forecast(*sheet, large), 1, 0.1);
}

TEST(Loops, WhatNoTableReachesIsExtrapolatedAndToldWider) {
  const Structure s = of_rows(500'000, 12, 0.2);
  const Forecast within = forecast_on(describe_device("amd-epyc-7742"), s, 64);
  const Forecast beyond = forecast_on(describe_device("amd-epyc-9654"), s, 96);
  EXPECT_FALSE(within.extrapolated);
  EXPECT_TRUE(beyond.extrapolated);
  EXPECT_GT(beyond.high_s / beyond.low_s, within.high_s / within.low_s);
}
}  // namespace
}  // namespace sparsecast::forecast
