#!/usr/bin/env python3
"""Sparsecast's products beside SciPy's, and others' where they are installed: one process, interleaved, medians.

  compare.py [--threads 1,2] [--rounds 15] [--seconds S] -o RESULT.json [--plot RESULT.svg] [MATRIX…]

MATRIX: Matrix Market or .npz files; without any, the recipes of benchmarks/recipes.hpp at a tenth of their size and
some tiny matrices. Needs an environment with the wheel, and a calibrated host. Beside SciPy it times sparse_dot_mkl,
numba (a parallel loop over rows) and PyRSB, whichever of them can be imported. For each matrix and number of threads
the result has the medians of all in seconds, and Sparsecast's plan; for the whole geometric means over SciPy, the
overhead of one call beyond the C++ product, and CG and LOBPCG end to end.
"""

from __future__ import annotations

import argparse
import functools
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from threadpoolctl import threadpool_limits

import sparsecast

GENERATED = {
    "constant-10": ["uniform", "--rows", "100000", "--cols", "100000", "--row-mean", "10"],
    "normal-32": ["normal", "--rows", "30000", "--cols", "30000", "--row-mean", "32"],
    "random-5": ["random", "--rows", "200000", "--cols", "200000", "--row-mean", "5"],
    "powerlaw": ["powerlaw", "--rows", "100000", "--cols", "100000", "--row-mean", "10"],
    "longrow": ["longrow", "--rows", "300000", "--cols", "300000", "--row-mean", "3"],
    "poisson2d": ["poisson2d", "--size", "440"],
    "poisson3d": ["poisson3d", "--size", "50"],
    "stencil27": ["stencil27", "--size", "33"],
    "rmat": ["rmat", "--scale", "16", "--edges", "1000000"],
    "geometric": ["geometric", "--rows", "60000", "--row-mean", "16"],
    "banded": ["banded", "--rows", "50000", "--row-mean", "20", "--bandwidth", "200"],
    "blocks": ["blocks", "--rows", "18000", "--row-mean", "60"],
}


def generated(folder: Path):
    """The recipes, by the command that the wheel brings, and tiny matrices."""
    program = Path(sys.executable).with_name("sparsecast")
    for name, options in GENERATED.items():
        file = folder / f"{name}.mtx"
        done = subprocess.run(
            [program, "generate", *options, "--seed", "1", "-o", file], capture_output=True, text=True
        )
        if done.returncode != 0:
            print(f"{name} left out: {done.stderr.strip()}", file=sys.stderr)
            continue
        yield name, sp.csr_array(scipy.io.mmread(file))
        file.unlink()
    rng = np.random.default_rng(1)
    for size in (3, 30, 300, 3000):
        yield f"tiny-{size}", sp.random_array((size, size), density=min(1.0, 5 / size), format="csr", rng=rng)


def read(files):
    for file in files:
        A = sp.load_npz(file) if file.endswith(".npz") else scipy.io.mmread(file)
        if np.iscomplexobj(A.data if sp.issparse(A) else A):
            continue
        yield Path(file).name.split(".")[0], sp.csr_array(A).astype(float)


def others(A, threads, wanted):
    """Products by name of whoever is wanted and installed. Each is called once here, so that what is made at first is
    made."""
    made = {}
    try:
        import sparse_dot_mkl

        sparse_dot_mkl.mkl_set_num_threads_local(threads)
        as_matrix = sp.csr_matrix(A)
        made["sparse_dot_mkl"] = lambda x: sparse_dot_mkl.dot_product_mkl(as_matrix, x)
    except (ImportError, OSError, AttributeError):
        pass
    try:
        import numba

        numba.set_num_threads(threads)
        made["numba"] = lambda x: numba_product()(A.indptr, A.indices, A.data, x)
    except (ImportError, ValueError):
        pass
    try:
        import rsb

        R = rsb.rsb_matrix(sp.csr_matrix(A))
        made["PyRSB"] = lambda x: R @ x
    except ImportError:
        pass
    x = np.ones(A.shape[1])
    made = {name: call for name, call in made.items() if name in wanted}
    for name in list(made):
        try:
            np.testing.assert_allclose(made[name](x), A @ x, rtol=1e-8, atol=1e-8)
        except Exception as error:
            print(f"{name} left out: {error}", file=sys.stderr)
            del made[name]
    return made


@functools.cache
def numba_product():
    """CSR by numba: a parallel loop over the rows."""
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def product(indptr, indices, data, x):
        y = np.empty(indptr.size - 1)
        for row in numba.prange(indptr.size - 1):
            total = 0.0
            for k in range(indptr[row], indptr[row + 1]):
                total += data[k] * x[indices[k]]
            y[row] = total
        return y

    return product


def interleaved(calls, rounds, seconds):
    """The median time of each call: in every round each runs so often that it takes some `seconds`, in turns."""
    times = {name: [] for name in calls}
    counts = {}
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        counts[name] = max(1, int(seconds / max(time.perf_counter() - start, 1e-7)))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            times[name].append((time.perf_counter() - start) / counts[name])
    return {name: statistics.median(values) for name, values in times.items()}


