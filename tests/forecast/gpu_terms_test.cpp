// The terms of counted work on a GPU: what their priors say by hand, and forecasts before there is any record.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "calibration/profile_json.hpp"
#include "forecast/model_set.hpp"
#include "forecast/physical/conversion.hpp"
#include "forecast/physical/gpu_terms.hpp"
#include "forecast/physical/storage.hpp"
#include "forecast/physical/term_seconds.hpp"
#include "forecast/physical/workload.hpp"
#include "formats/kernels.hpp"
#include "formats/sell.hpp"
#include "formats/structured/bsr.hpp"

namespace sparsecast {
namespace {

// 100 GB/s, one unit of 1 GHz: an instruction of a lane takes 1/128 ns.
Profile board() {
  Profile profile;
  profile.properties.name = profile.name = "board";
  profile.properties.kind = DeviceKind::cuda;
  profile.properties.compute_units = 1;
  profile.properties.clock_hz = 1e9;
  profile.properties.warp_size = 32;
  profile.properties.warps_per_unit = 64;
  profile.properties.threads_per_unit = 2048;
  profile.properties.memory_bytes = std::int64_t{8} << 30;
  profile.properties.caches = {{2, 4 << 20, 128, 1}};
  profile.properties.launch_s = 4e-6;
  // Each reading began with a launch.
  profile.curves.push_back({"read_bandwidth", 0, {1e6, 1e9}, {1e6 / (1e-5 + 4e-6), 1e9 / (1e-2 + 4e-6)}});
  return profile;
}

Structure rows_of(const char* kind, std::int64_t rows, double row_length) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = spec.cols = rows;
  spec.row_length = row_length;
  return analyze(generate(spec), 1);
}

double prior_seconds(const Profile& profile, const forecast::Workload& w) {
  const forecast::GpuTerms terms(profile);
  return std::exp(terms.seconds(w, terms.prior().centre.array().exp(), false).log_seconds());
}

TEST(GpuTerms, StreamAndWorkOverlapByHand) {
  forecast::Workload w;
  w.gpu = w.exact = true;
  w.format_bytes = 1e6;
  EXPECT_NEAR(prior_seconds(board(), w), 1e-5, 1e-12) << "a megabyte at 100 GB/s";
  w.gpu_work.launches = 2;
  EXPECT_NEAR(prior_seconds(board(), w), 1e-5 + 8e-6, 1e-12) << "and two launches before it";
  w.slots = 128e5;  // of 10 instructions each: a hundred times as long as the stream
  w.row_steps = 0;
  EXPECT_NEAR(prior_seconds(board(), w), 1e-3 + 8e-6, 1e-6) << "the stream hides behind";
}

TEST(GpuTerms, ReadsFromFartherCostWhatTheCurveOfGathersSays) {
  Profile profile = board();
  // A billion a second from up to 64 KiB, a quarter from beyond.
  profile.curves.push_back({"gather_rate", 0, {65536, 262144}, {1e9, 2.5e8}});
  forecast::Workload w;
  w.gpu = w.exact = true;
  w.format_bytes = 1;
  w.gpu_work.x_beyond[1] = 1e6;  // as many reads that are reused beyond 64 KiB, none beyond 256
  EXPECT_NEAR(prior_seconds(profile, w), 3e-3, 1e-6) << "three nanoseconds more each";
}

TEST(GpuTerms, PartsAddUp) {
  const Profile profile = board();
  const forecast::GpuTerms terms(profile);
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (kernel.gpu.count == nullptr) continue;
    const forecast::Workload w = forecast::workload(rows_of("normal", 5000, 20), std::string(kernel.name),
                                                    profile.properties, Precision::double_, 0);
    const forecast::TermSeconds t = terms.seconds(w, terms.prior().centre.array().exp(), true);
    EXPECT_GT(t.launch, 0) << kernel.name;
    EXPECT_GT(t.stream, 0) << kernel.name;
    EXPECT_GT(t.compute, 0) << kernel.name;
    EXPECT_NEAR(std::exp(t.log_seconds()), t.launch + t.busy(), 1e-15) << kernel.name;
  }
}

TEST(GpuTerms, AGpuThatNobodyMeasuredIsForecastFromItsDescription) {
  const Profile h100 = described_profile(describe_device("nvidia-h100"));
  const FitOptions options{Precision::double_, 0};
  const forecast::ModelSet models("sparsecast", h100, options);
  const std::vector<std::string> kernels = forecast::kernels_of(h100, "sparsecast");
  ASSERT_EQ(kernels.size(), 12U);
  const Structure s = rows_of("constant", 200000, 30);
  const std::vector<Forecast> forecasts = models.best(s, kernels);
  ASSERT_EQ(forecasts.size(), kernels.size() - 1) << "sell-compact saves nothing of values that do not repeat";
  for (const Forecast& f : forecasts) {
    EXPECT_EQ(f.tier, Tier::data_sheet);
    ASSERT_TRUE(f.bytes) << f.kernel;
    EXPECT_GT(f.seconds, static_cast<double>(*f.bytes) / 3.35e12 / 3) << f.kernel << ": from the cache at best";
    EXPECT_LT(f.seconds, 1e-2) << f.kernel;
    EXPECT_NEAR(f.high_s / f.seconds, 4, 1e-9) << f.kernel;
  }
  EXPECT_THROW(forecast::ModelSet("sparsecast", described_profile(describe_device("amd-epyc-7742")), options), Error);
}

