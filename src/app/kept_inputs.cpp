#include "app/kept_inputs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

namespace sparsecast::app {
namespace {
bool is_output(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return std::ranges::any_of(names, [](const std::string& name) { return name == "output" || name == "html"; });
}

bool same_file(const std::string& one, const std::string& other) {
  std::error_code none;
  return std::filesystem::is_regular_file(other, none) && std::filesystem::equivalent(one, other, none);
}
}  // namespace

void refuse_outputs_over_inputs(const CLI::App& command) {
  std::vector<std::string> inputs, outputs;
  for (const CLI::Option* option : command.get_options()) {
    std::vector<std::string>& kind = is_output(*option) ? outputs : inputs;
    for (const std::string& word : option->results()) kind.push_back(word);
  }
  for (const std::string& output : outputs)
    for (const std::string& input : inputs)
      if (same_file(output, input))
        throw Error(ErrorCode::usage, "the output would be written over what is read from " + input, {},
                    "name another file");
  for (const CLI::App* one : command.get_subcommands()) refuse_outputs_over_inputs(*one);
}
}  // namespace sparsecast::app
