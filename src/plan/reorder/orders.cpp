#include "plan/reorder/orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/threads.hpp"
#include "matrix/order/permuted.hpp"
#include "plan/reorder/metis_order.hpp"
#include "plan/reorder/rcm.hpp"

namespace sparsecast {
namespace {

constexpr std::array<std::pair<Ordering, std::string_view>, 4> ordering_names{
    {{Ordering::none, "none"}, {Ordering::rcm, "rcm"}, {Ordering::metis, "metis"}, {Ordering::degree, "degree"}}};

// Calls move(new place, old place) for every place, after a look at the sizes.
template <class Value, class Move>
void move_entries(const Order& order, std::span<const Value> from, std::span<Value> to, const Move& move) {
  if (from.size() != to.size() || (!order.old_place.empty() && from.size() != order.old_place.size()))
    throw Error(ErrorCode::usage, fmt::format("vectors of {} and {} entries for an order of {} places", from.size(),
                                              to.size(), order.old_place.size()));
  const std::less<const void*> before;
  if (!from.empty() && before(from.data(), to.data() + to.size()) && before(to.data(), from.data() + from.size()))
    throw Error(ErrorCode::usage, "a vector cannot be put in order in its own memory", {}, "give it memory of its own");
  if (order.old_place.empty()) {
    std::ranges::copy(from, to.begin());
    return;
  }
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
                fmt::format("an order of {} places for {} rows and {} columns", order.old_place.size(), matrix.rows(),
                            matrix.cols()),
                {matrix.name()});
  std::vector<bool> seen(rows, false);
  for (const std::int64_t old : order.old_place) {
    if (old < 0 || old >= matrix.rows() || seen[static_cast<std::size_t>(old)])
      throw Error(ErrorCode::usage, fmt::format("no order: row {} is out of range or stands there twice", old),
                  {matrix.name()});
    seen[static_cast<std::size_t>(old)] = true;
  }
}

}  // namespace

std::string_view to_string(Ordering ordering) {
  return std::ranges::find(ordering_names, ordering, &std::pair<Ordering, std::string_view>::first)->second;
}

Ordering ordering_from(std::string_view name) {
  const auto found = std::ranges::find(ordering_names, name, &std::pair<Ordering, std::string_view>::second);
  if (found == ordering_names.end())
    throw Error(ErrorCode::usage, fmt::format("there is no order '{}'", name), {}, "take none, rcm, metis or degree");
  return found->first;
}

std::vector<Ordering> orderings() {
  std::vector<Ordering> all{Ordering::degree, Ordering::rcm};
  if (planning::has_metis()) all.push_back(Ordering::metis);
  return all;
}

void Order::into(std::span<const double> from, std::span<double> to) const { move_into(*this, from, to); }
void Order::into(std::span<const float> from, std::span<float> to) const { move_into(*this, from, to); }
void Order::out_of(std::span<const double> from, std::span<double> to) const { move_out_of(*this, from, to); }
void Order::out_of(std::span<const float> from, std::span<float> to) const { move_out_of(*this, from, to); }

std::vector<std::int64_t> planning::degree_order(const Matrix& matrix) {
  const auto n = static_cast<std::size_t>(matrix.rows());
  std::vector<std::int64_t> degree(n, 0), order(n);
  matrix.visit_pattern([&](const auto& csr) {
    for (std::size_t row = 0; row < n; ++row) degree[row] += csr.row_pointers[row + 1] - csr.row_pointers[row];
    for (const auto column : csr.column_indices) ++degree[static_cast<std::size_t>(column)];
  });
  std::iota(order.begin(), order.end(), 0);
  const std::int64_t mean = n == 0 ? 0 : 2 * matrix.nonzeros() / matrix.rows();
  const auto of = [&](std::int64_t row) { return degree[static_cast<std::size_t>(row)]; };
  const auto others =
      std::stable_partition(order.begin(), order.end(), [&](std::int64_t row) { return of(row) > mean; });
  std::stable_sort(order.begin(), others, [&](std::int64_t a, std::int64_t b) { return of(a) > of(b); });
  return order;
}

Order planning::order_of(const Matrix& matrix, const matrix::Graph& graph, Ordering ordering) {
  switch (ordering) {
    case Ordering::rcm:
      return {ordering, reverse_cuthill_mckee(graph)};
    case Ordering::metis:
      return {ordering, metis_order(graph)};
    case Ordering::degree:
      return {ordering, degree_order(matrix)};
    case Ordering::none:
      break;
  }
  return {};
}

Order make_order(const Matrix& matrix, Ordering ordering) {
  if (ordering == Ordering::none) return {};
  if (ordering == Ordering::degree && matrix.rows() == matrix.cols()) return {ordering, planning::degree_order(matrix)};
  return planning::order_of(matrix, matrix::symmetric_graph(matrix), ordering);
}

Matrix permuted(const Matrix& matrix, const Order& order, int threads) {
  if (order.old_place.empty() && order.kind == Ordering::none) return matrix;
  check_order(matrix, order);
  return matrix::permuted(matrix, order.old_place, base::thread_count(threads));
}

}  // namespace sparsecast
