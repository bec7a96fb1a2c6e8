// Where memory ends while a document is copied, its destructor gets what was put aside.

#include "base/guard/memory_reserve.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <vector>

namespace sparsecast::base {
namespace {
enum Ending { copied = 0, said = 1 };

nlohmann::json document(int width, int depth) {
  if (depth == 0) return "a text that is longer than what a string holds within itself";
  nlohmann::json made = nlohmann::json::array();
  for (int k = 0; k < width; ++k) made.push_back({{"member", document(width, depth - 1)}});
  return made;
}

// With eight megabytes more than the process has.
Ending copy_until_memory_ends(const nlohmann::json& one) {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{8} << 20);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
  try {
    std::vector<nlohmann::json> copies;
    for (int k = 0; k < 100'000; ++k) copies.push_back(one);
  } catch (const std::bad_alloc&) {
    return said;
  }
  return copied;
}

// In a child: RLIMIT_AS stays. Memory ends at another place of each document's.
TEST(MemoryReserve, LetsACopyGoThatCameToTheEndOfMemory) {
  for (int width = 2; width <= 9; ++width)
    for (int depth = 1; depth <= 3; ++depth) {
      const nlohmann::json one = document(width, depth);
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        put_memory_aside();
        ::_exit(copy_until_memory_ends(one));
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << " of " << width << " wide, " << depth
                                     << " deep";
      EXPECT_EQ(WEXITSTATUS(status), said) << width << " wide, " << depth << " deep";
    }
}

TEST(MemoryReserve, AProgramsOwnHandlerStays) {
  const std::new_handler own = [] { throw std::bad_alloc(); }, before = std::set_new_handler(own);
  put_memory_aside();
  EXPECT_EQ(std::get_new_handler(), own);
  std::set_new_handler(before);
}
}  // namespace
}  // namespace sparsecast::base
