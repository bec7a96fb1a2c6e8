// What is said of a command line that is not understood, and which words were probably meant.

#include "app/terminal/command_text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>

#include "base/nearest.hpp"

namespace sparsecast::app {
namespace {
std::string with_dot_taken(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

// Whether the command's option of that name takes whole numbers.
bool takes_whole(const CommandText& command, const std::string& name) {
  const auto named = [&](const OptionText& one) { return std::ranges::find(one.names, name) != one.names.end(); };
  for (const auto* list : {&command.options, &command.common})
    if (const auto found = std::ranges::find_if(*list, named); found != list->end()) return found->value == "N";
  return false;
}

// The parser's words about a value, as a sentence.
std::string about_value(const CommandText& command, const std::string& said) {
  constexpr std::size_t longest = 1000;  // std::regex recurses on what it matches
  if (said.size() > longest) return said;
  std::smatch part;
  if (std::regex_match(said, part, std::regex("Could not convert: (\\S+) = (.*)")))
    return fmt::format("{}: {} is not a {}number", part.str(1), part.str(2),
                       takes_whole(command, part.str(1)) ? "whole " : "");
  if (std::regex_match(said, part, std::regex("(\\S+): 1 required \\S+ missing")))
    return part.str(1) + ": its value is missing";
  if (std::regex_match(said, part, std::regex("(\\S+): At Most 1 required but received (\\d+)")))
    return fmt::format("{} is given {} times", part.str(1), part.str(2));
  if (std::regex_match(said, part, std::regex("(\\S+): At least (\\d+) required but received (\\d+)")))
    return fmt::format("{}: {} values are needed, not {}", part.str(1), part.str(2), part.str(3));
  if (std::regex_match(said, part, std::regex("(\\S+): Value (.*) not in range (\\S+) to (\\S+)")))
    return fmt::format("{}: {} is not a number from {} to {}", part.str(1), part.str(2), part.str(3), part.str(4));
  if (std::regex_match(said, part, std::regex("(\\S+): (.*) not in \\{(.*)\\}")))
    return fmt::format("{}: {} is none of {}", part.str(1), part.str(2),
                       std::regex_replace(part.str(3), std::regex(","), ", "));
  return said;
}

// The first option that the parser did not know, without its value; empty where it is not about one.
std::string unknown_option(const std::string& said) {
  const std::size_t begin = said.find("not expected: ");
  if (begin == std::string::npos) return {};
  const std::size_t option = said.find("--", begin);
  if (option == std::string::npos) return {};
  return said.substr(option, said.find_first_of(" =,", option) - option);
}
}  // namespace

const CLI::App& reached_command(const CLI::App& root) {
  const CLI::App* command = &root;
  for (;;) {
    const std::vector<CLI::App*> parsed = command->get_subcommands();
    if (parsed.empty()) return *command;
    command = parsed.back();
  }
}

const CLI::App& named_command(const CLI::App& command, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::App* nested : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (nested->get_name() == name) return *nested;
    if (!nested->get_group().empty()) known.push_back(nested->get_name());
  }
  throw unknown_command(command_text(command).name, name, known);
}

Error unknown_command(const std::string& path, const std::string& name, const std::vector<std::string>& known) {
  const std::string meant = base::did_you_mean(name, known);
  const std::string all = fmt::format("`{} --help` lists the commands", path);
  return {
      ErrorCode::usage, fmt::format("{} has no command '{}'", path, name), {}, meant.empty() ? all : meant + " " + all};
}

void require_command(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* command = &root;
  for (const std::string& word : words) {
    if (word.starts_with('-')) return;
    command = &named_command(*command, word);
    if (command->get_require_subcommand_min() == 0) return;
  }
}

Error wrong_usage(const CLI::App& root, const CLI::ParseError& wrong) {
  const CommandText command = command_text(reached_command(root));
  const std::string said = with_dot_taken(wrong.what());
  if (said == "A subcommand is required")
    return {ErrorCode::usage, "a command is missing", {}, "see --help; `sparsecast doctor` says what to do first"};
  std::string remedy = fmt::format("`{} --help` lists its options", command.name);
  if (const std::string option = unknown_option(said); !option.empty()) {
    std::vector<std::string> known{"--help"};
    for (const auto* list : {&command.options, &command.common})
      for (const OptionText& one : *list)
        for (const std::string& name : one.names)
          if (name.starts_with("--")) known.push_back(name);
    if (const std::string meant = base::did_you_mean(option, known); !meant.empty()) remedy = meant + " " + remedy;
  }
  return {ErrorCode::usage, about_value(command, said), {}, remedy};
}
}  // namespace sparsecast::app
