#pragma once
// Task "measure": the true iteration on the true matrix.

#include <nlohmann/json_fwd.hpp>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"
#include "cluster/rank/job_folder.hpp"

namespace sparsecast::cluster {
/// Reads the matrix in parts and runs every case: its vector after job.iterations iterations, its time, peak memory.
/// The outcome document is rank 0's.
nlohmann::ordered_json run_measurement(const Communicator& ranks, JobFolder& folder, const Job& job);
}  // namespace sparsecast::cluster
