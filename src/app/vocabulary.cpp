// What the command calls otherwise than the library: told by the options that its commands register.

#include <CLI/CLI.hpp>

#include "app/commands.hpp"
#include "app/field_options.hpp"
#include "fields/question_commands.hpp"
#include "fields/wording.hpp"

namespace sparsecast::app {
namespace {
wording::Vocabulary vocabulary() {
  wording::Vocabulary words{.idioms = question_commands()};
  const Learning learning(words.idioms);
  const Globals globals;
  CLI::App root;
#define APP_COMMAND(name, ...) add_##name(root, globals);
#include "app/commands.def"
  return words;
}
}  // namespace

void teach_command_line() { wording::teach(Voice::command_line, vocabulary); }
}  // namespace sparsecast::app
