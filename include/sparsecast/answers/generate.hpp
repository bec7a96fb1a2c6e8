#pragma once
// generate: a matrix to try, written to a file. In memory it is generate() of <sparsecast/generate.hpp>.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/matrix_spec.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The matrix to generate, and the file to write.
struct GenerateRequest {
  MatrixSpec spec = {};
  std::filesystem::path file = {};  ///< Matrix Market file; gzipped if its name ends in .gz
  int threads = 0;                  ///< host threads; 0: default_threads()
  Listener listener = {};
};

/// The matrix that was written.
struct GeneratedFile {
  std::string file = {};  ///< as the request named it
  MatrixSize matrix = {};
  std::string kind = {};   ///< as generator_kinds() lists it
  std::uint64_t seed = 1;  ///< seed of the random numbers
  bool symmetric = false;  ///< true: the file holds only one half of the matrix
};

/// Errors of generate(); failed where the file cannot be written. Thread safety: safe from several threads at once,
/// into different files.
GeneratedFile generate_file(const GenerateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
