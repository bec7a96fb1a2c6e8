#include "base/guard/program_rules.hpp"

#include <gtest/gtest.h>

#include "base/child_process.hpp"
#include "base/parallel_for.hpp"
#include "support/refusal.hpp"

namespace sparsecast::base {
namespace {

TEST(ProgramRules, NoChildIsStartedWhereProgramsAreForbidden) {
  const Error error = test::refusal([] {
    const ProgramScope guard({.forbidden = true});
    parallel_for(4, {.threads = 2}, [](std::int64_t) { (void)run_child({.program = "true"}); });
  });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.message(Voice::command_line).find("--no-run"), std::string::npos);
  EXPECT_EQ(run_child({.program = "true"}).exit_status, 0);
}

}  // namespace
}  // namespace sparsecast::base
