// The planner on devices that do not exist, whose kernels take times that a formula tells.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "forecast/model_set.hpp"
#include "formats/kernels.hpp"
#include "planning/rows/row_range.hpp"
#include "planning/run/measured_gain.hpp"
#include "planning/run/transpose_advice.hpp"
#include "planning/run/turns.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

// A host on which a slot of ELL costs half of what a non-zero of CSR does: right for a whole matrix of equal rows, and
// wrong where rows differ.
Profile device(double ell_slot_s = 0.5e-9) {
  Profile profile = test::empty_host_profile(1);
  test::add_grid(profile, "constant", "csr", 1,
                 [](double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); });
  test::add_grid(profile, "constant", "ell", 1,
                 [=](double strips, double length) { return 1e-6 + strips * 1024 * (1e-9 + ell_slot_s * length); });
  return profile;
}

class APlanner : public testing::Test {
 protected:
  // Fits are cached in the home folder: every test gets its own.
  void SetUp() override { setenv("SPARSECAST_HOME", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  test::TemporaryFolder folder_;
};

// `short_rows` rows of 8, then `long_rows` rows of 200: ELL of the whole is padding for the most part.
Matrix two_parts(std::int64_t short_rows, std::int64_t long_rows) {
  Csr<std::int32_t, std::int32_t> csr{short_rows + long_rows, 4000, {}, {}, {}};
  csr.row_pointers.push_back(0);
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    const int length = row < short_rows ? 8 : 200;
    for (int k = 0; k < length; ++k) {
      csr.column_indices.push_back(static_cast<std::int32_t>(row % 1000 + 13 * k));
      csr.values.push_back(1);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), "two-parts"};
}

void expect_sound(const Strategy& s, const Matrix& matrix) {
  ASSERT_FALSE(s.blocks.empty());
  EXPECT_EQ(s.blocks.front().first_row, 0);
  EXPECT_EQ(s.blocks.front().first_strip, 1);
  EXPECT_EQ(s.blocks.back().last_row, matrix.rows() - 1);
  EXPECT_EQ(s.blocks.back().last_strip, s.strips);
  for (std::size_t b = 1; b < s.blocks.size(); ++b) {
    EXPECT_EQ(s.blocks[b].first_row, s.blocks[b - 1].last_row + 1);
    EXPECT_EQ(s.blocks[b].first_strip, s.blocks[b - 1].last_strip + 1);
  }
  if (s.iterations == 0) {
    EXPECT_LE(s.predicted_s, s.best_single.seconds);
  }
  EXPECT_GE(s.planning_s, 0);
}

TEST_F(APlanner, CutsWhereTheFormatsDiffer) {
  const Matrix matrix = two_parts(65536, 4096);
  const Planner planner(device(), Precision::double_, 1);
  const Strategy s = planner.strategy(matrix, {.strip_rows = 1024, .always_cut = true});
  expect_sound(s, matrix);
  ASSERT_GE(s.best_cut.size(), 2U);
  EXPECT_GT(s.gain, 0);
  EXPECT_LE(s.gain_low, s.gain);
  EXPECT_GE(s.gain_high, s.gain);
  // A border where the rows change.
  bool found = false;
  for (const PlannedBlock& block : s.best_cut) found |= block.last_row == 65535;
  EXPECT_TRUE(found);
  EXPECT_TRUE(s.cut);
  EXPECT_LT(s.predicted_s, s.best_single.seconds);
}

// Not told to cut: more of the time is saved than what few records leave in doubt.
TEST_F(APlanner, CutsBecauseItPays) {
  const Matrix matrix = two_parts(65536, 4096);
  const Planner planner(device(0.1e-9), Precision::double_, 1);
  const Strategy s = planner.strategy(matrix, {.strip_rows = 1024});
  expect_sound(s, matrix);
  EXPECT_TRUE(s.cut);
  EXPECT_GE(s.blocks.size(), 2U);
  EXPECT_GT(s.gain_low, 0.05);
  EXPECT_LT(s.predicted_s, s.best_single.seconds);
  EXPECT_NE(s.reason.find("beyond the forecast's uncertainty"), std::string::npos) << s.reason;
}

// The same cut where ELL is hardly faster: less would be saved than another placement in memory costs.
TEST_F(APlanner, LeavesWholeWhatACutWouldHardlySpeedUp) {
  const Matrix matrix = two_parts(65536, 4096);
  const Planner planner(device(0.9e-9), Precision::double_, 1);
  const Strategy s = planner.strategy(matrix, {.strip_rows = 1024});
  expect_sound(s, matrix);
  ASSERT_GE(s.best_cut.size(), 2U);
  EXPECT_GT(s.gain, 0);
  EXPECT_FALSE(s.cut);
  EXPECT_EQ(s.blocks.size(), 1U);
  EXPECT_NE(s.reason.find("within the forecast's uncertainty"), std::string::npos) << s.reason;
}

TEST_F(APlanner, LeavesAUniformMatrixWhole) {
  const Matrix matrix = generate({"constant", 0, 12, 20000, 20000, 1, {}});
  const Planner planner(device(), Precision::double_, 1);
  const Strategy s = planner.strategy(matrix);
  expect_sound(s, matrix);
  EXPECT_EQ(s.blocks.size(), 1U);
  EXPECT_FALSE(s.cut);
  EXPECT_EQ(s.predicted_s, s.best_single.seconds);
}

TEST_F(APlanner, HonoursStripsAndBlocksAskedFor) {
  const Matrix matrix = two_parts(5000, 5001);
  const Planner planner(device(), Precision::double_, 1);
  for (const std::int64_t strip_rows : {1000, 333, 20000}) {
    const Strategy s = planner.strategy(matrix, {.strip_rows = strip_rows, .max_blocks = 2, .always_cut = true});
    expect_sound(s, matrix);
    EXPECT_EQ(s.strips, strip_rows == 20000 ? 1 : (10001 + strip_rows - 1) / strip_rows);
    EXPECT_LE(s.blocks.size(), 2U);
  }
  const Strategy one = planner.strategy(matrix, {.max_blocks = 1});
  EXPECT_EQ(one.blocks.size(), 1U);
  EXPECT_TRUE(one.best_cut.empty());
  EXPECT_THROW((void)planner.strategy(matrix, {.strip_rows = -1}), Error);
}

TEST_F(APlanner, TakesMatricesWithNothingInThem) {
  const Planner planner(device(), Precision::double_, 1);
  expect_sound(planner.strategy(Matrix()), Matrix());
  const Matrix empty_rows(Csr<std::int32_t, std::int32_t>{5000, 10, Array<std::int32_t>(5001, 0), {}, {}},
                          "empty rows");
  expect_sound(planner.strategy(empty_rows), empty_rows);
}

// The same kernels, seconds and conversions as `sparsecast predict` gives: from the whole structure, to the last bit.
TEST_F(APlanner, ForecastsSingleKernelsAsPredictDoes) {
  const Profile profile = device();
  const Planner planner(profile, Precision::double_, 1);
  const forecast::ModelSet models("best", profile, {Precision::double_, 1});
  std::vector<Matrix> matrices{two_parts(3000, 50), generate({"geometric", 0, 6, 7000, 0, 1, {}})};
  for (const char* kind : {"uniform", "powerlaw", "normal", "longrow"})
    for (const std::int64_t rows : {500, 3001, 20000})
      matrices.push_back(generate({kind, 0, 9, rows, rows, static_cast<std::uint64_t>(rows), {}}));
  for (const Matrix& matrix : matrices) {
    const std::vector<Forecast> predicted = models.best(analyze(matrix), forecast::kernels_of(profile));
    const Strategy s = planner.strategy(matrix);
    ASSERT_EQ(s.singles.size(), predicted.size()) << matrix.name();
    EXPECT_EQ(s.best_single.kernel, predicted.front().kernel) << matrix.name();
    for (std::size_t k = 0; k < predicted.size(); ++k) {
      EXPECT_EQ(s.singles[k].kernel, predicted[k].kernel) << matrix.name();
      EXPECT_EQ(s.singles[k].seconds, predicted[k].seconds) << matrix.name() << ' ' << predicted[k].kernel;
    }
  }
}

// Eight vectors take longer than one and less than eight products in csr, which reads the matrix once for all of them.
TEST_F(APlanner, PlansOneKernelForBlocksOfVectorsAndTransposedProducts) {
  const Profile profile = device();
  const Planner planner(profile, Precision::double_, 1);
  const Matrix matrix = two_parts(65536, 4096);
  const StrategyOptions cut{.strip_rows = 1024, .always_cut = true};
  ASSERT_TRUE(planner.strategy(matrix, cut).cut);
  const auto csr_seconds = [&](std::int64_t vectors, bool transposed) {
    StrategyOptions options = cut;
    options.vectors = vectors;
    options.transposed = transposed;
    const Strategy s = planner.strategy(matrix, options);
    EXPECT_EQ(s.blocks.size(), 1U);
    EXPECT_FALSE(s.cut);
    const Plan plan(matrix, s);  // the numbers are of a strategy that can be carried out
    const auto csr = std::ranges::find(s.singles, "csr", &SingleKernel::kernel);
    return csr == s.singles.end() ? 0 : csr->seconds;
  };
  const double slowest = planner.strategy(matrix).singles.back().seconds;
  EXPECT_GT(csr_seconds(8, false), csr_seconds(2, false));
  EXPECT_LT(csr_seconds(8, false), 8 * slowest);
  EXPECT_GT(csr_seconds(1, true), 0);
  EXPECT_THROW((void)planner.strategy(matrix, {.vectors = 0}), Error);
}

// What a paper's model feeds the search with is its forecast of each block as a matrix of its own. (It knows CSR by the
// commonest length alone, so the best border is not where the rows change.)
TEST_F(APlanner, AsksAPapersModelForEveryBlock) {
  const Matrix matrix = two_parts(4096, 8192);
  const Profile profile = device();
  const Planner planner(profile, Precision::double_, 1, {}, "guo");
  const Strategy s = planner.strategy(matrix, {.strip_rows = 1024});
  expect_sound(s, matrix);
  EXPECT_TRUE(s.cut) << s.reason;
  ASSERT_EQ(s.blocks.size(), 2U);
  const auto guo = fit_model("guo", profile, {Precision::double_, 1, {}});
  double seconds = 0;
  for (const PlannedBlock& block : s.blocks) {
    const Structure alone = analyze(planning::row_range(matrix, block.first_row, block.last_row + 1));
    const auto forecast = guo->forecast(alone, block.kernel);
    ASSERT_TRUE(forecast);
    EXPECT_DOUBLE_EQ(block.seconds, forecast->seconds);
    for (const char* kernel : {"csr", "ell"}) EXPECT_LE(block.seconds, guo->forecast(alone, kernel)->seconds) << kernel;
    seconds += block.seconds;
  }
  EXPECT_DOUBLE_EQ(s.predicted_s, seconds);
  EXPECT_DOUBLE_EQ(s.best_single.seconds, std::min(guo->forecast(analyze(matrix), "csr")->seconds,
                                                   guo->forecast(analyze(matrix), "ell")->seconds));
  EXPECT_NE(s.reason.find("by model guo"), std::string::npos) << s.reason;
  EXPECT_THROW(Planner(profile, Precision::double_, 1, {}, "no-such-model"), Error);
}

TEST_F(APlanner, CountsTheConversion) {
  Profile profile = device();
  for (Record& record : profile.records) record.preprocess_s = record.kernel == "ell" ? 1000 * record.seconds : 1e-9;
  const Matrix matrix = generate({"constant", 0, 12, 20000, 20000, 1, {}});
  const Planner planner(profile, Precision::double_, 1);
  const Strategy for_ever = planner.strategy(matrix);
  EXPECT_EQ(for_ever.best_single.kernel, "ell");
  EXPECT_GT(for_ever.break_even, 100);
  const Strategy once = planner.strategy(matrix, {.iterations = 1});
  EXPECT_EQ(once.best_single.kernel, "csr");
  const Strategy often = planner.strategy(matrix, {.iterations = 100 * for_ever.break_even});
  EXPECT_EQ(often.best_single.kernel, "ell");
  // Left out, csr is still what the conversion is held against.
  EXPECT_EQ(planner.strategy(matrix, {.kernels = {"ell"}}).break_even, for_ever.break_even);
}

TEST_F(APlanner, DoesNotTellWhenAConversionPaysWhereNothingTellsHowLongItTakes) {
  constexpr std::int64_t not_known = -2;
  const Matrix matrix = generate({"constant", 0, 12, 20000, 20000, 1, {}});
  Profile profile = device();
  for (Record& record : profile.records) record.preprocess_s = record.kernel == "ell" ? 1000 * record.seconds : 1e-9;
  const auto break_even = [&](const std::string& kernel) {
    return Planner(profile, Precision::double_, 1).strategy(matrix, {.kernels = {kernel}}).break_even;
  };
  EXPECT_GT(break_even("ell"), 0);
  std::erase_if(profile.records, [](const Record& record) { return record.kernel == "csr"; });
  EXPECT_EQ(break_even("ell"), not_known) << "nothing to hold it against";

  // Nothing is forecast for a kernel that is named.
  for (const formats::HostKernel& kernel : formats::host_kernels()) {
    const std::string name(kernel.name);
    const bool in_place = name == "csr" || name == "csr-merge" || name == "csr-scalar";
    EXPECT_EQ(one_kernel(matrix, name).break_even, in_place ? 0 : not_known) << name;
  }
}

TEST_F(APlanner, NeedsRecordsOfThatThreadCount) {
  EXPECT_THROW(Planner(device(), Precision::double_, 7), Error);
  EXPECT_THROW(Planner(device(), Precision::single_, 7), Error);
  EXPECT_THROW(Planner(test::empty_host_profile(1), Precision::single_, 1), Error);
}

// Values of half the size: the device of these records is as fast per slot, and less has to be read.
TEST_F(APlanner, PlansSinglePrecisionFromRecordsInDouble) {
  const Matrix matrix = two_parts(65536, 4096);
  const Strategy s = Planner(device(), Precision::single_, 1).strategy(matrix);
  expect_sound(s, matrix);
  EXPECT_EQ(s.precision, Precision::single_);
  EXPECT_LE(s.best_single.seconds, Planner(device(), Precision::double_, 1).strategy(matrix).best_single.seconds);
}

// 210 records a kernel, three recipes.
Profile well_measured_device(double slower) {
  Profile profile = test::empty_host_profile(1);
  for (const char* kind : {"constant", "normal", "uniform"})
    for (const char* kernel : {"csr", "ell"})
      test::add_grid(profile, kind, kernel, 1, [&](double strips, double length) {
        return 1e-6 + slower * strips * 1024 * (2e-9 + 1e-9 * length);
      });
  return profile;
}

TEST_F(APlanner, TellsOnceOfAFitThatTakesLongAndKeepsIt) {
  std::vector<std::string> told;
  const FitNotice notice = [&](std::string_view line) { told.emplace_back(line); };
  const auto open = [&](const Profile& profile) { return Planner(profile, Precision::double_, 1, notice); };
  const Matrix matrix = two_parts(65536, 4096);
  const Strategy first = open(well_measured_device(1)).strategy(matrix);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("fitting the forecasts of host"), std::string::npos) << told[0];
  const Strategy second = open(well_measured_device(1)).strategy(matrix);
  EXPECT_EQ(told.size(), 1U) << "it was kept";
  EXPECT_EQ(second.predicted_s, first.predicted_s);
  EXPECT_EQ(second.gain, first.gain);
  EXPECT_EQ(second.gain_low, first.gain_low);
  const Strategy slower = open(well_measured_device(2)).strategy(matrix);
  EXPECT_EQ(told.size(), 2U) << "another profile is another fit";
  EXPECT_NEAR(slower.predicted_s / first.predicted_s, 2, 0.3);
}