TEST(StorageBytes, OfOthersKernelsAreThoseOfTheFormatInTheirName) {
  const Structure s = analyze(generate(MatrixSpec{.kind = "poisson2d", .parameters = {.size = 40}}), 1);
  const auto bytes = [&](const char* kernel) {
    return forecast::storage_bytes(DeviceKind::cuda, s, kernel, Precision::double_);
  };
  EXPECT_EQ(bytes("vendor-csr"), bytes("csr-scalar"));
  EXPECT_EQ(bytes("csr-vector"), bytes("csr-scalar"));
  EXPECT_EQ(bytes("vendor-csr-preprocessed"), bytes("vendor-csr"));
  EXPECT_EQ(bytes("vendor-bsr"), formats::bsr_bytes(s, 8));
  EXPECT_EQ(bytes("vendor-coo"), bytes("coo"));
  EXPECT_EQ(bytes("vendor-hyb"), bytes("hyb"));
  EXPECT_EQ(bytes("sell-32"), 12 * s.slice(32, 1)->slots + 4 * (s.rows / 32 + 1));
  EXPECT_FALSE(bytes("sell-7")) << "slices that nobody counted";
  EXPECT_FALSE(bytes("vendor-ie"));
}

// A group of csr-stream reads its rows by all threads and adds each up by the threads of the row.
TEST(GpuTerms, TheLongestGroupOfCsrStreamIsCounted) {
  const Structure s = rows_of("constant", 4096, 1024);
  constexpr double of_group = 8, in_group = of_group * 1024, threads = 256, additions_of_a_turn = 20;
  EXPECT_NEAR(forecast::workload(s, "csr-stream", board().properties, Precision::double_, 0).gpu_work.chain,
              (1024 + in_group + (1024 + in_group) * of_group / additions_of_a_turn) / threads, 1e-9);
}

// One row of 32 is long: slices of 8 pad 7 rows, slices of 32 pad 31.
TEST(GpuTerms, PaddingIsThatOfTheGpusSlices) {
  Csr<std::int32_t, std::int32_t> csr{2048, 2048, {}, {}, {}};
  csr.row_pointers = {0};
  for (int row = 0; row < 2048; ++row) {
    for (int k = 0; k < (row == 0 ? 101 : 1); ++k) {
      csr.column_indices.push_back(k);
      csr.values.push_back(1);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  const Structure s = analyze(Matrix(std::move(csr), "long"), 1);
  const formats::KernelInfo* sell = formats::find_kernel("sell");
  const auto padding = [&](DeviceKind kind) {
    const auto bytes = forecast::storage_bytes(kind, s, "sell", Precision::double_);
    return forecast::conversion_amounts(*sell, s, bytes.value(), Precision::double_, kind).padding;
  };
  EXPECT_EQ(padding(DeviceKind::host), 7 * 100);
  EXPECT_EQ(padding(DeviceKind::cuda), 31 * 100);
  EXPECT_EQ(forecast::workload(s, "sell", board().properties, Precision::double_, 0).padding, 31 * 100);
}

TEST(GpuTerms, AProfileTellsSigmaAndPAndTheClock) {
  Profile profile = board();
  profile.matrices.push_back({{"normal", 1, 20, 4096, 4096, 1, {}}, rows_of("normal", 4096, 20), {}});
  Record record;
  record.kernel = "ell";
  record.seconds = 1e-5;
  profile.records = {record, record};
  profile.records[0].step_s = 1 / 1.41e9;
  const nlohmann::ordered_json json = calibration::profile_to_json(profile);
  EXPECT_NEAR(json["matrices"][0]["P"].get<double>(), 20, 0.5);
  EXPECT_NEAR(json["matrices"][0]["sigma"].get<double>(), 5, 0.5) << "a quarter of the mean";
  EXPECT_NEAR(json["records"][0]["clock_hz"].get<double>(), 1.41e9, 1);
  EXPECT_TRUE(json["records"][1]["clock_hz"].is_null()) << "the driver does not tell";
  profile.properties.limits["host_processor"] = 1;
  EXPECT_TRUE(calibration::profile_to_json(profile)["records"][0]["clock_hz"].is_null())
      << "the core's step is no clock";
}

}  // namespace
}  // namespace sparsecast
