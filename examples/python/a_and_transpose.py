# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A and its transpose in turns
#
# Least squares, singular values and linear programmes multiply by a matrix and by its transpose, one after the other. A
# plan for both chooses among one storage and two, and says which.

# %%
import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsqr, svds

import sparsecast

rng = np.random.default_rng(1)
A = sp.random_array((30_000, 4_000), density=2e-3, format="csr", rng=rng)
P = sparsecast.plan(A, products={"A": 1, "A.T": 1})
P.strategy["transpose"]["storage"], P.strategy["transpose"]["reason"]

# %% [markdown]
# ## Least squares and singular values
# SciPy's solvers take the plan where they take the matrix.

# %%
b = rng.standard_normal(A.shape[0])
x, *_ = lsqr(P, b)
assert np.allclose(x, lsqr(A, b)[0], atol=1e-6)
largest = svds(P, 4, return_singular_vectors=False)
largest

# %% [markdown]
# ## AᵀA in one pass
# The normal equations want Aᵀ(A·x): `gram` reads the matrix once where that is faster. Power iteration with it:

# %%
v = rng.standard_normal(A.shape[1])
w = np.empty_like(v)
for _ in range(300):
    P.gram(v / np.linalg.norm(v), out=w)
    v, w = w, v
norm = np.sqrt(np.linalg.norm(v))
assert abs(norm - largest.max()) < 1e-3 * norm
norm

# %% [markdown]
# ## A linear programme
# Primal-dual hybrid gradient (Chambolle & Pock 2011), the method under PDLP (Applegate et al. 2021) without its restarts:
# minimise cᵀx where A·x = b and x ≥ 0. Every iteration is one product with A and one with Aᵀ.

# %%
def primal_dual(P, b, c, norm, iterations):
    x, y, step = np.zeros(P.shape[1]), np.zeros(P.shape[0]), 0.95 / norm
    turned, ahead, product = np.empty_like(x), np.empty_like(x), np.empty_like(y)
    for _ in range(iterations):
        P.apply(y, out=turned, transposed=True)
        np.maximum(x - step * (c - turned), 0, out=ahead)
        P.apply(2 * ahead - x, out=product)
        y += step * (b - product)
        x, ahead = ahead, x
    return x, y


C = sp.random_array((600, 2_000), density=0.01, format="csr", rng=rng)
feasible = np.maximum(rng.standard_normal(C.shape[1]), 0)
dual, slack = rng.standard_normal(C.shape[0]), np.where(feasible > 0, 0, rng.random(C.shape[1]))
Q = sparsecast.plan(C, products={"A": 1, "A.T": 1})
cost, right_side = Q.T @ dual + slack, Q @ feasible  # so that `feasible` is the best
x, y = primal_dual(Q, right_side, cost, svds(Q, 1, return_singular_vectors=False)[0], 20_000)
gap = abs(cost @ x - right_side @ y) / (1 + abs(cost @ x))
miss = np.linalg.norm(Q @ x - right_side) / (1 + np.linalg.norm(right_side))
assert gap < 1e-4 and miss < 1e-4, (gap, miss)
f"objective {cost @ x:.6f}, duality gap {gap:.1e}, constraints missed by {miss:.1e}"
