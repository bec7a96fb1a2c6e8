#pragma once
// The fields of <sparsecast/answers/generate.hpp>.

#include <sparsecast/answers/generate.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/matrix_spec.hpp"

namespace sparsecast {

template <>
struct Fields<GenerateRequest> {
  static constexpr std::string_view about = "Which matrix to generate, and where to write it.";
  static constexpr auto table =
      std::tuple(field<&GenerateRequest::spec>(""),
                 field<&GenerateRequest::file>("Matrix Market file; gzipped if its name ends in .gz"),
                 field<&GenerateRequest::threads>("host threads; 0: default_threads()", host_threads));
};

template <>
struct Fields<GeneratedFile> {
  static constexpr std::string_view about = "Result of generate_file(): what was written";
  static constexpr auto table =
      std::tuple(field<&GeneratedFile::file>("Matrix Market file"), field<&GeneratedFile::matrix>(""),
                 field<&GeneratedFile::kind>("kind of the matrix"),
                 field<&GeneratedFile::seed>("seed of the random numbers", between(0, 18446744073709551616.0)),
                 field<&GeneratedFile::symmetric>("true: the file holds only one half of the matrix"));
};

}  // namespace sparsecast
