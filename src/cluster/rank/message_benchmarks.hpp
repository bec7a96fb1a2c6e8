#pragma once
// Task "benchmark": micro-benchmarks, in the manner of OSU's, of every message pattern that the three schemes use.

#include <nlohmann/json_fwd.hpp>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"
#include "cluster/rank/job_folder.hpp"

namespace sparsecast::cluster {
/// What every pattern takes, as rank 0 answers it, and whether the job's limit left sizes out (`cut`).
nlohmann::ordered_json run_benchmarks(const Communicator& ranks, JobFolder& folder, const Job& job);
}  // namespace sparsecast::cluster
