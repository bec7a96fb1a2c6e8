"""What it costs that a plan watches its caller's matrix: products by a plan and by its pickled copy, which has a matrix of
its own and watches nothing else, in turns; medians of 15. `python benchmarks/python/watching.py` prints the table of
docs/how-to/values.md.
"""

from __future__ import annotations

import pickle
import time

import numpy as np
import scipy.sparse as sp

import sparsecast


def seconds(P, x, products):
    start = time.perf_counter()
    for _ in range(products):
        P @ x
    return (time.perf_counter() - start) / products


def main():
    small = sp.random_array((30, 30), density=0.1, format="csr", rng=1)
    large = sp.random_array((100_000, 100_000), density=1e-4, format="csr", rng=1)
    print("| form | entries | product | of it watching |\n| --- | ---: | ---: | ---: |")
    for A, products in ((small, 20_000), (large, 20)):
        forms = [(form, A.asformat(form)) for form in ("csr", "csc", "coo", "bsr", "lil", "dok")]
        for name, B in [*forms, ("csr of integers", A.astype(np.int64)), ("csr, storage='single'", A)]:
            wishes = {"storage": "single"} if "storage" in name else {}
            P = sparsecast.plan(B, kernel="csr", threads=1, **wishes)
            Q, x = pickle.loads(pickle.dumps(P)), np.ones(A.shape[1])
            turns = np.array([(seconds(P, x, products), seconds(Q, x, products)) for _ in range(15)])
            watched, plain = np.median(turns, axis=0)
            print(f"| {name} | {A.nnz:,} | {1e6 * watched:,.2f} µs | {1e6 * (watched - plain):,.2f} µs |")


if __name__ == "__main__":
    main()
