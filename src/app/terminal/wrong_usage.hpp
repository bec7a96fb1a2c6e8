#pragma once
// A wrong command line: what is wrong with it and what was meant, as an Error usage (exit 2).

#include <sparsecast/error.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sparsecast::app {
/// The innermost command that the parser has reached.
const CLI::App& reached_command(const CLI::App& root);

/// The nested command of that name. Error usage with the nearest names where there is none.
const CLI::App& named_command(const CLI::App& command, const std::string& name);

/// There is no command of that name below the one called `path`, whose commands are `known`.
Error unknown_command(const std::string& path, const std::string& name, const std::vector<std::string>& known);

/// Error usage where the first words of a command line name no command.
void require_command(const CLI::App& root, const std::vector<std::string>& words);

/// What the parser says, with the nearest option where one is unknown, and where to read on.
Error wrong_usage(const CLI::App& root, const CLI::ParseError& wrong);
}  // namespace sparsecast::app
