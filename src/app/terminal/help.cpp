// sparsecast help COMMAND, and the page that --help shows.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <sparsecast/version.hpp>

#include "app/terminal/command_text.hpp"
#include "app/terminal/terminal.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "formats/kernels.hpp"

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

// "cluster predict" of "sparsecast cluster predict"; nothing for the root.
std::string path_of(const CommandText& command) {
  const std::size_t blank = command.name.find(' ');
  return blank == std::string::npos ? std::string() : command.name.substr(blank + 1);
}

// Words of one option's value; empty: a file, or anything.
std::vector<std::string> values_of(const OptionText& option, const KnownNames& names) {
  if (!option.choices.empty()) return option.choices;
  const auto is = [&](std::string_view name) { return std::ranges::find(option.names, name) != option.names.end(); };
  if (is("--device") || is("--devices") || is("--describe")) return names.devices;
  if (is("--kernels")) return names.kernels;
  return {};
}

template <class Visit>
void visit_commands(const CommandText& command, Visit&& visit) {
  visit(command);
  for (const CommandText& nested : command.commands) visit_commands(nested, visit);
}

template <class Visit>
void visit_options(const CommandText& command, Visit&& visit) {
  for (const auto* list : {&command.options, &command.common})
    for (const OptionText& option : *list) visit(option);
}

std::vector<std::string> names_of(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name.substr(command.name.rfind(' ') + 1));
  return names;
}

// One function: the words of the command so far choose the list.
std::string bash_script(const CommandText& root, const KnownNames& known) {
  std::string words, values;
  visit_commands(root, [&](const CommandText& command) {
    std::vector<std::string> all = names_of(command.commands);
    visit_options(command, [&](const OptionText& option) {
      std::ranges::copy(option.names, std::back_inserter(all));
      if (const auto list = values_of(option, known); !list.empty())
        values += fmt::format("    \"{} \"{}) list=\"{}\" ;;\n", path_of(command),
                              fmt::join(option.names, fmt::format("|\"{} \"", path_of(command))), fmt::join(list, " "));
    });
    words += fmt::format("    \"{}\") list=\"{}\" ;;\n", path_of(command), fmt::join(all, " "));
  });
  return fmt::format(R"(# bash completion for sparsecast, made by `sparsecast completion bash`
_sparsecast() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command="" list="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{command}}/${{COMP_WORDS[i]}}" in
      {}) command="${{command:+$command }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$command $before" in
{}  esac
  if [ -z "$list" ]; then
    case "$before" in
      -o|--output|--profile|--records|--html|--save|--graph|--table|--platform|--space|--results|--cache|--journal) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    case "$command" in
{}    esac
    case "$word" in
      -*) ;;
      *) [ -n "$command" ] && COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
  fi
  COMPREPLY+=($(compgen -W "$list" -- "$word"))
}}
complete -o filenames -F _sparsecast sparsecast
)",
                     [&] {
                       std::vector<std::string> steps;
                       visit_commands(root, [&](const CommandText& command) {
                         for (const std::string& name : names_of(command.commands))
                           steps.push_back(fmt::format("\"{}/{}\"", path_of(command), name));
                       });
                       return fmt::format("{}", fmt::join(steps, "|"));
                     }(),
                     values, words);
}

// Text within single quotes of zsh or fish; for zsh's specifications without what they take for their own signs.
std::string quoted(std::string_view text, bool zsh) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += zsh ? "'\\''" : "\\'";
    else if (zsh && (c == '[' || c == ']' || c == ':' || c == '\\'))
      out += std::string("\\") + c;
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out;
}

