
#include <gtest/gtest.h>

#include "base/nearest.hpp"

namespace sparsecast {
namespace {

TEST(Nearest, CountsWhatATypistDoesWrong) {
  EXPECT_EQ(base::edit_distance("predict", "predict"), 0);
  EXPECT_EQ(base::edit_distance("predcit", "predict"), 1) << "two letters in the other order";
  EXPECT_EQ(base::edit_distance("Predic", "predict"), 1);
  EXPECT_EQ(base::edit_distance("", "abc"), 3);
}

TEST(Nearest, NamesWhatMayHaveBeenMeant) {
  const std::vector<std::string> known{"predict", "probe", "profiles", "measure"};
  EXPECT_EQ(base::nearest("predcit", known), std::vector<std::string>{"predict"});
  EXPECT_EQ(base::nearest("pro", known), (std::vector<std::string>{"probe", "profiles"}));
  EXPECT_TRUE(base::nearest("xyzzy", known).empty());
  EXPECT_EQ(base::did_you_mean("mesure", known), "did you mean measure?");
  EXPECT_EQ(base::did_you_mean("xyzzy", known), "");
}

}  // namespace
}  // namespace sparsecast
