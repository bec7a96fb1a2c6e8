// Which way PETSc's products go, by times that are given.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "contest.hpp"

namespace sparsecast::petsc {
namespace {

// The ways of so many products, `seconds` by way.
std::vector<Way> ways_of(Contest& contest, int products, std::array<double, 3> seconds, bool transposed = false) {
  std::vector<Way> taken;
  for (int product = 0; product < products; ++product) {
    taken.push_back(contest.next(transposed));
    contest.took(taken.back(), transposed, seconds[static_cast<std::size_t>(taken.back())]);
  }
  return taken;
}

TEST(PetscContest, GoesOnWithWhatWasFastest) {
  for (const auto& [quick, winner] : {std::pair{0.5, Way::quick}, {0.98, Way::petsc}, {2.0, Way::petsc}}) {
    Contest contest;
    const std::vector<Way> taken = ways_of(contest, 3 * Contest::tries, {1, quick, 0});
    for (int product = 0; product < 3 * Contest::tries; ++product) {
      const Way expected = product < Contest::tries ? Way::petsc : product < 2 * Contest::tries ? Way::quick : winner;
      EXPECT_EQ(taken[static_cast<std::size_t>(product)], expected) << product << " at " << quick;
    }
    EXPECT_EQ(contest.is_out(Way::quick), winner == Way::petsc);
    EXPECT_TRUE(contest.settled(false));
    EXPECT_FALSE(contest.settled(true));
  }
}

TEST(PetscContest, PlansOnceThatIsASmallShareOfTheProducts) {
  Contest contest(1);
  double spent = 0;
  while (contest.next(false) != Way::planned) {
    const double seconds = contest.next(false) == Way::petsc ? 0.5 : 0.25;
    contest.took(contest.next(false), false, seconds);
    spent += seconds;
    ASSERT_LE(spent, Contest::patience + 0.5);
  }
  EXPECT_GE(spent, Contest::patience);
  ways_of(contest, Contest::tries, {0.5, 0.25, 0.125});
  EXPECT_EQ(contest.next(false), Way::planned);
  EXPECT_TRUE(contest.is_out(Way::quick));
}

TEST(PetscContest, MakesNothingForFewProducts) {
  Contest contest(std::numeric_limits<double>::infinity(), 10);
  for (Way way : ways_of(contest, 10, {1, 0.5, 0})) EXPECT_EQ(way, Way::petsc);
  EXPECT_FALSE(contest.settled(false));
  EXPECT_EQ(contest.next(false), Way::quick);
}

TEST(PetscContest, KeepsWhatTheTransposeNeeds) {
  Contest contest(0);
  ways_of(contest, Contest::tries, {1, 0.5, 2}, true);
  ways_of(contest, 2 * Contest::tries, {1, 2, 2}, true);  // of Aᵀ: PETSc's
  EXPECT_EQ(contest.next(true), Way::petsc);
  Contest both(0);
  ways_of(both, Contest::tries + 1, {1, 0.5, 0.5}, false);
  ways_of(both, 3 * Contest::tries, {1, 2, 0.5}, true);
  EXPECT_FALSE(both.is_out(Way::quick)) << "A has not done with it";
  ways_of(both, 3 * Contest::tries, {1, 0.25, 0.5}, false);
  EXPECT_EQ(both.next(false), Way::quick);
  EXPECT_EQ(both.next(true), Way::planned);
}

TEST(PetscContest, WhatCannotBeMadeHasNoTurn) {
  Contest contest(0);
  contest.drop(Way::quick);
  contest.drop(Way::planned);
  for (Way way : ways_of(contest, 20, {1, 0.5, 0.5})) EXPECT_EQ(way, Way::petsc);
}

}  // namespace
}  // namespace sparsecast::petsc
