#pragma once
// The methods: from x on, until the history says that it is enough. What `answer` is of the eigenvalue methods is in x,
// and the eigenvalues in `eigenvalues`.

#include <vector>

#include "solving/run/history.hpp"
#include "solving/run/problem.hpp"

namespace sparsecast::solving {
// The methods: from x on, until the history says that it is enough. What `answer` is of the eigenvalue methods is in x,
// and the eigenvalues in `eigenvalues`.
void run_cg(Problem& problem, History& history, Vector& x);
void run_bicgstab(Problem& problem, History& history, Vector& x);
void run_gmres(Problem& problem, History& history, Vector& x, int restart);
void run_chebyshev(Problem& problem, History& history, Vector& x);
void run_jacobi(Problem& problem, History& history, Vector& x, const Vector& inverse_diagonal);
void run_power(Problem& problem, History& history, Vector& x, std::vector<double>& eigenvalues);
void run_pagerank(Problem& problem, History& history, Vector& x, const Vector& inverse_degrees);
void run_lobpcg(Problem& problem, History& history, int block, std::vector<double>& eigenvalues);

/// Steps of cg by which chebyshev finds its bounds.
inline constexpr int chebyshev_bound_steps = 40;
}  // namespace sparsecast::solving
