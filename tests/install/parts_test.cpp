// A part that is promised and missing fails its test where parts are required, and no part is promised in vain.

#include "support/parts.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "support/command.hpp"

namespace sparsecast::test {
namespace {

/// Sets or unsets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

void needs_octave() { SKIP_OR_FAIL(parts::octave); }

// Whether a function skips its test, without this one being skipped for it.
template <class Function>
bool skips(const Function& function) {
  testing::TestPartResultArray results;
  const testing::ScopedFakeTestPartResultReporter reporter(
      testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
  function();
  return results.size() == 1 && results.GetTestPartResult(0).skipped();
}

TEST(Parts, APromisedOneThatIsRequiredFailsAndSaysWhatInstallsIt) {
  const Variable required("SPARSECAST_REQUIRE_PARTS", "1");
  EXPECT_FATAL_FAILURE(needs_octave(), "GNU Octave is not here: scripts/install installs octave");
}

TEST(Parts, AreSkippedElsewhereAndWhereNothingPromisesThem) {
  {
    const Variable required("SPARSECAST_REQUIRE_PARTS", nullptr), ci("CI", nullptr);
    EXPECT_TRUE(skips(needs_octave));
  }
  const Variable required("SPARSECAST_REQUIRE_PARTS", "1");
  EXPECT_TRUE(skips([] { SKIP_OR_FAIL(parts::nvcc); }));
}

TEST(Parts, AreRequiredByTheEnvironment) {
  const Variable ci("CI", "true");
  const Variable unset("SPARSECAST_REQUIRE_PARTS", nullptr);
  EXPECT_TRUE(parts_are_required());
  const Variable off("SPARSECAST_REQUIRE_PARTS", "0");
  EXPECT_FALSE(parts_are_required());
}

TEST(Parts, AreInTheListsThatTheScriptsInstall) {
  std::set<std::string, std::less<>> listed;
  for (const char* const list : {"/scripts/packages.txt", "/scripts/requirements.txt"}) {
    std::istringstream lines(read_text(std::string(SPARSECAST_SOURCE_DIR) + list));
    for (std::string line; std::getline(lines, line);) listed.insert(line);
  }
  EXPECT_GT(all_parts().size(), 10U);
  for (const Part& part : all_parts()) {
    EXPECT_TRUE(part.source.empty() || listed.contains(part.source)) << part.name << ": " << part.source;
  }
}

}  // namespace
}  // namespace sparsecast::test
