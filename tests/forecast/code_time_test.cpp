// Our own kernels on GPUs that were never measured: what their machine code is like, and times from it.

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <sparsecast/device.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/matrix_spec.hpp>
#include <sparsecast/profile.hpp>

#include "forecast/machines/code_time.hpp"
#include "forecast/machines/described_model.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
namespace {
Matrix made(const char* kind, const std::string& numbers) {
  MatrixSpec spec{.kind = kind};
  set_parameters(spec, numbers);
  return generate(spec);
}

Structure grid(int size) { return analyze(made("poisson2d", fmt::format(R"({{"size": {}}})", size))); }

Structure one_long_row(int entries) {
  return analyze(made(
      "longrow", fmt::format(R"({{"rows": 20000, "row_mean": 5, "long_rows": 1, "long_share": {}}})", entries / 1e5)));
}

double code_s(const Structure& s, const std::string& kernel, const DeviceProperties& device) {
  const auto forecast = forecast_from_code(s, kernel, device, Precision::double_);
  EXPECT_TRUE(forecast) << kernel;
  return forecast ? forecast->seconds : 0;
}

TEST(CodeNumbers, AreThoseOfTheNewestArchitectureThatIsNotNewer) {
  EXPECT_EQ(code_capability(7.0), 0) << "the machine code of Volta is not read";
  EXPECT_EQ(code_capability(8.0), 8.0);
  EXPECT_EQ(code_capability(8.9), 8.6);
  EXPECT_EQ(code_capability(12.0), 9.0);
  EXPECT_EQ(code_numbers("jad", Precision::double_, 6.0), nullptr);
  ASSERT_NE(code_numbers("jad", Precision::single_, 8.9), nullptr);
}

TEST(CodeNumbers, TellWhichLoadsWaitForEachOther) {
  const auto loads = [](const char* function) { return code_numbers(function, Precision::double_, 9.0)->step_loads; };
  EXPECT_NEAR(loads("jad"), 3, 0.05) << "where the diagonal begins, the column, x: one step waits for the one before";
  EXPECT_LT(loads("csr_scalar"), 1) << "four entries are on their way at once";
  EXPECT_NEAR(loads("sell_compact_one"), 0.5, 0.05) << "four columns, then four entries of x";
  EXPECT_NEAR(loads("sell_compact_codes"), 3, 0.05) << "the column, the code, what the table has for it";
  const auto cycles = [](double capability) {
    return code_numbers("csr_scalar", Precision::double_, capability)->step_cycles;
  };
  EXPECT_GT(cycles(8.6), 10 * cycles(8.0)) << "boards for games multiply doubles at a thirty-second of the rate";
}

TEST(CodeTime, AnswersForEveryKernelOfOurs) {
  const Structure s = grid(300);
  const Profile h100 = described_profile(describe_device("nvidia-h100"));
  const auto model = fit_described_model(h100, {});
  const std::vector<std::string> asked = described_kernels(h100);
  int ours = 0;
  for (const formats::KernelInfo& kernel : formats::kernel_table()) {
    if (kernel.gpu.form == formats::GpuForm::none) continue;
    ++ours;
    const std::string name(kernel.name);
    EXPECT_NE(std::ranges::find(asked, name), asked.end()) << name;
    const auto forecast = model->forecast(s, name);
    ASSERT_TRUE(forecast) << name;
    EXPECT_EQ(forecast->model, code_model_name) << name;
    EXPECT_LT(forecast->low_s, forecast->seconds);
    EXPECT_LT(forecast->seconds, forecast->high_s);
    EXPECT_GT(forecast->bytes.value_or(0), 0);
    double sum = 0;
    for (const ForecastPart& part : forecast->parts) sum += part.seconds;
    EXPECT_NEAR(sum, forecast->seconds, 1e-9 * forecast->seconds);
  }
  EXPECT_EQ(ours, 12);
  EXPECT_EQ(std::ranges::find(asked, "sell-32"), asked.end()) << "sell, by the name that a table has for it";
  EXPECT_EQ(model->forecast(s, "cusparse-csr")->model, described_model_name);
}

TEST(CodeTime, OthersKeepWhatTablesTell) {
  const Structure s = grid(300);
  for (const char* name : {"amd-mi250x", "nvidia-v100", "tesla-p100"}) {
    const Profile profile = described_profile(describe_device(name));
    EXPECT_TRUE(kernels_from_code(profile.properties).empty()) << name;
    EXPECT_EQ(fit_described_model(profile, {})->forecast(s, "csr-vector")->model, described_model_name) << name;
  }
  Structure record = s;  // of features alone: nothing tells how rows lie
  record.row_histogram.clear();
  record.slices.clear();
  record.x_reuse.clear();
  const auto model = fit_described_model(described_profile(describe_device("nvidia-h100")), {});
  EXPECT_EQ(model->forecast(record, "csr-vector")->model, described_model_name);
}

TEST(CodeTime, MoreOfAKindTakesLonger) {
  const std::array grids{grid(150), grid(400), grid(1000)};
  for (const char* name : {"nvidia-h100", "nvidia-a100", "nvidia-rtx-3090"}) {
    const DeviceProperties device = describe_device(name);
    ASSERT_EQ(kernels_from_code(device).size(), 12U) << name;
    for (const std::string& kernel : kernels_from_code(device)) {
      EXPECT_GT(code_s(grids[1], kernel, device), code_s(grids[0], kernel, device)) << name << ' ' << kernel;
      EXPECT_GT(code_s(grids[2], kernel, device), code_s(grids[1], kernel, device)) << name << ' ' << kernel;
    }
  }
}

TEST(CodeTime, ALongRowHoldsUpThoseWhoWalkItAlone) {
  const DeviceProperties h100 = describe_device("nvidia-h100");
  const Structure few = one_long_row(1'000), many = one_long_row(16'000);
  const auto longer = [&](const char* kernel) { return code_s(many, kernel, h100) / code_s(few, kernel, h100); };
  EXPECT_GT(longer("csr-scalar"), 5);
  EXPECT_GT(longer("csr-scalar"), longer("csr-vector"));
  EXPECT_GT(longer("csr-vector"), longer("csr-merge"));
  EXPECT_LT(longer("csr-merge"), 1.2);
  EXPECT_LT(longer("csr-tiles"), 1.2);
  EXPECT_LT(longer("coo"), 1.2);
}

// The same rows the other way round are the same work, whatever the warps that they fall to.
TEST(CodeTime, RowsInReverseTakeAsLong) {
  const Matrix matrix = made("uniform", R"({"rows": 30000, "row_mean": 12})");
  struct Arrays {
    std::vector<std::int32_t> pointers{0}, columns;
    std::vector<double> values;
  };
  const auto arrays = std::make_shared<Arrays>();
  matrix.visit_pattern([&](const auto& csr) {
    for (std::int64_t row = csr.rows - 1; row >= 0; --row) {
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        arrays->columns.push_back(static_cast<std::int32_t>(csr.column_indices[k]));
        arrays->values.push_back(1.0 / static_cast<double>(k + 1));
      }
      arrays->pointers.push_back(static_cast<std::int32_t>(arrays->columns.size()));
    }
  });
  const Matrix reversed({.rows = matrix.rows(),
                         .cols = matrix.cols(),
                         .row_pointers = arrays->pointers,
                         .column_indices = arrays->columns,
                         .values = arrays->values,
                         .owner = arrays},
                        "reversed");
  const Structure a = analyze(matrix), b = analyze(reversed);
  const DeviceProperties h100 = describe_device("nvidia-h100");
  for (const std::string& kernel : kernels_from_code(h100)) {
    if (kernel == "sell-compact") continue;  // other values
    EXPECT_NEAR(code_s(b, kernel, h100) / code_s(a, kernel, h100), 1, 0.05) << kernel;
  }
}

