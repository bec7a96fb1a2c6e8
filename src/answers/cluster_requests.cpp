#include "answers/cluster_requests.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

#include "answers/in_range.hpp"
#include "cluster/cluster_profile.hpp"
#include "cluster/scheme/scheme.hpp"
#include "fields/answers/cluster.hpp"
#include "fields/wording.hpp"

namespace sparsecast::answers {
namespace {
template <class T>
void keep_one_of_each(std::vector<T>& values) {
  std::vector<T> once;
  for (const T& value : values)
    if (std::ranges::find(once, value) == once.end()) once.push_back(value);
  values = std::move(once);
}

void require_between(const char* option, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::usage, wording::format("{} is {:g}", wording::option(option), value), {},
              fmt::format("give a number from {:g} to {:g}", least, most));
}

void check_counts(const char* option, std::vector<int>& counts) {
  for (const int count : counts) require_between(option, count, 1, cluster::most_processes);
  keep_one_of_each(counts);
}

void check_seconds(const char* option, double seconds) {
  if (seconds > 0 && std::isfinite(seconds)) return;
  throw Error(ErrorCode::usage, wording::format("{} is {:g}", wording::option(option), seconds), {},
              "give a positive number of seconds");
}

constexpr int most_rank_threads = 1024, most_ranks_per_node = 4096;
constexpr double most_product_iterations = 1e15, most_run_iterations = 1e6;

template <class Request>
void check_cases(Request& request) {
  if (request.schemes.empty()) request.schemes = {cluster::all_schemes().begin(), cluster::all_schemes().end()};
  if (request.formats.empty()) request.formats = {cluster::all_formats().begin(), cluster::all_formats().end()};
  keep_one_of_each(request.schemes);
  keep_one_of_each(request.formats);
  check_counts("processes", request.processes);
}

template <class Request>
void check_run(const Request& request) {
  require_between("iterations", request.iterations, 1, most_run_iterations);
  check_seconds("patience_s", request.patience_s);
  check_seconds("budget_s", request.budget_s);
}
}  // namespace

ClusterPredictRequest checked(ClusterPredictRequest request) {
  require_in_range(request);
  check_cases(request);
  check_counts("nodes", request.nodes);
  require_between("ranks_per_node", request.ranks_per_node, 0, most_ranks_per_node);
  require_between("rank_threads", request.rank_threads, 1, most_rank_threads);
  require_between("iterations", request.iterations, 1, most_product_iterations);
  if (request.within_s != 0) check_seconds("within_s", request.within_s);
  return request;
}

ClusterMeasureRequest checked(ClusterMeasureRequest request) {
  require_in_range(request);
  check_cases(request);
  if (request.processes.empty())
    throw Error(ErrorCode::usage, "no number of processes is given", {},
                wording::format("give {}", wording::option("processes", 2)));
  check_run(request);
  require_between("rank_threads", request.rank_threads, 1, most_rank_threads);
  return request;
}

ClusterCalibrateRequest checked(ClusterCalibrateRequest request) {
  require_in_range(request);
  check_counts("processes", request.processes);
  if (request.processes.empty())
    throw Error(ErrorCode::usage, "no number of processes is given", {},
                wording::format("give {}", wording::option("processes", 2)));
  check_seconds("patience_s", request.patience_s);
  require_between("rank_threads", request.rank_threads, 1, most_rank_threads);
  require_between("cores_per_node", request.cores_per_node, 0, most_ranks_per_node);
  return request;
}

ClusterEvaluateRequest checked(ClusterEvaluateRequest request) {
  require_in_range(request);
  check_cases(request);
  check_run(request);
  return request;
}

ClusterScriptRequest checked(ClusterScriptRequest request) {
  require_in_range(request);
  request.predict = checked(std::move(request.predict));
  require_between("iterations", request.iterations, 1, most_run_iterations);
  // One word: what stands behind it would be a line of the script.
  const auto belongs = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == ':' || letter == '-'; };
  if (request.time_limit.empty() || !std::ranges::all_of(request.time_limit, belongs))
    throw Error(ErrorCode::usage, "the time limit is not one of Slurm's", {}, "for example 00:30:00 or 1-12:00:00");
  return request;
}
}  // namespace sparsecast::answers
