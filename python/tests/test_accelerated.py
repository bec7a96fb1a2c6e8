"""Products of SciPy's own arrays by plans: within `with accelerated()`, in programs, and nowhere else."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl
from numpy.testing import assert_allclose, assert_array_equal

import sparsecast

FORMATS = [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix]


def methods():
    kinds = (*FORMATS, sp.bsr_array, sp.dia_array)
    return {(one, name): member for kind in kinds for one in kind.__mro__ for name, member in vars(one).items()}


@pytest.fixture
def large(rng):
    return sp.random_array((4000, 3000), density=0.01, format="csr", rng=rng)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128, np.int64])
@pytest.mark.parametrize("after", [0, 2])
def test_products_are_scipys(kind, dtype, after, matrix, rng):
    A = kind(matrix.astype(dtype))
    vectors = [rng.standard_normal(1500).astype(dtype), np.ones(1500), np.ones((1500, 1)), rng.random((1500, 4))]
    u = rng.standard_normal(2000)
    wanted = [A @ x for x in vectors] + [u @ A, A.T @ u, A.dot(vectors[1])]
    with sparsecast.accelerated(after=after) as report:
        for _ in range(20):
            got = [A @ x for x in vectors] + [u @ A, A.T @ u, A.dot(vectors[1])]
            for one, other in zip(got, wanted, strict=True):
                assert type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape
                assert_allclose(one, other, rtol=1e-4, atol=1e-4)
    assert (report.products > 0) == (dtype is not np.int64), "integers are SciPy's"


@pytest.mark.parametrize("block", [(1, 1), (2, 2), (3, 3), (4, 4), (6, 6), (8, 8), (2, 5), (7, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_blocks(block, dtype, rng):
    A = sp.kron(sp.random_array((500, 400), density=0.05, rng=rng), np.ones(block)).tobsr(block).astype(dtype)
    A.data[:] = rng.standard_normal(A.data.shape)
    x = rng.standard_normal(A.shape[1]).astype(dtype)
    wanted = A @ x
    with sparsecast.accelerated(after=0) as report:
        for _ in range(3):
            assert_allclose(A @ x, wanted, rtol=1e-4, atol=1e-4)
        A.data[3] *= 2
        assert_allclose(A @ x, A.tocsr() @ x, rtol=1e-4, atol=1e-4)
    assert report.products >= 2


def test_coordinates_in_any_order(large, rng):
    x = rng.standard_normal(3000)
    A = large.tocoo()
    with sparsecast.accelerated(after=0) as report:
        for _ in range(3):
            assert_allclose(A @ x, large @ x, rtol=1e-10, atol=1e-10)
        A.data[77] = 1e4
        assert_allclose(A @ x, A.tocsr() @ x, rtol=1e-10)
        order = rng.permutation(A.nnz)  # now the rows are out of order: SciPy's
        B = sp.coo_array((A.data[order], (A.row[order], A.col[order])), shape=A.shape)
        for _ in range(12):
            assert_allclose(B @ x, A.tocsr() @ x, rtol=1e-10)
        twice = sp.coo_array((np.ones(50_000), (np.repeat(7, 50_000), np.zeros(50_000, int))), shape=(9, 2))
        for _ in range(3):
            assert_array_equal(twice @ np.ones(2), [0] * 7 + [50_000, 0])
    assert report.products >= 2


def test_afterwards_scipys_methods_are_its_own(matrix):
    before = methods()
    with pytest.raises(KeyError), sparsecast.accelerated(after=0):
        with sparsecast.accelerated() as inner:
            matrix @ np.ones(1500)
        assert methods() != before and inner.products == 0, "the innermost counts"
        raise KeyError
    assert methods() == before


def test_contexts_that_end_in_another_order(matrix):
    before, one, other = methods(), sparsecast.accelerated(after=0), sparsecast.accelerated(after=0)
    first = one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    matrix @ np.ones(1500)
    other.__exit__(None, None, None)
    assert methods() == before and first.products == 0


def test_values_may_change_between_products(large):
    x = np.ones(3000)
    with sparsecast.accelerated():
        for k in range(12):
            large.data *= 1.1
            large.data[k] = k
            assert_allclose(large @ x, sp.csr_array((large.data.copy(), large.indices, large.indptr)) @ x, rtol=1e-12)


def test_small_matrices_are_left_alone_until_plans_pay(rng):
    few = [sp.random_array((60, 60), density=0.1, format="csr", rng=rng) for _ in range(50)]
    with sparsecast.accelerated() as report:
        for A in few:
            for _ in range(3):
                A @ np.ones(60)
        assert report.matrices == 0
        for _ in range(40):
            few[0] @ np.ones(60)
    assert report.matrices == 1 and report.products > 10


def test_the_report_tells_what_was_done(large):
    x, X, u = np.ones(3000), np.ones((3000, 5)), np.ones(4000)
    with sparsecast.accelerated(after=2) as report:
        for _ in range(30):
            large @ x
        other = large * 2
        for _ in range(30):
            other @ X
            u @ other
        del other
        gc.collect()
    assert report.matrices == 2 and 6 <= report.products <= 86
    assert isinstance(report.saved_s, float) and isinstance(report.forecast_s, float)
    assert "2 matrices" in repr(report) and "products" in repr(report)


def test_memory_goes_with_the_matrix(large):
    with sparsecast.accelerated(after=0) as report:
        A = large.copy()
        A @ np.ones(3000)
        assert len(report._watched) == 1
        del A
        gc.collect()
        assert len(report._watched) == 0 and report.matrices == 1


def test_views_of_one_memory_are_told_apart(rng):
    values, x = rng.standard_normal(60_000), np.ones(300)
    indices, indptr = np.tile(np.arange(300, dtype=np.int32), 100), np.arange(0, 30_001, 300, dtype=np.int32)
    parts = [sp.csr_array((values[:30_000], indices, indptr)), sp.csr_array((values[30_000:], indices, indptr))]
    wanted = [A @ x for A in parts]
    with sparsecast.accelerated(after=0):
        for _ in range(30):
            for A, y in zip(parts, wanted, strict=True):
                assert_allclose(A @ x, y, rtol=1e-12, atol=1e-12)


def test_solvers_and_graphs_go_through_plans(laplacian):
    b, graph = np.ones(laplacian.shape[0]), nx.gnp_random_graph(400, 0.05, seed=1, directed=True)
    x, _ = sl.cg(laplacian, b, rtol=1e-10)
    ranks = nx.pagerank(graph)
    with sparsecast.accelerated() as report:
        ours, info = sl.cg(laplacian, b, rtol=1e-10)
        solved = report.products
        again = nx.pagerank(graph)
    assert info == 0 and solved > 0
    assert_allclose(ours, x, rtol=1e-7)
    assert_allclose(list(again.values()), list(ranks.values()), atol=1e-9)


def test_threads_within_it(large, rng):
    x, wrong = rng.standard_normal(3000), []
    wanted = large @ x

    def multiply():
        wrong.extend(1 for _ in range(40) if not np.allclose(large @ x, wanted))

    with sparsecast.accelerated():
        threads = [threading.Thread(target=multiply) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_numbers_of_products_are_checked():
    for wrong in (-1, 1.5, True, "2"):
        with pytest.raises(ValueError, match="number of products"):
            sparsecast.accelerated(after=wrong)


PROGRAM = """
import numpy as np, scipy.sparse as sp, sys
A = sp.random_array((3000, 3000), density=0.01, format="csr", rng=np.random.default_rng(1))
x = np.ones(3000)
for _ in range(30):
    x = A @ x
    x /= abs(x).max()
