// The optimizer of Guo, Wang & Chen (2014) with their four formats, on a C2050 whose kernels take times by formulas, as
// their models say that they do.

#include <gtest/gtest.h>

#include <numeric>
#include <sparsecast/error.hpp>
#include <sparsecast/plan.hpp>

#include "forecast/model_set.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

const std::vector<std::string> papers_formats{"csr-vector", "ell", "coo", "hyb"};

Profile c2050() {
  Profile profile = test::empty_gpu_profile();
  const auto csr = [](double strips, double length) { return (5e-6 + 3e-8 * length) * (0.5 + 0.5 * strips); };
  test::add_grid(profile, "constant", "csr-vector", 0, csr);
  test::add_grid(profile, "constant", "ell", 0,
                 [](double strips, double length) { return (1e-7 + 2e-7 * strips) * length + 4e-6 + 1e-6 * strips; });
  test::add_grid(profile, "constant", "coo", 0,
                 [](double strips, double length) { return 3e-5 + 4e-6 * strips * length; });
  test::add_grid(profile, "normal", "hyb", 0, csr);  // forecast as ELL and COO; records only tell how well
  // What the authors did not have, always the fastest.
  test::add_grid(profile, "constant", "csr-half", 0, [](double, double) { return 1e-6; });
  profile.curves.push_back({"launch", 0, {1}, {5e-7}});
  return profile;
}

// Rows of some lengths, one stretch behind the other.
struct Stretch {
  std::int64_t rows, length;
};

Matrix made_of(const std::string& name, const std::vector<Stretch>& stretches) {
  Csr<std::int32_t, std::int32_t> csr{0, 4096, {0}, {}, {}};
  for (const Stretch& stretch : stretches) {
    csr.rows += stretch.rows;
    for (std::int64_t row = 0; row < stretch.rows; ++row) {
      for (std::int64_t k = 0; k < stretch.length; ++k)
        csr.column_indices.push_back(static_cast<std::int32_t>(row % 1000 + k));
      csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
    }
  }
  csr.values.assign(csr.column_indices.size(), 1.0);
  return {std::move(csr), name};
}

class GuosOptimizer : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  test::TemporaryFolder folder_;
};

std::string told(const Strategy& strategy) {
  std::string text;
  for (const PlannedBlock& block : strategy.blocks)
    text +=
        "[" + std::to_string(block.first_strip) + ", " + std::to_string(block.last_strip) + "] " + block.kernel + " ";
  return text;
}

// The paper's table 3. The matrices have its rows and strips; the lengths of their rows are made up, long ones where
// the table has CSR.
TEST_F(GuosOptimizer, CutsAsThePapersTable3) {
  struct Row {
    const char* matrix;
    std::vector<Stretch> rows;
    const char* strategy;
  };
  constexpr std::int64_t strip = 672;
  const std::vector<Row> table{
      {"OPF_6000", {{42 * strip, 7}, {29'902 - 42 * strip, 100}}, "[1, 42] ell [43, 45] csr-vector "},
      {"OPF_10000", {{59 * strip, 7}, {43'887 - 59 * strip, 100}}, "[1, 59] ell [60, 66] csr-vector "},
      {"nasasrb", {{strip, 100}, {54'870 - strip, 40}}, "[1, 1] csr-vector [2, 82] ell "},
      {"ex11", {{16'614, 66}}, "[1, 25] ell "},
      {"Dense", {{2'000, 2'000}}, "[1, 3] csr-vector "}};
  const Planner planner(c2050(), Precision::double_, 0, {}, "guo");
  for (const Row& row : table) {
    const Strategy s =
        planner.strategy(made_of(row.matrix, row.rows), {.strip_rows = strip, .kernels = papers_formats});
    EXPECT_EQ(told(s), row.strategy) << row.matrix << ": " << s.reason;
    EXPECT_EQ(s.singles.size(), papers_formats.size()) << row.matrix;
    const double sum = std::accumulate(s.blocks.begin(), s.blocks.end(), 0.0,
                                       [](double all, const PlannedBlock& block) { return all + block.seconds; });
    EXPECT_DOUBLE_EQ(s.predicted_s, sum) << row.matrix;
    EXPECT_LE(s.gain_high, 1) << row.matrix;
  }
}

TEST_F(GuosOptimizer, TakesKernelsOfItsListAlone) {
  const Planner planner(c2050(), Precision::double_, 0, {}, "guo");
  const Matrix matrix = made_of("two", {{4 * 672, 7}, {2 * 672, 150}});
  EXPECT_EQ(planner.strategy(matrix).best_single.kernel, "csr-half");
  const Strategy s = planner.strategy(matrix, {.strip_rows = 672, .kernels = {"coo", "csr-vector"}});
  EXPECT_EQ(s.singles.size(), 2U);
  for (const std::vector<PlannedBlock>* blocks : {&s.blocks, &s.best_cut})
    for (const PlannedBlock& block : *blocks) EXPECT_TRUE(block.kernel == "coo" || block.kernel == "csr-vector");
  EXPECT_THROW((void)planner.strategy(matrix, {.kernels = {"no-such-kernel"}}), Error);
  try {
    (void)planner.strategy(matrix, {.kernels = {"dia"}});
    FAIL() << "nothing is known of dia";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
  }
}

// Eleven strips are beyond the ten that were measured. The paper goes on along its line, and the plan says that it
// does.
TEST_F(GuosOptimizer, SaysWhereThePlanIsExtrapolated) {
  const Planner planner(c2050(), Precision::double_, 0, {}, "guo");
  const StrategyOptions csr{.strip_rows = 672, .max_blocks = 1, .kernels = {"csr-vector"}};
  const Strategy within = planner.strategy(made_of("ten", {{10 * 672, 8}}), csr);
  EXPECT_EQ(within.reason.find("extrapolated"), std::string::npos) << within.reason;
  const Strategy beyond = planner.strategy(made_of("eleven", {{11 * 672, 8}}), csr);
  EXPECT_NE(beyond.reason.find("extrapolated: model guo does not reach csr-vector"), std::string::npos)
      << beyond.reason;
  ASSERT_EQ(beyond.blocks.size(), 1U);
  EXPECT_TRUE(beyond.blocks.front().extrapolated);
  EXPECT_FALSE(within.blocks.front().extrapolated);
}

// Ten strips were measured: of 24 in two blocks, one block is beyond.
TEST_F(GuosOptimizer, MarksTheBlocksThatItsFormulasDoNotReach) {
  const Planner planner(c2050(), Precision::double_, 0, {}, "guo");
  const StrategyOptions wanted{.strip_rows = 672, .kernels = {"csr-vector"}, .always_cut = true};
  const Strategy s = planner.strategy(made_of("two", {{4 * 672, 7}, {20 * 672, 30}}), wanted);
  ASSERT_GE(s.best_cut.size(), 2U) << s.reason;
  const auto marked = std::ranges::count_if(s.blocks, &PlannedBlock::extrapolated);
  EXPECT_EQ(s.reason.find("extrapolated") != std::string::npos, marked > 0) << s.reason;
  EXPECT_GT(marked, 0) << s.reason;
  EXPECT_LT(marked, std::ssize(s.blocks)) << s.reason;
}

}  // namespace
}  // namespace sparsecast
