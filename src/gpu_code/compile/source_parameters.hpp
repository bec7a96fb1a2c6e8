#pragma once
// Names that PTX does not keep: of a kernel in its source, and of its parameters.

#include "fields/wording.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "sparsecast/error.hpp"

namespace sparsecast::gpu_code {
// Macros from outside (--define, the defines of a tuning table) for a compiler. They reach it as a header of our own,
// never on its command line: nvcc hands its arguments to a shell, which would run what stands in $( ) or backticks.
//
// NAME=VALUE, or NAME alone for 1. A name is a C identifier that the preprocessor leaves to users. A value is made of
// letters, digits, blanks and _ . , + - * / % & | ^ ~ ! < > = ? : ( ) [ ] { }: numbers, names, types and expressions.
// Anything else (quotes, $, #, backslash, line breaks), comments, ?? and %: are refused.

/// Error usage unless `define` is as above; `origin`, what it was given as, opens its reason.
void check_define(const std::string& define, const wording::Text& origin);
/// One #define a line, in the order given. Error usage as above.
[[nodiscard]] std::string defines_header(const std::vector<std::string>& defines);

/// Names of a kernel's parameters from CUDA C++ or OpenCL C source; empty where it is not found.
[[nodiscard]] std::vector<std::string> parameter_names(const std::string& source, const std::string& kernel);

/// The name that stands in the source of a function that is called `symbol` in the binary: "_Z1kPf" is k.
[[nodiscard]] std::string source_name(const std::string& symbol);

// Kernels written in OpenCL and read as CUDA C++ through a header (CLTune's and CLBlast's do so): OpenCL's wide vector
// types, which CUDA does not have, are plain structures there, and a compiler may not load them as vectors.

struct OpenclVectorType {
  std::string name;  ///< float8 …
  int bytes = 0;     ///< its size, and so its alignment (OpenCL C specification, Alignment of Types)
};
/// The vector types of 8 and 16 elements that a source with OpenCL's keyword `__kernel` declares as structures.
[[nodiscard]] std::vector<OpenclVectorType> opencl_vector_structures(const std::string& source);
/// NAME=VALUE for the compiler's -D that gives such a type OpenCL's alignment.
[[nodiscard]] std::string aligned_definition(const OpenclVectorType& type);

// Why a compiler refuses a source: the first error among its messages, at the place in the user's own file.

/// What the source's folder is called where compilers run.
constexpr const char* linked_folder = "beside";

/// FILE(LINE): TEXT or FILE:LINE:COLUMN: TEXT; without a line where it is neither.
struct CompilerMessage {
  Place place;
  std::string text;
};
/// The digits that end before `end`, which goes to their first; 0 and `end` unchanged where there are none.
[[nodiscard]] std::int64_t number_before(std::string_view text, std::size_t& end);
[[nodiscard]] CompilerMessage parse_message(const std::string& line);

[[noreturn]] void refuse_source(const std::filesystem::path& source, const std::vector<std::string>& defines,
                                const std::string& compiler, const ToolFolder& folder);
}  // namespace sparsecast::gpu_code
