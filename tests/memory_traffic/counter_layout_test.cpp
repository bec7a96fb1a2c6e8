// The numbers that MATLAB and C++ share.

#include "memory_traffic/counters/counter_layout.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sparsecast/error.hpp>
#include <string>

#include "support/command.hpp"

namespace sparsecast::memory_traffic {
namespace {

TEST(CounterLayout, PutsNumbersInPlaceOfNames) {
  EXPECT_EQ(with_layout_numbers("x(SLM_LOADS) = y(1, SLM_TURNS);"), "x(1) = y(1, 8);");
  EXPECT_EQ(with_layout_numbers("zeros(2, SLM_BINS); SLM_COUNTERS, SLM_FIRST:SLM_LAST, SLM_STORAGE"),
            "zeros(2, 200); 11, 2:12, 13");
}

TEST(CounterLayout, LeavesOtherNamesAlone) {
  const std::string text = "global SLM_count SLM_; my_SLM_LOADS = SLMfile('SLM', 3); % SLMENTER";
  EXPECT_EQ(with_layout_numbers(text), text);
}

TEST(CounterLayout, RefusesANameThatThereIsNot) { EXPECT_THROW((void)with_layout_numbers("x(SLM_LODES)"), Error); }

TEST(CounterLayout, IsWhatTheLibraryAsksFor) {
  const auto folder = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "src/memory_traffic/run/matlab";
  std::set<std::string> unused;
  for (const LayoutNumber& number : layout_numbers()) unused.insert(number.name);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    const std::string text = test::read_text(entry.path());
    EXPECT_NO_THROW((void)with_layout_numbers(text)) << entry.path();
    std::erase_if(unused, [&](const std::string& name) { return text.find(name) != std::string::npos; });
  }
  EXPECT_GT(files, 20);
  // The translation writes the turns of a loop and the storage of a scope itself.
  EXPECT_EQ(unused, (std::set<std::string>{"SLM_TURNS", "SLM_SCOPE_STORAGE"}));
}

}  // namespace
}  // namespace sparsecast::memory_traffic
