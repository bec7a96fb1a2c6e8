#include "cluster/launch/slurm_time.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "base/number.hpp"
#include "base/text.hpp"

namespace sparsecast::cluster {
namespace {
constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;

std::optional<double> number(std::string_view digits) {
  constexpr std::size_t most = 9;  // as many as Slurm's own 32 bits hold
  const auto is_digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
  if (digits.empty() || digits.size() > most || !std::ranges::all_of(digits, is_digit)) return std::nullopt;
  return base::number_in<double>(digits);
}
}  // namespace

std::optional<double> slurm_seconds(std::string_view limit) {
  if (const std::string word = base::lower_case(limit); word == "unlimited" || word == "infinite") return INFINITY;
  double seconds = 0;
  const std::size_t dash = limit.find('-');
  const bool days = dash != std::string_view::npos;
  if (days) {
    const auto count = number(limit.substr(0, dash));
    if (!count) return std::nullopt;
    seconds = *count * day;
    limit.remove_prefix(dash + 1);
  }
  const std::vector<std::string_view> words = base::split(limit, ':');
  if (words.size() > 3) return std::nullopt;
  // Behind days hours come first; else minutes, where there are not all three.
  double unit = days || words.size() == 3 ? hour : minute;
  for (const std::string_view word : words) {
    const auto count = number(word);
    if (!count) return std::nullopt;
    seconds += *count * unit;
    unit /= minute;
  }
  return seconds > 0 ? seconds : INFINITY;
}
}  // namespace sparsecast::cluster
