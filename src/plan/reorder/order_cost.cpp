#include "plan/reorder/order_cost.hpp"

#include "plan/search/numbers.hpp"

namespace sparsecast::planning {
namespace {

// In products, on one thread: the order, from the graph on, and P·A·Pᵀ. Walks over the graph read as a product reads x,
// so that a product's time carries the machine and the disorder.
struct OrderCost {
  double products, seconds_of_row;
};
constexpr OrderCost cost_of(Ordering ordering) {
  switch (ordering) {
    case Ordering::degree:
      return {20, 60e-9};
    case Ordering::rcm:
      return {40, 150e-9};
    case Ordering::metis:
      return {150, 1500e-9};
    case Ordering::none:
      break;
  }
  return {0, 0};
}

}  // namespace

double forecast_reordering_s(Ordering ordering, const Matrix& matrix, double plain_s) {
  const OrderCost cost = cost_of(ordering);
  return cost.products * plain_s + cost.seconds_of_row * number(matrix.rows());
}

}  // namespace sparsecast::planning
