#include "plan/reorder/metis_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sparsecast/error.hpp>

#ifdef SPARSECAST_HAS_METIS
#include <metis.h>
#endif

namespace sparsecast::planning {

#ifdef SPARSECAST_HAS_METIS

namespace {
// Of a part: its x fills half of a first cache of 32 KB.
constexpr std::int64_t vertices_of_a_part = 2048;
}  // namespace

bool has_metis() { return true; }

std::vector<std::int64_t> metis_order(const matrix::Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices());
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto ends = static_cast<std::int64_t>(graph.neighbours.size());
  if (ends > INT32_MAX)
    throw Error(ErrorCode::unavailable,
                fmt::format("the graph has {} ends of edges and METIS counts them in 32 bits", ends), {},
                "take rcm or degree");
  auto parts = static_cast<idx_t>((static_cast<std::int64_t>(n) + vertices_of_a_part - 1) / vertices_of_a_part);
  if (parts < 2 || ends == 0) return order;
  std::vector<idx_t> pointers(graph.pointers.begin(), graph.pointers.end()),
      neighbours(graph.neighbours.begin(), graph.neighbours.end()), part(n, 0);
  auto vertices = static_cast<idx_t>(n);
  idx_t constraints = 1, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  const int status = METIS_PartGraphKway(&vertices, &constraints, pointers.data(), neighbours.data(), nullptr, nullptr,
                                         nullptr, &parts, nullptr, nullptr, options, &cut, part.data());
  if (status != METIS_OK)
    throw Error(status == METIS_ERROR_MEMORY ? ErrorCode::too_large : ErrorCode::failed,
                fmt::format("METIS could not cut the graph into {} parts (status {})", parts, status), {},
                "take rcm or degree");
  std::ranges::stable_sort(order, {}, [&](std::int64_t vertex) { return part[static_cast<std::size_t>(vertex)]; });
  return order;
}

#else

bool has_metis() { return false; }

std::vector<std::int64_t> metis_order(const matrix::Graph& /*graph*/) {
  throw Error(ErrorCode::unavailable, "this build has no METIS", {},
              "install libmetis-dev and build again, or take rcm or degree");
}

#endif

}  // namespace sparsecast::planning
