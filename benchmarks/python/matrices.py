"""The matrices of the product's benchmark (benchmarks/host-kernels/product-matrices), and tiny ones, for SciPy.

    matrices.py FOLDER [REAL]     makes those that are not there, as .npz files; REAL: folder of the real matrices
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse as sp

LIST = Path(__file__).parents[1] / "host-kernels" / "product-matrices"


def named() -> Iterator[tuple[str, str]]:
    """Name and source of each: a recipe "kind:option=value,…" or a file."""
    for line in LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            source = line.split()[1]
            yield source.removesuffix(".mtx.gz"), source


def tiny() -> Iterator[tuple[str, sp.csr_array]]:
    """Matrices whose products take some microseconds at most."""
    rng = np.random.default_rng(1)
    for size in (3, 30, 300, 3000):
        yield f"tiny {size}", sp.random_array((size, size), density=min(1.0, 5 / size), format="csr", rng=rng)


def stencil9(size: int) -> sp.csr_array:
    """8 on the diagonal, −1 at the eight neighbours."""
    line = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(size, size))
    return sp.csr_array(9 * sp.eye_array(size**2) - sp.kron(line, line))


def fem(size: int, block: int) -> sp.csr_array:
    """Every entry of a 7-point stencil becomes a dense block; values depend on both unknowns alike."""
    line, eye = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(size, size)), sp.eye_array(size)
    nodes = sp.kron(sp.kron(line, eye), eye) + sp.kron(sp.kron(eye, line), eye) + sp.kron(sp.kron(eye, eye), line)
    A = sp.coo_array(sp.kron(nodes, np.ones((block, block))))
    row, col = A.coords
    A.data = np.where(row == col, 8.0 * block, -1 / (1.0 + (row + col) % 7))
    return sp.csr_array(A)


def made(source: str, folder: Path) -> sp.csr_array:
    """A recipe's matrix, as make.cpp makes it, or by the command that the wheel brings."""
    kind, options = source.split(":")
    given = dict(option.split("=") for option in options.split(","))
    if kind in ("stencil9", "fem"):
        return {"stencil9": stencil9, "fem": fem}[kind](**{name: int(value) for name, value in given.items()})
    line = [Path(sys.executable).with_name("sparsecast"), "generate", kind, "--seed", "1", "-o", folder / "made.mtx"]
    for name, value in given.items():
        line += ["--" + name.replace("_", "-"), value]
    subprocess.run(line, check=True, capture_output=True)
    return sp.csr_array(scipy.io.mmread(folder / "made.mtx"))


def file_of(folder: Path, name: str) -> Path:
    return folder / (name.replace(":", "-").replace(",", "-").replace("=", "") + ".npz")


def kept(folder: Path) -> Iterator[tuple[str, sp.csr_array]]:
    """Those that are in the folder, in the list's order, and the tiny ones."""
    yield from tiny()
    for name, _ in named():
        file = file_of(folder, name)
        if file.exists():
            yield name, sp.csr_array(sp.load_npz(file))


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, real = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else None
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in named():
        file = file_of(folder, name)
        if file.exists() or (":" not in source and (real is None or not (real / source).exists())):
            continue
        if ":" in source:
            A = made(source, folder)
        else:
            with gzip.open(real / source) as text:
                A = sp.csr_array(scipy.io.mmread(text)).astype(float)
        A.sum_duplicates()
        sp.save_npz(file, A, compressed=False)
    (folder / "made.mtx").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