std::string zsh_function(const CommandText& command) {
  std::string name = "_" + command.name;
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string zsh_script(const CommandText& root, const KnownNames& known) {
  std::string text = "#compdef sparsecast\n# zsh completion for sparsecast, made by `sparsecast completion zsh`\n";
  visit_commands(root, [&](const CommandText& command) {
    text += fmt::format("{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C \\\n",
                        zsh_function(command));
    visit_options(command, [&](const OptionText& option) {
      const auto list = values_of(option, known);
      const std::string value = option.value.empty()
                                    ? ""
                                    : fmt::format(":{}:{}", quoted(option.value, true),
                                                  list.empty() ? "_files" : fmt::format("({})", fmt::join(list, " ")));
      for (const std::string& name : option.names)
        text += fmt::format("    '{}[{}]{}' \\\n", name, quoted(option.meaning, true), value);
    });
    if (command.commands.empty()) {
      text += "    '*:file:_files'\n}\n";
      return;
    }
    text +=
        "    '1:command:->command' '*::argument:->argument'\n  case $state in\n    command)\n      local -a list\n"
        "      list=(\n";
    for (const CommandText& nested : command.commands)
      text += fmt::format("        '{}:{}'\n", nested.name.substr(nested.name.rfind(' ') + 1),
                          quoted(nested.summary, true));
    text += "      )\n      _describe command list ;;\n    argument)\n      case $line[1] in\n";
    for (const CommandText& nested : command.commands)
      text += fmt::format("        {}) {} ;;\n", nested.name.substr(nested.name.rfind(' ') + 1), zsh_function(nested));
    text += "      esac ;;\n  esac\n}\n";
  });
  return text +
         "if [ \"$funcstack[1]\" = \"_sparsecast\" ]; then _sparsecast \"$@\"; else compdef _sparsecast sparsecast; "
         "fi\n";
}

std::string fish_script(const CommandText& root, const KnownNames& known) {
  std::string text = "# fish completion for sparsecast, made by `sparsecast completion fish`\n";
  visit_commands(root, [&](const CommandText& command) {
    const std::string path = path_of(command);
    std::string here;  // the condition: all the words of this command are there
    for (const std::string_view word : base::split(path, ' '))
      if (!word.empty()) here += fmt::format("{}__fish_seen_subcommand_from {}", here.empty() ? "" : "; and ", word);
    const std::vector<std::string> nested = names_of(command.commands);
    for (const CommandText& one : command.commands)
      text += fmt::format("complete -c sparsecast -f -n '{}not __fish_seen_subcommand_from {}' -a {} -d '{}'\n",
                          here.empty() ? "" : here + "; and ", fmt::join(nested, " "),
                          one.name.substr(one.name.rfind(' ') + 1), quoted(one.summary, false));
    if (here.empty()) return;
    visit_options(command, [&](const OptionText& option) {
      text += fmt::format("complete -c sparsecast -n '{}'", here);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) text += " -r";
      if (const auto list = values_of(option, known); !list.empty())
        text += fmt::format(" -f -a '{}'", fmt::join(list, " "));
      text += fmt::format(" -d '{}'\n", quoted(option.meaning, false));
    });
  });
  return text;
}

KnownNames known_names() {
  KnownNames names{described_devices(), {}};
  names.devices.insert(names.devices.begin(), "host");
  for (const formats::KernelInfo& kernel : formats::kernel_table()) names.kernels.emplace_back(kernel.name);
  return names;
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
  CLI::App* command = root.add_subcommand("help", "show what a command does, and its options");
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "such as predict, or cluster predict; without it, all are listed");
  command->callback([&root, words] {
    const CLI::App* about = &root;
    for (const std::string& word : *words) about = &named_command(*about, word);
    print(help_page(command_text(*about), layout().width));
  });
}

// sparsecast manual: the man pages, one a command, as files to install. Hidden: users have `man sparsecast`.

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
  CLI::App* command = root.add_subcommand("manual", "write the man pages, one for each command, into a folder");
  command->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "an existing folder")->required();
  command->callback([&root, folder] { write_pages(command_text(root), *folder); });
}

// sparsecast completion SHELL: what the Tab key completes, in bash, zsh and fish.

std::string completion_script(const CommandText& root, const std::string& shell, const KnownNames& names) {
  return shell == "bash"  ? bash_script(root, names)
         : shell == "zsh" ? zsh_script(root, names)
                          : fish_script(root, names);
}

void add_completion(CLI::App& root, const Globals& /*globals*/) {
  CLI::App* command = root.add_subcommand("completion", "print the completion script for bash, zsh or fish");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "the shell; the script goes to stdout")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "in ~/.bashrc:  source <(sparsecast completion bash)\n"
      "in ~/.zshrc:   source <(sparsecast completion zsh)\n"
      "for fish:      sparsecast completion fish > ~/.config/fish/completions/sparsecast.fish\n");
  command->callback([&root, shell] { print_data(completion_script(command_text(root), *shell, known_names())); });
}
}  // namespace sparsecast::app
