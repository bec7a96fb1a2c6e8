// sparsecast manual: the man pages, one a command, as files to install. Hidden: users have `man sparsecast`.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sparsecast/error.hpp>
#include <sparsecast/version.hpp>

#include "app/commands.hpp"
#include "app/terminal/command_text.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
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
