#include "base/scope_exit.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sparsecast::base {
namespace {

TEST(ScopeExit, DoesItsWorkOnceAtTheEndHoweverThatComes) {
  int done = 0;
  {
    const ScopeExit work([&] { ++done; });
    EXPECT_EQ(done, 0);
  }
  EXPECT_EQ(done, 1);
  try {
    const ScopeExit work([&] { ++done; });
    throw std::runtime_error("any");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(done, 2);
}

TEST(ScopeExit, WhatWasHandedOnIsDoneByWhoHasIt) {
  int done = 0;
  {
    ScopeExit first([&] { ++done; });
    { const ScopeExit second(std::move(first)); }
    EXPECT_EQ(done, 1);
  }
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace sparsecast::base
