#pragma once
// info: everything that a forecast may know of a matrix.

#include <sparsecast/answers/request.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

struct InfoRequest {
  MatrixInput matrix = {};
  int threads = 0;
  Listener listener = {};
};
template <>
struct Fields<InfoRequest> {
  static constexpr std::string_view about = "Which matrix.";
  static constexpr auto table =
      std::tuple(field<&InfoRequest::matrix>(""), field<&InfoRequest::threads>("0: default_threads()", at_least(0)));
};

struct MatrixInfo {
  MatrixSize matrix = {};
  Structure structure = {};
};
template <>
struct Fields<MatrixInfo> {
  static constexpr std::string_view about = "sparsecast info --json: the structure of a matrix";
  static constexpr auto table =
      std::tuple(field<&MatrixInfo::matrix>(""), field<&MatrixInfo::structure>("what forecasts rest on"));
};

/// analyze(), of a matrix wherever it is. Errors of reading it. Thread safety: safe from several threads at once.
[[nodiscard]] MatrixInfo info(const InfoRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
