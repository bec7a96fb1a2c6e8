// The course of trials with fake products on a fake clock: what is tried, in which order, when it ends, what it tells.

#include "planning/trials/trial_course.hpp"

#include <gtest/gtest.h>
#include <map>

namespace sparsecast::planning {
namespace {
constexpr double product_s = 1e-3;

Candidate forecast(const std::string& name, double products, double doubt, double conversion = 2) {
  return {name, products * product_s, products * product_s / doubt, products * product_s * doubt,
          conversion * product_s};
}

// What things take in truth, in products of 1 ms.
class Truth {
 public:
  explicit Truth(std::map<std::string, double> products) : products_(std::move(products)) {}
  double conversions = 2;
  double noise = 0;  // of every other product

  // Carries a course out to its end; returns the kernels in the order of their conversions.
  std::vector<std::string> carry_out(TrialCourse& course, const std::vector<Candidate>& candidates) {
    std::vector<std::string> order;
    for (int steps = 0; course.step().action != TrialAction::done && steps < 10000; ++steps) {
      const TrialStep step = course.step();
      const std::string& name = candidates[step.candidate].name;
      if (step.action == TrialAction::convert) {
        order.push_back(name);
        course.took(conversions * product_s);
      } else {
        course.took(products_.at(name) * product_s * (1 + (++count_ % 2 == 0 ? noise : 0)));
      }
    }
    return order;
  }

 private:
  std::map<std::string, double> products_;
  int count_ = 0;
};
}  // namespace

TEST(TrialCourse, TheFastestOfThoseThatMayWinIsFound) {
  const std::vector<Candidate> all{forecast("a", 1, 1.3), forecast("b", 1.05, 1.3), forecast("c", 1.1, 1.3)};
  TrialCourse course(all, {});
  Truth truth({{"a", 1.2}, {"b", 1.3}, {"c", 1.0}});
  EXPECT_EQ(truth.carry_out(course, all).front(), "a");
  EXPECT_EQ(all[course.best()].name, "c");
  const TrialReport report = course.report();
  ASSERT_EQ(report.tried.size(), 3U);
  EXPECT_TRUE(report.settled);
  EXPECT_EQ(report.left_to_win, 0);
  EXPECT_NEAR(course.best_s(), 1e-3, 1e-6);  // a steady machine: the forecast hardly counts
  double products = 0;
  for (const TriedKernel& one : report.tried) products += one.products;
  EXPECT_LE(products, 40);
}

TEST(TrialCourse, WhatCannotWinIsNotTried) {
  const std::vector<Candidate> all{forecast("a", 1, 1.05), forecast("b", 2, 1.05), forecast("c", 1.04, 1.05)};
  TrialCourse course(all, {});
  Truth truth({{"a", 1}, {"b", 2}, {"c", 1.02}});
  EXPECT_EQ(truth.carry_out(course, all), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(all[course.best()].name, "a");
}

TEST(TrialCourse, OneProductIsNotWorthATrial) {
  const std::vector<Candidate> all{forecast("a", 1, 1.3), forecast("b", 1.01, 1.3)};
  const TrialCourse course(all, {.iterations = 1});
  EXPECT_EQ(course.step().action, TrialAction::done);
  EXPECT_TRUE(course.report().tried.empty());
  EXPECT_EQ(course.report().spent_s, 0);
}

TEST(TrialCourse, AConversionThatFewProductsDoNotEarnBackIsNotMade) {
  const std::vector<Candidate> all{forecast("a", 1, 1.2, 0), forecast("dear", 0.98, 1.2, 60),
                                   forecast("cheap", 1.02, 1.2, 0)};
  TrialCourse few(all, {.iterations = 1200});
  Truth truth({{"a", 1}, {"dear", 0.9}, {"cheap", 0.95}});
  truth.conversions = 0;
  EXPECT_EQ(truth.carry_out(few, all), (std::vector<std::string>{"a", "cheap"}));
}

TEST(TrialCourse, SoManyAsAreAskedForAreTried) {
  const std::vector<Candidate> all{forecast("a", 1, 1.01), forecast("b", 3, 1.01), forecast("c", 5, 1.01)};
  TrialCourse course(all, {.most = 2});
  Truth truth({{"a", 1}, {"b", 3}, {"c", 0.1}});
  EXPECT_EQ(truth.carry_out(course, all), (std::vector<std::string>{"a", "b"}));
}

TEST(TrialCourse, OneThatIsFarBehindTakesOneTurn) {
  const std::vector<Candidate> all{forecast("a", 1, 1.5), forecast("b", 1.1, 1.5)};
  TrialCourse course(all, {.most = 2});
  Truth truth({{"a", 1}, {"b", 2}});
  truth.carry_out(course, all);
  EXPECT_LE(course.report().tried[1].products, 3);
}

TEST(TrialCourse, WhatCannotBeConvertedIsTold) {
  const std::vector<Candidate> all{forecast("a", 1, 1.5), forecast("b", 1.1, 1.5)};
  TrialCourse course(all, {.most = 2});
  ASSERT_EQ(course.step().action, TrialAction::convert);
  course.failed("too large");
  Truth truth({{"b", 2}});
  truth.carry_out(course, all);
  EXPECT_EQ(all[course.best()].name, "b");
  EXPECT_EQ(course.report().tried.front().status, "too large");
}

TEST(TrialCourse, AnInterruptKeepsWhatWasSeen) {
  const std::vector<Candidate> all{forecast("a", 1, 1.5), forecast("b", 1.01, 1.5), forecast("c", 1.02, 1.5)};
  TrialCourse course(all, {});
  Truth truth({{"a", 1}, {"b", 0.5}, {"c", 1}});
  while (all[course.best()].name != "b") {
    const TrialStep step = course.step();
    ASSERT_NE(step.action, TrialAction::done);
    course.took(step.action == TrialAction::convert ? product_s
                                                    : (all[step.candidate].name == "b" ? 0.5 : 1) * product_s);
  }
  course.end("interrupted", false);
  EXPECT_EQ(all[course.best()].name, "b");
  EXPECT_EQ(course.step().action, TrialAction::done);
  EXPECT_FALSE(course.report().settled);
}

TEST(TrialCourse, RepeatsThatScatterAreTold) {
  const std::vector<Candidate> all{forecast("a", 1, 1.5), forecast("b", 1.01, 1.5)};
  TrialCourse course(all, {.most = 2, .threads = 2});
  int turn = 0;
  double took = 1;
  while (course.step().action != TrialAction::done) {
    const TrialStep step = course.step();
    if (step.action == TrialAction::multiply && !step.timed) took = ++turn % 4 < 2 ? 1 : 1.45;
    course.took(took * product_s);
  }
  EXPECT_TRUE(course.report().unsteady);
}
}  // namespace sparsecast::planning
