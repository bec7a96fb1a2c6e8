#include "answers/cluster_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>

#include "solving/forecast/forecast.hpp"

namespace sparsecast::answers {
namespace {
using cluster::MessagePattern, solving::MethodKind;

constexpr double bytes_of_value = 8;

// Bytes/s of one process while the others of its node run too, of so many bytes that it goes through.
double rate_of(const cluster::ClusterProfile& profile, int processes, double bytes) {
  const int busy = std::clamp(processes, 1, profile.cores_per_node);
  const cluster::BandwidthCurve* best = nullptr;
  for (const cluster::BandwidthCurve& curve : profile.node.bandwidth)
    if (curve.value_bytes == 8 && curve.busy <= busy && (best == nullptr || curve.busy > best->busy)) best = &curve;
  if (best == nullptr || best->bytes.empty()) return 0;
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < best->bytes.size(); ++i) points.emplace_back(best->bytes[i], best->rate[i]);
  return cluster::along_curve(points, std::clamp(bytes, points.front().first, points.back().first));
}
// Where the calibration ran out of time before the pattern: rounds of messages from one process to the next.
double collective_seconds(const cluster::MessageCurves& messages, MessagePattern pattern, int processes, double bytes) {
  if (const auto seconds = messages.seconds(pattern, processes, bytes)) return *seconds;
  if (const auto message = messages.seconds(MessagePattern::ping_pong_near, processes, bytes))
    return *message * std::ceil(std::log2(processes));
  throw Error(ErrorCode::unavailable, "no messages between this cluster's processes were measured", {},
              "calibrate it on more than one process");
}
}  // namespace

namespace {
// What is gone through, whoever's the method is.
PetscIteration iteration_of(const solving::Method& method, PetscPreconditioner preconditioner) {
  if (const auto petsc = petsc_iteration(method, preconditioner)) return *petsc;
  if (preconditioner == PetscPreconditioner::block_jacobi)
    throw Error(ErrorCode::unavailable, method.name() + " is not forecast with block-Jacobi", {},
                "use cg, bicgstab or gmres, or jacobi");
  const auto applied = method.info->preconditions && preconditioner == PetscPreconditioner::jacobi
                           ? solving::Preconditioning::diagonal
                           : solving::Preconditioning::none;
  const solving::Amounts amounts = amounts_of(steps_of(method, applied));
  PetscIteration fused;
  fused.products = amounts.products;
  fused.passes = {{amounts.reads, amounts.writes, 0}};
  fused.sums = amounts.sums;
  fused.held = vectors_held(method, applied);
  return fused;
}
}  // namespace

namespace {
// The local product by another loop than the csr kernel's.
void take_times(cluster::ClusterForecast& f, const ProductTimes& times) {
  const double local = f.core_s > 0 ? f.core_s : f.seconds, more = (times.product - 1) * local;
  const auto take = [&](double& seconds, double& low_s, double& high_s) {
    const double below = low_s / seconds / times.doubt, above = high_s / seconds * times.doubt;
    seconds += more;
    low_s = seconds * below;
    high_s = seconds * above;
  };
  for (cluster::StateForecast& state : f.states) take(state.seconds, state.low_s, state.high_s);
  take(f.seconds, f.low_s, f.high_s);
  if (f.core_s > 0) f.core_s += more;
}
}  // namespace

std::vector<ClusterWork> add_solver(std::vector<cluster::ClusterForecast>& forecasts,
                                    const cluster::ClusterProfile& profile, std::int64_t rows,
                                    const solving::Method& method, PetscPreconditioner preconditioner,
                                    const ProductTimes& times) {
  if (method.kind() == MethodKind::pagerank || method.kind() == MethodKind::lobpcg)
    throw Error(
        ErrorCode::unavailable, method.name() + " is not forecast on clusters", {},
        "clusters multiply y = A·x for one vector at a time: use cg, bicgstab, gmres, chebyshev, jacobi or power");
  const PetscIteration work_of = iteration_of(method, preconditioner);
  const cluster::MessageCurves messages(profile);
  std::vector<ClusterWork> added;
  for (cluster::ClusterForecast& f : forecasts) {
    const double vector = bytes_of_value * static_cast<double>(rows) / f.processes;
    ClusterWork work;
    const double rate = rate_of(profile, f.processes, vector * work_of.held);
    if (!(rate > 0))
      throw Error(ErrorCode::unavailable, "this cluster's memory was not measured", {}, "complete its calibration");
    take_times(f, times);
    const cluster::ClusterForecast before = f;
    const double product = f.seconds, local = f.core_s > 0 ? f.core_s : f.seconds;
    work.vectors_s = work_of.seconds(vector, rate, profile.node.fma_s);
    double substitutions = 0;
    if (preconditioner == PetscPreconditioner::block_jacobi)
      substitutions = work_of.applications * constants::substitutions * local * times.substituted / times.product;
    work.vectors_s += substitutions;
    if (f.processes > 1) {
      constexpr double two_sums = 16;
      work.reductions_s = work_of.sums * (collective_seconds(messages, MessagePattern::reduce, f.processes, two_sums) +
                                          collective_seconds(messages, MessagePattern::bcast, f.processes, two_sums));
    }
    f.core_s = f.core_s > 0 ? work_of.products * f.core_s + work.vectors_s : 0;
    f.communication_s = f.communication_s > 0 ? work_of.products * f.communication_s + work.reductions_s : 0;
    f.seconds = work_of.products * product + work.vectors_s + work.reductions_s;
    // The products' interval is theirs; what is added is known as well as its own doubt says.
    const double vectors = work.vectors_s - substitutions;
    f.low_s = work_of.products * f.low_s + vectors / constants::passes_doubt +
              substitutions / constants::substitutions_doubt + work.reductions_s / constants::sums_doubt;
    f.high_s = work_of.products * f.high_s + vectors * constants::passes_doubt +
               substitutions * constants::substitutions_doubt + work.reductions_s * constants::sums_doubt;
    for (cluster::StateForecast& state : f.states) {
      state.seconds = f.seconds + work_of.products * (state.seconds - before.seconds);
      state.low_s = f.low_s + work_of.products * (state.low_s - before.low_s);
      state.high_s = f.high_s + work_of.products * (state.high_s - before.high_s);
    }
    added.push_back(work);
  }
  return added;
}
}  // namespace sparsecast::answers
