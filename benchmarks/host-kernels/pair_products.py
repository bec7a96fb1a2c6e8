"""The run of `pair`: THREADS FOLDER MKL RESULT [PART]; PART: pairs or skewed, both where it is left out."""
import ctypes
import gc
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

REAL = ("finan512", "cnr-2000", "elast3d_bunny", "ship_001", "CONT-300_A", "musae_github", "netlib_fit2p", "mip_nw04",
        "nrail5177", "rgg_n_2_15_s0")
ROUNDS, BLOCK_S = 11, 0.005
BOTH = {"A": 1, "A.T": 1}
RNG = np.random.default_rng(3)


def interleaved(calls, rounds=ROUNDS):
    """Seconds of each by round, in turns, back and forth."""
    runs = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        runs[name] = max(1, int(BLOCK_S / (time.perf_counter() - start)))
    seconds = {name: [] for name in calls}
    for turn in range(rounds):
        for name in list(calls)[:: 1 if turn % 2 == 0 else -1]:
            calls[name]()  # brings its storage into the caches
            start = time.perf_counter()
            for _ in range(runs[name]):
                calls[name]()
            seconds[name].append((time.perf_counter() - start) / runs[name])
    return seconds


def ratio(seconds, slow, fast):
    return statistics.median(a / b for a, b in zip(seconds[slow], seconds[fast]))


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def diagonals(n, offsets):
    at = np.arange(n)[:, None] + np.array(offsets)
    there = (at >= 0) & (at < n)
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    return sp.csr_array((RNG.random(int(there.sum())), at[there].astype(np.int32), starts), shape=(n, n))


def scattered(rows, cols, mean_length):
    lengths = RNG.poisson(mean_length, rows)
    columns = RNG.integers(0, cols, lengths.sum()).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    matrix = sp.csr_array((RNG.random(len(columns)), columns, starts), shape=(rows, cols))
    matrix.sum_duplicates()
    return matrix


def windowed(n, length, window):
    """Rows of as many entries near the diagonal, as of a mesh that was numbered well."""
    columns = (np.arange(n)[:, None] + RNG.integers(-window, window, (n, length))) % n
    matrix = sp.csr_array((RNG.random(n * length), columns.astype(np.int32).ravel(),
                           (np.arange(n + 1) * length).astype(np.int32)), shape=(n, n))
    matrix.sum_duplicates()
    return matrix


MADE = {
    "5-point stencil, 2 million rows": lambda: diagonals(2_000_000, [-1414, -1, 0, 1, 1414]),
    "7 near columns, 1.5 million rows": lambda: windowed(1_500_000, 7, 400),
    "graph, 250,000 rows, 5 million entries": lambda: scattered(250_000, 250_000, 20),
    "1 million rows over 50,000 columns": lambda: scattered(1_000_000, 50_000, 8),
    "50,000 rows over 1 million columns": lambda: scattered(50_000, 1_000_000, 160),
}


def pair_row(name, A, threads):
    x, u = RNG.standard_normal(A.shape[1]), RNG.standard_normal(A.shape[0])
    y, z = np.empty_like(u), np.empty_like(x)
    pair = sparsecast.plan(A, products=BOTH, threads=threads)
    normal = sparsecast.plan(A, threads=threads)
    in_place = sparsecast.plan(A, transposed=True, threads=threads)
    stored = sparsecast.plan(A.T.tocsr(), threads=threads)
    seconds = interleaved({
        "pair": lambda: (pair.apply(x, y), pair.apply(u, z, transposed=True)),
        "one": lambda: (normal.apply(x, y), normal.apply(u, z, transposed=True)),
        "in place": lambda: (normal.apply(x, y), in_place.apply(u, z, transposed=True)),
        "apart": lambda: (normal.apply(x, y), stored.apply(u, z)),
        "gram": lambda: pair.gram(x, z)})
    best = min(("one", "in place", "apart"), key=lambda k: statistics.median(seconds[k]))
    transpose = pair.strategy["transpose"]
    row = {"matrix": name, "nonzeros": int(A.nnz), "kernel": pair.kernel, "storage": transpose["storage"],
           **{key: statistics.median(times) for key, times in seconds.items()}, "best": best,
           "pair_over_best": ratio(seconds, "pair", best), "gram_gain": ratio(seconds, best, "gram")}
    print(f"{name:42} {pair.kernel:14} {row['storage']:12} regret {100 * (row['pair_over_best'] - 1):5.1f} %  "
          f"gram {row['gram_gain']:.2f}", flush=True)
    return row


def pair_rows(folder, threads):
    rows = []
    for name, make in MADE.items():
        rows.append(pair_row(name, make(), threads))
        gc.collect()
    for name in REAL if folder else ():
        A = sp.csr_array(scipy.io.mmread(pathlib.Path(folder) / f"{name}.mtx.gz")).astype(np.float64)
        A.sum_duplicates()
        rows.append(pair_row(name, A, threads))
    return rows


