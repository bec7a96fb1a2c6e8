// Trials with real products: the plan of what won, and products that are right while formats change.

#include <gtest/gtest.h>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <stop_token>
#include <thread>

#include "base/interrupt.hpp"
#include "planning/run/timed_plan.hpp"
#include "planning/run/turns.hpp"
#include "planning/trials/contest.hpp"
#include "planning/trials/screening.hpp"

namespace sparsecast {
namespace {
Matrix some_matrix() { return generate({.kind = "powerlaw", .row_length = 9, .rows = 4000, .cols = 4000, .seed = 3}); }

// As a planner would have planned: csr first, the others near it.
Strategy strategy_for(const Matrix& matrix, Precision precision = Precision::double_, int threads = 1) {
  Strategy strategy = one_kernel(matrix, "csr", precision, threads);
  for (const char* kernel : {"csr", "sell", "csr-merge", "coo"})
    strategy.singles.push_back(
        {.kernel = kernel, .seconds = 3e-5, .conversion_s = 1e-5, .low_s = 1e-5, .high_s = 9e-5, .bytes = 1000});
  strategy.best_single = strategy.singles.front();
  strategy.predicted_s = strategy.blocks.front().seconds = 3e-5;
  return strategy;
}

std::vector<double> product(const Plan& plan, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(plan.rows()));
  plan.apply(x, y);
  return y;
}
}  // namespace

TEST(TryOut, TellsWhatItTriedAndThePlanIsOfWhatWon) {
  const Matrix matrix = some_matrix();
  const Plan plan = try_out(matrix, strategy_for(matrix), {TrialMode::count, 3});
  ASSERT_TRUE(plan.strategy().trials);
  const TrialReport& report = *plan.strategy().trials;
  ASSERT_EQ(report.tried.size(), 3U);
  EXPECT_EQ(report.tried.front().kernel, "csr");
  EXPECT_TRUE(report.settled);
  EXPECT_GT(report.spent_s, 0);
  for (const TriedKernel& one : report.tried) {
    EXPECT_GT(one.seconds, 0) << one.kernel;
    EXPECT_GT(one.products, 0) << one.kernel;
    EXPECT_EQ(one.predicted_s, 3e-5);
  }
  EXPECT_EQ(plan.kernels(), std::vector<std::string>{plan.strategy().blocks.front().kernel});
  EXPECT_EQ(plan.strategy().predicted_s, *plan.strategy().best_single.measured_s);
  const std::vector<double> x = planning::vector_for_checks(matrix.cols());
  EXPECT_LT(planning::largest_error(product(plan, x), product(Plan(matrix, one_kernel(matrix, "csr")), x)), 1e-13);
}

// Whatever is tried: a time that was measured goes beyond nothing, one that was not keeps its mark.
TEST(TryOut, WhatItMeasuredIsExtrapolatedNoMore) {
  const Matrix matrix = some_matrix();
  Strategy planned = strategy_for(matrix);
  for (std::int64_t b = 0; b < 2; ++b)
    planned.best_cut.push_back({.first_strip = b + 1,
                                .last_strip = b + 1,
                                .first_row = b * matrix.rows() / 2,
                                .last_row = (b + 1) * matrix.rows() / 2 - 1,
                                .kernel = b == 0 ? "csr" : "sell",
                                .seconds = 1e-7,
                                .extrapolated = true});
  planned.strip_rows = matrix.rows() / 2;
  planned.strips = 2;
  Strategy cut = planned;
  cut.blocks = planned.best_cut;
  cut.cut = true;
  cut.predicted_s = 2e-7;
  planned.blocks.front().extrapolated = true;
  const auto marked = [](const Plan& plan) {
    return std::ranges::count_if(plan.strategy().blocks, &PlannedBlock::extrapolated);
  };
  Strategy cut_wins = cut;
  cut_wins.singles = {{.kernel = "dia", .seconds = 1e-7, .low_s = 5e-8, .high_s = 1}};  // too large for this matrix
  for (const Strategy& one : {planned, cut, cut_wins}) {
    const Plan tried = try_out(matrix, one, {TrialMode::count, 5});
    ASSERT_TRUE(tried.strategy().trials);
    EXPECT_EQ(tried.strategy().trials->tried.size(), one.singles.size() + 1);
    const std::size_t blocks = tried.strategy().blocks.size();
    EXPECT_TRUE(one.singles.size() > 1 || blocks == 2) << tried.strategy().reason;
    EXPECT_EQ(marked(tried), 0) << tried.strategy().reason;
    EXPECT_EQ(marked(Plan(matrix, one)), std::ssize(one.blocks)) << "nothing was measured";
  }
  cut.singles.clear();  // then nothing is tried
  EXPECT_EQ(marked(try_out(matrix, cut, {TrialMode::count, 5})), 2);
}

