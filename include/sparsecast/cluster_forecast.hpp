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

/// How x ← A·x is distributed over P processes (Hossain & Saule, section II).
enum class Scheme {
  two_d_uniform,  ///< "2du": random permutation, grid of blocks; reduce along rows, broadcast down columns
  global_rows,    ///< "g1dr": rows by METIS part; every process keeps all of x; allgatherv
  local_rows,     ///< "l1dr": rows by METIS part; a process keeps the parts of x that it uses; point-to-point messages
};
/// How each process stores its block.
enum class LocalFormat { csr, coo };

/// Forecast of one iteration of two processes in one state of their cores: with a common last-level cache, or apart.
/// The time of the hand-over of a cache line tells the states apart. A hypervisor may move its guests from one state to
/// the other within seconds.
struct StateForecast {
  double handover_s = 0;         ///< time from a store on one core until the other core sees it
  double seconds = 0;            ///< forecast time of one iteration
  double low_s = 0, high_s = 0;  ///< 90 % interval in this state
};
/// Measured time of one iteration of two processes in one state of their cores.
struct StateTime {
  double handover_s = 0;  ///< time from a store on one core until the other core sees it
  double seconds = 0;     ///< measured time of one iteration
  int batches = 1;        ///< number of batches that were timed in this state
};

/// Forecast of one iteration in one scheme and format on a number of processes.
struct ClusterForecast {
  Scheme scheme = Scheme::local_rows;     ///< how the product is distributed
  LocalFormat format = LocalFormat::csr;  ///< storage format of each process's block: csr or coo
  std::string model;  ///< model that made the forecast: sparsecast, microbench, svr, linear, described
  int processes = 1;
  int nodes = 1;                           ///< number of nodes that the processes fill
  double seconds = 0;                      ///< time of one iteration on the slowest process
  double core_s = 0, communication_s = 0;  ///< parts of seconds; a regression over the whole time has no parts (both 0)
  bool extrapolated = false;               ///< true: the profile was not calibrated at this process count
  double low_s = 0, high_s = 0;            ///< 90 % interval
  Tier tier = Tier::measured;              ///< basis of the forecast: measured, simulated, data sheet
  /// Part of communication_s that does not depend on the bytes; 0: not known. Documents do not contain it.
  double latency_s = 0;
  std::optional<double> vectors_s = {},
                        reductions_s = {};  ///< with a solver: time of an iteration's vector operations and reductions
  /// Both states of two processes, if the profile was measured in both: cores with a common cache, and cores apart.
  /// Then `seconds` is the time in the state that the request named, otherwise in the present one. The interval covers
  /// both states unless the request named one.
  std::vector<StateForecast> states = {};
};

/// One point of the scaling curve: the best format of a scheme on a number of processes.
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

/// The number of processes beyond which more of them do not help, and why.
struct ScalingEnd {
  int processes = 1, nodes = 1;
  /// false: the largest count that was requested and calibrated is still more than 10 % faster than any other
  bool seen = false;
  std::string reason;  ///< "messages", "latency", "products"; empty where the model has no parts or no end was seen
  std::string text;    ///< the result as a sentence
};

}  // namespace sparsecast::cluster
#pragma GCC visibility pop