class Descr(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


def mkl_product(mkl, A, X, Y):
    """A call of mkl_sparse_?_m[vm] of a matrix that was optimised for many of them."""
    letter, number = ("d", ctypes.c_double) if A.dtype == np.float64 else ("s", ctypes.c_float)
    at = lambda array: ctypes.c_void_p(array.ctypes.data)
    handle, general, vectors = ctypes.c_void_p(), Descr(20, 0, 0), X.shape[1] if X.ndim == 2 else 1
    status = getattr(mkl, f"mkl_sparse_{letter}_create_csr")(
        ctypes.byref(handle), 0, *A.shape, at(A.indptr), at(A.indptr[1:]), at(A.indices), at(A.data))
    if vectors == 1:
        status |= mkl.mkl_sparse_set_mv_hint(handle, 10, general, 100_000)
    else:
        status |= mkl.mkl_sparse_set_mm_hint(handle, 10, general, 101, vectors, 100_000)
    if status | mkl.mkl_sparse_optimize(handle):
        sys.exit(f"MKL: status {status}")
    one, zero = number(1), number(0)
    mv, mm = getattr(mkl, f"mkl_sparse_{letter}_mv"), getattr(mkl, f"mkl_sparse_{letter}_mm")
    if vectors == 1:
        return lambda: mv(10, one, handle, general, at(X), zero, at(Y))
    return lambda: mm(10, one, handle, general, 101, at(X), vectors, vectors, zero, at(Y), vectors)


def few_dense(rows, cols, short, dense, length):
    """Short rows with columns near each other, and a few long ones at random places."""
    counts = RNG.integers(1, short + 1, rows)
    counts[RNG.choice(rows, dense, replace=False)] = length
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = np.empty(starts[-1], np.int32)
    few, start = counts <= short, RNG.integers(0, cols - 40 * short, rows)
    for k in range(short):
        r = np.flatnonzero(few & (counts > k))
        columns[starts[r] + k] = start[r] + 40 * k + RNG.integers(0, 40, len(r))
    for r in np.flatnonzero(~few):
        columns[starts[r]:starts[r + 1]] = np.sort(RNG.choice(cols, length, replace=False))
    return sp.csr_array((RNG.random(len(columns)), columns, starts), shape=(rows, cols))


def long_rows(lengths, cols):
    rows = [np.sort(RNG.choice(cols, n, replace=False)) for n in lengths]
    return sp.csr_array((RNG.random(sum(lengths)), np.concatenate(rows).astype(np.int32),
                         np.cumsum([0, *lengths]).astype(np.int32)), shape=(len(lengths), cols))


SKEWED = {
    "200,000 rows of 1 to 3, 4 full ones": lambda: few_dense(200_000, 100_000, 3, 4, 100_000),
    "20 rows of 12,000 to 80,000": lambda: long_rows([80_000] * 4 + [12_000] * 16, 80_000),
    "25 rows of 8,000 to 10,500": lambda: long_rows(list(range(8_000, 10_500, 100)), 10_500),
    "1.5 million rows of 1 to 5, 10 of 300,000": lambda: few_dense(1_500_000, 800_000, 5, 10, 300_000),
}


def skewed_rows(mkl, threads):
    rows = []
    for name, make in SKEWED.items():
        A = make()
        for dtype in (np.float64, np.float32):
            B = sp.csr_array((A.data.astype(dtype), A.indices, A.indptr), shape=A.shape)
            for vectors in (1, 8):
                shape = (lambda n: (n, vectors) if vectors > 1 else n)
                X = RNG.standard_normal(shape(A.shape[1])).astype(dtype)
                Y, Z = np.empty(shape(A.shape[0]), dtype), np.empty(shape(A.shape[0]), dtype)
                plan = sparsecast.plan(B, threads=threads, vectors=vectors)
                seconds = interleaved({"mkl": mkl_product(mkl, B, X, Z), "ours": lambda: plan.apply(X, Y)}, 21)
                rows.append({"matrix": name, "nonzeros": int(B.nnz), "type": np.dtype(dtype).name, "vectors": vectors,
                             "kernel": plan.kernel, "threads": plan.threads,
                             **{key: statistics.median(times) for key, times in seconds.items()},
                             "times_as_fast": ratio(seconds, "mkl", "ours")})
                print(f"{name:42} {np.dtype(dtype).name} {vectors} {plan.kernel:14} {plan.threads} "
                      f"{rows[-1]['times_as_fast']:.2f}", flush=True)
    return rows


def main(threads, folder, library, result, part=""):
    document = {"threads": threads}
    if part != "skewed":
        document["pairs"] = pair_rows(folder, threads)
        print(f"regret {100 * (mean([r['pair_over_best'] for r in document['pairs']]) - 1):.1f} %, gram "
              f"{mean([r['gram_gain'] for r in document['pairs']]):.2f}")
    if part != "pairs":
        mkl = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
        mkl.MKL_Set_Interface_Layer(0)
        mkl.MKL_Set_Threading_Layer(3)
        mkl.MKL_Set_Num_Threads(threads)
        document["skewed"] = skewed_rows(mkl, threads)
        ratios = [r["times_as_fast"] for r in document["skewed"]]
        print(f"beside MKL {mean(ratios):.2f}, least {min(ratios):.2f}")
    results_json.write(result, document)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
