#include "planning/powers/levels.hpp"

#include <algorithm>

#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast::planning {
namespace {
constexpr std::int32_t in_order = -1;       // stamp of a vertex that has its place
constexpr int most_searches = 3;            // for a start at the rim; further ones make levels narrower by little
constexpr std::int64_t few_vertices = 256;  // whose levels are narrow enough whatever share they are

class LevelSearch {
 public:
  explicit LevelSearch(const matrix::Graph& graph)
      : graph_(graph), stamp_(static_cast<std::size_t>(graph.vertices()), 0) {}

  std::optional<std::vector<std::int64_t>> order() {
    std::vector<std::int64_t> old_place;
    old_place.reserve(stamp_.size());
    for (std::int32_t vertex = 0; vertex < graph_.vertices(); ++vertex) {
      if (stamp_[static_cast<std::size_t>(vertex)] == in_order) continue;
      const Walk last = from_rim(vertex);
      if (last.widest > few_vertices && 4 * last.widest > graph_.vertices()) return std::nullopt;
      for (const std::int32_t next : queue_) {
        old_place.push_back(next);
        stamp_[static_cast<std::size_t>(next)] = in_order;
      }
    }
    return old_place;
  }

 private:
  struct Walk {
    std::int64_t levels = 0, widest = 0;
    std::size_t last = 0;  // where the last level begins in the queue
  };

  Walk walk(std::int32_t start) {
    queue_.assign(1, start);
    stamp_[static_cast<std::size_t>(start)] = ++mark_;
    Walk found;
    for (std::size_t begin = 0; begin < queue_.size();) {
      const std::size_t end = queue_.size();
      ++found.levels;
      found.widest = std::max(found.widest, static_cast<std::int64_t>(end - begin));
      found.last = begin;
      for (; begin < end; ++begin)
        for (const std::int32_t next : graph_.of(queue_[begin]))
          if (stamp_[static_cast<std::size_t>(next)] != mark_) {
            stamp_[static_cast<std::size_t>(next)] = mark_;
            queue_.push_back(next);
          }
    }
    return found;
  }

  // The walk from an end of the component, as the last levels of walks find one (George & Liu 1979).
  Walk from_rim(std::int32_t start) {
    Walk found = walk(start);
    for (int search = 1; search < most_searches && found.levels > 2; ++search) {
      const std::int32_t far =
          *std::min_element(queue_.begin() + static_cast<std::ptrdiff_t>(found.last), queue_.end(),
                            [&](std::int32_t a, std::int32_t b) { return graph_.degree(a) < graph_.degree(b); });
      const Walk next = walk(far);
      const bool longer = next.levels > found.levels;
      found = next;
      if (!longer) break;
    }
    return found;
  }

  const matrix::Graph& graph_;
  std::vector<std::int32_t> stamp_;  // of the last walk that came by
  std::vector<std::int32_t> queue_;
  std::int32_t mark_ = 0;
};
}  // namespace

std::optional<std::vector<std::int64_t>> level_order(const Matrix& matrix) {
  const matrix::Graph graph = matrix::symmetric_graph(matrix);
  return LevelSearch(graph).order();
}
}  // namespace sparsecast::planning
