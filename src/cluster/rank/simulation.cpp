// Task "simulate": the iterations and their messages as they are, the local products replaced by their measured time.

#include "cluster/rank/simulation.hpp"

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "cluster/features/simulated_load.hpp"
#include "cluster/rank/iteration.hpp"
#include "cluster/rank/timing.hpp"

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

std::vector<Neighbour> neighbours(const std::vector<Message>& messages) {
  std::vector<Neighbour> out;
  for (const Message& message : messages) out.push_back({message.rank, message.count});
  return out;
}

std::unique_ptr<Iteration> build(const Communicator& ranks, Scheme scheme, const SimulatedLoad& load) {
  const LocalProduct own = [seconds = load.own_s](std::span<const double>, std::span<double>) { pass(seconds); };
  switch (scheme) {
    case Scheme::two_d_uniform:
      return grid_iteration(ranks.handle(), grid_of(ranks.size()), load.rows, own);
    case Scheme::global_rows:
      return global_iteration(ranks.handle(), ranks.gather_to_all(load.rows), own);
    case Scheme::local_rows:
      break;
  }
  const Pack pack = [seconds = load.pack_s](std::span<const double>, std::span<double>) { pass(seconds); };
  const LocalProduct remote = [seconds = load.remote_s](std::span<const double>, std::span<double>) { pass(seconds); };
  return local_iteration(ranks.handle(), load.rows, {neighbours(load.receives), neighbours(load.sends), {}}, pack, own,
                         remote);
}

}  // namespace

ordered_json run_simulation(const Communicator& ranks, JobFolder& folder, const Job& job) {
  ordered_json outcome;
  outcome["cases"] = ordered_json::array();
  for (std::size_t c = 0; c < job.cases.size(); ++c) {
    const SimulatedLoad load = read_load(ranks, folder.file("loads-" + std::to_string(c) + ".txt"));
    const auto iteration = build(ranks, job.cases[c].scheme, load);
    const CollectiveTime time = time_collectively(
        ranks, {job.iterations, job.budget_s}, [] {},
        [&] {
          iteration->step();
          folder.alive();
        });
    outcome["cases"].push_back({{"way", to_string(job.cases[c].scheme)},
                                {"format", to_string(job.cases[c].format)},
                                {"seconds", time.seconds},
                                {"low_s", time.low_s},
                                {"high_s", time.high_s},
                                {"batches", time.batches},
                                {"core_s", ranks.max(load.pack_s + load.own_s + load.remote_s)}});
  }
  return outcome;
}

}  // namespace sparsecast::cluster
