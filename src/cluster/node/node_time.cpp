#include "cluster/node/node_time.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <utility>
#include <vector>

#include "formats/kernels.hpp"
#include "matrix/io/triplets.hpp"

namespace sparsecast::cluster {
namespace {
double start_of(const Forecast& forecast) {
  double start = 0;
  for (const ForecastPart& part : forecast.parts)
    if (part.term == Term::launch) start += part.seconds;
  return start;
}

// A core's work, as the partition weighs it: non-zeros and rows.
double work_of(const RankFeatures& rank) { return rank.own.nonzeros + rank.remote.nonzeros + rank.own.rows; }

// The kernel whose loops a rank multiplies with.
std::string kernel_of(LocalFormat format) {
  return std::string(format == LocalFormat::coo ? formats::coo_format : formats::default_kernel().name);
}

FitOptions options_for(const Profile& node, int cores, Precision precision) {
  if (node.properties.kind != DeviceKind::host)
    throw Error(ErrorCode::usage, fmt::format("'{}' is not a processor", node.name), {},
                "ranks multiply on cores: give a processor, or a file.json that describes one");
  FitOptions options;
  options.precision = precision;
  options.threads = cores;
  return options;
}

Profile with_cores(Profile node, int cores) {
  if (node.tier == Profile().tier || node.tier == Tier::shipped)
    return node;  // it has records for so many threads, or says that it has none
  node.properties = with_threads(std::move(node.properties), cores);
  for (CacheLevel& cache : node.properties.caches) cache.shared_by = std::min(cache.shared_by, cores);
  return node;
}
}  // namespace

Matrix node_matrix(const Matrix& matrix, Scheme scheme, const Placement& placement, int first, int last,
                   std::int64_t most_columns) {
  matrix::Triplets<std::int32_t> entries;
  matrix::AssemblyOptions size{.cols = 1, .file = matrix.name()};
  std::int64_t next_column = 0;
  for_each_part(matrix, scheme, placement, [&](const RankPart& part) {
    if (part.rank < first || part.rank >= last) return;
    const std::int64_t width = part.own.columns + part.remote.columns;
    if (next_column > 0 && next_column + width > most_columns) next_column = 0;
    const auto add = [&](const CsrBlock& block, std::size_t r, std::int64_t first_column) {
      for (auto k = block.row_pointers[r]; k < block.row_pointers[r + 1]; ++k) {
        entries.rows.push_back(static_cast<std::int32_t>(size.rows));
        entries.cols.push_back(
            static_cast<std::int32_t>(first_column + block.column_indices[static_cast<std::size_t>(k)]));
        entries.values.push_back(block.values[static_cast<std::size_t>(k)]);
      }
    };
    // Own columns, then those of what is received.
    for (std::int64_t r = 0; r < part.own.rows; ++r, ++size.rows) {
      add(part.own, static_cast<std::size_t>(r), next_column);
      if (part.remote.rows > 0) add(part.remote, static_cast<std::size_t>(r), next_column + part.own.columns);
    }
    next_column += width;
    size.cols = std::max(size.cols, next_column);
  });
  // The name is what held-out members of the model across machines are told by.
  return {matrix::assemble_in_row_order(std::move(entries), size), matrix.name()};
}

NodeForecast::NodeForecast(const Profile& node, int ranks, const std::string& model, int threads_per_rank,
                           Precision precision, bool starts_teams)
    : ranks_(ranks),
      models_(model, with_cores(node, ranks * threads_per_rank),
              options_for(node, ranks * threads_per_rank, precision)),
      starts_teams_(starts_teams && threads_per_rank > 1) {
  if (!starts_teams_) return;
  try {
    team_.emplace(model, with_cores(node, threads_per_rank), options_for(node, threads_per_rank, precision));
  } catch (const Error& error) {
    // A profile without times of so few threads.
    if (error.code() != ErrorCode::failed) throw;
  }
}

double NodeForecast::team_start_s(const Structure& structure, const Forecast& whole) const {
  if (!starts_teams_) return 0;
  if (!team_) return start_of(whole);
  const std::vector<Forecast> forecasts = team_->best(structure, {whole.kernel});
  return start_of(forecasts.empty() ? whole : forecasts.front());
}

std::optional<NodeTime> NodeForecast::seconds(const Matrix& matrix, Scheme scheme, const Placement& placement,
                                              const SchemeFeatures& features, LocalFormat format) {
  // The node whose ranks have most to do, and by how much the slowest of them has more than its share.
  double most = -1, slowest = 0;
  int first = 0, on_node = 1;
  for (int begin = 0; begin < features.processes; begin += ranks_) {
    const int end = std::min(features.processes, begin + ranks_);
    double all = 0, one = 0;
    for (int rank = begin; rank < end; ++rank) {
      const double work = work_of(features.ranks[static_cast<std::size_t>(rank)]);
      all += work;
      one = std::max(one, work);
    }
    if (one <= most) continue;
    most = one;
    first = begin;
    on_node = end - begin;
    slowest = all > 0 ? one * on_node / all : 1;
  }
  if (!last_ || last_->scheme != scheme || last_->processes != features.processes)
    last_ = {scheme, features.processes, analyze(node_matrix(matrix, scheme, placement, first, first + on_node))};
  return seconds(last_->structure, format, slowest);
}

std::optional<NodeTime> NodeForecast::seconds(const Structure& structure, LocalFormat format, double slowest) {
  const std::vector<Forecast> forecasts = models_.best(structure, {kernel_of(format)});
  if (forecasts.empty()) return std::nullopt;
  const Forecast& f = forecasts.front();
  // Ranks are there already: a product starts no threads but those of each rank's own team.
  double parts = 0;
  for (const ForecastPart& part : f.parts)
    if (part.seconds > 0) parts += part.seconds;
  const double share = parts > 0 ? std::max(0.05, 1 - start_of(f) / parts) : 1;
  const double factor = slowest * share + team_start_s(structure, f) / f.seconds;
  return NodeTime{factor * f.seconds, factor * f.low_s, factor * f.high_s};
}
}  // namespace sparsecast::cluster
