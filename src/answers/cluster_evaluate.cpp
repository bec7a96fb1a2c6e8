// cluster_evaluate: every model's forecasts of a cluster profile beside the times of the same iterations, as the tables
// of Hossain & Saule have them (section V: error = |actual − predicted| / actual).

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/error.hpp>
#include <tuple>

#include "answers/cluster_requests.hpp"
#include "answers/inputs.hpp"
#include "base/interrupt.hpp"
#include "cluster/cluster_profile.hpp"
#include "cluster/models/cluster_model.hpp"
#include "cluster/origin.hpp"
#include "cluster/scheme/scheme.hpp"
#include "fields/wording.hpp"

namespace sparsecast {
namespace {
using CaseKey = std::tuple<ClusterScheme, ClusterFormat, int>;

void check_judged_by(const ClusterEvaluateRequest& request, const cluster::ClusterProfile& profile) {
  if (request.matrices.empty()) throw Error(ErrorCode::usage, "no matrix is given to judge forecasts by");
  const bool simulated = !cluster::is_measured(profile.source);
  const wording::Text platform = wording::option("platform", wording::placeholder("FILE"));
  if (simulated && !request.platform.empty() &&
      profile.source != cluster::simulated_origin(request.platform.stem().string()))
    throw Error(ErrorCode::usage,
                fmt::format("the profile is {}, and times on {} do not judge it", profile.source,
                            request.platform.stem().string()),
                {request.profile.string()}, wording::format("give the {} on which it was made", platform));
  if (simulated == !request.platform.empty()) return;
  throw Error(
      ErrorCode::usage,
      simulated ? "a simulated profile is judged by simulated times" : "a measured profile is judged by runs",
      {request.profile.string()},
      simulated ? wording::format("give {} of {}", platform, profile.source) : wording::format("omit {}", platform));
}

ClusterPredictRequest forecast_request(const ClusterEvaluateRequest& request, const MatrixInput& matrix) {
  ClusterPredictRequest asked;
  asked.matrix = matrix;
  asked.profile = request.profile;
  asked.processes = request.processes;
  asked.schemes = request.schemes;
  asked.formats = request.formats;
  asked.model = request.model;
  asked.full = request.full;
  asked.precision = request.precision;
  asked.seed = request.seed;
  asked.threads = request.threads;
  asked.listener = request.listener;
  return asked;
}

ClusterMeasureRequest run_request(const ClusterEvaluateRequest& request, const MatrixInput& matrix,
                                  const cluster::ClusterProfile& profile) {
  ClusterMeasureRequest asked;
  asked.matrix = matrix;
  asked.processes = request.processes;
  asked.schemes = request.schemes;
  asked.formats = request.formats;
  asked.iterations = request.iterations;
  asked.seed = request.seed;
  asked.launcher = request.launcher;
  asked.rank_threads = profile.threads;
  asked.platform = request.platform;
  asked.patience_s = request.patience_s;
  asked.budget_s = request.budget_s;
  asked.scratch = request.scratch;
  asked.check = false;
  asked.precision = request.precision;
  asked.threads = request.threads;
  asked.listener = request.listener;
  return asked;
}

// The forecasts are made before anything of the matrix is known but its structure.
void judge_matrix(const ClusterEvaluateRequest& request, const MatrixInput& matrix,
                  const cluster::ClusterProfile& profile, ClusterEvaluation& answer) {
  const ClusterPrediction forecast = cluster_predict(forecast_request(request, matrix));
  const ClusterTimes times = cluster_measure(run_request(request, matrix, profile));
  std::map<CaseKey, const ClusterTime*> measured;
  for (const ClusterTime& time : times.measurements) {
    measured[{time.scheme, time.format, time.processes}] = &time;
    answer.source = time.source;
  }
  for (const cluster::ClusterForecast& f : forecast.forecasts) {
    const auto found = measured.find({f.scheme, f.format, f.processes});
    if (found == measured.end()) {
      answer.skipped.push_back({forecast.matrix.name, fmt::format("{} {}", to_string(f.scheme), to_string(f.format)),
                                fmt::format("no time on {} processes, forecast by {}", f.processes, f.model)});
      continue;
    }
    const double actual = found->second->seconds;
    answer.cases.push_back({forecast.matrix.name, f.scheme, f.format, f.model, f.processes, f.nodes, actual, f.seconds,
                            f.low_s, f.high_s, f.extrapolated, std::abs(actual - f.seconds) / actual});
  }
}

std::vector<ClusterModelErrors> errors_by_model(const std::vector<ClusterEvaluationCase>& cases) {
  std::vector<ClusterModelErrors> summary;
  for (const ClusterScheme scheme : cluster::all_schemes())
    for (const ClusterFormat format : cluster::all_formats())
      for (const char* const model : {"sparsecast", "microbench", "svr", "linear"}) {
        ClusterModelErrors errors{scheme, format, model, 0, 0, 0, 0};
        for (const ClusterEvaluationCase& one : cases) {
          if (one.scheme != scheme || one.format != format || one.model != model) continue;
          ++errors.cases;
          errors.mean_error += one.error;
          errors.max_error = std::max(errors.max_error, one.error);
          errors.coverage += one.low_s <= one.measured_s && one.measured_s <= one.high_s ? 1 : 0;
        }
        if (errors.cases == 0) continue;
        errors.mean_error /= errors.cases;
        errors.coverage /= errors.cases;
        summary.push_back(std::move(errors));
      }
  return summary;
}
}  // namespace

ClusterEvaluation cluster_evaluate(const ClusterEvaluateRequest& given) {
  const base::StopScope stop(given.listener.stop);
  const ClusterEvaluateRequest request = answers::checked(given);
  const cluster::ClusterProfile profile = cluster::read_cluster_profile(request.profile);
  check_judged_by(request, profile);
  ClusterEvaluateRequest asked = request;
  if (asked.processes.empty()) asked.processes = cluster::calibrated_counts(profile);
  ClusterEvaluation answer;
  answer.cluster = {profile.name, profile.source, profile.complete, profile.cores_per_node};
  answer.source = profile.source;
  answer.iterations = request.iterations;
  // What holds of all matrices is said once.
  std::set<std::string, std::less<>> said;
  asked.listener.remark = [&](std::string_view line) {
    if (request.listener.remark && said.emplace(line).second) request.listener.remark(line);
  };
  for (const MatrixInput& matrix : request.matrices) judge_matrix(asked, matrix, profile, answer);
  answer.summary = errors_by_model(answer.cases);
  return answer;
}
}  // namespace sparsecast
