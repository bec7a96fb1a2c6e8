#pragma once
// The examples in the text that users read, as they stand there: in the comments of the public headers and in the
// library part of the README.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::test {

struct Example {
  std::string name;  ///< "plan_1": the first of plan.hpp
  std::string code;
  [[nodiscard]] bool is_program() const { return code.find("int main(") != std::string::npos; }
};

/// Code in a header: comment lines that are indented by three spaces or more and begin after an empty one, and the
/// empty ones between them. (A list's further lines are indented too, but follow text.)
std::vector<Example> examples_in_header(const std::string& name, std::string_view text);

/// The fenced blocks of one language between that heading of second order and the next.
std::vector<std::string> blocks_in_section(std::string_view text, std::string_view heading, std::string_view language);

/// All public headers, sorted.
std::vector<std::filesystem::path> public_headers();

}  // namespace sparsecast::test
