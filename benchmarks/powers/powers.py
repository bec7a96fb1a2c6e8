"""Powers of matrices beside as many products of the kernel that is measured to be the fastest, with the forecast:
benchmarks/results/powers.json. Some minutes on a machine of its own.

    python benchmarks/powers/powers.py SPARSECAST OUTPUT [FOLDER]     FOLDER: of further matrices, square ones

Prints the table of docs/results-powers.md last. The command times both in turns (`sparsecast measure --powers K`) and forecasts them (`sparsecast predict --powers K
--no-store`). The made matrices have random values, so that no format stores them in fewer bytes.
"""

from __future__ import annotations

import json
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.sparse as sp

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


def rows_of(program: str, file: pathlib.Path, name: str, ks: tuple[int, ...]) -> list[dict]:
    rows = []
    for threads in (1, 2):
        for k in ks:
            common = [str(file), "--powers", str(k), "--threads", str(threads), "--no-store"]
            forecast = asked([program, "predict", *common])
            measured = asked([program, "measure", *common])
            row = {"matrix": name, "threads": threads, "k": k, "measured": measured, "forecast": forecast}
            print(
                f"{name}, {threads} thread(s), k = {k}: {measured['products_s'] / measured['seconds']:.2f}, all kept "
                f"{measured['products_s'] / measured['all_s']:.2f}; forecast {forecast['seconds'] * 1e3:.1f} ms, "
                f"measured {measured['seconds'] * 1e3:.1f} ms; {forecast['reason']}",
                flush=True,
            )
            rows.append(row)
    return rows


def table_of(rows: list[dict]) -> str:
    """The page's table: k by matrix by threads, the forecast beside it."""
    lines = [
        "| matrix | threads | k | pays | over k products | all kept | forecast, ms | measured, ms | off |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        m, f = row["measured"], row["forecast"]
        lines.append(
            f"| {row['matrix']} | {row['threads']} | {row['k']} | {'yes' if m['pays'] else 'no'} "
            f"| {m['products_s'] / m['seconds']:.2f} | {m['products_s'] / m['all_s']:.2f} | {f['seconds'] * 1e3:.1f} "
            f"| {m['seconds'] * 1e3:.1f} | {f['seconds'] / m['seconds'] - 1:+.0%} |"
        )
    return "\n".join(lines)


def main() -> None:
    program, output, *folders = sys.argv[1:]
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, make in MADE.items():
            file = pathlib.Path(scratch, "made.npz")
            sp.save_npz(file, make(), compressed=False)
            rows += rows_of(program, file, name, (2, 4, 8))
        for folder in folders:
            for found in sorted(pathlib.Path(folder).glob("*.mtx*")):
                A = sp.csr_array(scipy.io.mmread(found))
                if np.iscomplexobj(A.data) or A.shape[0] != A.shape[1] or A.nnz < 400_000:
                    continue
                file = pathlib.Path(scratch, "real.npz")
                sp.save_npz(file, (A.astype(np.float64) / max(abs(A).sum(axis=1).max(), 1e-300)).tocsr(), compressed=False)
                rows += rows_of(program, file, found.name.split(".")[0], (8,))
    print(table_of(rows))
    pathlib.Path(output).write_text(json.dumps({"machine": platform.machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
