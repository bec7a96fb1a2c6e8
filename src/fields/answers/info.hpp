#pragma once
// The fields of <sparsecast/answers/info.hpp>.

#include <sparsecast/answers/info.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/structure.hpp"

namespace sparsecast {

template <>
struct Fields<InfoRequest> {
  static constexpr std::string_view about = "Which matrix to describe.";
  static constexpr auto table =
      std::tuple(field<&InfoRequest::matrix>(""),
                 field<&InfoRequest::threads>("host threads; 0: default_threads()", host_threads));
};

template <>
struct Fields<MatrixInfo> {
  static constexpr std::string_view about = "Result of info(): the structure of a matrix";
  static constexpr auto table =
      std::tuple(field<&MatrixInfo::matrix>(""), field<&MatrixInfo::structure>("what forecasts are based on"));
};

}  // namespace sparsecast
