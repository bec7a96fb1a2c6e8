#pragma once
// Running programs under Octave in the tests, and skipping where it is not there.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {

/// Looked for, not started: that would take as long as many of the tests.
inline bool has_octave() { return run_program("sh", {"-c", "command -v octave-cli"}).exit_code == 0; }

#define NEEDS_OCTAVE() \
  if (!sparsecast::test::has_octave()) SKIP_OR_FAIL(sparsecast::test::parts::octave)

inline CommandResult octave(const std::string& code) {
  return run_program("octave-cli", {"--norc", "--quiet", "--eval", code});
}

/// The run-time library, in a store of the test's own.
inline std::string library(const TemporaryFolder& store) {
  std::string folder = sparsecast({"traffic", "--library"}, {"SPARSECAST_HOME=" + store.path().string()}).out;
  return folder.substr(0, folder.find('\n'));
}

/// Runs two scripts, each in an Octave of its own, and compares all variables that they leave, bit for bit.
inline ::testing::AssertionResult leave_the_same(const std::filesystem::path& first,
                                                 const std::filesystem::path& second, const std::string& library_path) {
  const TemporaryFolder out;
  std::string saved[2];
  int number = 0;
  for (const std::filesystem::path& script : {first, second}) {
    const std::string file = (out.path() / std::to_string(number)).string();
    const CommandResult run =
        octave("addpath('" + library_path + "'); addpath('" + first.parent_path().string() + "'); source('" +
               script.string() + "'); clear -regexp ^slm ^SLM; save('-binary', '" + file + "');");
    if (!std::filesystem::exists(file)) return ::testing::AssertionFailure() << script << " fails: " << run.err;
    saved[number++] = read_text(file);
  }
  if (saved[0].size() > 10 && saved[0] == saved[1]) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << second << " leaves other variables than " << first;
}

}  // namespace sparsecast::test
