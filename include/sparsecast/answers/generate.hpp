#pragma once
// generate: a matrix to try, written to a file. In memory it is generate() of <sparsecast/generate.hpp>.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/matrix_spec.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Which matrix, and where it is written.
struct GenerateRequest {
  MatrixSpec spec = {};
  std::filesystem::path file = {};  ///< Matrix Market; gzipped where its name ends in .gz
  int threads = 0;                  ///< 0: default_threads()
  Listener listener = {};
};

/// The matrix that was written.
struct GeneratedFile {
  std::string file = {};  ///< as the request named it
  MatrixSize matrix = {};
  std::string kind = {};   ///< as generator_kinds() lists it
  std::uint64_t seed = 1;  ///< of the random numbers
  bool symmetric = false;  ///< only one half of it stands in the file
};

/// Errors of generate(); failed where the file cannot be written. Thread safety: safe from several threads at once,
/// into different files.
GeneratedFile generate_file(const GenerateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
