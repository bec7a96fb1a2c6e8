#include "forecast/learned/boosted_trees.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

#include "support/parts.hpp"

namespace sparsecast {
namespace {

// A step in the first feature and a slope in the second; the third says nothing.
Eigen::MatrixXd made_features(Eigen::Index rows) {
  Eigen::MatrixXd x(rows, 3);
  for (Eigen::Index i = 0; i < rows; ++i)
    x.row(i) << static_cast<double>(i % 17) / 17, static_cast<double>(i % 23) / 23, static_cast<double>(i % 7);
  return x;
}
double target(const Eigen::RowVectorXd& x) { return (x[0] > 0.5 ? 1.0 : -1.0) + 0.5 * x[1]; }

class BoostedTreesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!forecast::BoostedTrees::available()) SKIP_OR_FAIL(test::parts::xgboost);
    Eigen::VectorXd y(x.rows());
    for (Eigen::Index i = 0; i < x.rows(); ++i) y[i] = target(x.row(i));
    trees = forecast::BoostedTrees(x, y);
  }
  Eigen::MatrixXd x = made_features(600);
  forecast::BoostedTrees trees;
};

TEST_F(BoostedTreesTest, FindTheStepAndTheSlope) {
  for (const double first : {0.1, 0.9})
    for (const double second : {0.1, 0.5, 0.9}) {
      const Eigen::RowVectorXd at = (Eigen::RowVectorXd(3) << first, second, 3).finished();
      EXPECT_NEAR(trees.predict(at), target(at), 0.1);
    }
}

TEST_F(BoostedTreesTest, AreTheSameAfterBytesAndOnASecondFit) {
  Eigen::VectorXd y(x.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i) y[i] = target(x.row(i));
  const forecast::BoostedTrees again(x, y), read(trees.bytes());
  for (Eigen::Index i = 0; i < 20; ++i) {
    EXPECT_EQ(again.predict(x.row(i)), trees.predict(x.row(i)));
    EXPECT_EQ(read.predict(x.row(i)), trees.predict(x.row(i)));
  }
}

TEST_F(BoostedTreesTest, BytesThatAreNoTreesAreRefused) {
  EXPECT_THROW(forecast::BoostedTrees(std::vector<std::uint8_t>{'n', 'o', 't', ' ', 't', 'r', 'e', 'e', 's'}), Error);
}

TEST(BoostedTrees, NothingFittedPredictsNothing) {
  const forecast::BoostedTrees none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.predict(Eigen::RowVectorXd::Ones(3)), 0);
  EXPECT_TRUE(none.bytes().empty());
}

}  // namespace
}  // namespace sparsecast
