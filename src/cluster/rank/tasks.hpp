#pragma once
// What the ranks can be asked to do; each answers with the outcome document on rank 0.

#include <nlohmann/json_fwd.hpp>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"
#include "cluster/rank/job_folder.hpp"

namespace sparsecast::cluster {

/// Reads the matrix in parts and runs every case: its vector after job.iterations iterations, its time, peak memory.
nlohmann::ordered_json run_measurement(const Communicator& ranks, JobFolder& folder, const Job& job);
/// Runs every case with local products that take the time that loads-K.txt gives.
nlohmann::ordered_json run_simulation(const Communicator& ranks, JobFolder& folder, const Job& job);
/// OSU-style micro-benchmarks of every message pattern that the three schemes use.
nlohmann::ordered_json run_benchmarks(const Communicator& ranks, JobFolder& folder, const Job& job);

}  // namespace sparsecast::cluster
