#include "app/terminal/command_text.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace sparsecast::app {
namespace {
// "TEXT:{single,double}", "INT:INT in [1 - 1024]" → what a reader needs of it.
void take_type(const std::string& type, OptionText& text) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos) {
    for (const std::string_view choice : base::split(std::string_view(type).substr(open + 1, close - open - 1), ','))
      text.choices.emplace_back(choice);
    text.value = fmt::format("{}", fmt::join(text.choices, "|"));
    if (text.value.size() <= 24) return;
  }
  const std::string kind = type.substr(0, type.find(':'));
  text.value = kind == "INT" || kind == "UINT" ? "N" : kind == "FLOAT" ? "X" : kind.empty() ? "" : "TEXT";
}

// A value is called after what it is where the option's name says so.
void name_value(OptionText& text) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(text.names,
                               [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); });
  };
  if (text.value != "TEXT") return;
  if (is_one_of({"--output", "--profile", "--records", "--html", "--save", "--graph", "--table", "--platform",
                 "--space", "--results", "--cache", "--journal"}))
    text.value = "FILE";
  else if (is_one_of({"--device", "--describe", "--name", "--model", "--machine", "--kernel"}))
    text.value = "NAME";
  else if (is_one_of({"--devices", "--kernels"}))
    text.value = "NAME,…";
  else if (is_one_of({"--url"}))
    text.value = "ADDRESS";
  else if (is_one_of({"--scratch"}))
    text.value = "FOLDER";
}

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  } else {
    text.names.push_back(option.get_name(true));
    std::ranges::transform(text.names[0], text.names[0].begin(), [](unsigned char c) { return std::toupper(c); });
  }
  if (option.get_items_expected_max() > 0) {
    take_type(option.get_type_name(), text);
    name_value(text);
  }
  text.meaning = option.get_description();
  std::string standard = option.get_default_str();
  if (standard.starts_with('[') && standard.ends_with(']')) standard = standard.substr(1, standard.size() - 2);
  const bool told = text.meaning.find("(default") != std::string::npos;
  if (!standard.empty() && standard != "\"\"" && !told && !text.value.empty())
    text.meaning += fmt::format(" (default: {})", standard);
  text.required = option.get_required();
  text.several = option.get_items_expected_max() > 1;
  return text;
}

void add_options(const CLI::App& command, CommandText& text, bool common_alone) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    const bool common = option->get_group() == common_group;
    if (common_alone && !common) continue;
    auto& list = common ? text.common : option->nonpositional() ? text.options : text.arguments;
    list.push_back(option_text(*option));
  }
}
}  // namespace

CommandText command_text(const CLI::App& command) {
  CommandText text;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent())
    text.name = app->get_name() + (text.name.empty() ? "" : " ") + text.name;
  text.summary = command.get_description();
  if (text.summary.size() > 1 && std::islower(static_cast<unsigned char>(text.summary[1])) != 0)
    text.summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text.summary[0])));
  text.footer = command.get_footer();
  add_options(command, text, false);
  for (const CLI::App* above = command.get_parent(); above != nullptr; above = above->get_parent())
    add_options(*above, text, true);
  for (const CLI::App* nested : command.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    text.commands.push_back(command_text(*nested));
  return text;
}

std::string usage_line(const CommandText& command) {
  std::string line = command.name;
  if (!command.commands.empty()) line += " COMMAND";
  for (const OptionText& argument : command.arguments) {
    const std::string name = argument.names[0] + (argument.several ? "…" : "");
    line += argument.required ? " " + name : " [" + name + "]";
  }
  for (const OptionText& option : command.options)
    if (option.required) line += " " + option.names.back() + " " + option.value;
  return line + " [options]";
}

std::string option_heading(const OptionText& option) {
  std::string heading = fmt::format("{}", fmt::join(option.names, ", "));
  return heading.starts_with('-') && !option.value.empty() ? heading + " " + option.value : heading;
}
}  // namespace sparsecast::app