// Every row names itself by its column.
TEST(SampleOfRows, IsOfWholeStretchesAtEvenDistances) {
  const std::int64_t rows = 200'000;
  Csr<std::int32_t, std::int32_t> identity{
      .rows = rows, .cols = rows, .row_pointers = {}, .column_indices = {}, .values = {}};
  for (std::int32_t row = 0; row <= rows; ++row) identity.row_pointers.push_back(row);
  for (std::int32_t row = 0; row < rows; ++row)
    identity.column_indices.push_back(row), identity.values.push_back(row + 0.5);
  const Matrix sample = planning::sample_of_rows({std::move(identity), "identity"});
  EXPECT_TRUE(sample.is_canonical());
  EXPECT_EQ(sample.cols(), rows);
  EXPECT_NEAR(static_cast<double>(sample.rows()), rows / 8, rows / 32);
  sample.visit([&](const auto& csr) {
    ASSERT_EQ(csr.row_pointers[csr.rows], csr.rows);
    int stretches = 1;
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      EXPECT_EQ(csr.values[row], static_cast<double>(csr.column_indices[row]) + 0.5);
      if (row > 0 && csr.column_indices[row] == csr.column_indices[row - 1] + 1) continue;
      stretches += row > 0;
      EXPECT_EQ(csr.column_indices[row] % 840, 0);
      EXPECT_EQ(row % 840, 0);
    }
    EXPECT_EQ(stretches, 8);
  });
  EXPECT_EQ(
      planning::sample_of_rows(generate({.kind = "powerlaw", .row_length = 9, .rows = 2500, .cols = 2500, .seed = 3}))
          .nonzeros(),
      0);  // 2,500 rows
}

TEST(TryOut, ScreensOnASampleOfTheRowsBeforeAnythingIsConverted) {
  const Matrix matrix = generate({.kind = "powerlaw", .row_length = 9, .rows = 30'000, .cols = 30'000, .seed = 3});
  Strategy strategy = strategy_for(matrix);
  for (SingleKernel& one : strategy.singles)
    if (one.kernel.starts_with("csr")) one.bytes = 0;  // the others': so few that a sample seems unlike the whole
  const Plan plan = try_out(matrix, strategy, {TrialMode::automatic});
  const TrialReport& report = *plan.strategy().trials;
  ASSERT_EQ(report.screened.size(), 2U);
  for (const TriedKernel& one : report.screened) {
    EXPECT_TRUE(one.kernel.starts_with("csr")) << one.kernel;
    EXPECT_GT(one.seconds, 0) << one.kernel;
    EXPECT_EQ(one.predicted_s, 3e-5) << one.kernel;
  }
  for (const TriedKernel& one : report.tried) EXPECT_EQ(one.predicted_s, 3e-5) << one.kernel;
  EXPECT_GT(report.spent_s, 0);
}

TEST(TryOut, TakesBlocksOfVectorsTransposesAndSinglePrecision) {
  const Matrix matrix = some_matrix();
  for (const Precision precision : {Precision::double_, Precision::single_})
    for (const std::int64_t vectors : {1, 4})
      for (const bool transposed : {false, true}) {
        Strategy strategy = strategy_for(matrix, precision, 2);
        strategy.vectors = vectors;
        strategy.transposed = transposed;
        const Plan plan = try_out(matrix, strategy, {TrialMode::count, 4});
        EXPECT_EQ(plan.strategy().trials->tried.size(), 4U);
      }
}

