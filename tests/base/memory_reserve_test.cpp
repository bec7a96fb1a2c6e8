// Where memory ends while a document is copied, its destructor gets what was put aside.

#include "base/guard/memory_reserve.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace sparsecast::base {
namespace {
constexpr int said = 7;  // the exit status of a child that was told of the end of memory

nlohmann::json document(int width, int depth) {
  if (depth == 0) return "a text that is longer than what a string holds within itself";
  nlohmann::json made = nlohmann::json::array();
  for (int k = 0; k < width; ++k) made.push_back({{"member", document(width, depth - 1)}});
  return made;
}

// With no more address space than the process has, of which everything is taken but for so many pages: what ran before
// in it may have left a lot.
int copy_until_memory_ends(const nlohmann::json& one, int free_pages) {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
  void* last = nullptr;
  while (void* const taken = std::malloc(4096)) last = ::new (taken) void*(last);
  for (int k = 0; k < free_pages && last != nullptr; ++k) std::free(std::exchange(last, *static_cast<void**>(last)));
  try {
    std::vector<nlohmann::json> copies;
    for (;;) copies.push_back(one);
  } catch (const std::bad_alloc&) {
    return said;
  }
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
        ::_exit(copy_until_memory_ends(one, width * depth));
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
