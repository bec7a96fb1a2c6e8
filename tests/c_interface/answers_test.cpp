// The C interface answers as C++ does.

#include <gtest/gtest.h>
#include <sparsecast.h>

#include <cmath>
#include <cstring>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "c_interface/fixture.hpp"

namespace sparsecast::c_interface {
namespace {

TEST_F(CInterface, MultipliesAsCppDoesToTheLastBit) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  PlanRequest request;
  request.matrix = matrix;
  // How long several threads take to start decides on their number, and is looked at for each plan.
  request.threads = 1;
  const std::vector<double> x = some_vector(matrix.cols());
  for (const char* kernel : {"", "csr", "sell", "ell", "hyb"}) {
    sparsecast_plan_options options{};
    options.struct_size = sizeof options;
    options.threads = *kernel == 0 ? 1 : 0;
    options.kernel = *kernel == 0 ? nullptr : kernel;
    ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
    const Plan plan = *kernel == 0 ? sparsecast::plan(request) : Plan(matrix, one_kernel(matrix, kernel));
    std::vector<double> mine(static_cast<std::size_t>(matrix.rows())), theirs(mine.size());
    plan.apply(x, mine);
    ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_NORMAL, 1, x.data(), matrix.cols(), 0, theirs.data(), matrix.rows()));
    EXPECT_EQ(mine, theirs) << kernel;
    std::vector<double> back(static_cast<std::size_t>(matrix.cols()), 1.0), other(back);
    plan.apply_transposed(mine, back, 0.5, 2);
    ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_TRANSPOSED, 0.5, mine.data(), matrix.rows(), 2, other.data(),
                               matrix.cols()));
    EXPECT_EQ(back, other) << kernel;
    ASSERT_OK(sparsecast_plan_free(c.plan));
    c.plan = nullptr;
  }
}

// A' (A x) of a plan for both products, beside one product after the other.
TEST_F(CInterface, MultipliesByBothInTurns) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.products = "A=1,B=1";
  EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_USAGE);
  options.products = "A=1,A.T=1";
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  const std::vector<double> x = some_vector(matrix.cols());
  std::vector<double> y(static_cast<std::size_t>(matrix.rows())), z(x.size()), gram(x.size());
  ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_NORMAL, 1, x.data(), matrix.cols(), 0, y.data(), matrix.rows()));
  ASSERT_OK(sparsecast_apply(c.plan, SPARSECAST_TRANSPOSED, 1, y.data(), matrix.rows(), 0, z.data(), matrix.cols()));
  ASSERT_OK(sparsecast_apply_gram(c.plan, x.data(), matrix.cols(), gram.data(), matrix.cols()));
  for (std::size_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z[i], gram[i], 1e-9 * (1 + std::abs(z[i])));
  EXPECT_EQ(sparsecast_apply_gram(c.plan, x.data(), matrix.cols(), gram.data(), matrix.cols() - 1), SPARSECAST_USAGE);
  EXPECT_EQ(sparsecast_apply_gram(c.plan, nullptr, matrix.cols(), gram.data(), matrix.cols()), SPARSECAST_USAGE);
}

// Two plans time their powers each for itself, so that they may differ in what pays and with it in rounding.
void expect_agreement(std::span<const double> mine, std::span<const double> theirs) {
  ASSERT_EQ(mine.size(), theirs.size());
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_NEAR(mine[i], theirs[i], 1e-12 * (1 + std::abs(mine[i]))) << "entry " << i;
}

TEST_F(CInterface, TakesPowersAsCppDoes) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 40}});
  Handles c;
  lend(matrix, c);
  sparsecast_plan_options options{};
  options.struct_size = sizeof options;
  options.powers = 3;
  ASSERT_OK(sparsecast_plan_create(c.matrix, &options, &c.plan));
  sparsecast_powers told{};
  told.struct_size = sizeof told;
  ASSERT_OK(sparsecast_plan_powers(c.plan, &told));
  EXPECT_EQ(told.k, 3);
  EXPECT_GT(std::strlen(told.reason), 0U);
  PlanRequest request;
  request.matrix = matrix;
  request.powers = 3;
  const Plan plan = sparsecast::plan(request);
  const std::int64_t n = matrix.rows();
  const std::vector<double> x = some_vector(n), coefficients{1, 0.5, -0.25};
  std::vector<double> mine(static_cast<std::size_t>(3 * n)), theirs(mine.size());
  plan.apply_powers(x, mine);
  ASSERT_OK(sparsecast_apply_powers(c.plan, x.data(), n, theirs.data(), 3 * n));
  expect_agreement(mine, theirs);
  std::vector<double> one(x.size()), other(x.size());
  plan.apply_power(x, one, 2);
  ASSERT_OK(sparsecast_apply_power(c.plan, 2, x.data(), n, other.data(), n));
  expect_agreement(one, other);
  plan.apply_polynomial(coefficients, x, one);
  ASSERT_OK(sparsecast_apply_polynomial(c.plan, coefficients.data(), 3, x.data(), n, other.data(), n));
  expect_agreement(one, other);
  plan.apply_chebyshev(coefficients, 0, 8, x, one);
  ASSERT_OK(sparsecast_apply_chebyshev(c.plan, coefficients.data(), 3, 0, 8, x.data(), n, other.data(), n));
  expect_agreement(one, other);
  EXPECT_EQ(sparsecast_apply_powers(c.plan, x.data(), n, theirs.data(), 4 * n), SPARSECAST_USAGE);
}

