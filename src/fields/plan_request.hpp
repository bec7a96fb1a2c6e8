#pragma once
// The fields of <sparsecast/plan_request.hpp>.

#include <sparsecast/plan_request.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<StrategyOptions> {
  static constexpr std::string_view about = "What to search for.";
  static constexpr auto table = std::tuple(
      field<&StrategyOptions::strip_rows>("rows per strip; 0: as many as the device handles at once, or a multiple",
                                          at_least(0)),
      field<&StrategyOptions::iterations>(
          "minimise the total time of this many products, including the conversion; 0: the time of one product",
          at_least(0)),
      field<&StrategyOptions::max_blocks>("largest number of blocks; 0: no limit", at_least(0)),
      field<&StrategyOptions::kernels>("use only these kernels, in blocks and alone, separated by commas"),
      field<&StrategyOptions::always_cut>("take the best cut even if its gain is within the forecast's uncertainty"),
      field<&StrategyOptions::vectors>("number of vectors multiplied at once", at_least(1)),
      field<&StrategyOptions::transposed>("multiply by Aᵀ instead of A"));
};

template <>
struct Fields<PlanRequest> {
  static constexpr std::string_view about = "Which matrix to plan, and for what use.";
  static constexpr auto table = std::tuple(
      field<&PlanRequest::matrix>(""),
      field<&PlanRequest::device>("device: host, opencl:N, cuda:N or the name of a profile"),
      field<&PlanRequest::profile>("read the measurements from this profile file instead of the device's own profile"),
      field<&PlanRequest::model>(
          "model that forecasts the blocks; a paper's model is followed wherever it promises a gain"),
      field<&PlanRequest::strategy>("").in_its_place(),
      field<&PlanRequest::trials>("candidates to time before choosing: none, a number, or auto (those that may win "
                                  "more than trying them costs)"),
      field<&PlanRequest::products>("which products are made in turns, and how often: A=1,A.T=1"),
      field<&PlanRequest::precision>(""),
      field<&PlanRequest::threads>("largest number of host threads; 0: all that the process may use", host_threads),
      field<&PlanRequest::powers>("number of powers of a square matrix to compute together: Ax to A^kx", at_least(0)),
      field<&PlanRequest::kernel>("use this kernel for the whole matrix on the host, without a forecast"),
      field<&PlanRequest::no_store>("neither use nor store measurements of this matrix"));
};

}  // namespace sparsecast