print(__name__, sys.argv[1:], f"{x.sum():.6f}", __file__)
"""


def run(tmp_path, text, *options, arguments=()):
    (tmp_path / "program.py").write_text(text)
    command = [sys.executable, *options, str(tmp_path / "program.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)


def test_a_program_runs_as_it_does_alone(tmp_path):
    (tmp_path / "beside.py").write_text("")
    text = "import beside\n" + PROGRAM + "sys.exit(7)\n"
    plain = run(tmp_path, text, arguments=["--after", "a b"])
    ours = run(tmp_path, text, "-m", "sparsecast.accelerate", arguments=["--after", "a b"])
    assert plain.returncode == ours.returncode == 7 and plain.stdout == ours.stdout and "__main__" in plain.stdout
    assert plain.stderr == "" and "1 matrix planned" in ours.stderr and "products" in ours.stderr
    first = run(tmp_path, text, "-m", "sparsecast.accelerate", "--after", "100000", arguments=["--after", "a b"])
    assert first.stdout == plain.stdout and "0 matrices" in first.stderr


def test_a_module_runs_too(tmp_path):
    (tmp_path / "beside.py").write_text("import sys\nprint(__name__, sys.argv[1:])\n")
    command = [sys.executable, "-m", "sparsecast.accelerate", "-m", "beside", "x"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "__main__ ['x']\n" and "0 matrices" in done.stderr


def test_a_program_that_fails_fails(tmp_path):
    done = run(tmp_path, "def f():\n    raise KeyError('oh')\nf()\n", "-m", "sparsecast.accelerate")
    assert done.returncode == 1 and "KeyError: 'oh'" in done.stderr and "program.py" in done.stderr


@pytest.mark.parametrize("wrong", [["--after", "x"], ["--after"], ["--nothing", "1"], ["no such file.py"], [], ["-m"]])
def test_calls_that_name_no_program_are_refused(wrong):
    command = [sys.executable, "-m", "sparsecast.accelerate", *wrong]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "usage:" in done.stderr and "Traceback" not in done.stderr


def test_ctrl_c_ends_a_program(tmp_path):
    heard = "import os, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in a background
    text = PROGRAM + heard + "os.kill(os.getpid(), signal.SIGINT)\nwhile True: A @ x\n"
    done = run(tmp_path, text, "-m", "sparsecast.accelerate")
    assert done.returncode == -signal.SIGINT and "KeyboardInterrupt" in done.stderr and "1 matrix planned" in done.stderr


FORKED = """
import os, signal, numpy as np, scipy.sparse as sp, sparsecast
A = sp.random_array((4000, 4000), density=0.02, format="csr", rng=np.random.default_rng(2))
x, other = np.ones(4000), A.T.tocsr()
wanted = A @ x, other @ x
with sparsecast.accelerated():
    for _ in range(8):
        A @ x
    if (child := os.fork()) == 0:
        signal.alarm(60)
        os._exit(not all(np.allclose(A @ x, wanted[0]) and np.allclose(other @ x, wanted[1]) for _ in range(8)))
    good = os.waitpid(child, 0)[1] == 0 and np.allclose(A @ x, wanted[0])
