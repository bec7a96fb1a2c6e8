#include "app/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/run.hpp"

namespace sparsecast::app {
namespace {

constexpr int width = 30;

std::string time_left(double seconds) {
  if (seconds < 0) return "";
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s left", whole) : fmt::format("{} min {:02} s left", whole / 60, whole % 60);
}

}  // namespace

ProgressBar::ProgressBar(const Globals& globals) : visible_(!globals.quiet && isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

base::ProgressFunction ProgressBar::function() {
  if (const Outlet* within = outlet()) return within->progress;
  if (!visible_) return {};
  return [this](const base::ProgressStep& step) { show(step); };
}

void ProgressBar::show(const base::ProgressStep& step) {
  const int filled = static_cast<int>(std::clamp(step.done, 0.0, 1.0) * width);
  const std::string bar = fmt::format("\r\x1b[K[{:#<{}}{:.<{}}] {:3.0f} %  {}  {}", "", filled, "", width - filled,
                                      100 * step.done, time_left(step.seconds_left), step.what);
  std::fputs(bar.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace sparsecast::app
