#pragma once
// The one room that decides how a matrix is multiplied: by how many threads, in which kernels, in which order of rows
// and columns, and whether what was observed here before says it already. plan(), plan_reordered() and the report of a
// plan ask here, and an option of planning is decided here.

#include <optional>
#include <sparsecast/plan_request.hpp>
#include <sparsecast/reorder.hpp>

#include "planning/choice/device_models.hpp"
#include "planning/choice/observed_products.hpp"

namespace sparsecast::planning {
struct Choice {
  Strategy strategy;
  Matrix matrix;                                  ///< that it is for: the caller's, in its new order where it has one
  ObservedProducts observed = {};                 ///< of that matrix; what trials give is kept there
  std::optional<Reordering> order = {};           ///< where an order was asked about
  std::shared_ptr<Runner> runner = {};            ///< of that strategy, where choosing has made it
  std::vector<PowersStrategy> other_powers = {};  ///< ways of blocking that a plan may time beside the strategy's
};

/// Whether the matrix is looked at, and every kernel forecast, where few products are done before that pays.
enum class Look { where_it_pays, always };

/// What is asked of the room beside the request.
struct Asked {
  int threads = 1;  ///< of the host, at most so many
  Look look = Look::where_it_pays;
  std::optional<Ordering> order = {};  ///< of rows and columns; none: the one that pays; nothing: no other
  bool forecasts = false;              ///< every kernel is to be forecast, whatever was observed
};

/// What is decided for a request's matrix, which may be complex. Errors as
/// Planner's and find_reordering()'s; failed where nothing was measured with so few threads; usage for contradictory
/// wishes. Thread safety: safe from several threads at once.
[[nodiscard]] Choice choose(const PlanRequest& request, const Matrix& matrix, DeviceModels& device, const Asked& asked);

/// The plan of what was chosen, with trials where they are asked for and were not held before. What they gave is kept.
[[nodiscard]] Plan carry_out(const Choice& choice, const PlanRequest& request);
}  // namespace sparsecast::planning