raise SystemExit(not good)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_children_by_fork(tmp_path):
    done = run(tmp_path, FORKED)
    assert done.returncode == 0, done.stderr


def test_values_may_be_another_array_at_each_step(large):
    x, A = np.ones(3000), large.copy()
    with sparsecast.accelerated() as report:
        for k in range(1, 10):
            A.data = large.data * k
            for _ in range(4):
                assert_allclose(A @ x, k * (large @ x), rtol=1e-10, atol=1e-10)
    assert report.matrices >= 9 and len(report._watched) <= 2, "what is gone is let go"


def test_a_matrix_may_be_made_anew_at_the_same_place(rng):
    x = np.ones(50)
    with sparsecast.accelerated(after=0):
        for k in range(200):
            A = sp.csr_array((np.full(50, float(k)), np.arange(50, dtype=np.int32), np.arange(51, dtype=np.int32)))
            assert_array_equal(A @ x, np.full(50, float(k)))
            assert_array_equal(A.T @ x, np.full(50, float(k)))


def test_contexts_begin_and_end_while_threads_multiply(large):
    x, wrong, ended = np.ones(3000), [], threading.Event()
    wanted, before = large @ x, methods()

    def multiply():
        try:
            while not ended.is_set():
                wrong.extend(1 for _ in range(5) if not np.allclose(large @ x, wanted))
        except Exception as error:
            wrong.append(error)

    workers = [threading.Thread(target=multiply) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(200):
        with sparsecast.accelerated(after=0):
            large @ x
    ended.set()
    for worker in workers:
        worker.join()
    assert not wrong and methods() == before
