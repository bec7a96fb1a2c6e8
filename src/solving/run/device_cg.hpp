#pragma once
// Conjugate gradients where the plan lives: on a GPU, with every vector and factor in its memory.

#include "solving/run/history.hpp"
#include "solving/run/problem.hpp"

namespace sparsecast::solving {
/// The residual is looked at so often: the host waits then.
inline constexpr std::int64_t iterations_between_looks = 16;

/// On from x, without a preconditioner, by a plan in double on a device: a product, two reductions and two passes over
/// vectors an iteration, queued one after the other. A run of a given number of iterations waits at its end alone. It
/// takes the device's turn for all of that.
void run_cg_on_device(Problem& problem, const RunOptions& options, History& history, Vector& x);
}  // namespace sparsecast::solving
