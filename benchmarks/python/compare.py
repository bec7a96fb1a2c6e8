"""Sparsecast's products beside SciPy's, sparse_dot_mkl's, numba's and PyRSB's: one process, in turns, medians.

    compare.py FOLDER -o RESULT.json [--threads 1,2] [--rounds 11] [--seconds 0.002]

FOLDER is of matrices.py. Needs an environment with the wheel (benchmarks/python/run makes one) and a calibrated host.
Each matrix and number of threads has the median seconds of all who are installed; the document also has what a call
costs beyond the C++ product, and CG and LOBPCG end to end.
"""

from __future__ import annotations

import argparse
import functools
import platform
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from matrices import kept
from threadpoolctl import threadpool_limits

import sparsecast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import results_json  # noqa: E402


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


def by_numba(A, threads):
    import numba

    numba.set_num_threads(threads)
    return lambda x: numba_product()(A.indptr, A.indices, A.data, x)


def by_mkl(A, threads):
    import sparse_dot_mkl

    sparse_dot_mkl.mkl_set_num_threads_local(threads)
    matrix = sp.csr_matrix(A)
    return lambda x: sparse_dot_mkl.dot_product_mkl(matrix, x)


def by_rsb(A, threads):
    import rsb

    matrix = rsb.rsb_matrix(sp.csr_matrix(A))
    return lambda x: matrix @ x


OTHERS: dict[str, Callable] = {"sparse_dot_mkl": by_mkl, "numba": by_numba, "PyRSB": by_rsb}


@functools.cache
def told(text: str) -> None:
    print(text, file=sys.stderr)


def others(A, threads):
    """Products by name of whoever is installed. Each is called once here, so that what is made at first is made."""
    x, products = np.ones(A.shape[1]), {}
    for name, make in OTHERS.items():
        try:
            product = make(A, threads)
            np.testing.assert_allclose(product(x), A @ x, rtol=1e-8, atol=1e-8)
            products[name] = product
        except Exception as error:  # not installed, or not for this matrix
            told(f"{name} left out: {error}")
    return products


def in_turns(calls, rounds, seconds):
    """The median time of each call: in every round each runs once untimed, as caches hold what the one before it read,
    and then so often that it takes some `seconds`; whose turn it is is shuffled."""
    times = {name: [] for name in calls}
    counts = {}
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        counts[name] = max(1, int(seconds / max(time.perf_counter() - start, 1e-7)))
    shuffled = random.Random(1)
    for _ in range(rounds):
        for name in shuffled.sample(list(calls), len(calls)):
            call = calls[name]
            call()
            start = time.perf_counter()
            for _ in range(counts[name]):
                call()
            times[name].append((time.perf_counter() - start) / counts[name])
    return {name: statistics.median(values) for name, values in times.items()}


def products(name, A, threads, options):
    x = np.ones(A.shape[1])
    with threadpool_limits(threads):
        start = time.perf_counter()
        P = sparsecast.plan(A, threads=threads)
        planning_s = time.perf_counter() - start
        np.testing.assert_allclose(P @ x, A @ x, rtol=1e-8, atol=1e-8)
        calls = {"scipy": lambda: A @ x, "sparsecast": lambda: P @ x}
        for other, product in others(A, threads).items():
            calls[other] = lambda product=product: product(x)
        seconds = in_turns(calls, options.rounds, options.seconds)
    return {
        "matrix": name,
        "rows": A.shape[0],
        "cols": A.shape[1],
        "nonzeros": int(A.nnz),
        "threads": threads,
        "kernel": P.kernel,
        "threads_used": P.threads,
        "planning_s": planning_s,
        "seconds": seconds,
    }


def call_overhead(options):
    """What a call costs beyond the C++ product, which runs alone in a loop of its own, for products of growing size."""
    rows = []
    for size in (1, 30, 300, 3000, 30_000):
        A = sp.random_array((size, size), density=min(1.0, 5 / size), format="csr", rng=np.random.default_rng(1))
        P, x, y = sparsecast.plan(A, kernel="csr", threads=1), np.ones(size), np.empty(size)
        found = {"python": [], "apply": [], "scipy": [], "cpp": []}
        count = max(5, int(options.seconds / (1e-6 + 1e-9 * A.nnz)))
        for _ in range(options.rounds):
            start = time.perf_counter()
            for _ in range(count):
                P @ x
            middle = time.perf_counter()
            for _ in range(count):
                P.apply(x, out=y)
            end = time.perf_counter()
            for _ in range(count):
                A @ x
            found["python"].append((middle - start) / count)
            found["apply"].append((end - middle) / count)
            found["scipy"].append((time.perf_counter() - end) / count)
            found["cpp"].append(P._multiplier.seconds_alone(count))
        medians = {name: statistics.median(values) for name, values in found.items()}
        medians["overhead"] = statistics.median(a - b for a, b in zip(found["python"], found["cpp"]))
        rows.append({"rows": size, "nonzeros": int(A.nnz), "seconds": medians})
    return rows


def solvers(threads):
    """CG and LOBPCG on a stencil, end to end, planning included."""
    edge = 300
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(edge, edge))
    A = sp.csr_array(
        sp.kron(line, sp.eye_array(edge)) + sp.kron(sp.eye_array(edge), line) + 0.01 * sp.eye_array(edge**2)
    )
    b, X = np.ones(A.shape[0]), np.random.default_rng(1).standard_normal((A.shape[0], 8))
    result = []
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LOBPCG is stopped after twenty iterations, and says so
        for name, solve in {
            "cg": lambda library: library.cg(A, b, rtol=1e-8),
            "lobpcg": lambda library: library.lobpcg(A, X.copy(), tol=1e-9, maxiter=20),
        }.items():
            solution = solve(sparsecast.solve)
            calls = {
                "scipy": lambda solve=solve: solve(sl),
                "sparsecast": lambda solve=solve: solve(sparsecast.solve),
            }
            result.append(
                {
                    "solver": name,
                    "threads": threads,
                    "kernel": solution.operator.kernel,
                    "products": solution.products,
                    "planning_s": solution.planning_s,
                    "seconds": in_turns(calls, 5, 0),
                }
            )
    return result


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    fields = dict(reversed([[part.strip() for part in line.split(":", 1)] for line in lines if ":" in line]))
    return f"{fields.get('model name', platform.machine())}, family {fields.get('cpu family', '?')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=0.002, help="of one product's turn in a round")
    parser.add_argument("--only", default="", help="matrices whose names hold one of these, separated by commas")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    counts = [int(count) for count in options.threads.split(",")]
    document = {
        "schema": "sparsecast/python-benchmark/1",
        "processor": processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "sparsecast": sparsecast.__version__,
        "calls": call_overhead(options),
        "products": [],
        "solvers": [case for threads in counts for case in solvers(threads)],
    }
    for name, A in kept(options.folder):
        if options.only and not any(part in name for part in options.only.split(",")):
            continue
        for threads in counts:
            case = products(name, A, threads, options)
            document["products"].append(case)
            ratio = case["seconds"]["scipy"] / case["seconds"]["sparsecast"]
            print(f"{name:40} {threads} threads  {case['kernel']:20} {ratio:6.2f} times SciPy", file=sys.stderr)
        results_json.write(options.output, document)  # what is stopped keeps what it has


if __name__ == "__main__":
    main()
