#include "forecast/learned/fit_cache.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "forecast/fit_file.hpp"

namespace sparsecast::forecast {
namespace {
// To be raised whenever a fit of the same observations comes out differently.
constexpr int model_version = 24;

void add_gpu_work(const formats::GpuWork& g, NumberHash& hash) {
  for (const double value : {g.launches, g.groups, g.warp_steps, g.idle, g.sectors, g.partial, g.tiles, g.sums,
                             g.carries, g.chain, g.resident, g.latency_steps, g.scattered, g.walked})
    hash.add(value);
  for (const double value : g.x_beyond) hash.add(value);
}

// A matrix as its shape and bytes: text would take ten times as long to read.
nlohmann::json to_json(const Eigen::MatrixXd& matrix) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(matrix.size()) * sizeof(double));
  if (!bytes.empty()) std::memcpy(bytes.data(), matrix.data(), bytes.size());
  return {{"rows", matrix.rows()}, {"cols", matrix.cols()}, {"bytes", nlohmann::json::binary(std::move(bytes))}};
}

Eigen::MatrixXd matrix_from(const nlohmann::json& json) {
  const auto& bytes = json.at("bytes").get_binary();
  const auto rows = json.at("rows").get<Eigen::Index>(), cols = json.at("cols").get<Eigen::Index>();
  if (rows < 0 || cols < 0 || static_cast<std::size_t>(rows) > bytes.size() + 1 ||
      static_cast<std::size_t>(cols) > bytes.size() + 1 ||
      static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * sizeof(double) != bytes.size())
    throw Error(ErrorCode::bad_input, "a fit's matrix has another size than it says");
  Eigen::MatrixXd matrix(rows, cols);
  if (!bytes.empty()) std::memcpy(matrix.data(), bytes.data(), bytes.size());
  return matrix;
}

}  // namespace

std::string fit_key(const Observations& observations, const TermChoice& terms) {
  NumberHash hash;
  hash.add(model_version);
  for (const double value : observations.log_seconds) hash.add(value);
  for (const int family : observations.families) hash.add(family);
  for (const Workload& w : observations.workloads) {
    const auto add = [&](std::initializer_list<double> values) {
      for (const double value : values) hash.add(value);
    };
    add({w.nonzeros, w.rows, w.cols, w.row_std, w.longest_row, w.runs, w.span, w.similarity, w.format_bytes, w.slots});
    add({w.padding, w.calls, w.row_steps, w.more_vectors, w.long_rows, w.overflow, w.rest, w.partial, w.in_runs,
         w.empty});
    add({w.misprediction_bits, w.remembered, w.misses[0], w.misses[1], w.misses[2], w.mispredictions,
         w.small_mispredictions, w.shared_lines, w.launch_s, w.stream_bytes});
    add({w.aliased, w.unaligned, w.unprefetched, w.looked_up, w.widened, w.chained, w.thread_parts[0].nonzeros,
         w.thread_parts[0].rows, w.thread_parts[0].calls, w.thread_parts[1].nonzeros, w.thread_parts[1].rows});
    for (const double value : w.followed) hash.add(value);
    for (const double value : w.scattered) hash.add(value);
    if (w.gpu) add_gpu_work(w.gpu_work, hash);
  }
  for (const double value : terms.without.prior().centre) hash.add(value);
  for (const double value : terms.without.curve_numbers()) hash.add(value);
  return hash.text();
}

std::optional<KernelFit> cached_fit(const std::string& key) try {
  const nlohmann::json json = read_fit_file(key);
  if (json.is_null()) return std::nullopt;
  KernelFit fit;
  fit.longest_row = json.at("longest_row").get<bool>();
  fit.parameters = matrix_from(json.at("parameters"));
  fit.features = matrix_from(json.at("features"));
  fit.centre = matrix_from(json.at("centre"));
  fit.offset = json.at("offset").get<double>();
  std::vector<ProcessWeights> processes;
  for (const nlohmann::json& process : json.at("processes")) {
    const Covariance covariance = Covariance::from_logs(matrix_from(process.at("covariance")));
    const Eigen::VectorXd weights = matrix_from(process.at("weights"));
    if (weights.size() != fit.features.rows() || covariance.lengths.size() != fit.features.cols()) return std::nullopt;
    processes.push_back({covariance, weights});
  }
  if (!processes.empty()) fit.processes = {fit.features, std::move(processes)};
  fit.tree_parameters = matrix_from(json.at("tree_parameters"));
  fit.trees = {static_cast<const std::vector<std::uint8_t>&>(json.at("trees").get_binary()), fit.centre.size()};
  const Eigen::MatrixXd judged_features = matrix_from(json.at("judged_features"));
  const Eigen::VectorXd judged_errors = matrix_from(json.at("judged_errors"));
  if (judged_features.rows() != judged_errors.size() ||
      (!fit.processes.empty() && judged_features.cols() != fit.features.cols()))
    return std::nullopt;
  fit.set_judged(judged_features, judged_errors);
  fit.interval_factor = json.at("interval_factor").get<double>();
  fit.held_back_error = json.at("held_back_error").get<double>();
  fit.shipped_errors = matrix_from(json.at("shipped_errors"));
  return fit;
} catch (const std::exception&) {
  return std::nullopt;
}

void cache_fit(const std::string& key, const KernelFit& fit) noexcept try {
  nlohmann::json processes = nlohmann::json::array();
  for (const ProcessWeights& process : fit.processes.processes())
    processes.push_back({{"covariance", to_json(process.covariance.to_logs())}, {"weights", to_json(process.weights)}});
  const nlohmann::json json{{"longest_row", fit.longest_row},
                            {"parameters", to_json(fit.parameters)},
                            {"features", to_json(fit.features)},
                            {"centre", to_json(fit.centre)},
                            {"offset", fit.offset},
                            {"processes", processes},
                            {"tree_parameters", to_json(fit.tree_parameters)},
                            {"trees", nlohmann::json::binary(fit.trees.bytes())},
                            {"judged_features", to_json(fit.judged_features)},
                            {"judged_errors", to_json(fit.judged_errors)},
                            {"interval_factor", fit.interval_factor},
                            {"held_back_error", fit.held_back_error},
                            {"shipped_errors", to_json(fit.shipped_errors)}};
  write_fit_file(key, json);
} catch (const std::exception&) {
}
}  // namespace sparsecast::forecast
