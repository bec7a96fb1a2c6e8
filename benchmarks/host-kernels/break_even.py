"""The run of `break-even`: THREADS FOLDER BENCH MKL RESULT. benchmarks/pictures/draw draws it."""
import ctypes
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import results_json  # noqa: E402

PRODUCTS = (1, 10, 30, 100, 1000)
LEAST, MOST, MATRICES = 100_000, 8_000_000, 30
BLOCKS, BLOCK_S, TURNS = 9, 0.01, 3


class Descr(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


def timed(call):
    start = time.perf_counter()
    kept = call()
    return time.perf_counter() - start, kept


def steady(product):
    """Seconds of one of many: the median of blocks."""
    runs = max(1, int(BLOCK_S / max(timed(product)[0], 1e-7)))
    return statistics.median(timed(lambda: [product() for _ in range(runs)])[0] / runs for _ in range(BLOCKS))


def mkl_times(mkl, A, x, products):
    """Seconds until a handle multiplies, of its first product, and of another; told of `products` calls, or not (0)."""
    y, general, handle = np.zeros(A.shape[0]), Descr(20, 0, 0), ctypes.c_void_p()
    at = lambda array: array.ctypes.data_as(ctypes.c_void_p)

    def make():
        done = mkl.mkl_sparse_d_create_csr(ctypes.byref(handle), 0, *A.shape, at(A.indptr), at(A.indptr[1:]), at(A.indices),
                                           at(A.data))
        if products:
            done = done or mkl.mkl_sparse_set_mv_hint(handle, 10, general, products) or mkl.mkl_sparse_optimize(handle)
        if done:
            sys.exit(f"MKL: status {done}")

    product = lambda: mkl.mkl_sparse_d_mv(10, ctypes.c_double(1), handle, general, at(x), ctypes.c_double(0), at(y))
    made, _ = timed(make)
    first, _ = timed(product)
    each = steady(product)
    mkl.mkl_sparse_destroy(handle)
    return made, first, each


def python_times(A, x, threads, products):
    plan = lambda: sparsecast.plan(A, threads=threads, iterations=products)
    turns = []
    for _ in range(TURNS):
        planned, P = timed(plan)
        first, _ = timed(lambda: P @ x)
        turns.append((planned, first))
    return (*sorted(turns, key=sum)[TURNS // 2], steady(lambda: P @ x))


def total(times, products):
    planned, first, each = times
    return planned + first + (products - 1) * each


def measure():
    threads, folder, bench, mkl_file, result = int(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]
    mkl = ctypes.CDLL(mkl_file, mode=ctypes.RTLD_GLOBAL)
    mkl.MKL_Set_Num_Threads(threads)
    rows, taken = [], 0
    for file in sorted(folder.glob("*.mtx.gz")):
        with gzip.open(file) as head:
            nonzeros = next(int(line.split()[2]) for line in head if not line.startswith(b"%"))
        if not LEAST <= nonzeros <= MOST or taken == MATRICES:
            continue
        A = sp.csr_array(scipy.io.mmread(file))
        if A.dtype.kind == "c":
            continue
        A = A.astype(np.float64)
        A.sum_duplicates()
        A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
        x = np.ones(A.shape[1])
        scipy_s = steady(lambda: A @ x)
        plain = mkl_times(mkl, A, x, 0)
        lines = subprocess.run([bench, file, str(threads), *map(str, PRODUCTS)], capture_output=True, text=True, check=True)
        cpp = {line["products"]: line for line in map(json.loads, lines.stdout.splitlines())}
        taken += 1
        for products in PRODUCTS:
            told = mkl_times(mkl, A, x, products)
            peers = {"scipy": products * scipy_s, "mkl": total(plain, products), "mkl-optimized": total(told, products)}
            ours = {"python": python_times(A, x, threads, products),
                    "c++": tuple(cpp[products][key] for key in ("plan_s", "first_s", "product_s"))}
            for language, times in ours.items():
                rows.append({"matrix": file.name.removesuffix(".mtx.gz"), "nonzeros": int(A.nnz), "products": products,
                             "threads": threads, "language": language, "ours_s": total(times, products),
                             "plan_products": times[0] / scipy_s, "peers": peers})
        print(rows[-1]["matrix"], *(f"{r['peers']['scipy'] / r['ours_s']:.2f}" for r in rows[-2 * len(PRODUCTS):]), flush=True)
    for language in ("python", "c++"):
        for products in PRODUCTS:
            part = [r for r in rows if r["language"] == language and r["products"] == products]
            ratio = {peer: [r["peers"][peer] / r["ours_s"] for r in part] for peer in part[0]["peers"]}
            print(f"{language:7} {products:5} products: " + "  ".join(
                f"{peer} {statistics.median(v):.2f} (least {min(v):.2f})" for peer, v in ratio.items()))
    others = [r for r in json.loads(pathlib.Path(result).read_text())["rows"] if r["threads"] != threads] if pathlib.Path(
        result).exists() else []
    short = lambda seconds: float(f"{seconds:.4g}")
    for row in rows:
        row.update(ours_s=short(row["ours_s"]), plan_products=round(row["plan_products"], 2),
                   peers={peer: short(seconds) for peer, seconds in row["peers"].items()})
    results_json.write(result, {"rows": others + rows})
    return result


if len(sys.argv) > 2:
    import numpy as np
    import scipy.io
    import scipy.sparse as sp

    import sparsecast
measure()
