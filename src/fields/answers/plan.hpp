#pragma once
// The fields of <sparsecast/answers/plan.hpp>.

#include <sparsecast/answers/plan.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/plan.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<PlanRequest> {
  static constexpr std::string_view about = "What is planned, and for what.";
  static constexpr auto table =
      std::tuple(field<&PlanRequest::matrix>("matrix files or ss:GROUP/NAME"),
                 field<&PlanRequest::device>("host, opencl:N, cuda:N"),
                 field<&PlanRequest::profile>("a profile file instead of a device's own measurements"),
                 field<&PlanRequest::precision>("of the vectors"),
                 field<&PlanRequest::threads>("of the host; 0: all", at_least(0)),
                 field<&PlanRequest::strategy>("").in_its_place(),
                 field<&PlanRequest::trials>("candidates measured before one is taken: none, auto or a number"),
                 field<&PlanRequest::no_store>("neither use nor keep what was measured on this matrix before"));
};

}  // namespace sparsecast
