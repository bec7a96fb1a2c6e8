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

TEST(Error, CodesAreExitStatusesAndTooLargeIsAWayToFail) {
  for (const ErrorCode code :
       {ErrorCode::failed, ErrorCode::usage, ErrorCode::bad_input, ErrorCode::unavailable, ErrorCode::interrupted})
    EXPECT_EQ(exit_status(code), static_cast<int>(code));
  EXPECT_EQ(exit_status(ErrorCode::too_large), 1);
}

}  // namespace
}  // namespace sparsecast
