#pragma once
// generate: a matrix to try, written to a file. In memory it is generate() of <sparsecast/generate.hpp>.

#include <sparsecast/answers/request.hpp>
#include <sparsecast/matrix_spec.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

struct GenerateRequest {
  MatrixSpec spec = {};
  std::filesystem::path file = {};
  int threads = 0;
  Listener listener = {};
};
template <>
struct Fields<GenerateRequest> {
  static constexpr std::string_view about = "Which matrix, and where it is written.";
  static constexpr auto table = std::tuple(field<&GenerateRequest::spec>(""),
                                           field<&GenerateRequest::file>("Matrix Market; gzipped where it ends in .gz"),
                                           field<&GenerateRequest::threads>("0: default_threads()", at_least(0)));
};

struct GeneratedFile {
  std::string file = {};
  MatrixSize matrix = {};
  std::string kind = {};
  std::uint64_t seed = 1;
  bool symmetric = false;
};
template <>
struct Fields<GeneratedFile> {
  static constexpr std::string_view about = "sparsecast generate --json: what was written";
  static constexpr auto table =
      std::tuple(field<&GeneratedFile::file>("Matrix Market"), field<&GeneratedFile::matrix>(""),
                 field<&GeneratedFile::kind>("of the matrix"),
                 field<&GeneratedFile::seed>("of the random numbers", between(0, 18446744073709551616.0)),
                 field<&GeneratedFile::symmetric>("one half of it stands in the file"));
};

/// Errors of generate(); failed where the file cannot be written. Thread safety: safe from several threads at once,
/// into different files.
GeneratedFile generate_file(const GenerateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop
