"""What is public, called where the system gives little or where another thread forks: it works or says no, and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CALLS
from test_threads import ended

import sparsecast

LITTLE_MEMORY = """
import json, resource, sys
import numpy as np, scipy.sparse as sp
import sparsecast
from calls import CALLS

A = sp.random_array((2000, 1500), density=4e-3, format="csr", rng=np.random.default_rng(2))
x, told = np.ones(1500), []
P = sparsecast.plan(A, threads=1)
want = {what: call(A, P, x) for what, call in CALLS.items()} if sys.argv[1] == "0" else {}
P.update_values(A.data)
pages = int(open("/proc/self/statm").read().split()[0])
if sys.argv[1] != "0":
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]) * 2**20, -1))
for what, call in CALLS.items():
    try:
        told.append((what, "done", float(np.sum(np.abs(call(A, P, x))))))
    except (MemoryError, sparsecast.Error) as error:
        told.append((what, type(error).__name__, str(error)))
    P.update_values(A.data)
print(json.dumps(told))
"""


def told_with(megabytes: int):
    """What each call came to with so much address space beside what the process has; 0: no limit."""
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY, str(megabytes)],
        env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    # Neither libgomp, nor the C library for want of what is thread-local, nor a destructor that asks for memory.
    assert done.returncode == 0, done.stderr[-2000:]
    return {what: (came, value) for what, came, value in json.loads(done.stdout.splitlines()[-1])}


def test_little_memory_suffices_or_is_said():
    want = told_with(0)
    assert {came for came, _ in want.values()} == {"done"}
    measures = {"forecast", "measure", "devices", "plan_report"}  # as long as their answer has rows
    for megabytes in (1, 6, 12, 25, 40, 100):
        for what, (came, value) in told_with(megabytes).items():
            if came == "done" and what not in measures:
                assert value == pytest.approx(want[what][1]), (megabytes, what)
            elif came not in ("done", "MemoryError"):  # Python's own has no words
                assert value, (megabytes, what, came)
    assert all(came == "done" for came, _ in told_with(2000).values())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python's own, of threads before fork()
@pytest.mark.parametrize("seed", range(3))
def test_a_child_whose_parent_was_at_work_ends(matrix, seed):
    A, x = matrix.copy(), np.ones(1500)
    P = sparsecast.plan(A)
    order = list(np.random.default_rng(seed).permutation(list(CALLS)))
    stop, failures = threading.Event(), []

    def at_work(first):
        mine = A.copy()
        plan = sparsecast.plan(mine)
        while not stop.is_set():
            for what in order[first:] + order[:first]:
                if stop.is_set():
                    return
                try:
                    CALLS[what](mine, plan, x)
                except Exception as error:
                    failures.append((what, error))

    threads = [threading.Thread(target=at_work, args=(7 * k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    try:
        for what in order:
            child = os.fork()
            if child == 0:
                try:
                    assert np.allclose(P @ x, A @ x)
                    CALLS[what](A, P, x)
                    os._exit(0)
                except sparsecast.Error as error:  # a request of the parent's took longer than fork() waits
                    os._exit(0 if "was forked while" in str(error) else 1)
                except BaseException as error:
                    print(f"{what}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                    os._exit(1)
            assert ended(child) == 0, what
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures
    assert np.allclose(P @ x, A @ x)


def test_standard_streams_need_not_be_there():
    code = (
        "import os; [os.close(k) for k in (0, 1, 2)]\n"
        "import scipy.sparse as sp, sparsecast\n"
        "A = sp.eye_array(500, format='csr')\n"
        "sparsecast.plan(A, trials=1); sparsecast.forecast(A); sparsecast.structure(A)\n"
        "os._exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7
    assert len(sparsecast.forecast(sp.eye_array(500, format="csr"))) > 0  # the store is whole
