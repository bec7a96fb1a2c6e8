#include "app/terminal/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <charconv>

#include "base/files.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
namespace {
constexpr int narrowest = 40, widest = 400;

// 0 where the environment does not tell.
int columns_of_environment() {
  const std::string value = base::environment("COLUMNS");
  int columns = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), columns);
  return error == std::errc() && end == value.data() + value.size() && columns > 0 ? columns : 0;
}

bool locale_has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = base::lower_case(base::environment(name));
    if (!value.empty()) return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

Terminal look_at(int descriptor) {
  Terminal terminal;
  terminal.tty = ::isatty(descriptor) != 0;
  int columns = columns_of_environment();
  winsize size{};
  if (columns == 0 && terminal.tty && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  terminal.known_width = columns > 0;
  if (columns > 0) terminal.page.width = columns < narrowest ? narrowest : columns > widest ? widest : columns;
  terminal.page.colour = terminal.tty && base::environment("NO_COLOR").empty() && base::environment("TERM") != "dumb" &&
                         !base::environment("TERM").empty();
  terminal.ascii = !locale_has_utf8();
  return terminal;
}
}  // namespace

const Terminal& standard_output() {
  static const Terminal terminal = look_at(STDOUT_FILENO);
  return terminal;
}

const Terminal& standard_error() {
  static const Terminal terminal = look_at(STDERR_FILENO);
  return terminal;
}

std::string in_letters_of(const Terminal& terminal, std::string_view text) {
  return terminal.ascii ? base::to_ascii(text) : std::string(text);
}

std::string shown_on(const Terminal& terminal, std::string_view text) {
  const std::string letters = in_letters_of(terminal, text);
  return terminal.known_width ? base::folded(letters, terminal.page.width) : letters;
}
}  // namespace sparsecast::app
