// Answers from several threads at once are those of one thread, and say nothing.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <sparsecast/answers.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "fields/answers.hpp"
#include "fields/json.hpp"
#include "support/command.hpp"

namespace sparsecast {
namespace {

Matrix grid(int size) { return generate({.kind = "poisson2d", .parameters = {.size = size}}); }

class SideBySide : public ::testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", folder_.path().c_str(), 1); }

  // Asks each question alone, then all at once.
  static void expect_the_same(const std::vector<std::function<fields::Json()>>& questions) {
    std::vector<fields::Json> alone;
    for (const auto& ask : questions) alone.push_back(ask());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    std::vector<std::future<fields::Json>> answers;
    for (const auto& ask : questions) answers.push_back(std::async(std::launch::async, ask));
    for (std::size_t k = 0; k < answers.size(); ++k) EXPECT_EQ(answers[k].get(), alone[k]) << k;
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  }
  test::TemporaryFolder folder_;
};

TEST_F(SideBySide, SolvesAndClusters) {
  const auto solved = [](int size, std::string method) {
    return [=] { return fields::written(solve({.matrix = grid(size), .method = method, .device = "nvidia-h100"})); };
  };
  const auto placed = [](int size) {
    return [=] {
      return fields::written(cluster_predict({.matrix = grid(size),
                                              .node = "amd-epyc-7742",
                                              .network = "hdr200",
                                              .processes = {4, 16},
                                              .schemes = {ClusterScheme::two_d_uniform}}));
    };
  };
  expect_the_same({solved(60, "cg"), solved(80, "gmres:20"), solved(60, "bicgstab"), placed(60), placed(80)});
}

TEST_F(SideBySide, KernelGraphs) {
  const auto graph = [this](int k) {
    const std::string text =
        R"({"schema":"sparsecast/kernel-graph/1","nodes":[{"id":"a","kind":"input"},{"id":"b","time":"tau"},
        {"id":"c","kind":"output"}],"arcs":[{"from":"a","to":"b","time":"t","access":"global-load"},
        {"from":"b","to":"c","time":"T","access":"global-store"}],"times":{"t":1e-6,"T":2e-6,"tau":5e-7,"dt":1e-9,
        "dT":1e-9},"instances":)" +
        std::to_string(8 * k) + R"(,"executors":4})";
    const std::filesystem::path file = folder_.write("graph" + std::to_string(k) + ".json", text);
    return [=] { return fields::written(kernel({.file = file, .symbolic = true, .no_run = true})); };
  };
  expect_the_same({graph(1), graph(2), graph(3), graph(4)});
}

TEST_F(SideBySide, AStopEndsOneOfThem) {
  std::stop_source stop;
  stop.request_stop();
  const Matrix a = grid(60);
  auto other = std::async(std::launch::async, [&] { return solve({.matrix = a, .device = "nvidia-h100"}); });
  try {
    (void)cluster_predict(
        {.matrix = a, .node = "amd-epyc-7742", .network = "hdr200", .listener = {.stop = stop.get_token()}});
    ADD_FAILURE() << "it goes on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
  EXPECT_GT(other.get().iteration_s, 0);
}

}  // namespace
}  // namespace sparsecast
