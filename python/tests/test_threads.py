"""Many Python threads, limits of other libraries, memory."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CALLS
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

import sparsecast


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def in_threads(count, work):
    failures = []

    def guarded(number):
        try:
            work(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_threads_share_a_plan(matrix, rng):
    P, v = sparsecast.plan(matrix), rng.standard_normal(1500)
    want = P @ v
    want_back = P.rmatvec(want)

    def work(_number):
        for _ in range(50):
            assert_array_equal(P @ v, want)
            assert_array_equal(P.rmatvec(want), want_back)

    in_threads(4, work)


def test_new_values_and_products_at_once(matrix):
    A = sp.csr_array(matrix)
    P, x = sparsecast.plan(A), np.ones(1500)
    ones = sp.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape) @ x
    P.update_values(np.ones(A.nnz))

    def work(number):
        for factor in range(1, 40):
            if number == 0:
                P.update_values(np.full(A.nnz, float(factor)))
            else:
                y = P @ x
                assert_allclose(y, ones * (y.sum() / ones.sum()))  # of one set of values, not of two

    in_threads(4, work)


def test_plans_are_made_at_once(matrix, rng):
    v = rng.standard_normal(1500)
    want = matrix @ v
    in_threads(4, lambda _number: assert_allclose(sparsecast.plan(matrix) @ v, want, rtol=1e-12, atol=1e-12))


def test_devices_are_found_at_once():
    """Four threads are the first of their process that ask."""
    code = """if True:
        import threading, sparsecast
        asked = threading.Barrier(4)
        names = []
        def ask():
            asked.wait()
            for _ in range(5):
                names.append([one["device"] for one in sparsecast.devices()])
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for one in threads: one.start()
        for one in threads: one.join()
        print(len(names), all(one == names[0] for one in names))"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "20 True\n"), done.stderr


def test_limits_of_others_hold(matrix, rng):
    with threadpool_limits(1):
        assert sparsecast.plan(matrix).threads == 1
    v = rng.standard_normal(1500)
    P = sparsecast.plan(matrix, kernel="csr")
    want = P @ v
    with threadpool_limits(1):
        assert_array_equal(P @ v, want)  # the same parts, on fewer threads
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    code = "import scipy.sparse as sp, sparsecast; print(sparsecast.plan(sp.eye_array(9, format='csr')).threads)"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_forked_child_multiplies(matrix):
    P, x = sparsecast.plan(matrix, kernel="csr"), np.ones(1500)
    want = P @ x
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(P @ x, want) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def ended(child, seconds=120):
    """Its exit code; None where it had to be ended."""
    for _ in range(50 * seconds):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def in_child(A, P, x, what, want):
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if np.allclose(CALLS[what](A, P, x), want) else 3)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
    return ended(child)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python's own, of threads before fork()
@pytest.mark.parametrize("what", CALLS)
def test_whatever_a_forked_child_calls_ends(matrix, what):
    A, x = matrix.copy(), np.ones(1500)
    P = sparsecast.plan(A)
    in_threads(2, lambda _number: P @ x)
    sparsecast.plan(A, kernel="sell", threads=2) @ x
    want = CALLS[what](A, P, x)
    P.update_values(A.data)
    assert in_child(A, P, x, what, want) == 0
    from_a_thread = []
    thread = threading.Thread(target=lambda: from_a_thread.append(in_child(A, P, x, what, want)))
    thread.start()
    thread.join()
    assert from_a_thread == [0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pools_of_forked_processes_multiply(matrix):
    A, x = matrix.copy(), np.ones(1500)
    P = sparsecast.plan(A)
    want = P @ x
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for y in pool.map_async(_times, [(P, factor * x) for factor in range(1, 7)]).get(timeout=120):
            assert_allclose(y / (y.sum() / want.sum()), want)


def _times(work):
    return work[0] @ work[1]


def test_memory_does_not_grow(matrix):
    P, x, u, X = sparsecast.plan(matrix), np.ones(1500), np.ones(2000), np.ones((1500, 4))

    def many(count):
        for number in range(count):
            P @ x, P.rmatvec(u), P @ X, P.apply(x)
            if number % 10 == 0:
                P.update_values(matrix.data.copy())
                sparsecast.plan(matrix, kernel="sell") @ x
        gc.collect()

    many(100)
    before = resident()
    many(300)
    assert resident() - before < 4e6  # 300 products of 16 kB would be 5 MB, as many plans 40 MB


def test_large_matrices_are_not_copied():
    n = 400_000
    A = sp.diags_array([np.ones(n)] * 9, offsets=range(-4, 5), shape=(n, n), format="csr")
    x = np.ones(n)
    P = sparsecast.plan(A, kernel="csr")
    P @ x
    gc.collect()
    before = resident()
    Q = sparsecast.plan(A, kernel="csr")
    Q @ x
    assert resident() - before < 0.3 * (A.data.nbytes + A.indices.nbytes)


def test_a_tiny_matrix_is_not_dealt_to_threads():
    A = sp.random_array((30, 30), density=0.1, format="csr", rng=np.random.default_rng(1))
    assert sparsecast.plan(A, threads=os.cpu_count()).threads == 1
