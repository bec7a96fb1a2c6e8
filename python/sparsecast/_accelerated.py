"""Accelerates an existing program: within `with accelerated():`, plans multiply SciPy's own sparse arrays."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._errors import Error, UsageError
from ._live import TIMED, TRANSPOSED, VECTOR, Live, of_arrays, products_until_planned
from ._scipys import BASE, BLOCK, own_vector
from ._scipys import VECTOR as ONE_VECTOR

__all__ = ["Report", "accelerated"]

# True where the arrays of a format are those of the transpose in CSR. Only exactly these types are accelerated: a class
# derived from one of them may multiply in another way, as sparsecast.csr_array does.
_BY_COLUMNS = {sp.csr_array: False, sp.csr_matrix: False, sp.csc_array: True, sp.csc_matrix: True}
_OTHERS = {sp.coo_array, sp.coo_matrix, sp.bsr_array, sp.bsr_matrix}  # A·x alone; SciPy computes their other products


class Report:
    """Counts what plans did within ``with accelerated():``, and the time that they saved.

    Products are timed for matrices with at least 20,000 entries. :attr:`saved_s` and :attr:`forecast_s` cover these
    matrices alone.
    """

    def __init__(self) -> None:
        self._matrices_gone = self._products_gone = 0
        self._saved_gone_s = self._forecast_gone_s = 0.0
        self._watched: dict[int, _Watched] = {}

    @property
    def matrices(self) -> int:
        """Number of matrices that a plan multiplied."""
        return self._matrices_gone + sum(one.live.products > 0 for one in list(self._watched.values()))

    @property
    def products(self) -> int:
        """Number of products that plans computed."""
        return self._products_gone + sum(one.live.products for one in list(self._watched.values()))

    @property
    def saved_s(self) -> float:
        """Seconds saved, compared with the mean time of SciPy's timed products with the same matrix."""
        return self._saved_gone_s + sum(one.live.saved_s for one in list(self._watched.values()))

    @property
    def forecast_s(self) -> float:
        """Seconds saved according to the forecast: SciPy's measured times minus the forecast times of the plans.

        It covers matrices in CSR and CSC that still exist when you read it, and those that had saved enough time
        before they were deleted to pay for a forecast.
        """
        return self._forecast_gone_s + sum(one.forecast_s() for one in list(self._watched.values()))

    def _let_go(self, key: int, one: _Watched) -> None:
        if self._watched.get(key) is not one:
            return
        del self._watched[key]
        if one.live.products:
            self._matrices_gone += 1
            self._products_gone += one.live.products
            self._saved_gone_s += one.live.saved_s
            self._forecast_gone_s += one.forecast_s(asking=False)  # its arrays are being deleted

    def __repr__(self) -> str:
        matrices = "1 matrix" if self.matrices == 1 else f"{self.matrices} matrices"
        done = f"{matrices} planned, {self.products} products by plans"
        return f"sparsecast: {done}, {self.saved_s:.3g} s saved, forecast {self.forecast_s:.3g} s"


class _Watched:
    """A matrix whose products are counted for as long as somebody holds its values."""

    __slots__ = ("_matrix", "_product_s", "asked_at_s", "live", "owner")

    def __init__(self, owner: Any, gone: Callable[[Any], None], entries: int) -> None:
        self.owner = weakref.ref(owner, gone)
        self.live = Live(kept=False)
        # A forecast costs a tenth of this time (17 ms for two million entries). It is made once this time is saved.
        self.asked_at_s = 10 * (3e-3 + 7e-9 * entries)
        self._matrix: Any = None
        self._product_s: dict[int, float] = {}

    def is_seen_in(self, A: Any) -> None:
        self._matrix = weakref.ref(A)

    def ask(self, A: Any) -> None:
        """Forecasts every kind of product that was computed so far."""
        self.asked_at_s = float("inf")
        by_columns = _BY_COLUMNS.get(A.__class__)
        if by_columns is None or self.live.multiplier is None:
            return
        shape = A._shape[::-1] if by_columns else A._shape
        from ._answers import forecast

        for kind, way in list(self.live.ways.items()):
            if not way.products or kind in self._product_s:
                continue
            try:
                with warnings.catch_warnings():  # the program did not ask for a forecast
                    warnings.simplefilter("ignore")
                    told = forecast(
                        of_arrays(shape, A.indptr, A.indices, A.data),
                        kernels="csr",
                        threads=self.live.multiplier.threads,
                        vectors=max(kind, 1),
                        transposed=kind == TRANSPOSED,
                    )
                self._product_s[kind] = told["csr"].seconds
            except (Error, KeyError, TypeError, ValueError):
                self._product_s[kind] = 0.0  # no forecast, for example because entries are out of order

    def forecast_s(self, asking: bool = True) -> float:
        """Seconds saved: SciPy's measured times minus the plan's forecast times."""
        A = self._matrix() if asking and self._matrix else None
        ways = [(kind, way) for kind, way in list(self.live.ways.items()) if way.products]
        if A is not None and any(kind not in self._product_s for kind, _ in ways):
            self.ask(A)
        total = 0.0
        for kind, way in ways:
            if product_s := self._product_s.get(kind):
                total += way.products * (way.told_s - product_s)
        return total


