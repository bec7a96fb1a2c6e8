#pragma once
// Names that PTX does not keep: of a kernel in its source, and of its parameters.

#include <string>
#include <vector>

namespace sparsecast::gpu_code {
/// Names of a kernel's parameters from CUDA C++ or OpenCL C source; empty where it is not found.
[[nodiscard]] std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel);

/// The name that stands in the source of a function that is called `symbol` in the binary: "_Z1kPf" is k.
[[nodiscard]] std::string source_name(const std::string& symbol);
/// The same with its namespaces and template arguments, without blanks: space::k<float,4>.
[[nodiscard]] std::string qualified_name(const std::string& symbol);
[[nodiscard]] std::string without_blanks(std::string text);
}  // namespace sparsecast::gpu_code
