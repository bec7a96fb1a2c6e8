// sparsecast help COMMAND, and the page that --help shows.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/terminal/command_text.hpp"
#include "app/terminal/terminal.hpp"
#include "app/terminal/wrong_usage.hpp"
#include "base/page/page.hpp"

namespace sparsecast::app {
namespace {
constexpr std::size_t names_width = 22;  // of the column of names; a longer one has a line of its own

std::string entry(const std::string& heading, const std::string& meaning, int width) {
  const std::string indent(names_width + 2, ' ');
  std::string line = "  " + heading;
  if (base::columns(line) + 2 > indent.size()) {
    line += '\n' + indent;
  } else {
    line.append(indent.size() - base::columns(line), ' ');
  }
  std::string before;
  for (const std::string& part : base::folded_words(meaning, static_cast<std::size_t>(width) - indent.size(), false)) {
    line += before + part;
    before = '\n' + indent;
  }
  return line + '\n';
}

std::string entries(const char* title, const std::vector<OptionText>& options, int width) {
  if (options.empty()) return {};
  std::string text = "\n" + std::string(title) + ":\n";
  for (const OptionText& option : options) text += entry(option_heading(option), option.meaning, width);
  return text;
}
}  // namespace

std::string help_page(const CommandText& command, int width) {
  std::string text = base::folded(fmt::format("{}: {}", command.name, command.summary), width) + "\n\n" +
                     base::folded("usage:  " + usage_line(command), width) + "\n";
  if (!command.commands.empty()) {
    text += "\ncommands:\n";
    for (const CommandText& nested : command.commands)
      text += entry(nested.name.substr(command.name.size() + 1), nested.summary, width);
  }
  text += entries("arguments", command.arguments, width) + entries("options", command.options, width) +
          entries("options of every command", command.common, width);
  if (!command.footer.empty()) text += "\n" + base::folded(command.footer, width);
  return text.back() == '\n' ? text : text + '\n';
}

void add_help(CLI::App& root, const Globals& /*globals*/) {
  CLI::App* command = root.add_subcommand("help", "what a command does and takes");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "such as predict, or cluster predict; without one all are listed");
  command->callback([&root, words] {
    const CLI::App* about = &root;
    for (const std::string& word : *words) about = &named_command(*about, word);
    print(help_page(command_text(*about), layout().width));
  });
}
}  // namespace sparsecast::app
