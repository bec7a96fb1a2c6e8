#pragma once
// The tree of commands as text: what --help, the man pages and the completions of the shells are made of.

#include <sparsecast/error.hpp>
#include <vector>

namespace CLI {
class App;
}

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sparsecast::app {
/// The group of the options that every command takes.
inline constexpr const char* common_group = "Every command";

struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its one name
  std::string value;               ///< "FILE", "N", "single|double"; empty: a flag
  std::string meaning;             ///< with its default
  std::vector<std::string> choices;
  bool required = false, several = false;
};

struct CommandText {
  std::string name;     ///< "sparsecast cluster predict"
  std::string summary;  ///< one sentence, without a dot
  std::string footer;   ///< lines as they are
  std::vector<OptionText> arguments, options, common;
  std::vector<CommandText> commands;  ///< nested ones
};

/// Of a command and those below it. Hidden ones are left out.
CommandText command_text(const CLI::App& command);

/// "sparsecast predict [MATRIX…] [options]".
std::string usage_line(const CommandText& command);
/// "-o, --output FILE".
std::string option_heading(const OptionText& option);

/// The page that --help shows, no wider than `width`.
std::string help_page(const CommandText& command, int width);
/// The man page, in roff.
std::string manual_page(const CommandText& command, const std::string& version);
/// The completion script; shell is bash, zsh or fish. `names` is what --device and --kernels take.
struct KnownNames {
  std::vector<std::string> devices, kernels;
};
std::string completion_script(const CommandText& root, const std::string& shell, const KnownNames& names);

// A wrong command line: what is wrong with it and what was meant, as an Error usage (exit 2).

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
