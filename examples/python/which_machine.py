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
# # Which machine for my matrix?
#
# Forecasts need no access to a machine: its description is enough, with wider intervals. Here a matrix is forecast on
# machines that are not here, before one of them is rented.

# %%
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import sparsecast

edge = 60
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(edge, edge))
eye = sp.eye_array(edge)
matrix = (
    sp.kron(sp.kron(line, eye), eye) + sp.kron(sp.kron(eye, line), eye) + sp.kron(eye, sp.kron(eye, line))
).tocsr()
matrix.shape, matrix.nnz

# %% [markdown]
# ## What is known
# Some machines of the catalogue:

# %%
names = ["nvidia-h100", "nvidia-a100", "nvidia-rtx-3090", "amd-mi250", "intel-xeon-8480"]
catalogue = {machine["name"]: machine for machine in sparsecast.devices(catalogue=True)}
[name for name in names if name in catalogue]

# %% [markdown]
# ## The fastest kernel of each, with its interval

# %%
best = {}
for name in names:
    table = sparsecast.forecast(matrix, name)
    best[name] = table[table.recommended["kernel"]]
    print(f"{name:18} {best[name]['kernel']:22} {1e6 * best[name]['seconds']:7.1f} µs")

# %%
figure, ax = plt.subplots(figsize=(5, 2.5), layout="constrained")
seconds = np.array([row["seconds"] for row in best.values()])
low, high = (np.array([row[key] for row in best.values()]) for key in ("low_s", "high_s"))
ax.errorbar(1e6 * seconds, range(len(best)), xerr=1e6 * np.array([seconds - low, high - seconds]), fmt="o", capsize=2)
ax.set_yticks(range(len(best)), best)
ax.set_xscale("log")
ax.set_xlabel("µs for one product, 90 % interval")
None

# %% [markdown]
# Where intervals overlap, the forecast does not tell the machines apart; a minute of `sparsecast probe` on one narrows
# its interval.
#
# ## And here?

# %%
here = sparsecast.forecast(matrix)
row = here[here.recommended["kernel"]]
print(f"host: {row['kernel']}, {1e6 * row['seconds']:.0f} µs; {row['tier']}")
for name, there in best.items():
    print(f"{name:18} {row['seconds'] / there['seconds']:5.1f} times as fast")

# %% [markdown]
# ## What bounds them

# %%
sparsecast.plot.parts(sparsecast.forecast(matrix, "nvidia-h100"))
None
