#include "cluster/launch/job_script.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <string>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
std::string script_for(const char* scheduler) {
  ScriptOptions options;
  options.scheduler = scheduler;
  options.matrix = "/data/it's a $(matrix).mtx";
  options.cores_per_node = 36;
  return job_script({Scheme::local_rows, LocalFormat::csr, "sparsecast", 144, 4, 1e-3, 0, 0, false}, options);
}

TEST(JobScript, SurvivesAnyFileName) {
  for (const char* const scheduler : {"slurm", "mpirun"}) {
    const std::string script = script_for(scheduler);
    EXPECT_NE(script.find("--processes 144 --way l1dr --format csr"), std::string::npos);
    EXPECT_EQ(script.find("#SBATCH --ntasks=144") != std::string::npos, std::string(scheduler) == "slurm");
    const test::TemporaryFolder folder;
    const auto file = folder.write("job", script);
    const auto printed =
        test::run_program("bash", {"-c", "sparsecast() { printf '%s\\n' \"$3\"; }; source " + file.string()});
    EXPECT_EQ(printed.out, "/data/it's a $(matrix).mtx\n");
  }
}

TEST(JobScript, PassesShellcheck) {
  const test::TemporaryFolder folder;
  for (const char* const scheduler : {"slurm", "mpirun"}) {
    const auto checked = test::run_program("shellcheck", {folder.write("job", script_for(scheduler)).string()});
    if (checked.exit_code == 127) SKIP_OR_FAIL(test::parts::shellcheck);
    EXPECT_EQ(checked.exit_code, 0) << checked.out;
  }
}

TEST(JobScript, OfAnUnknownSchedulerIsAnError) {
  ScriptOptions pigeon;
  pigeon.scheduler = "pigeon";
  EXPECT_THROW(job_script({}, pigeon), Error);
}
}  // namespace
}  // namespace sparsecast::cluster
