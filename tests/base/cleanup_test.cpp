#include "base/guard/cleanup.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "support/command.hpp"

namespace sparsecast::base {
namespace {

namespace fs = std::filesystem;

TEST(Leftovers, OfOurOwnHaveNamesThatNobodyCanGuessAndOneReader) {
  EXPECT_EQ(unguessable_name().size(), 16U);
  EXPECT_NE(unguessable_name(), unguessable_name());
  const test::TemporaryFolder folder;
  const fs::path file = folder.write("private", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  AtomicFile out(file);
  out.write("new");
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
}

}  // namespace
}  // namespace sparsecast::base
