"""What a product costs: SciPy's A @ x, sparsecast.csr_array's, a plan's, SciPy's within accelerated(), and PyTorch's where
that is installed; in turns, medians of 15 bursts. `python benchmarks/python/drop_in.py` prints the table of
docs/results-python.md.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import scipy.sparse as sp

import sparsecast


def burst(product, products):
    start = time.perf_counter()
    for _ in range(products):
        product()
    return (time.perf_counter() - start) / products


def row(entries):
    rows = max(5, entries // 10)
    A = sp.random_array((rows, rows), density=min(1.0, entries / rows**2), format="csr", rng=np.random.default_rng(1))
    x, B, P = np.ones(rows), sparsecast.csr_array(A.copy()), sparsecast.plan(A.copy())
    within = sparsecast.accelerated()

    def accelerated(products):
        with within:
            for _ in range(12 + 60_000 // max(entries, 1) // 10):  # until it is planned and settled
                A @ x
            return burst(lambda: A @ x, products)

    ways = {
        "SciPy": lambda n: burst(lambda: A @ x, n),
        "csr_array": lambda n: burst(lambda: B @ x, n),
        "plan": lambda n: burst(lambda: P @ x, n),
        "accelerated": accelerated,
    }
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        from sparsecast.torch import SparseCSR

        T = torch.sparse_csr_tensor(*map(torch.from_numpy, (A.indptr, A.indices, A.data)), size=A.shape)
        S, v = SparseCSR(T), torch.from_numpy(x)
        ways["PyTorch"], ways["SparseCSR"] = lambda n: burst(lambda: T @ v, n), lambda n: burst(lambda: S @ v, n)
    products = max(3, int(3e-3 / (3e-6 + 1.5e-9 * A.nnz)))
    for way in ways.values():
        way(12)
    turns = np.array([[way(products) for way in ways.values()] for _ in range(15)])
    return A.nnz, dict(zip(ways, 1e6 * np.median(turns, axis=0), strict=True))


def main():
    try:
        import torch  # noqa: F401
    except ImportError:
        pass
    for i, entries in enumerate((10, 1000, 100_000, 1_000_000)):
        nnz, times = row(entries)
        if i == 0:
            print("| entries | " + " | ".join(times) + " |\n| ---: |" + " ---: |" * len(times))
        print(f"| {nnz:,} | " + " | ".join(f"{t:,.2f} µs" for t in times.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
