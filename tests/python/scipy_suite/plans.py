"""A plugin for SciPy's own tests: every sparse operand of scipy.sparse.linalg's products becomes a plan.

    pytest -p plans --pyargs scipy.sparse.linalg.tests.test_…       with this folder on PYTHONPATH

Most of SciPy's functions bring what they are given to a LinearOperator by aslinearoperator(); here that function plans.
The others multiply by the matrix: theirs is planned where the products begin. What is factorised stays a matrix.
"""

from __future__ import annotations

import sys

import scipy.sparse as sp
import scipy.sparse.linalg  # noqa: F401 (loaded before it is changed)
from scipy.sparse.linalg import _expm_multiply, _funm_multiply_krylov, _interface, _matfuncs

import sparsecast

_theirs = _interface.aslinearoperator
planned = 0


def _plan(A):
    """Its plan, or what is no sparse matrix as it is."""
    global planned
    if not sp.issparse(A) or A.dtype.char not in "fdFD":
        return A
    planned += 1
    # One kernel: which is fastest differs with the calibration, and the last digits that SciPy compares with it.
    return sparsecast.plan(A, kernel="csr")


def _planned(home, name, position=0):
    """Plans an argument of a function: not for products with sparse matrices, nor with a structure, which BLAS makes."""
    called = getattr(home, name)

    def planning(*arguments, **named):
        at = list(arguments)
        if not any(map(sp.issparse, at[position + 1 :])) and not named.get("structure"):
            at[position] = _plan(at[position])
        return called(*at, **named)

    setattr(home, name, planning)


for name, module in list(sys.modules.items()):
    if name.startswith("scipy.") and getattr(module, "aslinearoperator", None) is _theirs:
        _planned(module, "aslinearoperator")
_planned(sys.modules["scipy.sparse.linalg._eigen.lobpcg.lobpcg"], "_makeMatMat")  # a function has the module's name
for name in ("simple_core", "interval_core_0", "interval_core_1", "interval_core_2"):
    _planned(_expm_multiply, f"_expm_multiply_{name}")
for name in ("arnoldi", "lanczos"):
    _planned(_funm_multiply_krylov, f"_funm_multiply_krylov_{name}")
_planned(_matfuncs.MatrixPowerOperator, "__init__", 1)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"operands planned: {planned}")


def pytest_sessionfinish(session):
    if planned == 0:
        session.exitstatus = 1  # nothing was tested
