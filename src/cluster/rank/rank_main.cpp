// sparsecast-rank JOB-FOLDER: what the launcher starts on every process. The folder's job.json says what to do; the
// answer goes to outcome.json there. Every failure that all ranks can agree on ends all of them with the same status
// and one line from rank 0; any other ends all ranks at once (MPI_Abort).

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/guard/parse_json.hpp"
#include "cluster/rank/measurement.hpp"
#include "cluster/rank/message_benchmarks.hpp"
#include "cluster/rank/rank_simulation.hpp"

namespace {
using namespace sparsecast;
using namespace sparsecast::cluster;

nlohmann::ordered_json perform(const Communicator& ranks, JobFolder& folder) {
  std::string text;
  ranks.agreed([&] {
    if (ranks.rank() == 0) text = folder.read("job.json");
  });
  const Job job = parse_job(ranks.broadcast(std::move(text)), folder.file("job.json").string());
  if (job.task == Task::benchmark) return run_benchmarks(ranks, folder, job);
  ranks.agreed([&] {
    for (const Case& c : job.cases) require_admissible(c.scheme, ranks.size());
  });
  return job.task == Task::measure ? run_measurement(ranks, folder, job) : run_simulation(ranks, folder, job);
}

int run(const Communicator& ranks, const char* path) {
  JobFolder folder(path, ranks.rank());
  nlohmann::ordered_json outcome = nlohmann::ordered_json::object();
  int status = 0;
  try {
    outcome = perform(ranks, folder);
  } catch (const Error& error) {
    status = exit_status(error.code());
    outcome["error"] = error_json(error);
    if (ranks.rank() == 0) std::fprintf(stderr, "sparsecast-rank: %s\n", error.what());
  }
  outcome["processes"] = ranks.size();
  if (ranks.rank() == 0) folder.write("outcome.json", base::json_text(outcome));
  return status;
}
}  // namespace

int main(int argc, char** argv) {
  int given = MPI_THREAD_SINGLE;  // threads of a product never call MPI
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  int status = 0, rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2) {
    if (rank == 0) std::fprintf(stderr, "usage: sparsecast-rank JOB-FOLDER (started by `sparsecast cluster`)\n");
    status = exit_status(ErrorCode::usage);
  } else {
    try {
      status = run(Communicator(MPI_COMM_WORLD), argv[1]);
    } catch (const std::exception& error) {  // this rank alone: the others would wait for it for ever
      std::fprintf(stderr, "sparsecast-rank: rank %d: %s\n", rank, error.what());
      MPI_Abort(MPI_COMM_WORLD, exit_status(ErrorCode::failed));
    }
  }
  MPI_Finalize();
  return status;
}