def products(name, A, threads, options):
    x = np.ones(A.shape[1])
    with threadpool_limits(threads):
        P = sparsecast.plan(A, threads=threads)
        np.testing.assert_allclose(P @ x, A @ x, rtol=1e-8, atol=1e-8)
        calls = {"scipy": lambda: A @ x, "sparsecast": lambda: P @ x}
        for other, call in others(A, threads, options.others.split(",")).items():
            calls[other] = lambda call=call: call(x)
        seconds = interleaved(calls, options.rounds, options.seconds)
    return {
        "matrix": name,
        "rows": A.shape[0],
        "cols": A.shape[1],
        "nonzeros": int(A.nnz),
        "threads": threads,
        "kernel": P.kernel,
        "threads_used": P.threads,
        "seconds": seconds,
    }


def call_overhead(options):
    """What Python adds to a product: of a matrix of one entry the C++ product takes some ten nanoseconds."""
    A = sp.csr_array(np.ones((1, 1)))
    P, x, y = sparsecast.plan(A, kernel="csr", threads=1), np.ones(1), np.empty(1)
    calls = {
        "P @ x": lambda: P @ x,
        "P.apply(x, out=y)": lambda: P.apply(x, out=y),
        "scipy": lambda: A @ x,
        "empty call": lambda: None,
    }
    return interleaved(calls, options.rounds, options.seconds)


def solvers(threads, options):
    """CG and LOBPCG on a stencil, end to end, planning included."""
    edge = 300
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(edge, edge))
    A = sp.csr_array(
        sp.kron(line, sp.eye_array(edge)) + sp.kron(sp.eye_array(edge), line) + 0.01 * sp.eye_array(edge**2)
    )
    b, X = np.ones(A.shape[0]), np.random.default_rng(1).standard_normal((A.shape[0], 8))
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LOBPCG is stopped after twenty iterations, and says so
        calls = {
            "cg": (lambda M: sl.cg(M, b, rtol=1e-8), {}),
            "lobpcg": (lambda M: sl.lobpcg(M, X.copy(), tol=1e-9, maxiter=20), {"vectors": 8}),
        }
        result = []
        for name, (solve, wishes) in calls.items():
            both = {
                "scipy": lambda solve=solve: solve(A),
                "sparsecast": lambda solve=solve, wishes=wishes: solve(sparsecast.plan(A, threads=threads, **wishes)),
            }
            result.append({"solver": name, "threads": threads, "seconds": interleaved(both, 5, 0)})
    return result


def geometric_mean(values):
    return float(np.exp(np.mean(np.log(values))))


def draw(document, file):
    import matplotlib.pyplot as plt

    threads = sorted({case["threads"] for case in document["products"]})
    names = list(dict.fromkeys(case["matrix"] for case in document["products"]))
    figure, axes = plt.subplots(1, len(threads), figsize=(3.5 * len(threads), 0.6 + 0.2 * len(names)), sharey=True,
                                layout="constrained", squeeze=False)  # fmt: skip
    marks = {
        "sparsecast": ("o", "#0b5394"),
        "sparse_dot_mkl": ("s", "#d9730d"),
        "numba": ("^", "#4c9a6a"),
        "PyRSB": ("d", "#8e63ab"),
    }
    for ax, count in zip(axes[0], threads):
        cases = {case["matrix"]: case["seconds"] for case in document["products"] if case["threads"] == count}
        for other, (mark, color) in marks.items():
            points = [(s["scipy"] / s[other], names.index(name)) for name, s in cases.items() if other in s]
            if points:
                ax.plot(*zip(*points), mark, color=color, ms=4, label=other)
        ax.axvline(1, color="#8a8a8a", lw=0.8, ls="--")
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel(f"speed over SciPy, {count} thread{'s' if count > 1 else ''}")
        ax.set_yticks(range(len(names)), names, fontsize=7)
    axes[0][-1].legend(fontsize=7, frameon=False)
    figure.savefig(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("matrices", nargs="*")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.002, help="of one product's turn in a round")
    parser.add_argument("--others", default="sparse_dot_mkl,numba,PyRSB", help="who is timed beside SciPy")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--plot")
    options = parser.parse_args()
    counts = [int(count) for count in options.threads.split(",")]
    document = {
        "schema": "sparsecast/python-benchmark/1",
        "processor": next(
            (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), ""
        ),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "sparsecast": sparsecast.__version__,
        "call_overhead": call_overhead(options),
        "products": [],
        "solvers": [],
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, A in read(options.matrices) if options.matrices else generated(Path(folder)):
            for threads in counts:
                case = products(name, A, threads, options)
                document["products"].append(case)
                ratio = case["seconds"]["scipy"] / case["seconds"]["sparsecast"]
                print(f"{name:16} {threads} threads  {case['kernel']:12} {ratio:6.2f} times SciPy", file=sys.stderr)
    document["over_scipy"] = {
        str(threads): {
            "geometric_mean": geometric_mean(ratios),
            "least": min(ratios),
            "matrices": len(ratios),
        }
        for threads in counts
        if (
            ratios := [
                c["seconds"]["scipy"] / c["seconds"]["sparsecast"]
                for c in document["products"]
                if c["threads"] == threads
            ]
        )
    }
    for threads in counts:
        document["solvers"] += solvers(threads, options)
    Path(options.output).write_text(json.dumps(document, indent=2) + "\n")
    if options.plot:
        draw(document, options.plot)


if __name__ == "__main__":
    main()
