#pragma once
// What rank 0 answers when the ranks measure, how collective work is timed, and where the answers go.

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cluster/launch/job.hpp"
#include "cluster/rank/communicator.hpp"

namespace sparsecast::cluster {
#ifdef SPARSECAST_SIMULATION
inline constexpr bool simulated = true;
#else
inline constexpr bool simulated = false;
#endif

// Rank 0's side of the job folder (cluster/launch/job.hpp lists its files). Every write goes to a file beside and is
// renamed, so that the command never sees half a document.

class JobFolder {
 public:
  JobFolder(std::filesystem::path folder, int rank) : folder_(std::move(folder)), rank_(rank) {}
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  /// The text of a file; Error bad_input where it cannot be read.
  [[nodiscard]] std::string read(const std::string& name) const;
  void write(const std::string& name, std::string_view text) const;
  /// Tells the watchdog, at most twice a second and on rank 0 only, that work goes on.
  void alive();

 private:
  std::filesystem::path folder_;
  int rank_;
  double last_ = 0;
};

// Timing of collective work: batches between barriers, the slowest rank of each batch, the half-sample mode of the
// batches (calibration/timing.hpp says why), because on a busy machine most batches are disturbed and all in one
// direction.

struct CollectiveTime {
  double seconds = 0;            ///< per repetition: half-sample mode of the batches
  double low_s = 0, high_s = 0;  ///< 5th and 95th percentile of the batches
  int batches = 0;
};

struct TimingOptions {
  int repetitions = 10;   ///< per batch
  double budget_s = 1;    ///< stop after this long …
  int least_batches = 5;  ///< … but not before so many
  int most_batches = 200;
};

/// Collective. `prepare` runs before every batch and is not timed; the first batch is a warm-up and not counted unless
/// it is the only one. In a simulation there is one batch, since every one takes the same simulated time.
CollectiveTime time_collectively(const Communicator& ranks, const TimingOptions& options,
                                 const std::function<void()>& prepare, const std::function<void()>& repetition);

/// What rank 0 answers of a case.
nlohmann::ordered_json answer_of(const Case& what, const CollectiveTime& time, double core_s);

/// Reads the matrix in parts and runs every case: its vector after job.iterations iterations, its time, peak memory.
/// The outcome document is rank 0's.
nlohmann::ordered_json run_measurement(const Communicator& ranks, JobFolder& folder, const Job& job);
}  // namespace sparsecast::cluster
