// Orders of rows and columns: made, applied to vectors, and the matrix permuted by them.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/reorder.hpp>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "fields/ordering.hpp"
#include "matrix/order/permuted.hpp"
#include "matrix/order/symmetric_graph.hpp"

namespace sparsecast {
namespace {
// Reverse Cuthill–McKee: every component breadth first from a vertex at its rim, neighbours by degree, all reversed. It
// keeps the entries of a row near the diagonal (Cuthill & McKee 1969; George & Liu 1979 for the rim).
// A search from the rim found so is rarely longer than from the true rim, and every one costs a walk over the
// component.
constexpr int most_rim_searches = 4;

class CuthillMckee {
 public:
  explicit CuthillMckee(const matrix::Graph& graph)
      : graph_(graph), stamp_(static_cast<std::size_t>(graph.vertices()), 0) {}

  std::vector<std::int64_t> order() {
    const std::int32_t count = graph_.vertices();
    std::vector<std::int64_t> order;
    order.reserve(static_cast<std::size_t>(count));
    for (const std::int32_t start : by_degree()) {
      if (stamp_[at(start)] == placed) continue;
      base::throw_if_interrupted();
      walk(rim_of(start), placed, true);
      order.insert(order.end(), queue_.begin(), queue_.end());
    }
    std::ranges::reverse(order);
    return order;
  }

 private:
  static constexpr std::int32_t placed = -1;
  static std::size_t at(std::int32_t vertex) { return static_cast<std::size_t>(vertex); }

  // Every component begins where it has a vertex of least degree.
  [[nodiscard]] std::vector<std::int32_t> by_degree() const {
    std::int64_t most = 0;
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) most = std::max(most, graph_.degree(v));
    std::vector<std::int32_t> first(static_cast<std::size_t>(most) + 2, 0), order(stamp_.size());
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) ++first[static_cast<std::size_t>(graph_.degree(v)) + 1];
    for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
    for (std::int32_t v = 0; v < graph_.vertices(); ++v)
      order[static_cast<std::size_t>(first[static_cast<std::size_t>(graph_.degree(v))]++)] = v;
    return order;
  }

  // Fills queue_ with the component, breadth first; returns the number of its levels, and where the last one begins.
  struct Levels {
    int count = 0;
    std::size_t last = 0;
  };
  Levels walk(std::int32_t start, std::int32_t mark, bool sorted) {
    queue_.assign(1, start);
    stamp_[at(start)] = mark;
    Levels levels;
    for (std::size_t level = 0; level < queue_.size();) {
      const std::size_t end = queue_.size();
      ++levels.count;
      levels.last = level;
      for (; level < end; ++level) {
        const std::size_t before = queue_.size();
        for (const std::int32_t next : graph_.of(queue_[level])) {
          if (stamp_[at(next)] == mark || stamp_[at(next)] == placed) continue;
          stamp_[at(next)] = mark;
          queue_.push_back(next);
        }
        if (!sorted) continue;
        std::sort(queue_.begin() + static_cast<std::ptrdiff_t>(before), queue_.end(),
                  [&](std::int32_t a, std::int32_t b) {
                    const std::int64_t of_a = graph_.degree(a), of_b = graph_.degree(b);
                    return of_a != of_b ? of_a < of_b : a < b;
                  });
      }
    }
    return levels;
  }

  // A vertex from which the component is as long as it seems to get.
  std::int32_t rim_of(std::int32_t start) {
    int longest = 0;
    for (int search = 0; search < most_rim_searches; ++search) {
      const Levels levels = walk(start, ++mark_, false);
      if (levels.count <= longest || levels.count == 1) break;
      longest = levels.count;
      start = *std::min_element(queue_.begin() + static_cast<std::ptrdiff_t>(levels.last), queue_.end(),
                                [&](std::int32_t a, std::int32_t b) { return graph_.degree(a) < graph_.degree(b); });
    }
    return start;
  }

