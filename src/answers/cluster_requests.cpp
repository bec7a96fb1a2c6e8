#include "answers/cluster_requests.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

#include "answers/in_range.hpp"
#include "cluster/cluster_profile.hpp"
#include "cluster/launch/slurm_time.hpp"
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

static_assert(cluster_asks::most_processes == cluster::most_processes);

template <class Request>
void check_cases(Request& request) {
  if (request.schemes.empty()) request.schemes = {cluster::all_schemes().begin(), cluster::all_schemes().end()};
  if (request.formats.empty()) request.formats = {cluster::all_formats().begin(), cluster::all_formats().end()};
  keep_one_of_each(request.schemes);
  keep_one_of_each(request.formats);
  keep_one_of_each(request.processes);
}

template <class Request>
void require_processes(const Request& request) {
  if (request.processes.empty())
    throw Error(ErrorCode::usage, "no number of processes is given", {},
                wording::format("give {}", wording::option("processes", 2)));
}
}  // namespace

ClusterPredictRequest checked(ClusterPredictRequest request) {
  require_in_range(request);
  check_cases(request);
  keep_one_of_each(request.nodes);
  return request;
}

ClusterMeasureRequest checked(ClusterMeasureRequest request) {
  require_in_range(request);
  check_cases(request);
  require_processes(request);
  return request;
}

ClusterCalibrateRequest checked(ClusterCalibrateRequest request) {
  require_in_range(request);
  keep_one_of_each(request.processes);
  require_processes(request);
  return request;
}

ClusterEvaluateRequest checked(ClusterEvaluateRequest request) {
  require_in_range(request);
  check_cases(request);
  return request;
}

ClusterScriptRequest checked(ClusterScriptRequest request) {
  require_in_range(request);
  request.predict = checked(std::move(request.predict));
  // What stands behind it would be a line of the script.
  if (!cluster::slurm_seconds(request.time_limit))
    throw Error(ErrorCode::usage, "the time limit is not one of Slurm's", {}, "for example 00:30:00 or 1-12:00:00");
  return request;
}
}  // namespace sparsecast::answers
