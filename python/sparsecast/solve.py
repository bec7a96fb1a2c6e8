"""SciPy's iterative solvers on a planned product.

Each function has the signature of the function of the same name in ``scipy.sparse.linalg``, and one keyword more. It
plans the product of the matrix and leaves the rest to SciPy: algorithm and tolerances are SciPy's own, and only the
products are others (rounded in another order, so that an iteration more or less may be taken). A sparse matrix is planned, a :class:`sparsecast.Plan` or any other ``LinearOperator`` is taken as
it is. Sparse preconditioners and mass matrices (``M``, ``B``) are planned too.

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


def _as_in_scipy(solver: Callable[..., Solution]) -> Callable[..., Solution]:
    """Gives a function the signature that SciPy's has in the version that is here."""
    theirs = inspect.signature(getattr(sl, solver.__name__))
    own = inspect.signature(solver).parameters["iterations"]
    solver.__signature__ = theirs.replace(parameters=[*theirs.parameters.values(), own])  # type: ignore[attr-defined]
    return solver


@_as_in_scipy
def cg(A: Any, *arguments: Any, iterations: int | None = None, **named: Any) -> Solution:
    """A symmetric positive definite system by conjugate gradients: :func:`scipy.sparse.linalg.cg`.

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
        ``(x, info)``, with the products and what they took.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(300, 300), format="csr")
    >>> x, info = sparsecast.solve.cg(A, np.ones(300), rtol=1e-8)
    >>> info == 0 and bool(np.allclose(A @ x, 1.0))
    True
    """
    return _solve(sl.cg, A, arguments, named, iterations)


@_as_in_scipy
def gmres(A: Any, *arguments: Any, iterations: int | None = None, **named: Any) -> Solution:
    """Any system by generalised minimal residuals: :func:`scipy.sparse.linalg.gmres`. Parameters as of :func:`cg`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([-0.5, 2.5, -1.0], offsets=[-1, 0, 1], shape=(300, 300), format="csr")
    >>> x, info = sparsecast.solve.gmres(A, np.ones(300), rtol=1e-8)
    >>> info == 0 and bool(np.allclose(A @ x, 1.0))
    True
    """
    return _solve(sl.gmres, A, arguments, named, iterations)


@_as_in_scipy
def bicgstab(A: Any, *arguments: Any, iterations: int | None = None, **named: Any) -> Solution:
    """Any system by stabilised biconjugate gradients: :func:`scipy.sparse.linalg.bicgstab`. Parameters as of
    :func:`cg`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([-0.5, 2.5, -1.0], offsets=[-1, 0, 1], shape=(300, 300), format="csr")
    >>> x, info = sparsecast.solve.bicgstab(A, np.ones(300), rtol=1e-8)
    >>> info == 0 and bool(np.allclose(A @ x, 1.0))
    True
    """
    return _solve(sl.bicgstab, A, arguments, named, iterations)


@_as_in_scipy
def minres(A: Any, *arguments: Any, iterations: int | None = None, **named: Any) -> Solution:
    """A symmetric system, definite or not, by minimal residuals: :func:`scipy.sparse.linalg.minres`. Parameters as of
    :func:`cg`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array([1.0, 0.5, 1.0], offsets=[-1, 0, 1], shape=(100, 100), format="csr")
    >>> x, info = sparsecast.solve.minres(A, np.ones(100), rtol=1e-8)
    >>> info == 0 and bool(np.allclose(A @ x, 1.0))
    True
    """
    return _solve(sl.minres, A, arguments, named, iterations)


@_as_in_scipy
def lobpcg(A: Any, *arguments: Any, iterations: int | None = None, **named: Any) -> Solution:
    """Some eigenpairs of a symmetric matrix: :func:`scipy.sparse.linalg.lobpcg`. Planned for blocks of as many vectors
    as X has; parameters as of :func:`cg`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags_array(np.arange(1.0, 301.0), format="csr")
    >>> X = np.random.default_rng(1).standard_normal((300, 3))
    >>> values, vectors = sparsecast.solve.lobpcg(A, X, largest=True, tol=1e-6, maxiter=200)
    >>> bool(np.allclose(values, [300.0, 299.0, 298.0]))
    True
    """
    return _solve(sl.lobpcg, A, arguments, named, iterations)
