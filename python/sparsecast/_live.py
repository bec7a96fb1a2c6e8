"""Products with the three arrays of a SciPy matrix, which are read anew in each product.

A plan that multiplied by a copy of the matrix would have to notice every write into its arrays, and anybody may write to
them: through a view, from C code, or from another process that shares the memory. A plan that reads the arrays in place
misses no write. All it keeps is how rows are dealt to threads, which is right for any rows. So it multiplies in CSR, by
the kernel csr. For other formats, plan the matrix yourself."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ._native import _core

if TYPE_CHECKING:
    from ._plan import Plan

__all__ = ["TIMED", "TRANSPOSED", "VECTOR", "Live", "of_arrays", "products_until_planned"]

# Kinds of products: A·x and Aᵀ·x of the arrays' matrix, read by rows; A·X has the number of its vectors, from 1 on.
# AᵀX is none of them: SciPy's product takes all vectors at once, ours one after the other.
VECTOR, TRANSPOSED = 0, -1

# Of fewer entries a product takes less than some 20 µs, and ours less than SciPy's by what a call takes alone.
TIMED = 20_000
_PLANNABLE = (np.float32, np.float64, np.complex64, np.complex128)
_Theirs = Callable[[Any, np.ndarray], Any]  # SciPy's product


def products_until_planned(entries: int) -> int:
    """After so many products a plan, of some 60 µs, costs less than was already spent on them: a product of SciPy's
    takes 3 µs and 1 ns for each entry (benchmarks/python/drop_in.py)."""
    return int(60e-6 / (3e-6 + 1e-9 * entries))


def _mean(times: list[float]) -> float:
    """And no median: where others use the cores, one product in ten may wait milliseconds for a thread of ours."""
    return sum(times) / len(times)


class Way:
    """Which is faster for one kind of product, this library or SciPy. Both are tried in turns until that is clear, or
    for five products each. Other processes come and go, so it is tried again after sixteen products of ours that gained
    nothing, and after some hundred of SciPy's, twice as many each time."""

    __slots__ = ("left", "ours", "patience", "products", "saved_s", "settled", "theirs", "told_s")
    CLEAR, ENOUGH, WATCHED = 0.8, 5, 16

    def __init__(self) -> None:
        self.products, self.saved_s = 0, 0.0  # by the plan, where SciPy's time is known
        self.told_s = 0.0  # SciPy's time, once it is known
        self.patience = 100
        self._begin()

    def _begin(self) -> None:
        self.settled: bool | None = None  # True: ours
        self.left = 0  # of SciPy's, until another trial
        self.ours: list[float] = []
        self.theirs: list[float] = []

    def next_is_ours(self) -> bool:
        if self.settled is None:
            return len(self.ours) < 2 or len(self.ours) <= len(self.theirs)
        if not self.settled:
            self.left -= 1
            if self.left <= 0:
                self._begin()
                return True
        return self.settled

    def took(self, ours: bool, seconds: float) -> None:
        if ours and self.told_s:
            self.products += 1
            self.saved_s += self.told_s - seconds
        if self.settled is None:
            (self.ours if ours else self.theirs).append(seconds)
            self._settle()
        elif ours and self.settled:
            self.ours.append(seconds)
            if len(self.ours) >= self.WATCHED:
                if _mean(self.ours) > self.told_s:
                    self._begin()
                self.ours = []

    def _settle(self) -> None:
        if not self.theirs:
            return
        self.told_s = _mean(self.theirs)
        fewest = min(len(self.ours), len(self.theirs))
        if len(self.ours) < 2:
            return
        share = _mean(self.ours) / self.told_s
        if fewest >= self.ENOUGH or share < self.CLEAR or (fewest >= 2 and share > 1 / self.CLEAR):
            self.settled = share < 1
            self.ours = []
            if not self.settled:
                self.left, self.patience = self.patience, min(2 * self.patience, 10_000)


