#include "forecast/sparsecast_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sparsecast/error.hpp>

#include "forecast/physical/physical_terms.hpp"

namespace sparsecast {
namespace {

// A device that does not exist, measured on feature records of matrices that do not exist either.
using Time = std::function<double(const Structure&)>;

double fraction(int i, double irrational) { return std::fmod((i + 1) * irrational, 1.0); }

Structure record(int i, const std::string& name) {
  Structure s;
  s.name = name;
  s.row_mean = 3 * std::pow(40, fraction(i, 0.7548776662));
  s.nonzeros = static_cast<std::int64_t>(1e5 * std::pow(300, fraction(i, 0.5698402910)));
  s.rows = s.cols = static_cast<std::int64_t>(static_cast<double>(s.nonzeros) / s.row_mean) + 1;
  s.row_std = s.row_mean * fraction(i, 0.6180339887);
  s.row_skew = 1 + 20 * fraction(i, 0.4142135623);
  s.bandwidth_scaled = std::pow(10, -3 * fraction(i, 0.3247179572));
  s.neighbours = 1.8 * fraction(i, 0.2360679774);
  s.cross_row_similarity = fraction(i, 0.8191725134);
  return s;
}

// Families of four: variations of the same matrix in size, as an imitated real matrix has.
Profile made_profile(int families, const Time& time) {
  Profile profile;
  profile.name = "made";
  profile.properties.kind = DeviceKind::cuda;
  for (int f = 0; f < families; ++f) {
    for (int v = 0; v < 4; ++v) {
      BenchmarkMatrix matrix;
      matrix.structure = record(f, "b" + std::to_string(4 * f + v));
      matrix.structure.rows = matrix.structure.cols =
          static_cast<std::int64_t>(static_cast<double>(matrix.structure.rows) * (1 + 0.1 * v));
      matrix.structure.nonzeros =
          static_cast<std::int64_t>(matrix.structure.row_mean * static_cast<double>(matrix.structure.rows));
      matrix.twin_of = "family" + std::to_string(f);
      Record one;
      one.matrix = static_cast<int>(profile.matrices.size());
      one.kernel = "csr";
      one.seconds = time(matrix.structure);
      profile.matrices.push_back(matrix);
      profile.records.push_back(one);
    }
  }
  return profile;
}

double number(std::int64_t value) { return static_cast<double>(value); }
double plain_time(const Structure& s) { return 8e-6 + 1.2e-11 * number(s.nonzeros) + 2e-11 * number(s.rows); }

const FitOptions options{Precision::double_, 0};

class SparsecastModel : public testing::Test {
 protected:
  // Fits are cached in the home folder: every test gets its own.
  void SetUp() override {
    home_ = std::filesystem::temp_directory_path() / ("sparsecast-model-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(home_);
    setenv("SPARSECAST_HOME", home_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("SPARSECAST_HOME");
    std::filesystem::remove_all(home_);
  }
  std::filesystem::path home_;
};

TEST_F(SparsecastModel, RecoversATimeThatIsMadeOfItsTerms) {
  const auto model = forecast::fit_sparsecast_model(made_profile(30, plain_time), options);
  for (int i = 100; i < 120; ++i) {
    const Structure s = record(i, "new");
    const auto forecast = model->forecast(s, "csr");
    ASSERT_TRUE(forecast);
    EXPECT_NEAR(forecast->seconds / plain_time(s), 1, 0.05) << i;
  }
}

// Something that no term knows: matrices of similar rows take twice as long.
TEST_F(SparsecastModel, LearnsWhatTheTermsDoNotKnow) {
  const Time odd = [](const Structure& s) { return plain_time(s) * std::exp2(s.cross_row_similarity); };
  const auto model = forecast::fit_sparsecast_model(made_profile(40, odd), options);
  double error = 0;
  for (int i = 100; i < 120; ++i) {
    const Structure s = record(i, "new");
    error += std::abs(model->forecast(s, "csr")->seconds / odd(s) - 1) / 20;
  }
  EXPECT_LT(error, 0.08);
}

// An interrupted calibration: any few of the matrices of a real one (csr and ell on one thread of an EPYC guest), and
// the others as the truth. A few errors that happen to be small must not make it sure.
TEST_F(SparsecastModel, IntervalsOfFewRecordsHoldWhatWasNotMeasured) {
  const Profile whole = read_profile(std::string(SPARSECAST_SOURCE_DIR) + "/tests/sensitivity/profile.json");
  const int all = static_cast<int>(whole.matrices.size());
  for (const int kept : {1, 2, 3, 5, 8, 11}) {
    int inside = 0, judged = 0;
    for (int first = 0; first < all; first += 6) {
      const auto is_kept = [&](const Record& one) { return (one.matrix - first + all) % all * 7 % all < kept; };
      Profile few = whole;
      std::erase_if(few.records, [&](const Record& one) { return !is_kept(one); });
      const auto model = forecast::fit_sparsecast_model(few, {Precision::double_, 1});
      for (const Record& one : whole.records) {
        if (is_kept(one)) continue;
        const auto forecast =
            model->forecast(whole.matrices[static_cast<std::size_t>(one.matrix)].structure, one.kernel);
        ASSERT_TRUE(forecast);
        ++judged;
        inside += forecast->low_s <= one.seconds && one.seconds <= forecast->high_s ? 1 : 0;
      }
    }
    EXPECT_GE(inside, 0.85 * judged) << kept << " matrices: " << inside << " of " << judged;
  }
}

TEST_F(SparsecastModel, PartsAddUpToTheForecast) {
  const auto model = forecast::fit_sparsecast_model(made_profile(20, plain_time), options);
  const auto forecast = model->forecast(record(77, "new"), "csr");
  ASSERT_TRUE(forecast);
  double sum = 0;
  for (const ForecastPart& part : forecast->parts) sum += part.seconds;
  EXPECT_NEAR(sum / forecast->seconds, 1, 1e-9);
}

TEST_F(SparsecastModel, IntervalsHoldOnMatricesHeldBack) {
  // Deterministic noise of some 20 %, by family, which nothing can know beforehand.
  const auto noise = [](const Structure& s) { return 0.2 * std::sin(1e5 * s.row_mean); };
  const Time noisy = [&](const Structure& s) { return plain_time(s) * std::exp(noise(s)); };
  const auto model = forecast::fit_sparsecast_model(made_profile(60, noisy), options);
  int inside = 0;
  for (int i = 200; i < 300; ++i) {
    const Structure s = record(i, "new");
    const auto forecast = model->forecast(s, "csr");
    EXPECT_LT(forecast->low_s, forecast->seconds);
    EXPECT_GT(forecast->high_s, forecast->seconds);
    inside += forecast->low_s <= noisy(s) && noisy(s) <= forecast->high_s ? 1 : 0;
  }
  EXPECT_GE(inside, 80);
  EXPECT_LE(inside, 99);
}

// One family takes ten times as long as everything else. Whoever has seen it knows; whoever has not cannot.
TEST_F(SparsecastModel, LeavingOutLeavesOut) {
  const Structure odd_one = record(5, "family5");
  const Time time = [&](const Structure& s) { return plain_time(s) * (s.row_std == odd_one.row_std ? 10 : 1); };
  const Profile profile = made_profile(24, time);
  const double truth = time(odd_one);
  const auto seen = forecast::fit_sparsecast_model(profile, options);
  EXPECT_NEAR(std::log(seen->forecast(odd_one, "csr")->seconds / truth), 0, 0.7);
  const auto without = forecast::fit_sparsecast_model_without(profile, options, "twin_of", {"family5", "family6"});
  EXPECT_LT(without->forecast(odd_one, "csr")->seconds, truth / 4);
}

TEST_F(SparsecastModel, LeavingOutEqualsNeverHavingMeasured) {
  // The rest of the profile is the same, only family 5 is slower: what is said without family 5 must not change at all.
  const Structure asked = record(5, "family5");
  const auto said = [&](double factor) {
    const Time time = [&, factor](const Structure& s) {
      return plain_time(s) * (s.row_std == asked.row_std ? factor : 1);
    };
    return forecast::fit_sparsecast_model_without(made_profile(24, time), options, "twin_of", {"family5", "family6"})
        ->forecast(asked, "csr");
  };
  const auto one = said(1), ten = said(10);
  EXPECT_NEAR(one->seconds / ten->seconds, 1, 1e-6);
  EXPECT_NEAR(one->high_s / ten->high_s, 1, 1e-6);
}

TEST_F(SparsecastModel, RefusesAColumnThatProfilesDoNotKeep) {
  EXPECT_THROW((void)forecast::fit_sparsecast_model_without(made_profile(4, plain_time), options, "colour", {}), Error);
}

TEST_F(SparsecastModel, FitsAreKeptAndReplacedWhenTheProfileChanges) {
  const Structure s = record(50, "new");
  const Profile profile = made_profile(12, plain_time);
  const double first = forecast::fit_sparsecast_model(profile, options)->forecast(s, "csr")->seconds;
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(home_ / "fits"), std::filesystem::directory_iterator());
  };
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(forecast::fit_sparsecast_model(profile, options)->forecast(s, "csr")->seconds, first);
  EXPECT_EQ(files(), 1);
  const auto slower =
      forecast::fit_sparsecast_model(made_profile(12, [](const Structure& m) { return 3 * plain_time(m); }), options);
  EXPECT_NEAR(slower->forecast(s, "csr")->seconds / first, 3, 0.3);
  EXPECT_EQ(files(), 2);
}

TEST_F(SparsecastModel, ADamagedCacheIsFittedAnew) {
  const Structure s = record(50, "new");
  const Profile profile = made_profile(12, plain_time);
  const double first = forecast::fit_sparsecast_model(profile, options)->forecast(s, "csr")->seconds;
  for (const auto& file : std::filesystem::directory_iterator(home_ / "fits")) std::filesystem::resize_file(file, 100);
  EXPECT_EQ(forecast::fit_sparsecast_model(profile, options)->forecast(s, "csr")->seconds, first);
}

TEST_F(SparsecastModel, NothingIsFasterThanTheDeviceEverWas) {
  // A matrix so far outside that the fit alone might say anything.
  const auto model = forecast::fit_sparsecast_model(made_profile(20, plain_time), options);
  Structure s = record(3, "far");
  s.nonzeros *= 1000;
  s.rows *= 1000;
  s.cols *= 1000;
  const auto forecast = model->forecast(s, "csr");
  EXPECT_TRUE(forecast->extrapolated);
  EXPECT_GT(forecast->seconds, 0.5 * plain_time(s));
}

TEST_F(SparsecastModel, AnIntervalWidensBeyondWhatWasMeasured) {
  const auto model = forecast::fit_sparsecast_model(made_profile(20, plain_time), options);
  const auto width = [&](std::int64_t times) {
    Structure s = record(3, "far");
    s.nonzeros *= times;
    s.rows *= times;
    s.cols *= times;
    const auto forecast = model->forecast(s, "csr");
    return std::log(forecast->high_s / forecast->low_s);
  };
  EXPECT_GT(width(1000), 1.3 * width(1));
  EXPECT_GT(width(100'000), 1.3 * width(1000));
}

TEST_F(SparsecastModel, ADisturbedMeasurementIsNotLearned) {
  Profile profile = made_profile(20, plain_time);
  const double calm = forecast::fit_sparsecast_model(profile, options)->forecast(record(3, "new"), "csr")->seconds;
  for (int v = 0; v < 4; ++v) {
    Record wild = profile.records[static_cast<std::size_t>(v)];
    wild.seconds /= 30;
    wild.spread = 0.8;
    profile.records.push_back(wild);
  }
  EXPECT_EQ(forecast::fit_sparsecast_model(profile, options)->forecast(record(3, "new"), "csr")->seconds, calm);
}

// 2,048 rows: one of 100 non-zeros, the others of 1.
Structure one_long_row() {
  Structure s;
  s.rows = s.cols = 2048;
  s.nonzeros = 2047 + 100;
  s.row_max = 100;
  s.row_histogram = {{1, 2047}, {100, 1}};
  return s;
}

TEST(Workload, PiecesOfDiagonalsAndColumnsByHand) {
  const DeviceProperties host{};
  const Structure s = one_long_row();
  // Sorted: the first block of 1,024 rows holds 100 diagonals, the second one.
  EXPECT_EQ(forecast::workload(s, "jad", host, Precision::double_, 1).calls, 101);
  const forecast::Workload ell = forecast::workload(s, "ell", host, Precision::double_, 1);
  EXPECT_EQ(ell.calls, 2 * 100);
  EXPECT_EQ(ell.padding, 2048 * 100 - 2147);
  const forecast::Workload csr = forecast::workload(s, "csr", host, Precision::double_, 1);
  EXPECT_EQ(csr.long_rows, 8) << "the seven beside it are taken with it";
  EXPECT_EQ(csr.more_vectors, 0);
}

TEST(Workload, EntriesThatCarryTheirRowPassNoEmptyOne) {
  Structure s;
  s.rows = s.cols = 6000;
  s.nonzeros = 3000;
  s.empty_rows = 4000;
  s.row_max = 2;
  s.row_histogram = {{0, 4000}, {1, 1000}, {2, 1000}};
  DeviceProperties host;
  const auto steps = [&](const char* kernel) {
    return forecast::workload(s, kernel, host, Precision::double_, 1).row_steps;
  };
  EXPECT_EQ(steps("coo"), 2000);
  EXPECT_EQ(steps("csr"), 6000);
  EXPECT_EQ(hyb_split(s).width, 0);
  EXPECT_EQ(steps("hyb"), 0) << "all is overflow";
}

TEST(Workload, ColumnsOfEllAreStreamsSideBySide) {
  const DeviceProperties host{};
  Structure s;
  s.row_max = 8;
  const auto ell = [&](std::int64_t rows) {
    s.rows = s.cols = rows;
    s.nonzeros = 8 * rows;
    s.row_histogram = {{8, rows}};
    return forecast::workload(s, "ell", host, Precision::double_, 1);
  };
  EXPECT_EQ(ell(512).aliased, 512 * 7) << "columns of a page: all begin at one place";
  EXPECT_EQ(ell(256).aliased, 256 * 6) << "of half a page: at two";
  EXPECT_EQ(ell(512).unaligned, 0);
  EXPECT_EQ(ell(1001).aliased, 0);
  EXPECT_EQ(ell(1001).unaligned, 1001 * 7) << "one column in eight begins with a line";
  EXPECT_EQ(ell(1001).stream_bytes, 1001 * 8 * 12);
  s.row_max = 33;
  EXPECT_EQ(ell(512).aliased, 0) << "block by block";
  EXPECT_EQ(ell(512).stream_bytes, 0);
  EXPECT_EQ(ell(512).calls, 33);
  EXPECT_EQ(forecast::workload(s, "ell", host, Precision::double_, 2).calls, 66) << "each thread begins them";
}

TEST(Workload, MissesOfXHideTheStreamOfScalarCsr) {
  DeviceProperties host;
  host.caches = {{1, 32 << 10, 64, 1}, {3, 1 << 20, 64, 2}};
  Structure s;
  s.rows = s.cols = 100'000;
  s.nonzeros = 1'000'000;
  s.row_max = 10;
  s.row_histogram = {{10, 100'000}};
  XReuse reuse;
  reuse.elements_per_line = 8;
  reuse.lines = 12'500;
  reuse.cold = 0.1;
  s.x_reuse = {reuse};
  const forecast::Workload w = forecast::workload(s, "csr-scalar", host, Precision::double_, 1);
  const double share = w.misses[0] / w.nonzeros;
  EXPECT_GT(share, 0);
  EXPECT_NEAR(w.unprefetched / w.nonzeros, share / (share + 0.05), 1e-3) << "13 MB are far beyond a cache of one";
  EXPECT_EQ(forecast::workload(s, "csr", host, Precision::double_, 1).unprefetched, 0);
}

TEST(Workload, APredictorHoldsBranchesAndMispredictions) {
  const DeviceProperties host{};
  Structure s = one_long_row();
  s.mispredicted_rows = s.mispredicted_filled_rows = 0.25;
  EXPECT_EQ(forecast::workload(s, "csr-scalar", host, Precision::double_, 1).remembered, 2147 + 8 * 512);
  EXPECT_EQ(forecast::workload(s, "coo", host, Precision::double_, 1).remembered, 2147 + 8 * 512);
  const forecast::Workload csr = forecast::workload(s, "csr", host, Precision::double_, 1);
  EXPECT_EQ(csr.remembered, csr.misprediction_bits);
}

TEST(Workload, MispredictionsFollowTheOrderOfTheRows) {
  const DeviceProperties host{};
  Structure s = one_long_row();
  s.row_histogram = {{1, 1024}, {2, 1024}};
  s.nonzeros = 3072;
  s.row_max = 2;
  EXPECT_NEAR(forecast::workload(s, "coo", host, Precision::double_, 1).mispredictions, 1024, 1e-9)
      << "order not known: shuffled";
  s.mispredicted_rows = s.mispredicted_filled_rows = 0.25;
  EXPECT_EQ(forecast::workload(s, "coo", host, Precision::double_, 1).mispredictions, 512);
}

TEST_F(SparsecastModel, HasNoFormForAKernelWithoutRecords) {
  EXPECT_FALSE(
      forecast::fit_sparsecast_model(made_profile(12, plain_time), options)->forecast(record(1, "new"), "ell"));
}

// By hand: launch 10 µs, 1000 non-zeros in 100 rows of 10, nothing else than the priors' costs.
TEST(PhysicalTerms, TheTermsOfARecordByHand) {
  Profile profile;
  profile.properties.kind = DeviceKind::cuda;
  const forecast::PhysicalTerms terms(profile, options, false, false);
  Structure s;
  s.rows = s.cols = 100;
  s.nonzeros = 1000;
  s.row_mean = 10;
  s.bandwidth_scaled = 1;
  const forecast::Workload w = forecast::workload(s, "csr", profile.properties, Precision::double_, 0);
  EXPECT_EQ(w.runs, 1000) << "no neighbours: every non-zero starts a run";
  EXPECT_EQ(w.window_bytes(), 800);
  EXPECT_EQ(w.footprint_bytes, 12 * 1000 + 12 * 100 + 8 * 100);
  const double beyond = 8e6 / 14000, dram = 1 / (1 + beyond * beyond), miss = 1 / (1 + 8e6 / 800);
  const double expected =
      1e-5 + (5e-12 + 5e-12 * dram) * 1000 + 5e-12 * 100 + 2e-12 * 100 + (2e-12 + 2e-11 * miss) * 1000;
  EXPECT_NEAR(std::exp(terms.log_seconds(w, terms.prior().centre)) / expected, 1, 1e-12);
}

TEST(PhysicalTerms, TheLongestRowShowsOnceItIsLongerThanTheRest) {
  Profile profile;
  profile.properties.kind = DeviceKind::cuda;
  const forecast::PhysicalTerms terms(profile, options, false, true);
  Eigen::VectorXd p = terms.prior().centre;
  p[5] = std::log(1e-8);  // seconds per non-zero of the longest row
  Structure s;
  s.rows = s.cols = 1'000'000;
  s.nonzeros = 10'000'000;
  s.row_mean = 10;
  const auto seconds = [&](double longest) {
    s.row_skew = longest / s.row_mean - 1;
    return std::exp(terms.log_seconds(forecast::workload(s, "csr", profile.properties, Precision::double_, 0), p));
  };
  EXPECT_NEAR(seconds(10) / seconds(100), 1, 0.01);
  EXPECT_NEAR(seconds(1e6), 0.01, 1e-4) << "a million non-zeros of 10 ns, one after the other";
}

TEST(PhysicalTerms, LaunchFollowsThreadsThatStartLater) {
  Profile profile;
  Record record;
  record.threads = 2;
  record.launch_s = 5e-7;
  profile.records.push_back(record);
  profile.properties.caches = {{3, 32 << 20, 64, 2}};
  const forecast::PhysicalTerms terms(profile, {Precision::double_, 2}, true, false);
  forecast::Workload w = forecast::workload(one_long_row(), "csr", profile.properties, Precision::double_, 2);
  const auto seconds = [&](double launch_s) {
    w.launch_s = launch_s;
    return std::exp(terms.log_seconds(w, terms.prior().centre));
  };
  EXPECT_NEAR(seconds(1.5e-6) - seconds(5e-7), 2 * 5e-7, 1e-10) << "the prior's launch is a bare start";
  EXPECT_DOUBLE_EQ(seconds(0), seconds(5e-7)) << "not looked at: as is usual";
  w.format_bytes = 1e9;
  EXPECT_LT(seconds(1.5e-6), 0.8 * seconds(5e-7)) << "threads farther apart have a way to the memory each";
}

}  // namespace
}  // namespace sparsecast
