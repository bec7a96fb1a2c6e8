#pragma once
// The fields of <sparsecast/cluster_forecast.hpp>, and the words of its enumerations.

#include <sparsecast/cluster_forecast.hpp>

#include "fields/fields.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

template <>
struct Words<cluster::Scheme> {
  static constexpr std::array table{std::pair{cluster::Scheme::two_d_uniform, std::string_view("2du")},
                                    std::pair{cluster::Scheme::global_rows, std::string_view("g1dr")},
                                    std::pair{cluster::Scheme::local_rows, std::string_view("l1dr")}};
};

template <>
struct Words<cluster::LocalFormat> {
  static constexpr std::array table{std::pair{cluster::LocalFormat::csr, std::string_view("csr")},
                                    std::pair{cluster::LocalFormat::coo, std::string_view("coo")}};
};

template <>
struct Fields<cluster::StateForecast> {
  using S = cluster::StateForecast;
  static constexpr std::string_view about = "One iteration with the cores of two processes in one state.";
  static constexpr auto table =
      std::tuple(field<&S::handover_s>("seconds until a store of one core is seen by the other", above(0)),
                 field<&S::seconds>("time of one iteration", above(0)),
                 field<&S::low_s>("lower end of the 90 % interval", above(0)),
                 field<&S::high_s>("upper end of the 90 % interval", above(0)));
};

template <>
struct Fields<cluster::StateTime> {
  using S = cluster::StateTime;
  static constexpr std::string_view about = "One iteration as it ran with the cores of two processes in one state.";
  static constexpr auto table =
      std::tuple(field<&S::handover_s>("seconds until a store of one core is seen by the other", above(0)),
                 field<&S::seconds>("time of one iteration", above(0)),
                 field<&S::batches>("number of batches that were timed in this state", at_least(1)));
};

template <>
struct Fields<cluster::ClusterForecast> {
  using F = cluster::ClusterForecast;
  static constexpr std::string_view about = "One iteration for one scheme, format and number of processes.";
  static constexpr auto table = std::tuple(
      field<&F::scheme>("how the matrix is distributed over the processes: 2du, g1dr or l1dr").as("way"),
      field<&F::scheme>("the same, under the name that requests use"),
      field<&F::format>("storage format of each process's block: csr or coo"),
      field<&F::model>("model that made the forecast: sparsecast, microbench, svr, linear, described"),
      field<&F::processes>("", at_least(1)), field<&F::nodes>("nodes that the processes occupy", at_least(1)),
      field<&F::seconds>("time of one iteration on the slowest process", above(0)),
      field<&F::low_s>("lower end of the 90 % interval", above(0)),
      field<&F::high_s>("upper end of the 90 % interval", above(0)),
      field<&F::tier>("basis of the forecast: measured, simulated, data sheet"),
      field<&F::core_s>("time in local products; 0, like communication_s, if the model has no parts", at_least(0)),
      field<&F::communication_s>("time in messages", at_least(0)),
      field<&F::extrapolated>("true: the profile was not calibrated at this process count"),
      field<&F::vectors_s>("with a solver: time of its passes over vectors", at_least(0)).where_known(),
      field<&F::reductions_s>("with a solver: time of its sums over all processes", at_least(0)).where_known(),
      field<&F::states>("two processes, if the profile met both: times with and without a common cache").where_known());
};

template <>
struct Fields<cluster::ScalingPoint> {
  using P = cluster::ScalingPoint;
  static constexpr std::string_view about = "The best format of a scheme for one number of processes.";
  static constexpr auto table = std::tuple(
      field<&P::scheme>("").as("way"), field<&P::format>(""), field<&P::processes>("", at_least(1)),
      field<&P::nodes>("", at_least(1)), field<&P::seconds>("time of one iteration", above(0)),
      field<&P::efficiency>("parallel efficiency, relative to the fastest forecast on the fewest processes", above(0)),
      field<&P::extrapolated>("true: the profile was not calibrated at this process count"));
};

template <>
struct Fields<cluster::ScalingEnd> {
  using E = cluster::ScalingEnd;
  static constexpr std::string_view about = "Where more processes no longer help, and why.";
  static constexpr auto table = std::tuple(
      field<&E::processes>("", at_least(1)), field<&E::nodes>("", at_least(1)),
      field<&E::seen>(
          "false: the largest process count that was requested and calibrated is still more than 10 % faster"),
      field<&E::reason>("messages, latency or products; empty if not known"),
      field<&E::text>("the result as a sentence"));
};

}  // namespace sparsecast
