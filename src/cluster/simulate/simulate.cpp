#include "cluster/simulate/simulate.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "cluster/scheme/padded_square.hpp"
#include "cluster/simulate/rows_iteration.hpp"

namespace sparsecast::cluster {
namespace {
// SimGrid shares the network anew among all messages under way whenever one begins or ends: its time grows with the
// square of their number (4000 in a step: a second; 20,000: a minute). Beyond so many l1dr is simulated here
// (rows_iteration.hpp), or, where the platform's network is not as simple as that, only where it is asked for alone.
constexpr std::int64_t most_messages_at_once = 5000;

// Messages of one step of l1dr.
std::int64_t messages_of(const Matrix& matrix, const Placement& placement) {
  return matrix.visit_pattern([&](const auto& csr) {
    const RowOrder& order = placement.order;
    const auto processes = static_cast<std::size_t>(placement.processes);
    std::vector<char> sends(processes * processes, 0);
    std::vector<std::size_t> owner(order.position.size());
    for (std::size_t r = 0; r < owner.size(); ++r) owner[r] = static_cast<std::size_t>(order.owner(order.position[r]));
    for (std::size_t r = 0; r < owner.size(); ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        sends[owner[r] * processes + owner[static_cast<std::size_t>(csr.column_indices[k])]] = 1;
    std::int64_t messages = 0;
    for (std::size_t pair = 0; pair < sends.size(); ++pair)
      messages += pair / processes == pair % processes ? 0 : sends[pair];
    return messages;
  });
}

ClusterMeasurement iterated_here(const Platform& platform, const Case& what, const std::vector<SimulatedLoad>& loads,
                                 int iterations) {
  ClusterMeasurement m;
  m.what = what;
  m.processes = static_cast<int>(loads.size());
  m.seconds = m.low_s = m.high_s = rows_iteration_seconds(platform.links, platform.cores_per_host, loads, iterations);
  for (const SimulatedLoad& load : loads) m.core_s = std::max(m.core_s, load.pack_s + load.own_s + load.remote_s);
  m.batches = 1;
  return m;
}
}  // namespace

Simulation simulate_matrix(const Matrix& whole, const MeasureOptions& options, const SimulateOptions& asked) {
  const int processes = options.launch.processes;
  for (const Case& c : options.cases) require_admissible(c.scheme, processes);
  const Matrix matrix = padded_square(whole);
  const Platform platform = read_platform(options.launch.platform);
  SimulateOptions how = asked;
  how.ranks_per_node = platform.cores_per_host;
  if (platform.memory_bandwidth > 0 && how.node.bandwidth.empty()) how.node = node_on(platform, known_node(1, 0.5));
  const base::TemporaryFolder folder(job_place(options.scratch));
  simulation_command(options.launch.platform, processes, folder.path());  // refuses too many processes before the work
  const bool rows_too =
      std::ranges::any_of(options.cases, [](const Case& c) { return c.scheme != Scheme::two_d_uniform; });
  const Placement placement = place(matrix, processes, options.seed, rows_too);

  // Before minutes are spent on timing its blocks.
  std::vector<Case> cases = options.cases;
  const auto of_rows = [](const Case& c) { return c.scheme == Scheme::local_rows; };
  bool crowded = std::ranges::any_of(cases, of_rows) && messages_of(matrix, placement) > most_messages_at_once;
  if (crowded && !platform.links.known()) {
    if (!std::ranges::all_of(cases, of_rows)) std::erase_if(cases, of_rows);
    crowded = false;
  }

  Simulation simulation;
  simulation.cases.resize(cases.size());
  std::vector<std::size_t> by_ranks;  // cases that the rank program runs
  for (const Scheme scheme : all_schemes()) {
    std::vector<LocalFormat> formats;
    for (const Case& c : cases)
      if (c.scheme == scheme) formats.push_back(c.format);
    if (formats.empty()) continue;
    RankTiming timing(matrix, scheme, placement, formats, how);
    const auto& loads = timing.loads();
    std::ranges::move(timing.kept_blocks(), std::back_inserter(simulation.blocks));
    if (how.kept_blocks > 0)
      simulation.features.push_back(scheme_features(matrix, scheme, placement, how.caches, platform.cores_per_host));
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (cases[k].scheme != scheme) continue;
      const std::vector<SimulatedLoad>& ranks = loads.at(cases[k].format);
      if (crowded && of_rows(cases[k])) {
        simulation.cases[k] = iterated_here(platform, cases[k], ranks, options.iterations);
        continue;
      }
      std::string lines;
      for (const SimulatedLoad& load : ranks) lines += to_line(load);
      base::write_file_atomically(folder.path() / fmt::format("loads-{}.txt", by_ranks.size()), lines,
                                  {.what = "ranks' loads"});
      by_ranks.push_back(k);
    }
  }

  if (!by_ranks.empty()) {
    Job job;
    job.task = Task::simulate;
    for (const std::size_t k : by_ranks) job.cases.push_back(cases[k]);
    job.iterations = options.iterations;
    const auto outcome = nlohmann::json::parse(run_ranks(options.launch, job, folder.path()));
    for (std::size_t k = 0; k < by_ranks.size(); ++k)
      simulation.cases[by_ranks[k]] = measurement_of(outcome.at("cases").at(k), job.cases[k], processes);
  }
  for (ClusterMeasurement& m : simulation.cases) {
    m.nodes = platform.nodes(processes);
    m.source = simulated_origin(platform.name);
  }
  return simulation;
}
}  // namespace sparsecast::cluster
