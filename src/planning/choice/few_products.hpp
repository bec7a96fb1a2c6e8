#pragma once
// Few products: looking at a matrix takes as long as some products of it and saves at most a part of each, so that a
// handful of products is finished first by the default kernel, which reads the matrix where it lies.

#include <sparsecast/plan.hpp>
#include <sparsecast/plan_request.hpp>

namespace sparsecast::planning {
/// Whether what is asked is done before a look at the matrix pays: few products on the host, with nothing said of how
/// they are to be made.
[[nodiscard]] bool is_done_before_a_look(const PlanRequest& request, const Matrix& matrix);

/// Their plan; `threads`: at most so many.
[[nodiscard]] Strategy without_a_look(const PlanRequest& request, const Matrix& matrix, int threads);

/// The same of a strategy that was searched for all the same, to be told of: the default kernel takes all rows.
void take_default_kernel(Strategy& strategy, const Matrix& matrix);
}  // namespace sparsecast::planning
