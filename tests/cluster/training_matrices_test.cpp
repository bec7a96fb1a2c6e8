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
}  // namespace
}  // namespace sparsecast::cluster
