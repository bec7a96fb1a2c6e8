#include "cluster/launch/job_script.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/error.hpp>
#include <string>

#include "cluster/launch/mpirun_line.hpp"
#include "cluster/launch/slurm_time.hpp"
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

// Without a mapping mpirun fills the first node.
TEST(JobScript, PutsProcessesOnTheirNodes) {
  EXPECT_NE(script_for("mpirun").find("--launcher 'mpirun --map-by ppr:36:node'"), std::string::npos);
  const std::string slurm = script_for("slurm");
  EXPECT_NE(slurm.find("#SBATCH --nodes=4\n"), std::string::npos);
  EXPECT_NE(slurm.find("#SBATCH --ntasks-per-node=36\n"), std::string::npos);
  EXPECT_EQ(mpirun_line({64, 4, 16, 1, true}), "mpirun -n 64 --map-by ppr:16:node");
  EXPECT_EQ(mpirun_line({16, 1, 16, 1, true}), "mpirun -n 16 --map-by ppr:16:node");
  EXPECT_EQ(mpirun_line({8, 4, 2, 8, false}), "mpirun -n 8 --map-by ppr:2:node:PE=8 -x OMP_NUM_THREADS=8");
  EXPECT_EQ(mpirun_line({14, 1, 14, 4, false}), "mpirun -n 14 --map-by slot:PE=4 -x OMP_NUM_THREADS=4");
  EXPECT_EQ(mpirun_line({2, 1, 2, 1, false}), "mpirun -n 2");
}

TEST(SlurmTime, IsOfSlurmsFormsAlone) {
  for (const auto& [limit, seconds] : std::initializer_list<std::pair<const char*, double>>{
           {"90", 5400}, {"1:30", 90}, {"01:00:05", 3605}, {"1-12", 129600}, {"1-0:30", 88200}, {"2-00:00:01", 172801}})
    EXPECT_EQ(slurm_seconds(limit), seconds) << limit;
  for (const char* const none : {"UNLIMITED", "infinite", "0"}) EXPECT_EQ(slurm_seconds(none), INFINITY) << none;
  for (const char* const wrong : {"", "banana::", "1:2:3:4", "::", "1-", "-1", "1:", "1.5", "1 h", "1-2-3", "+5"})
    EXPECT_EQ(slurm_seconds(wrong), std::nullopt) << wrong;
}

TEST(JobScript, OfAnUnknownSchedulerIsAnError) {
  ScriptOptions pigeon;
  pigeon.scheduler = "pigeon";
  EXPECT_THROW(job_script({}, pigeon), Error);
}
}  // namespace
}  // namespace sparsecast::cluster