TEST(TryOut, AnInterruptBeforeTheEndLeavesAPlan) {
  const Matrix matrix = some_matrix();
  std::stop_source source;
  source.request_stop();
  const base::StopScope scope(source.get_token());
  const Plan plan = try_out(matrix, strategy_for(matrix), {TrialMode::count, 3});
  EXPECT_FALSE(plan.strategy().trials->settled);
  EXPECT_EQ(plan.kernels(), std::vector<std::string>{"csr"});
}

TEST(TryOut, ProductsAreRightWhileAnOnlinePlanTries) {
  const Matrix matrix = some_matrix();
  const Plan plan = try_out(matrix, strategy_for(matrix), {TrialMode::online});
  const std::vector<double> x = planning::vector_for_checks(matrix.cols());
  const std::vector<double> expected = product(Plan(matrix, one_kernel(matrix, "csr")), x);
  int products = 0;
  for (; products < 200 && !plan.trials()->settled; ++products)
    ASSERT_LT(planning::largest_error(product(plan, x), expected), 1e-13) << products;
  EXPECT_TRUE(plan.trials()->settled);
  EXPECT_GT(plan.trials()->tried.size(), 1U);
  EXPECT_LT(planning::largest_error(product(plan, x), expected), 1e-13);
}

TEST(TryOut, ThreadsMayShareAnOnlinePlan) {
  const Matrix matrix = some_matrix();
  const Plan plan = try_out(matrix, strategy_for(matrix), {TrialMode::online});
  const std::vector<double> x = planning::vector_for_checks(matrix.cols());
  const std::vector<double> expected = product(Plan(matrix, one_kernel(matrix, "csr")), x);
  std::vector<double> errors(4, 1);
  {
    std::vector<std::jthread> callers;
    for (std::size_t t = 0; t < errors.size(); ++t)
      callers.emplace_back([&, t] {
        errors[t] = 0;
        for (int i = 0; i < 50; ++i)
          errors[t] = std::max(errors[t], planning::largest_error(product(plan, x), expected));
      });
  }
  for (const double error : errors) EXPECT_LT(error, 1e-13);
}

TEST(TryOut, NewValuesOfAnOnlinePlanCount) {
  const Matrix matrix = some_matrix();
  Plan plan = try_out(matrix, strategy_for(matrix), {TrialMode::online});
  const std::vector<double> x = planning::vector_for_checks(matrix.cols());
  for (int i = 0; i < 6; ++i) product(plan, x);  // a second format is held by now
  const Matrix other = matrix.visit([&](const auto& csr) {
    Csr<std::int64_t, std::int64_t> twos{matrix.rows(), matrix.cols(), {}, {}, {}};
    twos.row_pointers.assign(csr.row_pointers.begin(), csr.row_pointers.end());
    twos.column_indices.assign(csr.column_indices.begin(), csr.column_indices.end());
    twos.values.assign(csr.column_indices.size(), 2.0);
    return Matrix(std::move(twos), "other");
  });
  plan.update_values(other);
  const std::vector<double> expected = product(Plan(other, one_kernel(other, "csr")), x);
  for (int i = 0; i < 60; ++i) ASSERT_LT(planning::largest_error(product(plan, x), expected), 1e-13) << i;
}

TEST(TryOut, WordsOfTrialsAreRead) {
  EXPECT_EQ(parse_trials("none").mode, TrialMode::none);
  EXPECT_EQ(parse_trials("auto").mode, TrialMode::automatic);
  EXPECT_EQ(parse_trials("online").mode, TrialMode::online);
  EXPECT_EQ(parse_trials("3").most, 3);
  for (const char* wrong : {"", "-1", "3x", "many"}) EXPECT_THROW((void)parse_trials(wrong), Error) << wrong;
}
}  // namespace sparsecast
