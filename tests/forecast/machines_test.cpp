// Forecasts of machines that were never measured: terms, trees, the scale of a probe, the ranking.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sparsecast/device.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/profile.hpp>

#include "forecast/machines/described_model.hpp"
#include "forecast/machines/ranking.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
namespace {

// The features of a mesh, as a table tells them.
Structure mesh(std::int64_t rows, double row_mean) {
  Structure s;
  s.name = "mesh";
  s.rows = s.cols = rows;
  s.row_mean = row_mean;
  s.nonzeros = static_cast<std::int64_t>(static_cast<double>(rows) * row_mean);
  s.row_std = 2;
  s.row_skew = 0.5;
  s.row_max = static_cast<std::int64_t>(1.5 * row_mean);
  s.bandwidth_scaled = 0.01;
  s.neighbours = 1.6;
  s.cross_row_similarity = 0.9;
  return s;
}

TEST(MachineNumbers, AddUpTheCachesOfAProcessor) {
  const MachineNumbers epyc(describe_device("amd-epyc-7763"));
  EXPECT_EQ(epyc.last_cache, 8.0 * (32 << 20)) << "eight complexes of 32 MiB";
  EXPECT_EQ(epyc.near_cache, 512.0 * 1024);
  EXPECT_EQ(epyc.lanes, 4);
  EXPECT_NEAR(epyc.clock, std::sqrt(2.45e9 * 3.5e9), 1);
}

TEST(MatrixNumbers, CountWhatAFormatPads) {
  Structure even = mesh(64'000, 10), uneven = even;
  even.row_std = even.row_skew = 0;
  uneven.row_std = 20;
  uneven.row_skew = 50;
  const auto padded = [](const Structure& s, bool slices) {
    return MatrixNumbers(s, Precision::double_, slices).nonzeros / static_cast<double>(s.nonzeros);
  };
  for (const bool slices : {false, true}) EXPECT_EQ(padded(even, slices), 1);
  EXPECT_EQ(padded(uneven, false), 1);
  EXPECT_NEAR(padded(uneven, true), 1 + 2.07 * 2 * (1 - 0.9 / 2), 0.01) << "the longest of 32";
  uneven.row_skew = 1;
  EXPECT_NEAR(padded(uneven, true), 1 + 1 - 0.9 / 2, 1e-9) << "no slice is longer than the longest row";
  uneven.slices = {{32, 1, 3 * uneven.nonzeros}};
  EXPECT_EQ(padded(uneven, true), 3) << "counted where the structure tells";
}

TEST(MachineTerms, PartsAddUpToTheWhole) {
  MachineTerms terms;
  terms.prices.fill(0.3);
  const MatrixNumbers matrix(mesh(1'000'000, 20), Precision::double_, false);
  for (const char* name : {"ibm-power9", "intel-xeon-8480"}) {
    const MachineTerms::Sum sum = terms(matrix, MachineNumbers(describe_device(name)));
    EXPECT_NEAR(std::accumulate(sum.parts.begin(), sum.parts.end(), 0.0), sum.seconds, 1e-12 * sum.seconds);
  }
}

TEST(DescribedModel, ForecastsEveryMachineOfTheCatalogue) {
  ASSERT_GE(described_devices().size(), 25U);
  const Structure structure = mesh(400'000, 15);
  for (const std::string& name : described_devices()) {
    const Profile profile = described_profile(describe_device(name));
    const auto model = fit_described_model(profile, {});
    const std::vector<std::string> kernels = described_kernels(profile);
    ASSERT_FALSE(kernels.empty()) << name;
    for (const std::string& kernel : kernels) {
      if (!formats::refusal_of(kernel, structure).empty()) continue;
      const auto forecast = model->forecast(structure, kernel);
      // By its code alone, for which this structure does not tell enough: no table of others' kernels has it.
      if (kernel == "csr-tiles" && !forecast) continue;
      ASSERT_TRUE(forecast) << name << " " << kernel;
      EXPECT_EQ(forecast->tier, Tier::data_sheet);
      EXPECT_GT(forecast->bytes, 0);
      EXPECT_LT(forecast->low_s, forecast->seconds);
      EXPECT_LT(forecast->seconds, forecast->high_s);
      EXPECT_TRUE(forecast->bound_by.has_value());
      double sum = 0;
      for (const ForecastPart& part : forecast->parts) sum += part.seconds;
      EXPECT_NEAR(sum, forecast->seconds, 1e-9 * forecast->seconds);
    }
  }
}

TEST(DescribedModel, KernelsAreThoseOfTheVendor) {
  const auto kernels = [](const char* name) { return described_kernels(described_profile(describe_device(name))); };
  const auto has = [](const std::vector<std::string>& list, const char* kernel) {
    return std::ranges::find(list, kernel) != list.end();
  };
  EXPECT_TRUE(has(kernels("nvidia-h100"), "cusparse-csr"));
  EXPECT_FALSE(has(kernels("nvidia-h100"), "cusparse-hyb")) << "cuSPARSE dropped HYB before Ampere's successors";
  EXPECT_TRUE(has(kernels("tesla-p100"), "cusparse-hyb"));
  EXPECT_TRUE(has(kernels("amd-mi300x"), "rocsparse-coo"));
  EXPECT_TRUE(has(kernels("intel-xeon-8480"), "mkl"));
  EXPECT_FALSE(has(kernels("intel-xeon-8480"), "aocl"));
  EXPECT_TRUE(has(kernels("nvidia-grace"), "armpl"));
  EXPECT_FALSE(has(kernels("nvidia-grace"), "cusparse-csr"));
}

TEST(DescribedModel, NoProductIsFasterThanTheRoof) {
  // 24 GB that no cache holds cannot be read faster than the data sheet's bandwidth, but for x that no row asks for.
  const Structure large = mesh(50'000'000, 40);
  for (const std::string& name : described_devices()) {
    const DeviceProperties device = describe_device(name);
    const Profile profile = described_profile(device);
    const auto model = fit_described_model(profile, {});
    int forecast = 0;
    for (const std::string& kernel : described_kernels(profile)) {
      const std::optional<Forecast> one = model->forecast(large, kernel);
      EXPECT_GT(one ? one->seconds : 1e9, 0.75 * 24e9 / device.memory_bandwidth) << name << kernel;
      forecast += one ? 1 : 0;
    }
    EXPECT_GT(forecast, 2) << name;
  }
}

TEST(DescribedModel, AMatrixOfATableIsForecastByTheMemberThatSawNoImitationOfIt) {
  const Profile profile = described_profile(describe_device("amd-epyc-7763"));
  const auto model = fit_described_model(profile, {});
  Structure named = mesh(62451, 64);
  const double all = model->forecast(named, "mkl")->seconds;
  named.name = "cant";
  EXPECT_NE(model->forecast(named, "mkl")->seconds, all);
}

TEST(DescribedModel, AProbeScalesWhatItMeasured) {
  Profile probe = described_profile(describe_device("amd-epyc-7763"));
  const auto sheet = fit_described_model(probe, {});
  probe.tier = Tier::probe;
  for (int i = 0; i < 16; ++i) {
    const Structure s = mesh(20'000 << (i / 2), 10 + i);
    probe.matrices.push_back({{}, s, {}});
    for (const char* kernel : {"mkl", "csr"}) {
      Record& record = probe.records.emplace_back();
      record.matrix = i;
      record.kernel = kernel;
      record.seconds = 1.5 * sheet->forecast(s, kernel)->seconds;
    }
  }
  const auto probed = fit_described_model(probe, {});
  const Structure other = mesh(700'000, 30);
  const auto scale = [&](const char* kernel) {
    const auto forecast = probed->forecast(other, kernel);
    EXPECT_EQ(forecast->tier, Tier::probe);
    return forecast->seconds / sheet->forecast(other, kernel)->seconds;
  };
  EXPECT_NEAR(scale("csr"), 1.5, 0.03) << "this program's kernel, which another stands for: all of it";
  EXPECT_NEAR(scale("mkl"), std::pow(1.5, 0.7), 0.03) << "a kernel of the tables: what carries over";
  EXPECT_FALSE(probed->forecast(other, "csr-merge")) << "nothing was measured with it";
}

TEST(DescribedModel, FewerThreadsTakeLongerButStartForNothing) {
  const Profile profile = described_profile(describe_device("amd-epyc-7763"));
  const auto told = [&](const Structure& s, int threads) {
    return *fit_described_model(profile, {.precision = Precision::double_, .threads = threads})
                ->forecast(s, "csr-merge");
  };
  const Structure large = mesh(20'000'000, 15);
  const Forecast all = told(large, 64), few = told(large, 4), one = told(large, 1);
  EXPECT_EQ(told(large, 0).seconds, all.seconds);
  EXPECT_GT(few.seconds, 1.5 * all.seconds) << "four cores do not draw what eight channels give";
  EXPECT_GT(one.seconds, 3 * few.seconds);
  EXPECT_EQ(one.parts.front().seconds, 0);
  EXPECT_LT(told(mesh(50, 5), 1).seconds, told(mesh(50, 5), 64).seconds);
}

TEST(DescribedModel, TheSlowestThreadFollowsFromWhereTheRowsLie) {
  const Profile profile = described_profile(describe_device("intel-xeon-6230"));
  const auto model = fit_described_model(profile, {});
  Structure even = mesh(2'000'000, 15);
  even.row_std = even.row_skew = 0;
  even.row_histogram = {{15, even.rows}};
  Structure front = even;
  even.block_nonzeros.assign(64, even.nonzeros / 64);
  front.block_nonzeros.assign(64, even.nonzeros / 128);
  std::fill_n(front.block_nonzeros.begin(), 16, even.nonzeros * 5 / 128);  // the first quarter is five times as dense
  const auto seconds = [&](const Structure& s, const char* kernel) { return model->forecast(s, kernel)->seconds; };
  EXPECT_NEAR(seconds(front, "csr-naive") / seconds(even, "csr-naive"), 2.5, 0.1);
  EXPECT_EQ(seconds(front, "csr-merge"), seconds(even, "csr-merge"));
}

TEST(DescribedModel, ADescriptionWithoutBandwidthIsRefusedByName) {
  DeviceProperties device = describe_device("nvidia-h100");
  device.memory_bandwidth = 0;
  try {
    (void)fit_described_model(described_profile(device), {});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_NE(error.reason().find("memory_bandwidth"), std::string::npos);
  }
}

RankedMachine machine(const DeviceProperties& device) {
  Profile profile = described_profile(device);
  auto models = std::make_shared<ModelSet>("best", profile, FitOptions{});
  std::vector<std::string> kernels = kernels_of(profile);
  return {device.name, std::move(profile), std::move(models), std::move(kernels)};
}

TEST(Ranking, TheFasterMemoryComesFirst) {
  DeviceProperties slow = describe_device("nvidia-h100"), fast = slow;
  fast.name = "fast";
  fast.memory_bandwidth *= 1.5;
  std::vector<RankedMachine> machines;
  machines.push_back(machine(slow));
  machines.push_back(machine(fast));
  const std::vector<RankEntry> ranking = rank_machines(machines, mesh(20'000'000, 30), 1000, Precision::double_);
  ASSERT_EQ(ranking.size(), 2U);
  EXPECT_EQ(ranking[0].device, "fast");
  EXPECT_EQ(ranking[1].best.bound_by, Term::stream);
  EXPECT_GT(ranking[0].upload_s, 0);
  EXPECT_GE(ranking[0].total_s, 1000 * ranking[0].best.seconds + ranking[0].upload_s);
}

TEST(Ranking, AMatrixThatDoesNotFitComesLast) {
  DeviceProperties small = describe_device("nvidia-h200");
  small.name = "small";
  small.memory_bytes = 100 << 20;
  std::vector<RankedMachine> machines;
  machines.push_back(machine(small));
  machines.push_back(machine(describe_device("nvidia-t4")));
  const std::vector<RankEntry> ranking = rank_machines(machines, mesh(1'000'000, 20), 1, Precision::double_);
  ASSERT_EQ(ranking.size(), 2U);
  EXPECT_EQ(ranking[0].device, "nvidia-t4");
  EXPECT_FALSE(ranking[1].fits);
}

// What is known of both, upload and conversion, leaves no doubt of its own.
TEST(FasterProbability, DoubtsTheProductsAlone) {
  const auto machine = [](double product_s, double upload_s) {
    RankEntry entry;
    entry.best.seconds = product_s;
    entry.best.low_s = product_s / 2;
    entry.best.high_s = product_s * 2;
    entry.upload_s = upload_s;
    entry.total_s = product_s + upload_s;
    return entry;
  };
  EXPECT_GT(faster_probability(machine(1e-6, 50e-6), machine(1e-6, 80e-6)), 0.99);
  EXPECT_LT(faster_probability(machine(50e-6, 0), machine(80e-6, 0)), 0.99);
  EXPECT_NEAR(faster_probability(machine(1e-6, 50e-6), machine(1e-6, 50e-6)), 0.5, 1e-9);
}
}  // namespace
}  // namespace sparsecast::forecast
