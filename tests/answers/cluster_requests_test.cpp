// What questions about clusters refuse, whoever asks: the library's own functions, without the command's parser.

#include "answers/cluster_requests.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

namespace sparsecast::test {
namespace {
constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();

template <class Request>
void expect_refused(const Request& request, const std::string& what) {
  try {
    (void)answers::checked(request);
    ADD_FAILURE() << what << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage) << what;
    EXPECT_FALSE(error.remedy().empty()) << what;
  }
}

// Each of these numbers once in a request that is sound beside it.
template <class Request, class Member, class Values>
void expect_each_refused(Member Request::*member, const Values& values, const std::string& what) {
  EXPECT_NO_THROW((void)answers::checked(Request{})) << what;
  for (const auto& value : values) {
    Request request;
    request.*member = value;
    expect_refused(request, what);
  }
}

TEST(ClusterRequests, CountsAreOfProcesses) {
  const std::vector<std::vector<int>> none{{0}, {-5}, {1, 0}, {65537}, {least}, {most}};
  expect_each_refused(&ClusterPredictRequest::processes, none, "processes to forecast");
  expect_each_refused(&ClusterPredictRequest::nodes, none, "nodes");
  expect_each_refused(&ClusterMeasureRequest::processes, none, "processes to measure");
  expect_each_refused(&ClusterCalibrateRequest::processes, none, "processes to calibrate");
  expect_each_refused(&ClusterEvaluateRequest::processes, none, "processes to evaluate");
  expect_each_refused(&ClusterMeasureRequest::processes, std::vector<std::vector<int>>{{}}, "no processes");
  expect_each_refused(&ClusterCalibrateRequest::processes, std::vector<std::vector<int>>{{}}, "no processes");
}

TEST(ClusterRequests, OtherNumbersAreWhatTheyCount) {
  const std::vector<int> threads{0, -1, 1025, least, most}, ranks{-1, 4097, most}, iterations{0, -1, 1'000'001, most};
  expect_each_refused(&ClusterPredictRequest::rank_threads, threads, "threads");
  expect_each_refused(&ClusterMeasureRequest::rank_threads, threads, "threads");
  expect_each_refused(&ClusterCalibrateRequest::rank_threads, threads, "threads");
  expect_each_refused(&ClusterPredictRequest::ranks_per_node, ranks, "processes per node");
  expect_each_refused(&ClusterCalibrateRequest::cores_per_node, ranks, "cores per node");
  expect_each_refused(&ClusterMeasureRequest::iterations, iterations, "iterations");
  expect_each_refused(&ClusterEvaluateRequest::iterations, iterations, "iterations");
  expect_each_refused(&ClusterScriptRequest::iterations, iterations, "iterations");
  const std::vector<double> amounts{-1, std::nan(""), INFINITY, -INFINITY}, none{0, -1, std::nan(""), INFINITY};
  expect_each_refused(&ClusterPredictRequest::within_s, amounts, "seconds");
  expect_each_refused(&ClusterPredictRequest::iterations, none, "iterations of a job");
  expect_each_refused(&ClusterMeasureRequest::patience_s, none, "patience");
  expect_each_refused(&ClusterMeasureRequest::budget_s, none, "budget");
  expect_each_refused(&ClusterCalibrateRequest::patience_s, none, "patience");
  expect_each_refused(&ClusterEvaluateRequest::budget_s, none, "budget");
}

TEST(ClusterRequests, WhatIsNamedTwiceIsAskedOnceAndNothingNamedIsAll) {
  ClusterPredictRequest request;
  request.processes = {4, 1, 4, 1};
  request.schemes = {ClusterScheme::local_rows, ClusterScheme::local_rows};
  request.formats = {};
  request = answers::checked(request);
  EXPECT_EQ(request.processes, (std::vector<int>{4, 1}));
  EXPECT_EQ(request.schemes, std::vector{ClusterScheme::local_rows});
  EXPECT_EQ(request.formats, (std::vector{ClusterFormat::csr, ClusterFormat::coo}));
}

TEST(ClusterRequests, ATimeLimitIsOneWordOfAScript) {
  expect_each_refused(
      &ClusterScriptRequest::time_limit,
      std::vector<std::string>{"", "1:00\n#SBATCH --mail-user=x", "1:00 --x", "$(x)", "banana::", "1:2:3:4", "1-"},
      "time limit");
  for (const char* const sound : {"00:30:00", "1-12:00:00", "90", "UNLIMITED"}) {
    ClusterScriptRequest request;
    request.time_limit = sound;
    EXPECT_NO_THROW((void)answers::checked(request)) << sound;
  }
}

// Options that would be passed over in silence.
TEST(ClusterRequests, OptionsThatDoNotGoTogetherAreRefused) {
  const auto refused = [](const ClusterPredictRequest& request, const char* what) {
    try {
      (void)cluster_predict(request);
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage && error.reason().find(what) != std::string::npos;
    }
    return false;
  };
  ClusterPredictRequest described;
  described.structure = "poisson3d";
  described.size = 30;
  described.node = "amd-epyc-7763";
  described.network = "hdr200";
  described.nodes = {1, 2};
  EXPECT_EQ(cluster_predict(described).forecasts.size(), 4U);
  ClusterPredictRequest both = described;
  both.processes = {64};
  EXPECT_TRUE(refused(both, "given together"));
  ClusterPredictRequest crowded = described;
  crowded.ranks_per_node = 64;
  crowded.rank_threads = 2;
  EXPECT_TRUE(refused(crowded, "do not fit the 64 cores"));
  ClusterPredictRequest sized = described;
  sized.structure = "geometric:rows=1e4";
  EXPECT_TRUE(refused(sized, "stencil"));
  ClusterPredictRequest measured;
  measured.profile = "here.cluster.json";
  measured.nodes = {2};
  EXPECT_TRUE(refused(measured, "numbers of nodes"));
  measured.nodes = {};
  measured.rank_threads = 2;
  EXPECT_TRUE(refused(measured, "its own number of processes"));
}

TEST(ClusterRequests, AMatrixThatNodesDoNotHoldIsSaid) {
  std::string remarks;
  ClusterPredictRequest request;
  request.structure = "poisson3d";
  request.size = 4000;
  request.node = "amd-epyc-7763";
  request.network = "hdr200";
  request.nodes = {1};
  request.listener.remark = [&](std::string_view line) { remarks += line; };
  (void)cluster_predict(request);
  EXPECT_NE(remarks.find("does not fit into the memory"), std::string::npos) << remarks;
  remarks.clear();
  request.nodes = {64};
  (void)cluster_predict(request);
  EXPECT_EQ(remarks, "");
}
}  // namespace
}  // namespace sparsecast::test
