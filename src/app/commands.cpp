#include "app/commands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sparsecast/threads.hpp>

#include "app/inputs.hpp"
#include "app/terminal/command_text.hpp"
#include "app/terminal/terminal.hpp"
#include "base/guard/parse_json.hpp"
#include "base/guard/printable.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
Precision Globals::value_precision() const {
  precision_heeded = true;
  return precision == "single" ? Precision::single_ : Precision::double_;
}

void require_double(const Globals& globals, std::string_view what_are) {
  if (globals.value_precision() != Precision::double_)
    throw Error(ErrorCode::usage, fmt::format("{} in double precision", what_are), {}, "omit --precision single");
}

void add_globals(CLI::App& command, Globals& globals) {
  command.add_flag("--json", globals.json, "print one JSON document on stdout")->group(common_group);
  command.add_flag("--quiet", globals.quiet, "print no progress and no remarks")->group(common_group);
  command
      .add_option_function<std::string>(
          "--threads",
          [&globals](const std::string& text) {
            globals.best_count = text == "auto";
            globals.threads = globals.best_count ? 0 : base::number_in<int>(text).value_or(0);
          },
          "number of host cores to use (default: all); with auto, `predict` chooses it")
      ->check([](const std::string& text) {
        const auto count = base::number_in<int>(text);
        return text == "auto" || (count && *count >= 1 && *count <= most_host_threads)
                   ? std::string()
                   : fmt::format("{} is neither auto nor a number from 1 to {}", text, most_host_threads);
      })
      ->type_name("COUNT")
      ->group(common_group);
  command.add_option("--precision", globals.precision, "single or double")
      ->check(CLI::IsMember({"single", "double"}))
      ->capture_default_str()
      ->group(common_group);
}

std::string words_as_typed(const std::vector<std::string>& words) {
  std::string line = "sparsecast";
  for (std::size_t i = 1; i < words.size(); ++i) line += ' ' + base::shell_word(words[i]);
  return line;
}

// Names of files and what stands in them are part of the text; no terminal obeys them.
void print(std::string_view text) {
  const std::string shown = base::printable_lines(text, standard_output().page.colour);
  print_data(shown_on(standard_output(), shown));
}

void print_data(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(ErrorCode::failed, "cannot write to standard output", {}, "is the disk full or the pipe closed?");
}

nlohmann::ordered_json with_schema(std::string_view name, const nlohmann::ordered_json& document) {
  // Never of null: where memory ends in its operator[], its destructor follows an object that is not there.
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  out["schema"] = "sparsecast/" + std::string(name) + "/1";
  out.update(document);
  return out;
}

void print_json(std::string_view name, const nlohmann::ordered_json& document) {
  print_data(base::json_text(with_schema(name, document), 2) + "\n");
}

void complain(std::string_view what) {
  const Terminal& terminal = standard_error();
  std::fprintf(stderr, "%s %s\n", base::red("sparsecast:", terminal.page).c_str(),
               in_letters_of(terminal, base::printable(what, 390)).c_str());
}

void remark(const Globals& globals, std::string_view line) {
  if (globals.quiet) return;
  const std::string shown = base::printable(line, 1000);
  std::fprintf(stderr, "%s\n", in_letters_of(standard_error(), shown).c_str());
}

Listener listener_of(const Globals& globals, ProgressBar* bar) {
  Listener listener{.remark =
                        [&globals, bar](std::string_view line) {
                          if (bar != nullptr) bar->clear();
                          remark(globals, line);
                        },
                    .warning = [](std::string_view line) { complain(line); },
                    .voice = Voice::command_line};
  if (bar != nullptr) listener.progress = bar->function();
  return listener;
}

std::filesystem::path matrix_file(const std::string& given, const Globals& globals) {
  ProgressBar bar(globals);
  return answers::matrix_file(given, listener_of(globals, &bar));
}

std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths, const Globals& globals) {
  ProgressBar bar(globals);
  return answers::matrix_files(paths, listener_of(globals, &bar));
}

void Failures::attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (inputs_ < 2 || std::ranges::find(borne_, error.code()) == borne_.end()) throw;
    errors_.push_back(error);
  }
}

void Failures::finish() const {
  if (errors_.empty()) return;
  for (const Error& error : std::span(errors_).first(errors_.size() - 1)) complain(error.message(Voice::command_line));
  throw Error(errors_.back());
}

Matrix read_input(const std::filesystem::path& file, const Globals& globals) {
  return read_matrix(matrix_file(file.string(), globals),
                     {.threads = globals.threads, .remark = [&](std::string_view line) { remark(globals, line); }});
}
}  // namespace sparsecast::app
