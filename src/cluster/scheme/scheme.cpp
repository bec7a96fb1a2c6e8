#include "cluster/scheme/scheme.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <sparsecast/error.hpp>

namespace sparsecast::cluster {
namespace {

constexpr std::array ways{Way::two_d_uniform, Way::global_rows, Way::local_rows};
constexpr std::array formats{LocalFormat::csr, LocalFormat::coo};

}  // namespace

std::span<const Way> all_ways() { return ways; }
std::span<const LocalFormat> all_formats() { return formats; }

std::string_view to_string(Way way) {
  switch (way) {
    case Way::two_d_uniform:
      return "2du";
    case Way::global_rows:
      return "g1dr";
    case Way::local_rows:
      return "l1dr";
  }
  return "";
}

std::string_view to_string(LocalFormat format) { return format == LocalFormat::csr ? "csr" : "coo"; }

Way parse_way(std::string_view name) {
  for (const Way way : ways)
    if (to_string(way) == name) return way;
  throw Error(ErrorCode::usage, fmt::format("no way of running is called '{}'", name), {}, "take 2du, g1dr or l1dr");
}

LocalFormat parse_format(std::string_view name) {
  for (const LocalFormat format : formats)
    if (to_string(format) == name) return format;
  throw Error(ErrorCode::usage, fmt::format("no local format is called '{}'", name), {}, "take csr or coo");
}

int grid_side(int processes) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(processes))));
  return side * side == processes ? side : 0;
}

bool admissible(Way way, int processes) {
  return processes >= 1 && (way != Way::two_d_uniform || grid_side(processes) > 0);
}

void require_admissible(Way way, int processes) {
  if (processes < 1)
    throw Error(ErrorCode::usage, fmt::format("{} processes cannot run anything", processes), {}, "take 1 or more");
  if (admissible(way, processes)) return;
  const int below = static_cast<int>(std::sqrt(static_cast<double>(processes)));
  throw Error(
      ErrorCode::usage, fmt::format("2du cuts the matrix into p × p blocks, and {} is not a square", processes), {},
      fmt::format("take {} or {} processes, or the way g1dr or l1dr", below * below, (below + 1) * (below + 1)));
}

}  // namespace sparsecast::cluster