TEST_F(APlanner, SaysNothingOfAFitThatIsMadeAtOnce) {
  const Planner planner(device(), Precision::double_, 1, [](std::string_view line) { FAIL() << line; });
}

TEST_F(APlanner, ADamagedFitIsMadeAnew) {
  const Matrix matrix = two_parts(65536, 4096);
  const Strategy first = Planner(device(), Precision::double_, 1).strategy(matrix);
  int fits = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder_.path() / "fits")) {
    ++fits;
    std::filesystem::resize_file(file, 100);
  }
  EXPECT_EQ(fits, 2) << "csr and ell";
  const Strategy again = Planner(device(), Precision::double_, 1).strategy(matrix);
  EXPECT_EQ(again.predicted_s, first.predicted_s);
  EXPECT_EQ(again.gain_low, first.gain_low);
}

TEST(GainText, NamesNoNumberThatWasNotFound) {
  using planning::gain_text;
  EXPECT_EQ(gain_text(0.12, 0.08, 0.15, "the noise"), "gain 12.0 % (8.0 % – 15.0 %)");
  EXPECT_EQ(gain_text(-0.12, -0.15, -0.08, "the noise"), "gain -12.0 % (-15.0 % – -8.0 %)");
  EXPECT_EQ(gain_text(0.01, -0.02, 0.03, "the noise"), "no gain beyond the noise (-2.0 % – 3.0 %)");
  EXPECT_EQ(gain_text(-1.81, -28.83, 0.98, "the noise"), "no gain beyond the noise");
}

