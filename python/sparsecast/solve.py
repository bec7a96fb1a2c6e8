"""SciPy's iterative solvers on a planned product.

Each function has the signature of the function of the same name in ``scipy.sparse.linalg``, and one keyword more. It
plans the product of the matrix and leaves the rest to SciPy: algorithm and tolerances are SciPy's own, and only the
products are others (rounded in another order, so that an iteration more or less may be taken). A sparse matrix is
planned, a :class:`sparsecast.Plan` or any other ``LinearOperator`` is taken as it is. Sparse preconditioners and mass
matrices (``M``, ``B``) are planned too.

Examples
--------
>>> import numpy as np, scipy.sparse as sp, sparsecast
>>> A = sp.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
>>> x, info = sparsecast.solve.cg(A, np.ones(1000), rtol=1e-8)
>>> info, bool(np.allclose(A @ x, 1.0))
(0, True)
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse.linalg as sl
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from ._plan import Plan, plan
from ._text import MOST_ITERATIONS, whole_or_none

__all__ = ["Solution", "bicgstab", "cg", "gmres", "lobpcg", "minres"]

_USUAL = 100  # products of a solution where nobody says how many


class Solution(tuple):
    """What SciPy's solver returns, ``(x, info)`` or ``(eigenvalues, eigenvectors, …)``, and what it took.

    Attributes
    ----------
    operator : LinearOperator
        What multiplied: the :class:`sparsecast.Plan` where the matrix was planned.
    products : int
        Products with the matrix; of LOBPCG's blocks each counts as one.
    planning_s, solving_s : float
        Seconds that planning and converting took, and all the rest.
    forecast_s : float or None
        Seconds forecast for the products alone; None where they were not forecast.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> solution = sparsecast.solve.cg(A, np.ones(1000))
    >>> solution.products > 0 and solution.forecast_s < 1
    True
    """

    operator: LinearOperator
    products: int
    planning_s: float
    solving_s: float

    @property
    def forecast_s(self) -> float | None:
        if not isinstance(self.operator, Plan) or self.operator.predicted_s <= 0:
            return None
        return self.products * self.operator.predicted_s


class _Counted(LinearOperator):
    """An operator whose products are counted."""

    def __init__(self, operator: LinearOperator) -> None:
        super().__init__(operator.dtype, operator.shape)
        self.operator = operator
        self.products = 0

    def matvec(self, x: Any) -> Any:
        self.products += 1
        return self.operator.matvec(x)

    def matmat(self, X: Any) -> Any:
        self.products += 1
        return self.operator.matmat(X)

    def _matvec(self, x: Any) -> Any:
        return self.matvec(x)

    def _adjoint(self) -> LinearOperator:
        return self.operator.H


def _operator(A: Any, wishes: dict[str, Any]) -> LinearOperator:
    return A if isinstance(A, LinearOperator) else plan(A, **wishes)


def _solve(theirs: Callable[..., Any], A: Any, arguments: tuple, named: dict[str, Any], iterations: int | None) -> Any:
    """SciPy's function on the planned matrix."""
    signature = inspect.signature(theirs)
    bound = signature.bind(A, *arguments, **named)
    asked = bound.arguments
    iterations = whole_or_none("iterations", iterations, MOST_ITERATIONS)
    expected = iterations or asked.get("maxiter") or signature.parameters["maxiter"].default or _USUAL
    X = asked.get("X")
    wishes = {"iterations": int(expected), "vectors": np.shape(X)[1] if X is not None and np.ndim(X) == 2 else 1}
    start = time.perf_counter()
    counted = _Counted(_operator(A, wishes))
    asked["A"] = counted
    for matrix in ("M", "B"):
        if issparse(asked.get(matrix)):
            asked[matrix] = _operator(asked[matrix], wishes)
    planned = time.perf_counter()
    solution = Solution(theirs(*bound.args, **bound.kwargs))
    solution.operator, solution.products = counted.operator, counted.products
    solution.planning_s, solution.solving_s = planned - start, time.perf_counter() - planned
    return solution


_DOCUMENT = """{about}: :func:`scipy.sparse.linalg.{name}`.

Parameters
----------
A : scipy.sparse matrix, Plan or LinearOperator
    Planned where it is a matrix. The other parameters are SciPy's.
iterations : int, optional
    About how many products are meant, so that the matrix is converted only where that pays. Else as many as
    ``maxiter``, else 100.

Returns
-------
Solution
    What SciPy returns, with the products and what they took.

Examples
--------
>>> import numpy as np, scipy.sparse as sp, sparsecast
{example}
"""

_SYSTEM = """>>> A = sp.diags_array({diagonals}, offsets=[-1, 0, 1], shape=(100, 100), format="csr")
>>> x, info = sparsecast.solve.{name}(A, np.ones(100), rtol=1e-8)
>>> info == 0 and bool(np.allclose(A @ x, 1.0))
True"""


def _planned(name: str, about: str, diagonals: list[float], example: str = _SYSTEM) -> Callable[..., Solution]:
    """SciPy's solver on plans, with the signature that it has in the version that is here and one keyword more."""
    theirs = getattr(sl, name)

    def solver(A: Any, *arguments: Any, iterations: int | None = None, **named: Any) -> Solution:
        return _solve(theirs, A, arguments, named, iterations)

    solver.__name__ = solver.__qualname__ = name
    solver.__doc__ = _DOCUMENT.format(about=about, name=name, example=example.format(name=name, diagonals=diagonals))
    signature, own = inspect.signature(theirs), inspect.signature(solver).parameters["iterations"]
    parameters = [*signature.parameters.values(), own]
    solver.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return solver


cg = _planned("cg", "A symmetric positive definite system by conjugate gradients", [-1.0, 2.5, -1.0])
gmres = _planned("gmres", "Any system by generalised minimal residuals", [-0.5, 2.5, -1.0])
bicgstab = _planned("bicgstab", "Any system by stabilised biconjugate gradients", [-0.5, 2.5, -1.0])
minres = _planned("minres", "A symmetric system, definite or not, by minimal residuals", [1.0, 0.5, 1.0])
lobpcg = _planned(
    "lobpcg",
    "Some eigenpairs of a symmetric matrix, planned for blocks of as many vectors as X has",
    [],
    """>>> A = sp.diags_array(np.arange(1.0, 301.0), format="csr")
>>> X = np.random.default_rng(1).standard_normal((300, 3))
>>> values, vectors = sparsecast.solve.lobpcg(A, X, largest=True, tol=1e-6, maxiter=200)
>>> bool(np.allclose(values, [300.0, 299.0, 298.0]))
True""",
)
