#pragma once
// info: everything that a forecast may know of a matrix.

#include <sparsecast/answers/request.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The matrix to describe.
struct InfoRequest {
  MatrixInput matrix = {};
  int threads = 0;  ///< host threads; 0: default_threads()
  Listener listener = {};
};

/// A matrix, and what forecasts of it rest on.
struct MatrixInfo {
  MatrixSize matrix = {};
  Structure structure = {};  ///< what forecasts are based on
};

/// analyze(), of a matrix wherever it is. Errors of reading it. Thread safety: safe from several threads at once.
[[nodiscard]] MatrixInfo info(const InfoRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
