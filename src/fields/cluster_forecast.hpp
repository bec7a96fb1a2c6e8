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
  static constexpr auto table = std::tuple(
      field<&S::handover_s>("seconds from a store of one core to the other that sees it", above(0)),
      field<&S::seconds>("one iteration", above(0)), field<&S::low_s>("least of the 90 % interval", above(0)),
      field<&S::high_s>("most of the 90 % interval", above(0)));
};

template <>
struct Fields<cluster::StateTime> {
  using S = cluster::StateTime;
  static constexpr std::string_view about = "One iteration as it ran with the cores of two processes in one state.";
  static constexpr auto table = std::tuple(
      field<&S::handover_s>("seconds from a store of one core to the other that sees it", above(0)),
      field<&S::seconds>("one iteration", above(0)), field<&S::batches>("that were timed in this state", at_least(1)));
};

template <>
struct Fields<cluster::ClusterForecast> {
  using F = cluster::ClusterForecast;
  static constexpr std::string_view about = "One iteration in one scheme and format on so many processes.";
  static constexpr auto table = std::tuple(
      field<&F::scheme>("how the product is shared out").as("way"), field<&F::scheme>("the same"),
      field<&F::format>("of each process's block"),
      field<&F::model>("that says so: sparsecast, microbench, svr, linear, described"),
      field<&F::processes>("", at_least(1)), field<&F::nodes>("that they fill", at_least(1)),
      field<&F::seconds>("one iteration, slowest process", above(0)),
      field<&F::low_s>("least of the 90 % interval", above(0)),
      field<&F::high_s>("most of the 90 % interval", above(0)),
      field<&F::tier>("what it rests on: measured, simulated, data sheet"),
      field<&F::core_s>("in local products; 0, as communication_s, where the model has no parts", at_least(0)),
      field<&F::communication_s>("in messages", at_least(0)),
      field<&F::extrapolated>("the profile holds no measurement at this process count"),
      field<&F::vectors_s>("with a solver: its passes over vectors", at_least(0)).where_known(),
      field<&F::reductions_s>("with a solver: its sums over all processes", at_least(0)).where_known(),
      field<&F::states>("of two processes whose cores have a common cache, or none, where the profile met both")
          .where_known());
};

template <>
struct Fields<cluster::ScalingPoint> {
  using P = cluster::ScalingPoint;
  static constexpr std::string_view about = "The best format of a scheme on so many processes.";
  static constexpr auto table =
      std::tuple(field<&P::scheme>("").as("way"), field<&P::format>(""), field<&P::processes>("", at_least(1)),
                 field<&P::nodes>("", at_least(1)), field<&P::seconds>("one iteration", above(0)),
                 field<&P::efficiency>("beside the fastest forecast on the fewest processes", above(0)),
                 field<&P::extrapolated>("the profile holds no measurement at this process count"));
};

template <>
struct Fields<cluster::ScalingEnd> {
  using E = cluster::ScalingEnd;
  static constexpr std::string_view about = "Where more processes stop to help, and why.";
  static constexpr auto table = std::tuple(
      field<&E::processes>("", at_least(1)), field<&E::nodes>("", at_least(1)),
      field<&E::seen>("false: the largest count that was asked for and calibrated is still more than 10 % faster"),
      field<&E::reason>("messages, latency or products; empty where it is not known"), field<&E::text>("a sentence"));
};

}  // namespace sparsecast
