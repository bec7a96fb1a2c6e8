#pragma once
// Task "simulate": every case with local products that only take the time that loads-K.txt gives.

#include <nlohmann/json_fwd.hpp>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"
#include "cluster/rank/job_folder.hpp"

namespace sparsecast::cluster {
/// The outcome document is rank 0's.
nlohmann::ordered_json run_simulation(const Communicator& ranks, JobFolder& folder, const Job& job);
}  // namespace sparsecast::cluster
