#include "app/inputs.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "app/terminal/terminal.hpp"

namespace sparsecast::app {
Listener listener_of(const Globals& globals, ProgressBar* bar) {
  Listener listener{.remark =
                        [&globals, bar](std::string_view line) {
                          if (bar != nullptr) bar->clear();
                          remark(globals, line);
                        },
                    .warning = [](std::string_view line) { complain(line); }};
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
    if (inputs_ < 2 || error.code() != ErrorCode::bad_input) throw;
    errors_.push_back(error);
  }
}

void Failures::finish() const {
  if (errors_.empty()) return;
  for (const Error& error : std::span(errors_).first(errors_.size() - 1)) complain(error.what());
  throw Error(errors_.back());
}

Matrix read_input(const std::filesystem::path& file, const Globals& globals) {
  return read_matrix(file,
                     {.threads = globals.threads, .remark = [&](std::string_view line) { remark(globals, line); }});
}
}  // namespace sparsecast::app
