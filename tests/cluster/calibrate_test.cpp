// What a calibration takes again, with a launcher that is a script of this test.

#include "cluster/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <string>

#include "cluster/training_matrices.hpp"
#include "made_up.hpp"
#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {
class Calibrations : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("SPARSECAST_RANK", "/bin/true", 1);
    setenv("SPARSECAST_HOME", (folder.path() / "home").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("SPARSECAST_RANK");
    unsetenv("SPARSECAST_HOME");
  }

  // Made up, with all training runs of four processes, so that messages alone are missing.
  static ClusterProfile begun() {
    ClusterProfile p = made_up_profile();
    std::vector<MatrixSpec> specs = training_matrices(false);
    std::ranges::copy(linear_matrices(2, false), std::back_inserter(specs));
    const TrainingRun run = *std::ranges::find(p.runs, 4, [](const TrainingRun& r) { return r.features.processes; });
    for (const MatrixSpec& spec : specs) {
      p.runs.push_back(run);
      p.runs.back().matrix = generated_name(spec);
    }
    return p;
  }

  // With ranks that time one message, and say whether a limit cut others off.
  ClusterProfile resumed(ClusterProfile from, bool cut) {
    const std::string outcome =
        R"({"benchmarks":[{"pattern":"bcast","processes":4,"bytes":8,"neighbours":0,"seconds":7e-6,"states":[]}],)"
        R"("cut":)" +
        std::string(cut ? "true" : "false") + R"(,"nodes":1})";
    const auto launcher = folder.write("launcher", "#!/bin/bash\necho asked >>" + asked.string() + "\necho '" +
                                                       outcome + "' >\"${@: -1}/outcome.json\"\n");
    std::filesystem::permissions(launcher, std::filesystem::perms::owner_all);
    CalibrateOptions options;
    options.launch.launcher = launcher.string();
    options.scratch = folder.path();
    options.processes = {4};
    options.cores_per_node = from.cores_per_node;
    options.begun = std::move(from);
    return calibrate_cluster(options);
  }

  static auto messages_of(const ClusterProfile& p, int processes) {
    return std::ranges::count(p.messages, processes, &MessageTime::processes);
  }

  test::TemporaryFolder folder;
  std::filesystem::path asked = folder.path() / "asked";
};

TEST_F(Calibrations, GoOnWithMessagesThatWereCutOff) {
  ClusterProfile part = begun();
  part.cut_messages = {4};
  const auto others = messages_of(part, 16);
  const ClusterProfile again = resumed(part, true);
  EXPECT_EQ(messages_of(again, 4), 1) << "the new ones in place of those that there were";
  EXPECT_EQ(messages_of(again, 16), others);
  EXPECT_EQ(again.cut_messages, std::vector{4});
  EXPECT_FALSE(again.complete);
  const ClusterProfile whole = resumed(again, false);
  EXPECT_EQ(whole.cut_messages, std::vector<int>{});
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(test::read_text(asked), "asked\nasked\n");
  EXPECT_TRUE(resumed(whole, true).complete) << "nothing is left to be asked";
  EXPECT_EQ(test::read_text(asked), "asked\nasked\n");
}

// One of before, which does not tell of messages that were cut off.
TEST_F(Calibrations, KeepMessagesOfOlderProfiles) {
  const ClusterProfile old = begun();
  const ClusterProfile kept = resumed(old, true);
  EXPECT_EQ(messages_of(kept, 4), messages_of(old, 4));
  EXPECT_TRUE(kept.complete);
}

TEST_F(Calibrations, WriteWhatWasCutOff) {
  ClusterProfile part = made_up_profile();
  part.cut_messages = {4, 16};
  const auto file = folder.path() / "p.cluster.json";
  write_cluster_profile(part, file);
  EXPECT_EQ(read_cluster_profile(file).cut_messages, part.cut_messages);
  EXPECT_TRUE(!test::can_validate() || test::fits_its_schema(test::read_text(file)));
}
}  // namespace
}  // namespace sparsecast::cluster
