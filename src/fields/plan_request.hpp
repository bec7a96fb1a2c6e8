#pragma once
// The fields of <sparsecast/plan_request.hpp>.

#include <sparsecast/plan_request.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<StrategyOptions> {
  static constexpr std::string_view about = "What is searched for.";
  static constexpr auto table = std::tuple(
      field<&StrategyOptions::strip_rows>("rows of a strip; 0: as many as the device handles at once, or a multiple",
                                          at_least(0)),
      field<&StrategyOptions::iterations>("minimise conversion + so many products; 0: the product alone", at_least(0)),
      field<&StrategyOptions::max_blocks>("at most so many blocks; 0: any number", at_least(0)),
      field<&StrategyOptions::kernels>("blocks and single kernels of these alone, separated by commas"),
      field<&StrategyOptions::always_cut>("take the best cut even if its gain is within the forecast's uncertainty"),
      field<&StrategyOptions::vectors>("multiplied at once", at_least(1)),
      field<&StrategyOptions::transposed>("Aᵀ·x instead of A·x"));
};

template <>
struct Fields<PlanRequest> {
  static constexpr std::string_view about = "Which matrix is planned, and for what.";
  static constexpr auto table = std::tuple(
      field<&PlanRequest::matrix>(""), field<&PlanRequest::device>("host, opencl:N, cuda:N or a profile's name"),
      field<&PlanRequest::profile>("a profile file instead of a device's own measurements"),
      field<&PlanRequest::model>("forecast blocks by this model; a paper's is followed wherever it promises a gain"),
      field<&PlanRequest::strategy>("").in_its_place(),
      field<&PlanRequest::trials>("measure candidates before the choice: so many, or auto: those that may still "
                                  "win more than trying them costs"),
      field<&PlanRequest::products>("what is multiplied in turns, and how often: A=1,A.T=1"),
      field<&PlanRequest::precision>(""),
      field<&PlanRequest::threads>("of the host, at most so many; 0: all that the process may use", at_least(0)),
      field<&PlanRequest::powers>("powers of a square matrix that are computed together: Ax to A^kx", at_least(0)),
      field<&PlanRequest::kernel>("this kernel for the whole matrix on the host, without a forecast"),
      field<&PlanRequest::no_store>("do not use or store measurements of this matrix"));
};

}  // namespace sparsecast
