"""What the programs here share: matrices in PETSc's format, programs of PETSc's on several processes, how results are
written."""
import gzip, math, os, pathlib, subprocess, sys

import numpy, scipy.io

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import results_json  # noqa: E402, F401

LIBRARY = HERE.parent.parent / "build/release/libsparsecastpetsc.so"
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}


def build(name, folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "petsc"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["mpicxx", "-std=c++17", "-O2", "-DOMPI_SKIP_MPICXX", "-o", folder / name, HERE / f"{name}.cpp", *flags], check=True)
    return folder / name


def read(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as f: m = scipy.io.mmread(f).tocsr().astype(float)
    m.sum_duplicates()
    return m


def petsc_binary(m, folder):
    """The matrix in PETSc's format: all big-endian; class, rows, columns, non-zeros, row lengths, columns, values."""
    out = folder / "matrix"
    with out.open("wb") as f:
        for part in ([1211216, *m.shape, m.nnz], numpy.diff(m.indptr), m.indices): f.write(numpy.asarray(part, ">i4").tobytes())
        f.write(m.data.astype(">f8").tobytes())
    return out


def told(program, ranks, *words):
    """What the program printed: the words of each line behind its first, and all of its text."""
    r = subprocess.run(["mpirun", "--oversubscribe", "-n", str(ranks), program, *map(str, words)], capture_output=True,
                       text=True, env=ENVIRONMENT)
    if r.returncode: raise SystemExit(f"{program.name} {' '.join(map(str, words))} on {ranks}: {r.stderr[-2000:]}")
    return {w[0]: w[1:] for w in map(str.split, r.stdout.splitlines()) if w}, r.stdout


def mode(values):
    """The half-sample mode: the densest half, again and again."""
    v = sorted(values)
    while len(v) > 2:
        h = (len(v) + 1) // 2
        k = min(range(len(v) - h + 1), key=lambda i: v[i + h - 1] - v[i])
        v = v[k:k + h]
    return sum(v) / len(v)


def mean(ratios): return math.exp(sum(map(math.log, ratios)) / len(ratios))
