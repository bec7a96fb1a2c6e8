"""A plugin for SciPy's own tests: every sparse operand of scipy.sparse.linalg becomes a plan.

    pytest -p plans --pyargs scipy.sparse.linalg.tests.test_…       with this folder on PYTHONPATH

SciPy's solvers bring what they are given to a LinearOperator by aslinearoperator(); here that function plans.
"""

from __future__ import annotations

import sys

import scipy.sparse as sp
import scipy.sparse.linalg  # noqa: F401 (loaded before it is changed)
from scipy.sparse.linalg import _interface

import sparsecast

_theirs = _interface.aslinearoperator
planned = 0


def _planning(A):
    global planned
    if not sp.issparse(A) or A.dtype.char not in "fdFD":
        return _theirs(A)
    planned += 1
    # One kernel: which is fastest differs with the calibration, and the last digits that SciPy compares with it.
    return sparsecast.plan(A, kernel="csr")


for name, module in list(sys.modules.items()):
    if name.startswith("scipy.") and getattr(module, "aslinearoperator", None) is _theirs:
        module.aslinearoperator = _planning


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"operands planned: {planned}")


def pytest_sessionfinish(session):
    if planned == 0:
        session.exitstatus = 1  # nothing was tested