class _Session:
    """One `with accelerated()`: its matrices, found by the memory that holds their values."""

    FEWEST = 3  # products of a small matrix before anything is created for it

    def __init__(self, after: int) -> None:
        self.after = after
        self.report = Report()
        self._counts: dict[int, int] = {}
        self._fewest = self.FEWEST if after else 0

    def find(self, A: Any) -> _Watched | None:
        data = A.data
        owner = data.base
        if owner is None:
            owner = data
        key = id(owner)
        found = self.report._watched.get(key)
        if found is not None:
            return found
        if data.size < TIMED:  # most such matrices are multiplied once or twice only
            counts = self._counts
            counts[key] = count = counts.get(key, 0) + 1
            if count <= self._fewest or (self.after and count < products_until_planned(data.size)):
                return None
            counts.pop(key, None)
            if len(counts) > 100_000:  # most belong to matrices that were deleted
                counts.clear()
        return self._watch(A, owner, key)

    def _watch(self, A: Any, owner: Any, key: int) -> _Watched | None:
        report = weakref.ref(self.report)

        def gone(_reference: Any) -> None:
            there = report()
            if there is not None:
                there._let_go(key, made)

        try:
            made = _Watched(owner, gone, A.data.size)
        except TypeError:  # the owner of the memory takes no weak reference
            return None
        self.report._watched[key] = made
        return made

    def product(self, A: Any, x: np.ndarray, kind: int, by_columns: bool, theirs: Any) -> Any:
        one = self.find(A)
        if one is None:
            return theirs(A, x)
        live = one.live
        ready = live.ready
        y = live.product(A, x, kind, by_columns, self.after, theirs)
        if not ready:
            one.is_seen_in(A)
        elif A.data.size >= TIMED and live.saved_s > one.asked_at_s:
            one.ask(A)
        return y


_sessions: list[_Session] = []
_current: _Session | None = None  # the last session, which is in effect; read it once: another thread may end it
_theirs: list[tuple[type, str, Any]] = []
_turn = Lock()


def _across(A: Any, u: np.ndarray) -> Any:
    """SciPy's u·A."""
    return own_vector(A.transpose(), u)


def _replace(home: type, name: str, make: Callable[[Any], Any]) -> None:
    own = vars(home)[name]
    made = make(own)
    made.__name__, made.__qualname__, made.__doc__ = own.__name__, own.__qualname__, own.__doc__
    _theirs.append((home, name, own))
    setattr(home, name, made)


def _vector_of(own: Any) -> Any:
    def vector(self: Any, x: Any) -> Any:
        by_columns, session = _BY_COLUMNS.get(self.__class__), _current
        if by_columns is None or session is None or len(self._shape) != 2:
            return own(self, x)
        return session.product(self, x, TRANSPOSED if by_columns else VECTOR, by_columns, own)

    return vector


def _other_vector_of(own: Any) -> Any:
    def vector(self: Any, x: Any) -> Any:
        session = _current
        # For one row, SciPy returns a number in some formats.
        if self.__class__ not in _OTHERS or session is None or len(self._shape) != 2 or self._shape[0] == 1:
            return own(self, x)
        return session.product(self, x, VECTOR, False, own)

    return vector


