#pragma once
// The Error that some work ends with; a failure of the test where it ends without one.

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

namespace sparsecast::test {
template <class Act>
Error refusal(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::failed, ""};
}
}  // namespace sparsecast::test