// Of every cut: where the reason promises something, the gain is told, and where there is none, nothing is promised.
TEST_F(APlanner, SaysTheSameOfACutInItsReasonAndItsGain) {
  int promised = 0, none = 0;
  for (const char* model : {"guo", "sparsecast"}) {
    for (const double slot_s : {0.5e-9, 0.9e-9, 3e-9}) {
      const Planner planner(device(slot_s), Precision::double_, 1, {}, model);
      for (const std::int64_t long_rows : {50, 1024, 8192}) {
        for (const bool always : {false, true}) {
          const Strategy s = planner.strategy(two_parts(8192, long_rows), {.strip_rows = 1024, .always_cut = always});
          if (s.best_cut.empty()) continue;
          const std::string text = planning::gain_text(s);
          const bool promises = s.reason.find("predicted to save") != std::string::npos;
          const bool denies = text.find("no gain") != std::string::npos;
          EXPECT_FALSE(promises && denies) << s.reason << " / " << text;
          EXPECT_LE(s.gain_low, s.gain);
          EXPECT_LE(s.gain, s.gain_high);
          EXPECT_LE(s.gain_high, 1);
          promised += promises ? 1 : 0;
          none += denies ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GE(promised, 3);
  EXPECT_GE(none, 1);
}

}  // namespace
}  // namespace sparsecast
