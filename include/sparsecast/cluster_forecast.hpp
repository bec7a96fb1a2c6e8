#pragma once
// Forecasts of iterated products on a cluster: the scheme, the format, the number of processes, and what each takes.
//
// Thread safety: values.

#include <optional>
#include <sparsecast/tier.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast::cluster {

/// How x ← A·x is shared out over P processes (Hossain & Saule, section II).
enum class Scheme {
  two_d_uniform,  ///< "2du": randomly permuted, a grid of blocks, reduce along rows, broadcast down columns
  global_rows,    ///< "g1dr": rows by METIS part, every process keeps all of x, allgatherv
  local_rows,     ///< "l1dr": rows by METIS part, x where it is used, point-to-point messages
};
/// How each process stores its block.
enum class LocalFormat { csr, coo };

/// One iteration while two processes' cores hand over a cache line in about so many seconds: cores with a last-level
/// cache in common, or apart. A host may move its guests from one to the other within seconds.
struct StateForecast {
  double handover_s = 0;  ///< from a store of one core to the other that sees it
  double seconds = 0;
  double low_s = 0, high_s = 0;  ///< 90 % interval in this state
};
/// The same as it ran.
struct StateTime {
  double handover_s = 0;
  double seconds = 0;
  int batches = 1;  ///< that were timed in this state
};

/// One iteration in one scheme and format on so many processes.
struct ClusterForecast {
  Scheme scheme = Scheme::local_rows;     ///< how the product is shared out
  LocalFormat format = LocalFormat::csr;  ///< storage format of each process's block: csr or coo
  std::string model;  ///< model that made the forecast: sparsecast, microbench, svr, linear, described
  int processes = 1;
  int nodes = 1;                           ///< that the processes fill
  double seconds = 0;                      ///< time of one iteration on the slowest process
  double core_s = 0, communication_s = 0;  ///< parts of seconds; a regression over the whole time has no parts (both 0)
  bool extrapolated = false;               ///< true: the profile was not calibrated at this process count
  double low_s = 0, high_s = 0;            ///< 90 % interval
  Tier tier = Tier::measured;              ///< basis of the forecast: measured, simulated, data sheet
  /// Part of communication_s that does not depend on the bytes; 0 where it is not known; in no document.
  double latency_s = 0;
  std::optional<double> vectors_s = {},
                        reductions_s = {};  ///< with a solver: what an iteration takes beside its products
  /// Of two processes where the profile met both: cores with a common cache, cores apart. Then `seconds` are those of
  /// the state that was told or holds now, and the interval holds both unless it was told.
  std::vector<StateForecast> states = {};
};

/// One point of the picture: the best format of a scheme on so many processes.
struct ScalingPoint {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
  int processes = 1;
  double seconds = 0;  ///< time of one iteration
  /// Seconds of the fastest forecast on the fewest processes · that count / (seconds · processes).
  double efficiency = 0;
  int nodes = 1;
  bool extrapolated = false;  ///< true: the profile was not calibrated at this process count
};

/// Where more processes stop to help, and why.
struct ScalingEnd {
  int processes = 1, nodes = 1;
  /// false: of the counts asked for and calibrated the largest is still more than 10 % faster than any other
  bool seen = false;
  std::string reason;  ///< "messages", "latency", "products"; empty where the model has no parts or no end was seen
  std::string text;    ///< the result as a sentence
};

}  // namespace sparsecast::cluster
#pragma GCC visibility pop
