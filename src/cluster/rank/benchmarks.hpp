#pragma once
// What rank 0 answers when the ranks time message patterns.

#include <nlohmann/json_fwd.hpp>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"
#include "cluster/rank/job_folder.hpp"

namespace sparsecast::cluster {

/// OSU-style micro-benchmarks of every message pattern that the three schemes use.
/// The outcome document is rank 0's.
nlohmann::ordered_json run_benchmarks(const Communicator& ranks, JobFolder& folder, const Job& job);

}  // namespace sparsecast::cluster
