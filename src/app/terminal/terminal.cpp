#include "app/terminal/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/home.hpp"
#include "base/page/ascii.hpp"
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

constexpr int bar_width = 24;

std::string time_left(double seconds) {
  if (seconds < 0) return "";
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s left", whole);
  return whole < 3600 ? fmt::format("{} min {:02} s left", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} min left", whole / 3600, whole / 60 % 60);
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

ProgressBar::ProgressBar(const Globals& globals) : visible_(!globals.quiet && standard_error().tty) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

base::ProgressFunction ProgressBar::function() {
  if (!visible_) return {};
  return [this](const base::ProgressStep& step) { show(step); };
}

void ProgressBar::show(const base::ProgressStep& step) {
  const int filled = static_cast<int>(std::clamp(step.done, 0.0, 1.0) * bar_width);
  std::string line = in_letters_of(standard_error(),
                                   fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {}  {}", "", filled, "", bar_width - filled,
                                               100 * step.done, time_left(step.seconds_left), step.what));
  // A line that the terminal breaks would be drawn again and again below.
  const auto room = static_cast<std::size_t>(standard_error().page.width - 1);
  while (base::columns(line) > room) line.pop_back();
  std::fputs(("\r\x1b[K" + line).c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}
}  // namespace sparsecast::app
