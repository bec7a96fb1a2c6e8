#include "app/terminal/progress_bar.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/terminal/terminal.hpp"

namespace sparsecast::app {
namespace {
constexpr int bar_width = 24;

std::string time_left(double seconds) {
  if (seconds < 0) return "";
  const auto whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s left", whole);
  return whole < 3600 ? fmt::format("{} min {:02} s left", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} min left", whole / 3600, whole / 60 % 60);
}
}  // namespace

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
