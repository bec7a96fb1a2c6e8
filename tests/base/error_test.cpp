#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

namespace sparsecast {
namespace {

TEST(Error, SaysPlaceReasonAndRemedyInOneLine) {
  const Error error(ErrorCode::bad_input, "row 4 of 3", {"a.mtx", 7, 2}, "indices count from 1");
  EXPECT_STREQ(error.what(), "a.mtx:7:2: row 4 of 3; indices count from 1");
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error(ErrorCode::failed, "disk full").what(), "disk full");
  EXPECT_STREQ(Error(ErrorCode::bad_input, "empty", {"a.mtx"}).what(), "a.mtx: empty");
}

}  // namespace
}  // namespace sparsecast
