// info: the structure of a matrix.

#include <sparsecast/answers/info.hpp>

#include "answers/inputs.hpp"
#include "base/interrupt.hpp"

namespace sparsecast {
MatrixInfo info(const InfoRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const Structure structure = answers::structure_of(request.matrix, request.threads, request.listener);
  return {answers::size_of(structure), structure};
}
}  // namespace sparsecast
