// The run-time library as it is written for Octave and MATLAB.

#include "memory_traffic/run/library.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "memory_traffic/language/builtins.hpp"
#include "octave.hpp"

namespace sparsecast::memory_traffic {
namespace {

TEST(Library, NoFileOfItsOwnStandsInTheWayOfAProfiledFunction) {
  // SLMtrace would be what a program's trace(A) calls.
  const std::set<std::string> made{"mtimes", "mldivide", "mrdivide", "mpower", "nnz"};
  const auto folder = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "src/memory_traffic/run/matlab";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    const std::string name = entry.path().stem().string().substr(3);
    const Builtin* builtin = find_builtin(name);
    EXPECT_TRUE(builtin == nullptr || !builtin->profiled() || made.contains(name)) << entry.path();
  }
  EXPECT_GT(files, 20);
}

TEST(Library, IsWrittenWithoutANameOfTheLayout) {
  const test::TemporaryFolder store;
  int texts = 0;
  for (const auto& file : std::filesystem::directory_iterator(test::library(store))) {
    ++texts;
    for (const char* const name : {"SLM_COUNTERS", "SLM_BINS", "SLM_LOADS", "SLM_STORAGE"})
      EXPECT_EQ(test::read_text(file.path()).find(name), std::string::npos) << file.path();
  }
  EXPECT_GT(texts, 100);
}

}  // namespace
}  // namespace sparsecast::memory_traffic
