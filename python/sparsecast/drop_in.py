"""SciPy's arrays with products that are planned: everything else is inherited.

A product reads the arrays of the matrix as they are then (``_live``), so that nothing needs to be told of a change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ._live import TRANSPOSED, VECTOR, Live
from ._plan import Plan
from ._scipys import BLOCK, own_block, own_vector
from ._scipys import VECTOR as ONE_VECTOR

__all__ = ["csc_array", "csc_matrix", "csr_array", "csr_matrix"]


def _across(A: Any, u: np.ndarray) -> Any:
    """SciPy's u·A."""
    return own_vector(A._plain_transpose(), u)


_Base: Any = object  # one of SciPy's classes is behind it


class _Products(_Base):
    """What takes SciPy's products' place, in both formats and both kinds of matrices."""

    plan_after = 1
    _by_columns = False

    @property
    def plan(self) -> Plan | None:
        """The :class:`sparsecast.Plan` that products go through; None before there is one."""
        live = self.__dict__.get("_live")
        return None if live is None else live.plan

    def _live_arrays(self) -> Live:
        live = self.__dict__.get("_live")
        if live is None:
            live = self.__dict__["_live"] = Live(kept=True)
        return live

    def _own_product(self, x: np.ndarray) -> Any:
        if len(self._shape) != 2:
            return own_vector(self, x)
        live = self.__dict__.get("_live") or self._live_arrays()
        by_columns = self._by_columns
        return live.product(self, x, TRANSPOSED if by_columns else VECTOR, by_columns, self.plan_after, own_vector)

    def _own_products(self, X: np.ndarray) -> Any:
        if len(self._shape) != 2 or self._by_columns:
            return own_block(self, X)
        live = self.__dict__.get("_live") or self._live_arrays()
        return live.product(self, X, X.shape[1], False, self.plan_after, own_block)

    def __matmul__(self, other: Any) -> Any:
        # SciPy's own way to the same takes 1 µs.
        if other.__class__ is np.ndarray and other.ndim == 1 and (other.shape[0],) == self._shape[1:]:
            return self._own_product(other)
        return super().__matmul__(other)

    def dot(self, other: Any) -> Any:
        """``A @ other``, and a number times the matrix."""
        return super().dot(other) if np.isscalar(other) else self @ other

    def __rmatmul__(self, other: Any) -> Any:
        if other.__class__ is np.ndarray and len(self._shape) == 2 and other.shape == self._shape[:1]:
            live = self.__dict__.get("_live") or self._live_arrays()
            by_columns = self._by_columns
            return live.product(self, other, VECTOR if by_columns else TRANSPOSED, by_columns, self.plan_after, _across)
        return super().__rmatmul__(other)

    def _plain_transpose(self) -> Any:
        return super().transpose()

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        turned = super().transpose(axes=axes, copy=copy)
        if turned is self or not isinstance(turned, _Products):
            return turned
        names = ("data", "indices", "indptr")
        if all(np.may_share_memory(getattr(turned, name), getattr(self, name)) for name in names):
            turned.__dict__["_live"] = self._live_arrays()
        if "plan_after" in self.__dict__:
            turned.plan_after = self.plan_after
        return turned

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_live"}


setattr(_Products, ONE_VECTOR, _Products._own_product)
setattr(_Products, BLOCK, _Products._own_products)


class csr_array(_Products, sp.csr_array):
    """SciPy's :class:`scipy.sparse.csr_array`, whose products with dense arrays are planned.

    Made of all that SciPy's is made of, and sharing its arrays as SciPy's does. ``A @ x``, ``A.dot(x)``, ``x @ A``,
    ``A.T @ x`` and ``A @ X`` go through :attr:`plan` from the second product on where that is the faster way, which
    the first products of a large matrix find out. They read the arrays as they are: values, indices and shape may be
    changed in any way at any time. Slices, sums and arithmetic are SciPy's and give this class again, ``A.T`` and
    ``A.tocsc()`` one of SciPy's ``csc_array``, whose products are planned too, other conversions SciPy's arrays. Copies
    and pickles come without a plan. Integers and bool are left to SciPy.

    Attributes
    ----------
    plan_after : int
        Products that go as SciPy's before one is planned, 1; of the class, or set on one array.

    Examples
    --------
    >>> import numpy as np, sparsecast
    >>> A = sparsecast.csr_array([[2.0, 0.0], [1.0, 3.0]])
    >>> y = A @ np.ones(2)
    >>> A.plan is None
    True
    >>> A @ np.ones(2), A.plan.kernel
    (array([2., 4.]), 'csr')
    >>> A.data[0] = 5.0
    >>> A @ np.ones(2)
    array([5., 4.])
    """

    @property
    def _csc_container(self) -> Any:
        return csc_array


class csc_array(_Products, sp.csc_array):
    """The transpose of a :class:`sparsecast.csr_array`, with the same arrays and the same plan."""

    _by_columns = True

    @property
    def _csr_container(self) -> Any:
        return csr_array


class csr_matrix(_Products, sp.csr_matrix):
    """SciPy's :class:`scipy.sparse.csr_matrix`, the older kind, whose products with dense arrays are planned as those of
    :class:`sparsecast.csr_array`; here ``A * x`` too.

    Examples
    --------
    >>> import numpy as np, sparsecast
    >>> A = sparsecast.csr_matrix([[2.0, 0.0], [1.0, 3.0]])
    >>> A * np.ones(2), A * np.ones(2)
    (array([2., 4.]), array([2., 4.]))
    """

    @property
    def _csc_container(self) -> Any:
        return csc_matrix


class csc_matrix(_Products, sp.csc_matrix):
    """The transpose of a :class:`sparsecast.csr_matrix`, with the same arrays and the same plan."""

    _by_columns = True

    @property
    def _csr_container(self) -> Any:
        return csr_matrix
