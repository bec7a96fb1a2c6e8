"""The run of `complex`: THREADS FOLDER MKL RESULT."""
import ctypes
import math
import pathlib
import statistics
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import sparsecast

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import results_json  # noqa: E402

MATRICES = ("bcsstk33", "finan512", "cnr-2000", "elast3d_bunny", "ship_001", "dblp-2010", "CONT-300_A", "musae_github",
            "sparcT1_core_hgr", "blogcatalog3")
ROUNDS, BLOCK_S = 21, 0.02


class Descr(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


def number_of(part):
    return type("Number", (ctypes.Structure,), {"_fields_": [("real", part), ("imag", part)]})


def mkl_product(mkl, A, x, y):
    """A call of mkl_sparse_[zc]_mv of a matrix that was optimised for many of them."""
    letter, number = ("z", number_of(ctypes.c_double)) if A.dtype == np.complex128 else ("c", number_of(ctypes.c_float))
    at = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    handle, general = ctypes.c_void_p(), Descr(20, 0, 0)
    starts = A.indptr.astype(np.int32)
    create = getattr(mkl, f"mkl_sparse_{letter}_create_csr")
    done = create(ctypes.byref(handle), 0, *A.shape, at(starts), at(starts[1:]), at(A.indices), at(A.data))
    done = done or mkl.mkl_sparse_set_mv_hint(handle, 10, general, 1000) or mkl.mkl_sparse_optimize(handle)
    if done:
        sys.exit(f"MKL: status {done}")
    mv, one, zero = getattr(mkl, f"mkl_sparse_{letter}_mv"), number(1, 0), number(0, 0)
    held = (starts, A, x, y)
    return lambda: mv(10, one, handle, general, at(x), zero, at(y)), held


def interleaved(calls):
    """Median seconds of each, in turns."""
    runs = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        runs[name] = max(1, int(BLOCK_S / (time.perf_counter() - start)))
    seconds = {name: [] for name in calls}
    for turn in range(ROUNDS):
        for name in list(calls)[:: 1 if turn % 2 == 0 else -1]:
            start = time.perf_counter()
            for _ in range(runs[name]):
                calls[name]()
            seconds[name].append((time.perf_counter() - start) / runs[name])
    return {name: statistics.median(all_of_it) for name, all_of_it in seconds.items()}


def fastest_plan(A, threads, x, **wishes):
    return sparsecast.plan(A, threads=threads, trials="auto", **wishes)


def main():
    threads, folder, mkl_file, result = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    mkl = ctypes.CDLL(mkl_file, mode=ctypes.RTLD_GLOBAL)
    mkl.MKL_Set_Num_Threads(threads)
    rng, rows = np.random.default_rng(1), []
    for name in MATRICES:
        pattern = sp.csr_array(scipy.io.mmread(folder / f"{name}.mtx.gz"))
        pattern.sum_duplicates()
        for dtype in (np.complex128, np.complex64):
            A = pattern.astype(dtype)
            A.data = np.exp(2j * math.pi * rng.random(A.nnz)).astype(dtype)
            x, y = np.exp(1j * rng.random(A.shape[1])).astype(dtype), np.zeros(A.shape[0], dtype)
            P = fastest_plan(A, threads, x)
            theirs, held = mkl_product(mkl, A, x, y)
            times = interleaved({"ours": lambda: P @ x, "mkl": theirs, "scipy": lambda: A @ x})
            assert np.allclose(P @ x, A @ x, rtol=1e-3, atol=1e-3) and np.allclose(y, A @ x, rtol=1e-3, atol=1e-3)
            rows.append({"matrix": name, "nonzeros": int(A.nnz), "type": A.dtype.name, "kernel": P.kernel, **times})
        double, x = pattern.astype(np.float64), rng.random(pattern.shape[1])
        double.data = rng.random(double.nnz)
        D = fastest_plan(double, threads, x)
        for kind in ("single", "half", "bfloat16"):
            S = fastest_plan(double, threads, x, storage=kind)
            times = interleaved({"ours": lambda: S @ x, "double storage": lambda: D @ x, "scipy": lambda: double @ x})
            rows.append({"matrix": name, "nonzeros": int(double.nnz), "type": f"{kind} × float64", "kernel": S.kernel,
                         "rounded_by": S.storage_error, **times})
    for row in rows:
        peers = {k: row[k] / row["ours"] for k in ("mkl", "scipy", "double storage") if k in row}
        text = "  ".join(f"{k} {v:5.2f}" for k, v in peers.items())
        print(f"{row['matrix']:18} {row['nonzeros']:9,} {row['type']:18} {row['kernel']:13} {text}")
    for kind in dict.fromkeys(row["type"] for row in rows):
        part = [min(r[k] for k in ("mkl", "scipy", "double storage") if k in r) / r["ours"] for r in rows if r["type"] == kind]
        print(f"{kind}: geometric mean {math.exp(statistics.mean(map(math.log, part))):.2f}, least {min(part):.2f}")
    results_json.write(result, {"threads": threads, "rows": rows})


main()
