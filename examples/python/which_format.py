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
# # Which format, and does it pay?
#
# A sparse matrix can be stored in many ways, and the fastest one depends on the matrix and on the machine. Converting
# takes time too. Sparsecast measures the machine once and forecasts both, so that nothing needs to be tried.

# %%
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import sparsecast

# %% [markdown]
# ## Two matrices
# A five-point stencil, whose rows are all alike, and a matrix whose rows are of very different lengths.

# %%
edge = 200
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(edge, edge))
stencil = (sp.kron(line, sp.eye_array(edge)) + sp.kron(sp.eye_array(edge), line)).tocsr()

rng = np.random.default_rng(1)
lengths = np.minimum(2000, rng.zipf(1.8, size=20_000))
columns = rng.integers(0, 20_000, size=lengths.sum())
skewed = sp.csr_array((np.ones(columns.size), columns, np.r_[0, np.cumsum(lengths)]), shape=(20_000, 20_000))
skewed.sum_duplicates()

figure, axes = plt.subplots(2, 2, figsize=(7, 5), layout="constrained")
for (left, right), matrix in zip(axes, (stencil, skewed)):
    sparsecast.plot.spy(matrix, ax=left)
    sparsecast.plot.row_lengths(sparsecast.structure(matrix), ax=right)

# %% [markdown]
# ## What every format would take
# The first forecast on a machine measures it for some seconds and says so.

# %%
forecast = sparsecast.forecast(stencil, name="stencil")
forecast

# %%
other = sparsecast.forecast(skewed, name="skewed")
other

# %% [markdown]
# The intervals say how far such forecasts are off: nine of ten measured times fall inside. Three kernels are measured.

# %%
kernels = ["csr", "sell", "csr-merge"]
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
sparsecast.plot.forecast(forecast, sparsecast.measure(stencil, kernels=kernels), ax=left).set_title("stencil")
sparsecast.plot.forecast(other, sparsecast.measure(skewed, kernels=kernels), ax=right).set_title("skewed")
None

# %% [markdown]
# ## Where the time goes

# %%
sparsecast.plot.parts(other)
None

# %% [markdown]
# ## Does converting pay?
# After how many products a format has earned its conversion, against plain CSR:

# %%
sparsecast.plot.break_even(forecast)
None

# %%
for iterations in (1, 100, 10_000):
    P = sparsecast.plan(stencil, iterations=iterations)
    print(f"{iterations:6} products: {P.kernel}, {P.threads} threads")

# %% [markdown]
# ## Use it
# A plan stands where SciPy takes the matrix.

# %%
from scipy.sparse.linalg import cg

P = sparsecast.plan(stencil)
x, info = cg(P, np.ones(stencil.shape[0]), rtol=1e-5, maxiter=100)
P
