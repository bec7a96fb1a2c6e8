"""Powers of matrices beside as many products of the kernel that is measured to be the fastest, with the forecast and
with SciPy's and MKL's products: benchmarks/results/powers.json and the table of docs/results-powers.md.

    python benchmarks/powers/powers.py measure SPARSECAST [FOLDER]   # some minutes; goes on where it was ended
    python benchmarks/powers/powers.py report                        # prints the table; benchmarks/pictures/draw draws

FOLDER: of further matrices, square ones. The command times both in turns (`sparsecast measure --powers K`) and
forecasts them (`sparsecast predict --powers K --no-store`). The made matrices have random values, so that no format
stores them in fewer bytes. MKL is asked where MKL_LIBRARY names libmkl_rt.
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import results_json  # noqa: E402

RESULTS = ROOT / "benchmarks/results/powers.json"
KS = (8, 4, 2)  # what tells most first, as a run may be ended

rng = np.random.default_rng(7)


def bands(n: int, offsets: list[int]) -> sp.csr_array:
    A = sp.diags_array(np.ones((len(offsets), n)), offsets=offsets, shape=(n, n)).tocsr()
    A.data = rng.random(A.nnz) / len(offsets)
    return A


def mesh(k: int, patch: int) -> sp.csr_array:
    """A square cut into triangles by diagonals of either direction, numbered patch by patch."""
    i, j = np.divmod(np.arange(k * k), k)
    number = ((i // patch) * (k // patch) + j // patch) * patch * patch + (i % patch) * patch + j % patch
    N = number.reshape(k, k)
    turn = rng.random((k - 1, k - 1)) < 0.5
    a = np.concatenate([N[:, :-1].ravel(), N[:-1].ravel(), np.where(turn, N[:-1, :-1], N[:-1, 1:]).ravel()])
    b = np.concatenate([N[:, 1:].ravel(), N[1:].ravel(), np.where(turn, N[1:, 1:], N[1:, :-1]).ravel()])
    r, c = np.concatenate([a, b, N.ravel()]), np.concatenate([b, a, N.ravel()])
    return sp.coo_array((rng.random(len(r)) / 12, (r, c)), shape=(k * k, k * k)).tocsr()


def graph(scale: int, edges: int) -> sp.csr_array:
    """R-MAT: hubs that reach everywhere."""
    r = np.zeros(edges, np.int64)
    c = r.copy()
    for _ in range(scale):
        q = rng.random(edges)
        r = 2 * r + (q >= 0.76)
        c = 2 * c + (((q >= 0.57) & (q < 0.76)) | (q >= 0.95))
    A = sp.coo_array((rng.random(edges), (r, c)), shape=(1 << scale, 1 << scale)).tocsr()
    return A / abs(A).sum(axis=1).max()


MADE = {
    "5-point stencil, 2000²": lambda: bands(4_000_000, [-2000, -1, 0, 1, 2000]),
    "7-point stencil, 160³": lambda: bands(160**3, [-25600, -160, -1, 0, 1, 160, 25600]),
    "triangles, 1.6 million points in patches": lambda: mesh(1280, 32),
    "tridiagonal, 8 million rows": lambda: bands(8_000_000, [-1, 0, 1]),
    "5-point stencil, 300²": lambda: bands(90_000, [-300, -1, 0, 1, 300]),
    "graph, 6 million edges": lambda: graph(18, 6_000_000),
}


def asked(command: list[str]) -> dict:
    done = subprocess.run([*command, "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)["powers"]


def seconds_of(call, rounds: int = 7) -> float:
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def mkl_seconds(A: sp.csr_array, threads: int) -> float | None:
    """A product of the inspector-executor, told of many calls and optimised."""
    name = os.environ.get("MKL_LIBRARY")
    if not name:
        return None
    mkl = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    mkl.MKL_Set_Interface_Layer(0)
    mkl.MKL_Set_Threading_Layer(3)  # GNU's OpenMP
    mkl.MKL_Set_Num_Threads(threads)

    class Description(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]

    general, handle = Description(20, 0, 0), ctypes.c_void_p()
    at = lambda a: ctypes.c_void_p(a.ctypes.data)  # noqa: E731
    x, y = rng.standard_normal(A.shape[1]), np.zeros(A.shape[0])
    pointers, columns = A.indptr.astype(np.int32), A.indices.astype(np.int32)
    status = mkl.mkl_sparse_d_create_csr(
        ctypes.byref(handle), 0, *A.shape, at(pointers), at(pointers[1:]), at(columns), at(A.data)
    )
    status |= mkl.mkl_sparse_set_mv_hint(handle, 10, general, 100000) | mkl.mkl_sparse_optimize(handle)
    if status:
        raise SystemExit(f"MKL: status {status}")
    one, zero = ctypes.c_double(1), ctypes.c_double(0)
    seconds = seconds_of(lambda: mkl.mkl_sparse_d_mv(10, one, handle, general, at(x), zero, at(y)))
    mkl.mkl_sparse_destroy(handle)
    return seconds


def peers_of(A: sp.csr_array, threads: int) -> dict:
    """Seconds of one product."""
    peers = {"MKL": mkl_seconds(A, threads)}
    if threads == 1:
        x = rng.standard_normal(A.shape[1])
        peers["SciPy"] = seconds_of(lambda: A @ x)
    return {name: seconds for name, seconds in peers.items() if seconds}


def add_rows(program: str, scratch: str, A: sp.csr_array, name: str, ks: tuple[int, ...], rows: list[dict]) -> None:
    wanted = [(threads, k) for threads in (1, 2) for k in ks]
    there = {(row["threads"], row["k"]) for row in rows if row["matrix"] == name}
    if there >= set(wanted):
        return
    file = pathlib.Path(scratch, "matrix.npz")
    sp.save_npz(file, A, compressed=False)
    peers = {threads: peers_of(A, threads) for threads in (1, 2)}
    for threads, k in wanted:
        if (threads, k) in there:
            continue
        common = [str(file), "--powers", str(k), "--threads", str(threads), "--no-store"]
        forecast = asked([program, "predict", *common])
        measured = asked([program, "measure", *common])
        rows.append(
            {"matrix": name, "threads": threads, "k": k}
            | {key: measured[key] for key in ("pays", "seconds", "all_s", "products_s")}
            | {f"forecast_{key}": forecast[key] for key in ("pays", "seconds", "all_s", "products_s")}
            | {"peers": peers[threads]}
        )
        print(line_of(rows[-1]), flush=True)
        results_json.write(RESULTS, {"rows": rows})


def line_of(row: dict) -> str:
    peer = min(row["peers"].items(), key=lambda one: one[1], default=None)
    best = f"{row['k'] * peer[1] / row['seconds']:.2f} ({peer[0]})" if peer else "not asked"
    return (
        f"| {row['matrix']} | {row['threads']} | {row['k']} | {'yes' if row['pays'] else 'no'} "
        f"| {row['products_s'] / row['seconds']:.2f} | {row['products_s'] / row['all_s']:.2f} | {best} "
        f"| {row['seconds'] * 1e3:.1f} | {row['forecast_seconds'] * 1e3:.1f} "
        f"| {row['forecast_seconds'] / row['seconds'] - 1:+.0%} |"
    )


def table_of(rows: list[dict]) -> str:
    """k by matrix by threads: times as fast as products, the forecast beside it."""
    return "\n".join(
        [
            "| matrix | threads | k | pays | last alone | all kept | over best peer | measured, ms | forecast, ms | off |",
            "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            *map(line_of, rows),
        ]
    )


def measure(program: str, *folders: str) -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    with tempfile.TemporaryDirectory() as scratch:
        for name, make in MADE.items():
            add_rows(program, scratch, make(), name, KS, rows)
        for folder in folders:
            for found in sorted(pathlib.Path(folder).glob("*.mtx*")):
                A = sp.csr_array(scipy.io.mmread(found))
                if np.iscomplexobj(A.data) or A.shape[0] != A.shape[1] or A.nnz < 400_000:
                    continue
                scaled = sp.csr_array((A.astype(np.float64) / max(abs(A).sum(axis=1).max(), 1e-300)).tocsr())
                add_rows(program, scratch, scaled, found.name.split(".")[0], KS[:1], rows)


def report() -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"]
    print(table_of(rows))


if __name__ == "__main__":
    {"measure": measure, "report": report}[sys.argv[1]](*sys.argv[2:])
