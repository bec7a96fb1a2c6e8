#pragma once
// The fields of <sparsecast/answers/generate.hpp>.

#include <sparsecast/answers/generate.hpp>

#include "fields/answers/request.hpp"
#include "fields/fields.hpp"
#include "fields/matrix_spec.hpp"

namespace sparsecast {

template <>
struct Fields<GenerateRequest> {
  static constexpr std::string_view about = "Which matrix, and where it is written.";
  static constexpr auto table = std::tuple(field<&GenerateRequest::spec>(""),
                                           field<&GenerateRequest::file>("Matrix Market; gzipped where it ends in .gz"),
                                           field<&GenerateRequest::threads>("0: default_threads()", at_least(0)));
};

template <>
struct Fields<GeneratedFile> {
  static constexpr std::string_view about = "What generate_file() answers: what was written";
  static constexpr auto table =
      std::tuple(field<&GeneratedFile::file>("Matrix Market"), field<&GeneratedFile::matrix>(""),
                 field<&GeneratedFile::kind>("of the matrix"),
                 field<&GeneratedFile::seed>("of the random numbers", between(0, 18446744073709551616.0)),
                 field<&GeneratedFile::symmetric>("one half of it stands in the file"));
};

}  // namespace sparsecast
