#include "app/kept_inputs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <sparsecast/error.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "answers/inputs.hpp"
#include "base/files.hpp"

namespace sparsecast::app {
namespace {
namespace fs = std::filesystem;

bool is_one_of(const CLI::Option& option, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(option.get_lnames(),
                             [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
}
bool is_output(const CLI::Option& option) { return is_one_of(option, {"output", "html", "save"}); }
// What is continued where it exists may be read, too.
bool is_written(const CLI::Option& option) {
  return is_output(option) || is_one_of(option, {"export", "results", "cache"});
}

// As the message calls it.
std::string what_it_writes(const CLI::App& command, const CLI::Option& option) {
  if (is_one_of(option, {"html"}) || command.get_name() == "report") return "page";
  return is_one_of(option, {"save"}) ? "plan" : "file";
}

bool same_file(const fs::path& one, const fs::path& other) {
  std::error_code none;
  return fs::is_regular_file(other, none) && fs::equivalent(one, other, none);
}

/// Whether a file that exists is what an input names, or one of the matrices in a folder that it names.
bool is_read(const fs::path& output, const fs::path& input) {
  std::error_code none;
  if (!fs::is_regular_file(output, none)) return false;
  if (!fs::is_directory(input, none)) return same_file(output, input);
  for (fs::recursive_directory_iterator entry(input, none), end; !none && entry != end; entry.increment(none))
    if (answers::is_matrix_file(entry->path()) && same_file(output, entry->path())) return true;
  return false;
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
      if (is_read(output, input))
        throw Error(ErrorCode::usage, "the output would be written over what is read from " + input, {},
                    "name another file");
  for (const CLI::App* one : command.get_subcommands()) refuse_outputs_over_inputs(*one);
}

void require_places(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!is_written(*option)) continue;
    for (const std::string& output : option->results()) {
      if (output == "-" && command.get_name() == "traffic") continue;  // its standard output
      std::error_code none;
      const fs::file_status there = fs::status(output, none);
      if (!fs::exists(there) || fs::is_regular_file(there) || fs::is_directory(there))
        const base::AtomicFile tried(output,
                                     {.what = what_it_writes(command, *option)});  // unwritten, it leaves nothing
    }
  }
  for (const CLI::App* one : command.get_subcommands()) require_places(*one);
}
}  // namespace sparsecast::app
