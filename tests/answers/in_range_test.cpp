// Requests of C++ within the bounds of their fields: the command, Python and C hold to the same.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sparsecast/answers.hpp>
#include <sparsecast/answers/plan_needs.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "answers/in_range.hpp"
#include "fields/answers.hpp"
#include "support/command.hpp"

namespace sparsecast::in_range {
namespace {

Matrix grid() { return generate({.kind = "poisson2d", .parameters = {.size = 6}}); }

// The text of the refusal; "" where there is none.
template <class Ask>
std::string refusal(const Ask& ask) {
  try {
    ask();
  } catch (const Error& error) {
    return error.code() == ErrorCode::usage ? std::string(error.what()) : "not usage: " + std::string(error.what());
  }
  return {};
}
template <class Request>
std::string refusal_of(const Request& request) {
  return refusal([&] { answers::require_in_range(request); });
}

TEST(RequestsInRange, AreWhatTheyBeginWith) {
  EXPECT_EQ(refusal_of(PredictRequest{}), "");
  EXPECT_EQ(refusal_of(PlanRequest{}), "");
  EXPECT_EQ(refusal_of(PlanReportRequest{}), "");
  EXPECT_EQ(refusal_of(MeasureRequest{}), "");
  EXPECT_EQ(refusal_of(SolveRequest{}), "");
  EXPECT_EQ(refusal_of(CompareRequest{}), "");
  EXPECT_EQ(refusal_of(EvaluateRequest{}), "");
  EXPECT_EQ(refusal_of(CalibrateRequest{}), "");
  EXPECT_EQ(refusal_of(KernelRequest{}), "");
  EXPECT_EQ(refusal_of(KernelTableRequest{}), "");
  EXPECT_EQ(refusal_of(KernelSpaceRequest{}), "");
  EXPECT_EQ(refusal_of(TrafficRequest{}), "");
  EXPECT_EQ(refusal_of(GenerateRequest{}), "");
  EXPECT_EQ(refusal_of(ClusterPredictRequest{}), "");
  EXPECT_EQ(refusal_of(ClusterMeasureRequest{}), "");
  EXPECT_EQ(refusal_of(ClusterCalibrateRequest{}), "");
}

TEST(RequestsInRange, NameTheOptionAndWhatItMayBe) {
  PredictRequest request;
  request.product.vectors = -5;
  EXPECT_NE(refusal_of(request).find("vectors is -5"), std::string::npos) << refusal_of(request);
  EXPECT_NE(refusal_of(request).find("from 1 to 1048576"), std::string::npos) << refusal_of(request);
  request.product.vectors = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(refusal_of(request).find("from 1 to "), std::string::npos) << refusal_of(request);
  CalibrateRequest backwards;
  backwards.minutes = -1;
  EXPECT_NE(refusal_of(backwards).find("minutes is -1"), std::string::npos) << refusal_of(backwards);
  backwards.minutes = std::nan("");
  EXPECT_NE(refusal_of(backwards), "");
}

// Each of these was answered as if nothing were wrong.
TEST(RequestsInRange, AreLookedAtByEveryAnswer) {
  const test::TemporaryFolder home;
  setenv("SPARSECAST_HOME", home.path().c_str(), 1);
  const Matrix m = grid();
  const auto predicted = [&](const auto& change) {
    PredictRequest request{.matrix = m, .device = "intel-xeon-8480"};
    change(request);
    return refusal([&] { (void)predict(request); });
  };
  EXPECT_EQ(predicted([](PredictRequest&) {}), "");
  EXPECT_NE(predicted([](PredictRequest& r) { r.product.vectors = 0; }), "");
  EXPECT_NE(predicted([](PredictRequest& r) { r.threads = -2; }), "");
  EXPECT_NE(predicted([](PredictRequest& r) { r.iterations = -2; }), "");
  EXPECT_NE(predicted([](PredictRequest& r) { r.powers = -2; }), "");
  EXPECT_NE(predicted([](PredictRequest& r) { r.product.precision = static_cast<Precision>(9); }), "");
  EXPECT_NE(predicted([](PredictRequest& r) { r.places = static_cast<Places>(9); }), "");
  const auto planned = [&](const auto& change) {
    PlanRequest request{.matrix = m, .kernel = "csr"};
    change(request);
    return refusal([&] { (void)plan(request); });
  };
  EXPECT_EQ(planned([](PlanRequest&) {}), "");
  EXPECT_NE(planned([](PlanRequest& r) { r.threads = -1; }), "");
  EXPECT_NE(planned([](PlanRequest& r) { r.strategy.vectors = -7; }), "");
  EXPECT_NE(planned([](PlanRequest& r) { r.strategy.iterations = -1; }), "");
  EXPECT_NE(planned([](PlanRequest& r) { r.precision = static_cast<Precision>(9); }), "");
  EXPECT_NE(refusal([&] { (void)calibrate({.quick = true, .minutes = -1}); }), "");
  EXPECT_NE(refusal([&] { (void)measure({.matrix = m, .threads = -3}); }), "");
  EXPECT_NE(refusal([&] { (void)solve({.matrix = m, .threads = -3}); }), "");
  unsetenv("SPARSECAST_HOME");
}

TEST(RequestsInRange, TakeNoStructureThatContradictsItself) {
  const auto wrong = [](const auto& change) {
    Structure s = analyze(grid());
    change(s);
    try {
      (void)predict({.matrix = s, .device = "intel-xeon-8480"});
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_input;
    }
    return false;
  };
  EXPECT_FALSE(wrong([](Structure&) {}));
  EXPECT_TRUE(wrong([](Structure& s) { s.rows = -4; }));
  EXPECT_TRUE(wrong([](Structure& s) { s.nonzeros = -1; }));
  EXPECT_TRUE(wrong([](Structure& s) { s.nonzeros = std::numeric_limits<std::int64_t>::max(); }));
  EXPECT_TRUE(wrong([](Structure& s) { s.nonzeros += 1; }));
  EXPECT_TRUE(wrong([](Structure& s) { s.row_max = s.cols + 1; }));
  EXPECT_TRUE(wrong([](Structure& s) { s.row_min = s.row_max + 1; }));
}

}  // namespace
}  // namespace sparsecast::in_range