def _block_of(own: Any) -> Any:
    def block(self: Any, X: Any) -> Any:
        session = _current
        if _BY_COLUMNS.get(self.__class__, True) or session is None or len(self._shape) != 2:
            return own(self, X)
        return session.product(self, X, X.shape[1], False, own)

    return block


def _matmul_of(own: Any) -> Any:
    vector = getattr(sp.csr_array, ONE_VECTOR)  # already replaced by ours

    def __matmul__(self: Any, other: Any) -> Any:
        # SciPy's own path to this method takes longer than finding the plan.
        if other.__class__ is np.ndarray and self.__class__ in _BY_COLUMNS and self._shape[1:] == other.shape:
            return vector(self, other)
        return own(self, other)

    return __matmul__


def _rmatmul_of(own: Any) -> Any:
    def __rmatmul__(self: Any, other: Any) -> Any:
        by_columns, session = _BY_COLUMNS.get(self.__class__), _current
        if (
            by_columns is None
            or session is None
            or other.__class__ is not np.ndarray
            or len(self._shape) != 2
            or other.shape != self._shape[:1]
        ):
            return own(self, other)
        return session.product(self, other, VECTOR if by_columns else TRANSPOSED, by_columns, _across)

    return __rmatmul__


def _home(kind: type) -> type:
    """The class that defines the product of a format."""
    return next(one for one in kind.__mro__ if ONE_VECTOR in vars(one))


def _take_over() -> None:
    try:
        _replace(_home(sp.csr_array), ONE_VECTOR, _vector_of)
        _replace(_home(sp.csr_array), BLOCK, _block_of)
        for kind in (sp.coo_array, sp.bsr_array):
            _replace(_home(kind), ONE_VECTOR, _other_vector_of)
        _replace(BASE, "__matmul__", _matmul_of)
        _replace(BASE, "__rmatmul__", _rmatmul_of)
    except BaseException:  # Ctrl-C
        _give_back()
        raise


def _give_back() -> None:
    while _theirs:
        setattr(*_theirs.pop())


class accelerated:
    """Multiplies SciPy's sparse arrays by plans within ``with accelerated():``, without other changes to a program.

    Which products: a CSR array times one vector or a block of vectors; a CSC, COO or BSR array times one vector; and
    one vector times a CSR or CSC array. SciPy computes all other products.

    When a matrix is planned: after `after` products with it, so that the plan pays. A small matrix needs more products.

    Changes to a matrix: you may change its arrays in any way. Each product reads the arrays as they are at that time.

    Which is faster: products of matrices with at least 20,000 entries are timed. SciPy computes those that it computes
    faster.

    Scope: all threads of the process, and the children that it creates by ``fork()``. Blocks may be nested; the last
    one entered is in effect. When the last block ends, SciPy's own methods are back in place.

    Parameters
    ----------
    after : int
        Number of products with a matrix that SciPy computes before the matrix is planned. 0 plans every matrix at its
        first product.

    Yields
    ------
    Report
        Numbers of matrices and products, and the seconds saved so far (``with accelerated() as report:``).

    Raises
    ------
    ValueError
        If `after` is negative or not an integer.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A, x = sp.random_array((3000, 3000), density=0.01, format="csr", rng=1), np.ones(3000)
    >>> with sparsecast.accelerated() as report:
    ...     for _ in range(20):
    ...         y = A @ x
    >>> report.matrices, report.products > 0
    (1, True)
    """

    def __init__(self, after: int = 2) -> None:
        if isinstance(after, bool) or not isinstance(after, (int, np.integer)) or after < 0:
            raise UsageError(f"after must be a number of products, not {after!r}")
        self._after = int(after)
        self._open: list[_Session] = []

    def __enter__(self) -> Report:
        global _current
        session = _Session(self._after)
        with _turn:
            if not _sessions:
                _take_over()
            _sessions.append(session)
            self._open.append(session)
            _current = session
        return session.report

    def __exit__(self, *_exception: Any) -> None:
        global _current
        with _turn:
            _sessions.remove(self._open.pop())
            _current = _sessions[-1] if _sessions else None
            if not _sessions:
                _give_back()


os.register_at_fork(after_in_child=lambda: globals().update(_turn=Lock()))  # its holder is not in the child