class Live:
    """The arrays of one matrix. It counts their products, plans when that is due, and multiplies. With `kept` it keeps
    the arrays alive; without, the caller does, who holds them during a product. Every function takes the matrix that has
    the arrays now: CSR; CSC (`by_columns`), whose arrays are the transpose's in CSR; or, for A·x only, COO and BSR."""

    __slots__ = ("_kept", "_refused", "_renewals", "_shape", "_turned", "count", "multiplier", "plan", "products", "ready", "ways")

    def __init__(self, kept: bool) -> None:
        self._kept = kept
        self.products = self._renewals = 0
        self.ways: dict[int, Way] = {}
        self.forget()

    def forget(self) -> None:
        self.count = 0
        self.ready = False
        self._shape: tuple[int, ...] = ()  # of the arrays' matrix in CSR and, turned, in CSC, once there is a plan
        self._turned: tuple[int, ...] = ()
        self.multiplier: _core.Multiplier | None = None  # of CSR
        self.plan: Plan | None = None
        self._refused = False

    def product(self, A: Any, x: np.ndarray, kind: int, by_columns: bool, after: int, theirs: _Theirs) -> Any:
        """By the plan that is made after so many products, or as SciPy multiplies. The shapes are known to fit."""
        # The same arrays may be those of a matrix with more columns (`resize`), which a product of the transpose gives.
        if self.ready and A._shape != (self._turned if by_columns else self._shape):
            self._renew()
        if not self.ready:
            self.count += 1
            if self._refused or self.count <= after or not self._make(A, by_columns):
                return self._by_scipy(A, x, kind, theirs)
        data, multiplier = A.data, self.multiplier
        if data.size < TIMED:
            if multiplier is not None and A.format not in _BY_FORMAT:  # as below, at once: a call more is a tenth of such a product
                y = multiplier.multiply_arrays(A.indptr, A.indices, data, x, kind == TRANSPOSED)
                if y is not NotImplemented:
                    self.products += 1
                    return y
            y = self._by_plan(A, x, kind, by_columns)
            return y if y is not NotImplemented else theirs(A, x)
        way = self.ways.get(kind)
        if way is None:
            way = self.ways[kind] = Way()
        if not way.next_is_ours():
            return self._by_scipy(A, x, kind, theirs)
        start = perf_counter()
        y = self._by_plan(A, x, kind, by_columns)
        if y is NotImplemented:
            return theirs(A, x)
        way.took(True, perf_counter() - start)
        return y

    def _renew(self) -> None:
        """Of another matrix. Arrays that nobody keeps are known by the memory that they are cut from, maybe that of several
        matrices, which take each other's plan away."""
        self.forget()
        self._renewals += 1
        self._refused = not self._kept and self._renewals >= 8

    @property
    def saved_s(self) -> float:
        """Seconds that products by the plan took less than SciPy's; of small matrices they are not timed."""
        return sum(way.saved_s for way in list(self.ways.values()))

    def _by_scipy(self, A: Any, x: np.ndarray, kind: int, theirs: _Theirs) -> Any:
        if A.data.size < TIMED or self._refused:
            return theirs(A, x)
        way = self.ways.get(kind)
        if way is None:
            way = self.ways[kind] = Way()
        start = perf_counter()
        y = theirs(A, x)
        way.took(False, perf_counter() - start)
        return y

    def _make(self, A: Any, by_columns: bool) -> bool:
        rows, cols = A._shape[::-1] if by_columns else A._shape
        self._shape, self._turned = (rows, cols), (cols, rows)
        data = A.data
        try:
            if data.dtype not in _PLANNABLE:
                raise TypeError
            if A.format in _BY_FORMAT:  # of which nothing is made beforehand
                self.ready = True
                return True
            indptr, indices = A.indptr, A.indices
            csr = _core.Csr.live(rows, cols, indptr, indices, data, self._kept)
            if self._kept:
                from ._plan import Plan

                self.plan = Plan.of_live_arrays(csr, of_arrays((rows, cols), indptr, indices, data))
                self.multiplier = self.plan._multiplier
            else:
                # So few products that nothing is looked at or summed.
                self.multiplier = _core.plan(csr, None, iterations=1, precision="single" if csr.single else "double")
        except (TypeError, ValueError):  # not read as they lie: SciPy converts
            self._refused = True
            return False
        self.ready = True
        return True

    def _multiply(self, A: Any, x: np.ndarray, kind: int) -> Any:
        multiplier = self.multiplier  # which another thread may take away
        by_format = _BY_FORMAT.get(A.format)
        if by_format is not None:  # its values may be those of a matrix in CSR that was planned
            return by_format(A, x)
        if multiplier is None:
            return NotImplemented
        return multiplier.multiply_arrays(A.indptr, A.indices, A.data, x, kind == TRANSPOSED)

    def _by_plan(self, A: Any, x: np.ndarray, kind: int, by_columns: bool) -> Any:
        """NotImplemented where the product is in another type than the values, or they are none of a plan's any more."""
        y = self._multiply(A, x, kind)
        if y is NotImplemented:
            y = self._unusual(A, x, kind, by_columns)
            if y is NotImplemented:
                return y
        self.products += 1
        return y

    def _unusual(self, A: Any, x: np.ndarray, kind: int, by_columns: bool) -> Any:
        """Vectors of another type or with gaps, or arrays that were not planned."""
        dtype = A.data.dtype
        if dtype.kind == "f" and x.dtype.kind == "c" and x.dtype.itemsize <= 2 * dtype.itemsize:
            real, imaginary = (self._unusual(A, part, kind, by_columns) for part in (x.real, x.imag))
            if real is NotImplemented or imaginary is NotImplemented:
                return NotImplemented
            y = np.empty(real.shape, np.result_type(dtype, x.dtype))
            y.real, y.imag = real, imaginary
            return y
        if x.dtype.kind not in "biufc" or np.result_type(x.dtype, dtype) != dtype:
            return NotImplemented
        x = np.ascontiguousarray(x, dtype)
        y = self._multiply(A, x, kind)
        if y is NotImplemented:  # other arrays than were planned; of COO, rows out of order
            large = A.data.size >= TIMED  # of a small matrix planning takes as long as twenty products
            self._renew()
            self._refused = self._refused or A.format in _BY_FORMAT
            if large and not self._refused and self._make(A, by_columns):
                y = self._multiply(A, x, kind)
        return y


def _multiply_coo(A: Any, x: np.ndarray) -> Any:
    column, row = A.col, A.row
    return _core.multiply_coo(A._shape[0], row, column, A.data, x)


def _multiply_bsr(A: Any, x: np.ndarray) -> Any:
    return _core.multiply_bsr(A.indptr, A.indices, A.data, x)


_BY_FORMAT = {"coo": _multiply_coo, "bsr": _multiply_bsr}


def of_arrays(shape: tuple[int, int], indptr: np.ndarray, indices: np.ndarray, data: np.ndarray) -> Any:
    """A matrix with those very arrays, which the constructor might copy."""
    shared = sp.csr_array(shape, dtype=data.dtype)
    shared.indptr, shared.indices, shared.data = indptr, indices, data
    return shared
