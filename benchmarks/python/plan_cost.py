"""What making a plan costs, in products of SciPy: alone, with one product, and with thirty.

    plan_cost.py [-o results.json] MATRIX...      files that scipy.io.mmread reads; those below 100,000 entries are omitted

Needs an environment with the wheel (benchmarks/python/run makes one). Everything takes turns; each figure is the median
over the rounds. OMP_NUM_THREADS says on how many threads.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
import sparsecast

sys.path.append(str(Path(__file__).parents[1]))
import results_json  # noqa: E402

LEAST_ENTRIES, ROUNDS, MANY = 100_000, 7, 30


def took(call: Callable[[], object], times: int = 1) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - begun


def products(A: sp.csr_array, x: np.ndarray, count: int) -> None:
    """A plan for so many products, and these."""
    P = sparsecast.plan(A, iterations=count)
    for _ in range(count):
        P @ x


def row(name: str, A: sp.csr_array) -> dict:
    x = np.ones(A.shape[1])
    sparsecast.plan(A) @ x
    rounds = []
    for _ in range(ROUNDS):
        pairs = [(took(lambda: A @ x), took(lambda: products(A, x, 1))) for _ in range(3)]
        scipys, one = map(min, zip(*pairs))
        many = took(lambda: A @ x, MANY) / took(lambda: products(A, x, MANY))
        rounds.append((took(lambda: sparsecast.plan(A)) / scipys, scipys / one, many))
    cost, one, many = (round(statistics.median(column), 3) for column in zip(*rounds))
    return {"matrix": name, "nonzeros": A.nnz, "plan_in_products": cost, "times_as_fast_1": one, f"times_as_fast_{MANY}": many}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="output")
    parser.add_argument("matrices", nargs="+")
    asked = parser.parse_args()
    rows = []
    for name in asked.matrices:
        A = sp.csr_array(scipy.io.mmread(name)).astype(float)
        A.sum_duplicates()
        if A.nnz >= LEAST_ENTRIES:
            rows.append(row(Path(name).name.split(".")[0], A))
    small = sp.random(1000, 1000, 0.01, format="csr", random_state=3)
    thousand = statistics.median(took(lambda: sparsecast.plan(small)) for _ in range(100))
    print(f"{len(rows)} matrices, OMP_NUM_THREADS {os.environ.get('OMP_NUM_THREADS', 'not set')}")
    for key, worst, what in (
        ("plan_in_products", max, "a plan, in products of SciPy"),
        ("times_as_fast_1", min, "a plan and a product, times as fast as SciPy"),
        (f"times_as_fast_{MANY}", min, f"a plan and {MANY} products, times as fast as SciPy"),
    ):
        last = worst(rows, key=lambda one: one[key])
        print(f"{what}: median {statistics.median(one[key] for one in rows):.2f}, worst {last[key]:.2f} ({last['matrix']})")
    print(f"a plan of 1,000 rows with 10,000 entries: {1e6 * thousand:.0f} us")
    if asked.output:
        results_json.write(asked.output, {"rows": rows, "thousand_rows_s": round(thousand, 7)})


main()
