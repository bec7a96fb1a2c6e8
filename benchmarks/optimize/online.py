#!/usr/bin/env python3
"""What trials cost within the caller's own products, in the environment of the Python tests (scripts/test-python).

    benchmarks/optimize/online.py MATRIX...

By matrix, one thread: kernels of an online plan after 600 products and of one whose trials came before; what the 600
took beyond as many of the latter, and the longest of them, in its products."""
import statistics
import sys
import time

import numpy as np
import scipy.io
import sparsecast


def seconds_of(plan, x, products):
    seconds = []
    for _ in range(products):
        start = time.perf_counter()
        y = plan @ x
        seconds.append(time.perf_counter() - start)
    return seconds, y


def main():
    costs, longest = [], []
    for file in sys.argv[1:]:
        A = scipy.io.mmread(file).tocsr().astype(float)
        x = np.ones(A.shape[1])
        before, online = (sparsecast.plan(A, trials=trials, threads=1) for trials in ("auto", "online"))
        seconds, y = seconds_of(online, x, 600)
        assert np.allclose(y, A @ x)
        best = statistics.median(seconds_of(before, x, 100)[0])
        costs.append(sum(seconds) / best - 600)
        longest.append(max(seconds) / best)
        print(f"{file}: {online.kernel}, {before.kernel}, cost {costs[-1]:.0f}, longest {longest[-1]:.1f}", flush=True)
    print(f"cost {statistics.median(costs):.0f} in the median, longest product {max(longest):.1f}")


if __name__ == "__main__":
    main()