  const matrix::Graph& graph_;
  std::vector<std::int32_t> stamp_;  // of the last search that came by; placed: in the order already
  std::vector<std::int32_t> queue_;
  std::int32_t mark_ = 0;
};

// Refuses what leaves a row out: entries would go astray, or out of the vectors.
void check_places(std::span<const std::int64_t> old_places, const Place& where = {}) {
  std::vector<bool> seen(old_places.size(), false);
  for (const std::int64_t old : old_places) {
    if (old < 0 || static_cast<std::size_t>(old) >= seen.size() || seen[static_cast<std::size_t>(old)])
      throw Error(ErrorCode::usage, fmt::format("not an order: row {} is out of range or occurs twice", old), where,
                  "give each row from 0 on once");
    seen[static_cast<std::size_t>(old)] = true;
  }
}

// Calls move(new place, old place) for every place, after a look at the sizes and the places.
template <class Value, class Move>
void move_entries(const Order& order, std::span<const Value> from, std::span<Value> to, const Move& move) {
  if (from.size() != to.size() || (!order.old_place.empty() && from.size() != order.old_place.size()))
    throw Error(ErrorCode::usage, fmt::format("vectors of {} and {} entries do not fit an order of {} positions",
                                              from.size(), to.size(), order.old_place.size()));
  const std::less<const void*> before;
  if (!from.empty() && before(from.data(), to.data() + to.size()) && before(to.data(), from.data() + from.size()))
    throw Error(ErrorCode::usage, "a vector cannot be permuted in place", {}, "give the result memory of its own");
  if (order.old_place.empty()) {
    std::ranges::copy(from, to.begin());
    return;
  }
  check_places(order.old_place);
  for (std::size_t p = 0; p < to.size(); ++p) move(p, static_cast<std::size_t>(order.old_place[p]));
}

template <class Value>
void move_into(const Order& order, std::span<const Value> from, std::span<Value> to) {
  move_entries(order, from, to, [&](std::size_t place, std::size_t old) { to[place] = from[old]; });
}
template <class Value>
void move_out_of(const Order& order, std::span<const Value> from, std::span<Value> to) {
  move_entries(order, from, to, [&](std::size_t place, std::size_t old) { to[old] = from[place]; });
}

void check_order(const Matrix& matrix, const Order& order) {
  const auto rows = static_cast<std::size_t>(matrix.rows());
  if (matrix.rows() != matrix.cols() || order.old_place.size() != rows)
    throw Error(ErrorCode::usage,
                fmt::format("an order of {} positions does not fit {} rows and {} columns", order.old_place.size(),
                            matrix.rows(), matrix.cols()),
                {matrix.name()});
  check_places(order.old_place, {matrix.name()});
}
}  // namespace

std::string_view to_string(Ordering ordering) { return word_of(ordering); }

Ordering ordering_from(std::string_view name) {
  for (const auto& [ordering, word] : Words<Ordering>::table)
    if (name == word) return ordering;
  throw Error(ErrorCode::usage, fmt::format("there is no order '{}'", name), {}, "use none or rcm");
}

void Order::into(std::span<const double> from, std::span<double> to) const { move_into(*this, from, to); }
void Order::into(std::span<const float> from, std::span<float> to) const { move_into(*this, from, to); }
void Order::out_of(std::span<const double> from, std::span<double> to) const { move_out_of(*this, from, to); }
void Order::out_of(std::span<const float> from, std::span<float> to) const { move_out_of(*this, from, to); }

Order make_order(const Matrix& matrix, Ordering ordering) {
  if (ordering == Ordering::none) return {};
  return {ordering, CuthillMckee(matrix::symmetric_graph(matrix)).order()};
}

Matrix permuted(const Matrix& matrix, const Order& order, int threads) {
  if (order.old_place.empty() && order.kind == Ordering::none) return matrix;
  check_order(matrix, order);
  return matrix::permuted(matrix, order.old_place, base::thread_count(threads));
}
}  // namespace sparsecast
