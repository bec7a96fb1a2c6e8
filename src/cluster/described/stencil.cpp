#include "cluster/described/stencil.hpp"
#include "fields/wording.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <string_view>

namespace sparsecast::cluster {
namespace {
struct KindName {
  StencilKind kind;
  std::string_view name;
};
constexpr KindName kinds[] = {{StencilKind::poisson2d, "poisson2d"},
                              {StencilKind::poisson3d, "poisson3d"},
                              {StencilKind::stencil27, "stencil27"}};

std::string_view name_of(StencilKind kind) { return std::ranges::find(kinds, kind, &KindName::kind)->name; }

using Edges = std::array<double, 3>;
using Counts = std::array<int, 3>;

bool is_flat(const Stencil& stencil) { return stencil.kind == StencilKind::poisson2d; }
bool has_corners(const Stencil& stencil) { return stencil.kind == StencilKind::stencil27; }

// So many boxes of a larger one, with the least surface between them; of an edge no more than `most`. None: {0, 0, 0}.
Counts deal(const Edges& box, int boxes, const Counts& most) {
  Counts best{};
  double least = std::numeric_limits<double>::infinity();
  for (int a = 1; a <= most[0]; ++a) {
    if (boxes % a != 0) continue;
    for (int b = 1; b <= std::min(most[1], boxes / a); ++b) {
      if (boxes / a % b != 0 || boxes / a / b > most[2]) continue;
      const Counts counts{a, b, boxes / a / b};
      const double surface = counts[0] / box[0] + counts[1] / box[1] + counts[2] / box[2];
      if (surface < least) best = counts, least = surface;
    }
  }
  return best;
}

// No edge is cut into more boxes than it has points, where their number can be dealt so. Of more boxes than points some
// are empty, and the others have a point each.
Counts deal(const Edges& box, int boxes) {
  Counts points{};
  for (std::size_t d = 0; d < points.size(); ++d) points[d] = static_cast<int>(std::min<double>(box[d], boxes));
  if (box[0] * box[1] * box[2] <= boxes) return points;
  const Counts counts = deal(box, boxes, points);
  return counts[0] > 0 ? counts : deal(box, boxes, {boxes, boxes, boxes});
}

Edges largest_of(const Edges& box, const Counts& counts) {
  Edges part{};
  for (std::size_t d = 0; d < part.size(); ++d) part[d] = std::ceil(box[d] / counts[d]);
  return part;
}

// What a full node has where others have fewer ranks: so many times its share of the whole, along the edges that nodes
// cut. Never more than there is: the others have a rank each.
Edges of_full_node(const Edges& whole, const Counts& nodes, int on_node, int processes) {
  const double dealt = 1.0 * nodes[0] * nodes[1] * nodes[2];
  const auto cuts = static_cast<double>(std::ranges::count_if(nodes, [](int count) { return count > 1; }));
  const double more = cuts > 0 ? std::pow(std::max(1.0, dealt * on_node / processes), 1 / cuts) : 1;
  Edges node = largest_of(whole, nodes);
  for (std::size_t d = 0; d < node.size(); ++d)
    if (nodes[d] > 1) node[d] = std::min(whole[d], std::ceil(more * whole[d] / nodes[d]));
  return node;
}

// Points beside a box that has neighbours on so many of its two sides in each direction.
double halo(Edges box, const Counts& sides, bool corners) {
  double points = 0;
  for (std::size_t d = 0; d < box.size(); ++d) {
    points += sides[d] * box[(d + 1) % 3] * box[(d + 2) % 3];
    if (corners) box[d] += sides[d];
  }
  return points;
}

// A rank's box with its whole layers, which decide what caches keep of x, and no more of them than it takes to tell.
Structure slab(const Stencil& stencil, const Edges& box) {
  constexpr double enough_rows = 1 << 19;
  const double edge = is_flat(stencil) ? box[0] : std::round(std::sqrt(box[0] * box[1]));
  const double layer = is_flat(stencil) ? edge : edge * edge, layers = is_flat(stencil) ? box[1] : box[2];
  const double depth = std::clamp(std::ceil(enough_rows / layer), 1.0, layers);
  MatrixSpec spec;
  spec.kind = name_of(stencil.kind);
  spec.parameters = {.size = edge, .depth = depth};
  return analyze(generate(spec));
}

constexpr double points_of(const Edges& box) { return box[0] * box[1] * box[2]; }
}  // namespace

std::string Stencil::name() const { return fmt::format("{}:size={}", name_of(kind), size); }

std::int64_t Stencil::rows() const { return is_flat(*this) ? size * size : size * size * size; }

std::int64_t Stencil::nonzeros() const {
  const std::int64_t pairs = 3 * size - 2;  // along a line, a point with itself counted
  if (has_corners(*this)) return pairs * pairs * pairs;
  return is_flat(*this) ? 5 * rows() - 4 * size : 7 * rows() - 6 * size * size;
}

Stencil stencil_of(const std::string& kind, std::int64_t size) {
  const auto* const known = std::ranges::find(kinds, kind, &KindName::name);
  if (known == std::end(kinds))
    throw Error(ErrorCode::usage, fmt::format("there is no structure '{}'", kind), {},
                "use poisson2d, poisson3d or stencil27, or a recipe such as rmat:scale=30,edges=1e10");
  constexpr std::int64_t most = 500'000;  // 27 · size³ stays within 64 bits
  if (size < 1 || size > most)
    throw Error(ErrorCode::usage, fmt::format("{} points along an edge", size), {},
                wording::format("{} 1 to {}", wording::option("size"), most));
  return {known->kind, size};
}

NodeShare share_of(const Stencil& stencil, int processes, int ranks_per_node, Precision precision, ShareDetail detail) {
  const auto edge = static_cast<double>(stencil.size);
  const int on_node = std::min(processes, ranks_per_node);
  const Edges whole{edge, edge, is_flat(stencil) ? 1 : edge};
  const Counts nodes = deal(whole, (processes + on_node - 1) / on_node);
  const Edges node = of_full_node(whole, nodes, on_node, processes);
  const Counts ranks = deal(node, on_node);
  const Edges box = largest_of(node, ranks);
  Counts all{}, far{}, of_node{};
  int messages = 0, with_corners = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    all[d] = std::min(2, nodes[d] * ranks[d] - 1);
    of_node[d] = std::min(2, nodes[d] - 1);
    far[d] = ranks[d] > 1 ? std::min(1, of_node[d]) : of_node[d];
    messages += all[d];
    with_corners *= all[d] + 1;
  }
  const bool corners = has_corners(stencil);
  const double bytes = static_cast<double>(value_bytes(precision));
  NodeShare share;
  share.features.processes = processes;
  share.features.rows = stencil.rows();
  share.features.nonzeros = stencil.nonzeros();
  share.features.precision = precision;
  MessageLoad& load = share.features.load;
  load.messages = corners ? with_corners - 1 : messages;
  load.far_bytes = bytes * halo(box, far, corners);
  load.near_bytes = bytes * halo(box, all, corners) - load.far_bytes;
  load.node_bytes = bytes * halo(node, of_node, corners);
  share.node.name = stencil.name();
  if (detail == ShareDetail::sizes) {
    const double rows = on_node * points_of(box);
    share.node.rows = share.node.cols = static_cast<std::int64_t>(rows);
    share.node.nonzeros =
        static_cast<std::int64_t>(rows * static_cast<double>(stencil.nonzeros()) / static_cast<double>(stencil.rows()));
    return share;
  }
  share.node = slab(stencil, box);
  share.node = repeated(share.node, on_node * points_of(box) / static_cast<double>(share.node.rows));
  share.node.name = stencil.name();
  return share;
}
}  // namespace sparsecast::cluster
