// What every public header owes its reader. That each compiles by itself is seen when this program is built.

#include <gtest/gtest.h>

#include "interface/examples.hpp"
#include "support/command.hpp"

namespace sparsecast {
namespace {

TEST(PublicHeaders, OpenWithWhatTheyAreForAndSayWhatThreadsMayDo) {
  ASSERT_FALSE(test::public_headers().empty());
  for (const auto& header : test::public_headers()) {
    const std::string text = test::read_text(header);
    EXPECT_TRUE(text.starts_with("#pragma once\n// ")) << header;
    EXPECT_NE(text.find("Thread safety: "), std::string::npos) << header;
  }
}

TEST(PublicHeaders, ShowNothingOfTheLibrariesBehindThem) {
  for (const auto& header : test::public_headers()) {
    const std::string text = test::read_text(header);
    for (const char* hidden : {"nlohmann", "fmt/", "Eigen", "sqlite", "#include \""})
      EXPECT_EQ(text.find(hidden), std::string::npos) << header << " shows " << hidden;
  }
}

}  // namespace
}  // namespace sparsecast
