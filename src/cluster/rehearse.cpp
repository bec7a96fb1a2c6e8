#include "cluster/rehearse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "cluster/platform.hpp"

namespace sparsecast::cluster {
namespace {

// SimGrid shares the network anew among all messages under way whenever one begins or ends: its time grows with the
// square of their number. Beyond so many in one step l1dr is rehearsed only where it is
// asked for alone.
constexpr std::int64_t most_messages_beside_others = 3000;

// Messages of one step of l1dr.
std::int64_t messages_of(const Matrix& matrix, const Placement& placement) {
  return matrix.visit([&](const auto& csr) {
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

// The loads of all ranks for every format, with one building of the blocks.
std::map<LocalFormat, std::vector<RehearsalLoad>> timed_loads(const Matrix& matrix, Way way, const Placement& placement,
                                                              const std::vector<LocalFormat>& formats,
                                                              const RehearseOptions& how,
                                                              std::vector<TimedBlock>& blocks) {
  const auto size = static_cast<std::size_t>(placement.processes);
  std::map<LocalFormat, std::vector<RehearsalLoad>> loads;
  for (const LocalFormat format : formats) loads[format].resize(size);
  const bool sampled = way == Way::two_d_uniform && placement.processes > how.most_timed_blocks;
  const int every = sampled ? (placement.processes + how.most_timed_blocks - 1) / how.most_timed_blocks : 1;
  const std::size_t first_block = blocks.size();
  for (int pass = 0; pass < how.passes; ++pass) {
    std::size_t next_block = first_block;
    for_each_part(matrix, way, placement, [&](const RankPart& part) {
      const bool kept = how.kept_blocks > 0 && part.rank % std::max(1, placement.processes / how.kept_blocks) == 0;
      const auto time = [&](const CsrBlock& csr, LocalFormat format, bool add, double& least) {
        const double seconds = product_seconds(LocalBlock(csr, format), csr.rows, csr.columns, add, how.timing);
        least = pass == 0 ? seconds : std::min(least, seconds);
        if (!kept || seconds <= 0) return;
        if (pass == 0) blocks.push_back({format, block_features(csr, how.caches), 0});
        blocks[next_block++].seconds = least;
      };
      for (auto& [format, ranks] : loads) {
        RehearsalLoad& load = ranks[static_cast<std::size_t>(part.rank)];
        load.rows = part.rows;
        if (part.rank % every == 0)
          time(part.own, format, false, load.own_s);
        else
          load.own_s = ranks[static_cast<std::size_t>(part.rank / every * every)].own_s;
        if (way != Way::local_rows) continue;
        time(part.remote, format, true, load.remote_s);
        if (pass > 0) continue;
        load.receives = part.receives;
        for (const Message& message : part.receives)
          ranks[static_cast<std::size_t>(message.rank)].sends.push_back({part.rank, message.count});
      }
    });
  }
  for (auto& [format, ranks] : loads)
    for (RehearsalLoad& load : ranks) {
      std::int64_t sent = 0;
      for (const Message& message : load.sends) sent += message.count;
      load.pack_s = pack_seconds(load.rows, sent, how.timing);
    }
  return loads;
}

}  // namespace

Rehearsal rehearse_matrix(const Matrix& matrix, const MeasureOptions& options, const RehearseOptions& how) {
  const int processes = options.launch.processes;
  for (const Case& c : options.cases) require_admissible(c.way, processes);
  if (matrix.rows() != matrix.cols()) throw Error(ErrorCode::usage, "x ← A·x needs a square matrix", {matrix.name()});
  const Platform platform = read_platform(options.launch.platform);
  const JobFolderOwner folder(options.scratch);
  rehearsal_command(options.launch.platform, processes, folder.path());  // refuses too many processes before the work
  const bool rows_too = std::ranges::any_of(options.cases, [](const Case& c) { return c.way != Way::two_d_uniform; });
  const Placement placement = place(matrix, processes, options.seed, rows_too);

  // Before minutes are spent on timing its blocks.
  std::vector<Case> cases = options.cases;
  const bool l1dr_alone = std::ranges::all_of(cases, [](const Case& c) { return c.way == Way::local_rows; });
  if (rows_too && !l1dr_alone && messages_of(matrix, placement) > most_messages_beside_others)
    std::erase_if(cases, [](const Case& c) { return c.way == Way::local_rows; });

  Rehearsal rehearsal;
  for (const Way way : all_ways()) {
    std::vector<LocalFormat> formats;
    for (const Case& c : cases)
      if (c.way == way) formats.push_back(c.format);
    if (formats.empty()) continue;
    auto loads = timed_loads(matrix, way, placement, formats, how, rehearsal.blocks);
    if (how.kept_blocks > 0)
      rehearsal.features.push_back(way_features(matrix, way, placement, how.caches, platform.cores_per_host));
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (cases[k].way != way) continue;
      std::ofstream stream(folder.path() / fmt::format("loads-{}.txt", k));
      for (const RehearsalLoad& load : loads[cases[k].format]) stream << to_line(load);
    }
  }

  Job job;
  job.task = Task::rehearse;
  job.cases = cases;
  job.iterations = options.iterations;
  const auto outcome = nlohmann::json::parse(run_ranks(options.launch, job, folder.path()));
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto& answer = outcome.at("cases").at(k);
    ClusterMeasurement m;
    m.what = cases[k];
    m.processes = processes;
    m.nodes = platform.nodes(processes);
    m.seconds = answer.at("seconds");
    m.low_s = answer.at("low_s");
    m.high_s = answer.at("high_s");
    m.core_s = answer.at("core_s");
    m.batches = answer.at("batches");
    m.source = "simulated:" + platform.name;
    rehearsal.cases.push_back(std::move(m));
  }
  return rehearsal;
}

}  // namespace sparsecast::cluster
