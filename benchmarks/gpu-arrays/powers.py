"""K products one after the other on a device, x, A·x, A²·x, …, queued in one go and, on CUDA, replayed from a captured
graph: one line of JSON a case. The stage `powers` of scripts/gpu-campaign."""

from __future__ import annotations

import time

import numpy as np
import sparsecast
from cases import Cases, libraries, matrix, near, options

asked = options(__doc__)
cases = Cases(asked)
here, missing = libraries(asked.device)
cases.run("libraries", lambda: {"ok": bool(here), "here": [one.name for one in here], "missing": missing})


def median_s(run, finish, times=7):
    run(), finish()
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        run()
        finish()
        taken.append(time.perf_counter() - begun)
    return float(np.median(taken))


def powers(lib, rows, K, A, P, x):
    """K products by P @ x, by apply() into two vectors in turn, and from a graph."""
    expected = x
    for _ in range(K):
        expected = A @ expected
    start, turns = lib.to(x), [lib.empty(rows), lib.empty(rows)]

    def queued():
        v = start
        for k in range(K):
            P.apply(v, out=turns[k % 2])
            v = turns[k % 2]

    def fresh():
        v = start
        for _ in range(K):
            v = P @ v
        return v

    queued(), lib.finish()
    ok = near(lib.get(turns[(K - 1) % 2]), expected) and near(lib.get(fresh()), expected)
    found = {
        "rows": rows,
        "K": K,
        "kernel": P.kernel,
        "apply_s": median_s(queued, lib.finish),
        "fresh_s": median_s(fresh, lib.finish),
    }
    if lib.name == "CuPy":
        stream = lib.cupy.cuda.Stream(non_blocking=True)
        with stream:
            queued()  # what a queue needs of its own is made before
            stream.synchronize()
            stream.begin_capture()
            queued()
            graph = stream.end_capture()
            turns[(K - 1) % 2].fill(0)
            graph.launch()
            stream.synchronize()
            ok = ok and near(lib.get(turns[(K - 1) % 2]), expected)
            found["graph_s"] = median_s(lambda: graph.launch(), stream.synchronize)
    elif lib.name == "PyTorch":
        torch = lib.torch
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            queued()
        side.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            queued()
        turns[(K - 1) % 2].fill_(0)
        graph.replay()
        torch.cuda.synchronize()
        ok = ok and near(lib.get(turns[(K - 1) % 2]), expected)
        found["graph_s"] = median_s(graph.replay, torch.cuda.synchronize)
    return {"ok": ok, **found}


for rows in (asked.rows // 100, asked.rows // 10, asked.rows):
    A = matrix(rows, mean=min(8, rows))
    A.data /= np.sqrt(8)  # powers neither grow nor vanish
    P = sparsecast.plan(A, device=asked.device)
    x = np.random.default_rng(3).standard_normal(rows)
    for lib in here:
        if lib.name == "JAX":  # every product is waited for: there is nothing to be queued
            continue
        for K in (4, 16):
            cases.run(
                f"{lib.name}: {rows} rows, {K} products",
                lambda lib=lib, K=K, rows=rows, A=A, P=P, x=x: powers(lib, rows, K, A, P, x),
            )
cases.exit()
