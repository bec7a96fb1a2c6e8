// sparsecast help COMMAND, and the page that --help shows.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <sparsecast/version.hpp>

#include "app/terminal/command_text.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

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

// sparsecast manual: the man pages, one a command, as files to install. Hidden: users have `man sparsecast`.

namespace {
// Text of a line in roff: backslashes, hyphens that are hyphens, and nothing at the beginning that is a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string file_name(const CommandText& command) {
  std::string name = command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string roff_entries(const char* title, const std::vector<OptionText>& options) {
  if (options.empty()) return {};
  std::string text = fmt::format(".SH {}\n", title);
  for (const OptionText& option : options)
    text += fmt::format(".TP\n.B {}\n{}\n", roff(option_heading(option)), roff(option.meaning));
  return text;
}

void write_pages(const CommandText& command, const std::filesystem::path& folder) {
  const std::string version = fmt::format("sparsecast {}", library_version());
  base::write_file_atomically(folder / (file_name(command) + ".1"), manual_page(command, version),
                              {.what = "man page"});
  for (const CommandText& nested : command.commands) write_pages(nested, folder);
}
}  // namespace

std::string manual_page(const CommandText& command, const std::string& version) {
  std::string title = file_name(command);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text =
      fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n", title, version,
                  roff(file_name(command)), roff(command.summary), roff(usage_line(command)));
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CommandText& nested : command.commands)
      text += fmt::format(".TP\n.B {}\n{}\n", roff(nested.name), roff(nested.summary));
  }
  text += roff_entries("ARGUMENTS", command.arguments) + roff_entries("OPTIONS", command.options) +
          roff_entries("OPTIONS OF EVERY COMMAND", command.common);
  if (!command.footer.empty()) {
    text += ".SH NOTES\n.nf\n";
    for (const std::string_view line : base::split(command.footer, '\n')) text += roff(line) + '\n';
    text += ".fi\n";
  }
  text += ".SH SEE ALSO\n";
  std::string others;
  for (const CommandText& nested : command.commands)
    others += (others.empty() ? "" : ", ") + fmt::format("{}(1)", roff(file_name(nested)));
  return text + (others.empty() ? "sparsecast(1)" : others) + '\n';
}

void add_manual(CLI::App& root, const Globals& /*globals*/) {
  CLI::App* command = root.add_subcommand("manual", "writes the man pages, one for each command, into a folder");
  command->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "a folder that is there")->required();
  command->callback([&root, folder] { write_pages(command_text(root), *folder); });
}
}  // namespace sparsecast::app