// Arrays are read where they are lent, unless the plan tells of copies.
TEST_F(CInterface, TellsWhatItCopied) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  const auto copied = [&](const char* kernel, std::int32_t precision) -> std::int64_t {
    sparsecast_plan_options options{};
    options.struct_size = sizeof options;
    options.kernel = kernel, options.precision = precision;
    sparsecast_strategy info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(sparsecast_plan_create(c.matrix, &options, &c.plan), SPARSECAST_OK) << sparsecast_error_text();
    EXPECT_EQ(sparsecast_plan_info(c.plan, &info), SPARSECAST_OK);
    EXPECT_EQ(sparsecast_plan_free(c.plan), SPARSECAST_OK);
    c.plan = nullptr;
    EXPECT_LE(info.copied_bytes, info.bytes);
    return info.copied_bytes;
  };
  for (const char* kernel : {"csr", "csr-scalar", "csr-merge"}) EXPECT_EQ(copied(kernel, 0), 0) << kernel;
  EXPECT_EQ(copied("csr", SPARSECAST_SINGLE), matrix.nonzeros() * 4);  // values in the other precision
  EXPECT_GE(copied("coo", 0), matrix.nonzeros() * 16);
}

std::string text_of(const char* text) { return text == nullptr ? "nothing" : text; }

TEST_F(CInterface, ForecastsWhatCppForecasts) {
  const Matrix matrix = generate(long_rows());
  Handles c;
  lend(matrix, c);
  // Of a described processor: the two libraries of this program would each probe an unknown host for themselves.
  const Prediction mine = predict({.matrix = matrix, .device = "intel-xeon-8480", .iterations = 50});
  sparsecast_predict_options options{};
  options.struct_size = sizeof options;
  options.device = "intel-xeon-8480";
  options.iterations = 50;
  sparsecast_prediction* theirs = nullptr;
  ASSERT_OK(sparsecast_predict(c.matrix, &options, &theirs));
  sparsecast_prediction_summary all{};
  all.struct_size = sizeof all;
  ASSERT_OK(sparsecast_prediction_info(theirs, &all));
  ASSERT_GE(mine.forecasts.size(), 3U);
  ASSERT_EQ(all.forecasts, static_cast<std::int64_t>(mine.forecasts.size()));
  EXPECT_EQ(all.recommended, mine.recommended.kernel);
  EXPECT_EQ(all.threads, -1);  // none was chosen
  for (std::size_t i = 0; i < mine.forecasts.size(); ++i) {
    const Forecast& wanted = mine.forecasts[i];
    sparsecast_forecast one{};
    one.struct_size = sizeof one;
    ASSERT_OK(sparsecast_prediction_forecast(theirs, static_cast<std::int64_t>(i), &one));
    EXPECT_EQ(one.kernel, wanted.kernel);
    EXPECT_EQ(one.model, wanted.model);
    EXPECT_DOUBLE_EQ(one.seconds, wanted.seconds);
    EXPECT_DOUBLE_EQ(one.high_s, wanted.high_s);
    EXPECT_EQ(one.bytes, wanted.bytes.value_or(-1));
    EXPECT_EQ(std::isnan(one.preprocess_s), !wanted.preprocess_s.has_value());
    EXPECT_EQ(one.parts, static_cast<std::int64_t>(wanted.parts.size()));
    EXPECT_EQ(text_of(one.bound_by), wanted.bound_by ? std::string(to_string(*wanted.bound_by)) : "nothing");
    EXPECT_STREQ(one.records_precision, "double");
  }
  EXPECT_EQ(sparsecast_prediction_free(theirs), SPARSECAST_OK);
}

TEST_F(CInterface, AnswersWhereNothingWasMeasured) {
  const test::TemporaryFolder empty;
  setenv("SPARSECAST_HOME", empty.path().c_str(), 1);
  Handles c;
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 80}});
  lend(matrix, c);
  EXPECT_EQ(sparsecast_plan_create(c.matrix, nullptr, &c.plan), SPARSECAST_OK) << sparsecast_error_text();
  sparsecast_prediction* prediction = nullptr;
  EXPECT_EQ(sparsecast_predict(c.matrix, nullptr, &prediction), SPARSECAST_OK) << sparsecast_error_text();
  sparsecast_forecast one{};
  one.struct_size = sizeof one;
  EXPECT_EQ(sparsecast_prediction_forecast(prediction, 0, &one), SPARSECAST_OK);
  EXPECT_STREQ(one.tier, "shipped");
  EXPECT_EQ(sparsecast_prediction_free(prediction), SPARSECAST_OK);
  setenv("SPARSECAST_HOME", home->path().c_str(), 1);
}

}  // namespace
}  // namespace sparsecast::c_interface
