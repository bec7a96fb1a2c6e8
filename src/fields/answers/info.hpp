#pragma once
// The fields of <sparsecast/answers/info.hpp>.

#include <sparsecast/answers/info.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/structure.hpp"

namespace sparsecast {

template <>
struct Fields<InfoRequest> {
  static constexpr std::string_view about = "Which matrix.";
  static constexpr auto table =
      std::tuple(field<&InfoRequest::matrix>(""), field<&InfoRequest::threads>("0: default_threads()", at_least(0)));
};

template <>
struct Fields<MatrixInfo> {
  static constexpr std::string_view about = "What info() answers: the structure of a matrix";
  static constexpr auto table =
      std::tuple(field<&MatrixInfo::matrix>(""), field<&MatrixInfo::structure>("what forecasts rest on"));
};

}  // namespace sparsecast
