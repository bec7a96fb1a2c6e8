#include "cluster/scheme/scheme.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "cluster/scheme/local_block.hpp"
#include "fields/cluster_forecast.hpp"
#include "formats/kernels.hpp"
#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::cluster {
namespace {
constexpr std::array schemes{Scheme::two_d_uniform, Scheme::global_rows, Scheme::local_rows};
constexpr std::array local_formats{LocalFormat::csr, LocalFormat::coo};
}  // namespace

std::span<const Scheme> all_schemes() { return schemes; }
std::span<const LocalFormat> all_formats() { return local_formats; }

std::string_view to_string(Scheme scheme) { return word_of(scheme); }
std::string_view to_string(LocalFormat format) { return word_of(format); }

int grid_side(int processes) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(processes))));
  return side * side == processes ? side : 0;
}

int Grid::pieces() const { return std::lcm(rows, columns); }

std::int64_t Grid::piece_length(std::int64_t n) const {
  return std::max<std::int64_t>(1, (n + pieces() - 1) / pieces());
}

Grid grid_of(int processes) {
  if (processes == 1) return {1, 1};
  for (int rows = static_cast<int>(std::sqrt(static_cast<double>(processes))) + 1; rows >= 2; --rows)
    if (rows * rows <= processes && processes % rows == 0) return {rows, processes / rows};
  return {};
}

bool admissible(Scheme scheme, int processes) {
  return processes >= 1 && (scheme != Scheme::two_d_uniform || grid_of(processes).rows > 0);
}

void require_admissible(Scheme scheme, int processes) {
  if (processes < 1)
    throw Error(ErrorCode::usage, fmt::format("the number of processes cannot be {}", processes), {}, "give 1 or more");
  if (admissible(scheme, processes)) return;
  int below = processes, above = processes;
  while (!admissible(scheme, below)) --below;
  while (!admissible(scheme, above)) ++above;
  throw Error(
      ErrorCode::usage,
      fmt::format("2du cuts the matrix into a grid of blocks, and {} is not a product of two numbers of at least 2",
                  processes),
      {}, fmt::format("use {} or {} processes, or the scheme g1dr or l1dr", below, above));
}
}  // namespace sparsecast::cluster
