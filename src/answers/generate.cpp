// generate: a matrix made from its recipe, into a file.

#include <sparsecast/answers/generate.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/write.hpp>

#include "answers/inputs.hpp"
#include "base/interrupt.hpp"

namespace sparsecast {
GeneratedFile generate_file(const GenerateRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const Matrix matrix = generate(request.spec, request.threads);
  WriteOptions writing;
  writing.symmetric = find_generator_kind(request.spec.kind)->symmetric;
  writing.threads = request.threads;
  writing.comment = "sparsecast generate: " + matrix.name();
  if (request.file.extension() == ".npz") {
    writing.symmetric = false;  // all entries
    write_npz(matrix, request.file);
  } else {
    write_matrix_market(matrix, request.file, writing);
  }
  return {request.file.string(), answers::size_of(matrix), request.spec.kind, request.spec.seed, writing.symmetric};
}
}  // namespace sparsecast
