#include "cluster/rank/rank_simulation.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cluster/features/simulated_load.hpp"
#include "cluster/rank/collective_timing.hpp"
#include "cluster/rank/iteration.hpp"

#ifdef SPARSECAST_SIMULATION
#include <smpi/smpi.h>
#endif

namespace sparsecast::cluster {
namespace {
using nlohmann::ordered_json;

// Lets time pass: on the simulated clock, or, under a real MPI, on the real one.
void pass(double seconds) {
#ifdef SPARSECAST_SIMULATION
  if (seconds > 0) smpi_execute(seconds);
#else
  for (const double end = MPI_Wtime() + seconds; MPI_Wtime() < end;) {
  }
#endif
}

SimulatedLoad read_load(const Communicator& ranks, const std::filesystem::path& file) {
  SimulatedLoad load;
  ranks.agreed([&] {
    std::ifstream stream(file);
    std::string line;
    for (int q = 0; q <= ranks.rank() && std::getline(stream, line); ++q) {
    }
    if (!stream) throw Error(ErrorCode::bad_input, "it has no line for every rank", {file.string()});
    load = parse_load(line);
  });
  return load;
}

// Work that only takes its time.
LocalWork<double> passing(double seconds) {
  return [seconds](std::span<const double>, std::span<double>) { pass(seconds); };
}

std::unique_ptr<Iteration<double>> build(const Communicator& ranks, Scheme scheme, const SimulatedLoad& load) {
  switch (scheme) {
    case Scheme::two_d_uniform:
      return std::make_unique<GridIteration<double>>(ranks.handle(), grid_of(ranks.size()), load.rows,
                                                     passing(load.own_s));
    case Scheme::global_rows:
      return std::make_unique<GlobalIteration<double>>(ranks.handle(), ranks.gather_to_all(load.rows),
                                                       passing(load.own_s));
    case Scheme::local_rows: break;
  }
  return std::make_unique<LocalIteration<double>>(
      ranks.handle(), load.rows, HaloPlan{load.receives, load.sends, {}},
      LocalWorks<double>{passing(load.pack_s), passing(load.own_s), passing(load.remote_s)});
}
}  // namespace

ordered_json run_simulation(const Communicator& ranks, JobFolder& folder, const Job& job) {
  ordered_json outcome{{"cases", ordered_json::array()}};
  for (std::size_t c = 0; c < job.cases.size(); ++c) {
    const SimulatedLoad load = read_load(ranks, folder.file("loads-" + std::to_string(c) + ".txt"));
    const auto iteration = build(ranks, job.cases[c].scheme, load);
    const CollectiveTime time = time_collectively(
        ranks, {job.iterations, job.budget_s}, [] {},
        [&] {
          iteration->step();
          folder.alive();
        });
    outcome["cases"].push_back(answer_of(job.cases[c], time, ranks.max(load.pack_s + load.own_s + load.remote_s)));
  }
  return outcome;
}
}  // namespace sparsecast::cluster
