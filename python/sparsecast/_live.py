"""Multiplies by a SciPy matrix in its own three arrays, which every product reads as they are at that time.

A plan that multiplied by a copy would have to notice every write to the arrays. They may be written to through any view
of them, by C code, or by another process that shares the memory. A plan that reads the arrays in place misses no write:
all that it derived from the matrix is how the rows are distributed over threads, which is correct for any rows. The
format is therefore CSR and the kernel csr. To use another format, call plan().
"""

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

# Kinds of products, where A is the matrix whose rows the arrays hold: A·x, Aᵀ·x, and A·X, whose kind is the number of
# its vectors, from 1 on. Aᵀ·X is not among them: SciPy multiplies all vectors at once, we multiply one after the other.
VECTOR, TRANSPOSED = 0, -1

# With fewer entries a product takes less than some 20 µs, and ours is faster than SciPy's by the cost of a call alone.
TIMED = 20_000
_PLANNABLE = (np.float32, np.float64, np.complex64, np.complex128)
_Theirs = Callable[[Any, np.ndarray], Any]  # SciPy's product


def products_until_planned(entries: int) -> int:
    """The number of SciPy's products that take as long as making a plan: some 60 µs, where a product takes 3 µs and
    1 ns for each entry (benchmarks/python/drop_in.py)."""
    return int(60e-6 / (3e-6 + 1e-9 * entries))


def _mean(times: list[float]) -> float:
    """The mean, not the median: when other programs use the cores, one product in ten may wait milliseconds for one of
    our threads, and that counts."""
    return sum(times) / len(times)


class Way:
    """Decides which product is faster for one kind, ours or SciPy's.

    Both are tried in turns until the answer is clear, or until each has been timed five times. The load of the cores
    changes, so the trial is repeated: after sixteen of our products whose mean is slower than SciPy's, and after a
    hundred of SciPy's products, twice as many each time.
    """

    __slots__ = ("left", "ours", "patience", "products", "saved_s", "settled", "theirs", "told_s")
    CLEAR, ENOUGH, WATCHED = 0.8, 5, 16

    def __init__(self) -> None:
        self.products, self.saved_s = 0, 0.0  # of the plan, since SciPy's time is known
        self.told_s = 0.0  # mean time of SciPy's product; 0: not known yet
        self.patience = 100
        self._begin()

    def _begin(self) -> None:
        self.settled: bool | None = None  # True: ours is faster; False: SciPy's; None: undecided
        self.left = 0  # SciPy's products until the next trial
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
    """Multiplies by the arrays of one matrix: counts their products, makes a plan when it is due, and uses it.

    With `kept`, the arrays are kept alive. Otherwise the caller keeps them alive, at least during a product. Every
    function takes the matrix that holds the arrays now. It is in CSR, or in CSC (`by_columns`), whose arrays are those
    of the transpose in CSR. A matrix in COO or BSR is accepted for A·x alone.
    """

    __slots__ = ("_kept", "_refused", "_renewals", "_shape", "_turned", "count", "multiplier", "plan", "products", "ready", "ways")

    def __init__(self, kept: bool) -> None:
        self._kept = kept
        self.products = self._renewals = 0
        self.ways: dict[int, Way] = {}
        self.forget()

    def forget(self) -> None:
        self.count = 0
        self.ready = False
        self._shape: tuple[int, ...] = ()  # of the matrix in CSR, once there is a plan; _turned: its shape in CSC
        self._turned: tuple[int, ...] = ()
        self.multiplier: _core.Multiplier | None = None  # for CSR and CSC
        self.plan: Plan | None = None
        self._refused = False

    def product(self, A: Any, x: np.ndarray, kind: int, by_columns: bool, after: int, theirs: _Theirs) -> Any:
        """Computes one product, by the plan or by `theirs`, SciPy's product. The plan is made after `after` products.
        The caller has checked that the shapes fit."""
        # The same arrays may by now belong to a matrix of another shape (`resize`).
        if self.ready and A._shape != (self._turned if by_columns else self._shape):
            self._renew()
        if not self.ready:
            self.count += 1
            if self._refused or self.count <= after or not self._make(A, by_columns):
                return self._by_scipy(A, x, kind, theirs)
        data, multiplier = A.data, self.multiplier
        if data.size < TIMED:
            if multiplier is not None and A.format not in _BY_FORMAT:  # as _multiply: one more call costs a tenth
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
        """Drops the plan, because the arrays are now those of another matrix. Arrays that are not kept alive are
        identified by the memory that they are part of. Several matrices may share that memory and replace each other's
        plan, so at the eighth renewal SciPy takes over for good."""
        self.forget()
        self._renewals += 1
        self._refused = not self._kept and self._renewals >= 8

    @property
    def saved_s(self) -> float:
        """Seconds that the plan's products saved compared with SciPy's. Products of small matrices are not timed."""
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
            if A.format in _BY_FORMAT:  # nothing to prepare for these formats
                self.ready = True
                return True
            indptr, indices = A.indptr, A.indices
            csr = _core.Csr.live(rows, cols, indptr, indices, data, self._kept)
            if self._kept:
                from ._plan import Plan

                self.plan = Plan.of_live_arrays(csr, of_arrays((rows, cols), indptr, indices, data))
                self.multiplier = self.plan._multiplier
            else:
                # For so few iterations the library neither analyses the matrix nor takes a checksum.
                self.multiplier = _core.plan(csr, None, iterations=1, precision="single" if csr.single else "double")
        except (TypeError, ValueError):  # these arrays cannot be read in place: SciPy multiplies
            self._refused = True
            return False
        self.ready = True
        return True

    def _multiply(self, A: Any, x: np.ndarray, kind: int) -> Any:
        multiplier = self.multiplier  # read once: another thread may remove it
        by_format = _BY_FORMAT.get(A.format)
        if by_format is not None:  # the values may also be those of a planned matrix in CSR
            return by_format(A, x)
        if multiplier is None:
            return NotImplemented
        return multiplier.multiply_arrays(A.indptr, A.indices, A.data, x, kind == TRANSPOSED)

    def _by_plan(self, A: Any, x: np.ndarray, kind: int, by_columns: bool) -> Any:
        """The plan's product. NotImplemented if its type differs from that of the values, or if the arrays can no longer
        be multiplied by a plan."""
        y = self._multiply(A, x, kind)
        if y is NotImplemented:
            y = self._unusual(A, x, kind, by_columns)
            if y is NotImplemented:
                return y
        self.products += 1
        return y

    def _unusual(self, A: Any, x: np.ndarray, kind: int, by_columns: bool) -> Any:
        """The product with vectors of another type or with gaps, or by arrays that were not planned."""
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
        if y is NotImplemented:  # the arrays are not those that were planned; in COO: the rows are out of order
            large = A.data.size >= TIMED  # planning a small matrix takes as long as twenty products
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
    """A CSR array that holds these arrays themselves; SciPy's constructor might copy them."""
    shared = sp.csr_array(shape, dtype=data.dtype)
    shared.indptr, shared.indices, shared.data = indptr, indices, data
    return shared