TEST(CodeTime, LeavesAnEmptyMatrixToTables) {
  const std::vector<std::int32_t> pointers(101);
  const Structure empty = analyze(Matrix({.rows = 100,
                                          .cols = 100,
                                          .row_pointers = pointers,
                                          .column_indices = std::span<const std::int32_t>(),
                                          .values = std::span<const double>()},
                                         "empty"));
  EXPECT_FALSE(forecast_from_code(empty, "csr-stream", describe_device("nvidia-h100"), Precision::double_));
}

// Of a table, which does not tell how rows are read: five entries each.
Structure features_of(std::int64_t rows) {
  Structure features;
  features.rows = features.cols = rows;
  features.nonzeros = 5 * rows;
  features.row_mean = 5;
  features.row_min = features.row_max = 5;
  features.row_quartiles.assign(3, 5.0);
  return features;
}

TEST(CodeTime, WhereTablesStandInItIsSaid) {
  const Structure features = features_of(10'000);
  const auto model = fit_described_model(described_profile(describe_device("nvidia-h100")), {});
  const auto stands_in = model->forecast(features, "csr-vector");
  ASSERT_TRUE(stands_in);
  EXPECT_EQ(stands_in->model, described_model_name);
  EXPECT_NE(stands_in->learned_of.value_or("").find("tables"), std::string::npos);
}

TEST(CodeTime, ASlowerMemoryIsNotFaster) {
  DeviceProperties h100 = describe_device("nvidia-h100"), slow = h100;
  slow.memory_bandwidth /= 2;
  const Structure s = grid(1500);
  for (const std::string& kernel : kernels_from_code(h100))
    EXPECT_GE(code_s(s, kernel, slow), code_s(s, kernel, h100)) << kernel;
  EXPECT_GT(code_s(s, "csr-merge", slow), 1.2 * code_s(s, "csr-merge", h100)) << "135 MB are in no cache of it";
}

TEST(CodeTime, AnchorsMoveTheirKernelAndNarrowItsInterval) {
  Profile profile = described_profile(describe_device("nvidia-a100"));
  const auto sheet = fit_described_model(profile, {});
  for (int i = 0; i < 8; ++i) {
    const Structure s = grid(100 + 40 * i);
    Record& record = profile.records.emplace_back();
    record.matrix = i;
    record.kernel = "csr-vector";
    record.seconds = 1.4 * sheet->forecast(s, record.kernel)->seconds;
    profile.matrices.push_back({{}, s, {}});
  }
  profile.tier = Tier::anchors;
  const auto model = fit_described_model(profile, {});
  const Structure other = grid(333);
  const auto before = *sheet->forecast(other, "csr-vector"), after = *model->forecast(other, "csr-vector");
  EXPECT_EQ(after.tier, Tier::anchors);
  EXPECT_NEAR(after.seconds / before.seconds, 1.4, 0.05);
  EXPECT_LT(after.high_s / after.low_s, before.high_s / before.low_s);
  EXPECT_EQ(model->forecast(other, "csr-merge")->seconds, sheet->forecast(other, "csr-merge")->seconds);
}

TEST(CodeTime, AnchorsOfFeaturesMoveTheirKernelToo) {
  Profile profile = described_profile(describe_device("nvidia-a100"));
  const Structure whole = grid(100);
  const double sheet_s = fit_described_model(profile, {})->forecast(whole, "csr-vector")->seconds;
  for (int i = 0; i < 8; ++i) {
    Record& record = profile.records.emplace_back();
    record.matrix = i;
    record.kernel = "csr-vector";
    record.seconds = 4 * sheet_s;
    profile.matrices.push_back({{}, features_of(whole.rows + i), {}});
  }
  profile.tier = Tier::anchors;
  const auto moved = *fit_described_model(profile, {})->forecast(whole, "csr-vector");
  EXPECT_EQ(moved.tier, Tier::anchors);
  EXPECT_GT(moved.seconds, 2 * sheet_s) << "it was left where the data sheet has it";
  EXPECT_EQ(moved.model, described_model_name);
}
}  // namespace
}  // namespace sparsecast::forecast
