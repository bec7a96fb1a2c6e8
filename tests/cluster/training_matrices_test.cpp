#include "cluster/training_matrices.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sparsecast/generate.hpp>
#include <string>

#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
namespace {
TEST(TrainingMatrices, AreNinetyWhereThePapersNumberIsAskedFor) {
  for (const bool large : {false, true}) {
    const auto specs = ninety_matrices(large);
    EXPECT_EQ(specs.size(), 90u);
    std::set<std::string> names;
    for (const MatrixSpec& spec : specs) names.insert(generated_name(spec));
    EXPECT_EQ(names.size(), specs.size()) << "a matrix is known by its name";
  }
}

TEST(TrainingMatrices, RunOnTheOutermostCountsFirst) {
  EXPECT_EQ(outermost_first({4, 1, 9, 2, 6}), (std::vector<int>{1, 9, 2, 4, 6}));
  EXPECT_EQ(outermost_first({2, 1}), (std::vector<int>{1, 2}));
  EXPECT_EQ(outermost_first({4}), std::vector<int>{4});
  EXPECT_EQ(outermost_first({}), std::vector<int>{});
}
}  // namespace
}  // namespace sparsecast::cluster
