"""What a plan was made of, as its caller holds it: which of its arrays are watched, and what is a change of it."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._matrix import from_neighbours, lend, rounded_values
from ._native import _core

__all__ = ["Planned", "watch", "watch_array"]

# Attributes of SciPy's matrices, of every version, and of PyData's arrays. SciPy's `coords` is a tuple of arrays.
_ATTRIBUTES = ("data", "indices", "indptr", "coords", "row", "col", "offsets")


class Planned(NamedTuple):
    """What a plan has taken of a matrix."""

    shape: tuple[int, int]
    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    given: np.dtype  # of the caller's values, once they were floating-point numbers
    exact: np.dtype  # of the plan's, before they were rounded
    storage: str

    @classmethod
    def of(cls, matrix: Any, exact: np.ndarray | None, storage: str, given: np.dtype | None = None) -> Planned:
        """Of a matrix in the form that lend() gives it."""
        dtype = matrix.dtype if exact is None else exact.dtype
        return cls(matrix.shape, matrix.indptr, matrix.indices, matrix.data, given or dtype, dtype, storage)

    def has_pattern_of(self, matrix: Any) -> bool:
        return (
            matrix.shape == self.shape
            and np.array_equal(matrix.indptr, self.indptr)
            and np.array_equal(matrix.indices, self.indices)
        )

    def values_of(self, exact: np.ndarray) -> np.ndarray:
        """Values as the plan takes them: in its type and rounded as it was wished."""
        exact = exact.astype(self.exact, copy=False)
        return rounded_values(exact, self.storage) if self.storage else exact

    def change_to(self, A: Any) -> Literal["", "values", "pattern"]:
        """How a matrix in any form is another than what was planned."""
        try:
            now = lend(A).matrix
            if now.dtype != self.given or not self.has_pattern_of(now):
                return "pattern"
            same = np.array_equal(self.values_of(now.data), self.data, equal_nan=True)
        except (TypeError, ValueError):  # it is no matrix any more, or none that the plan's type holds
            return "pattern"
        return "" if same else "values"

    def borrows(self, array: np.ndarray) -> bool:
        """Whether the plan multiplies by that very memory."""
        if array is self.indptr or array is self.indices or array is self.data:
            return True
        return array.flags.c_contiguous and any(
            np.may_share_memory(array, own) for own in (self.indptr, self.indices, self.data)
        )


def _arrays_of(A: Any, planned: Planned | None) -> list[tuple[str | None, int, np.ndarray, bool]]:
    """The arrays by the attributes that hold them; those that a plan borrows are looked at where it multiplies."""
    if hasattr(A, "crow_indices"):  # which makes its arrays anew whenever it is asked; their memory stays
        return [(None, place, array, new) for _, place, array, new in _arrays_of(from_neighbours(A), planned)]
    found: list[tuple[str | None, int, np.ndarray, bool]] = []
    own = getattr(A, "__dict__", {})
    for name in _ATTRIBUTES:
        value = own.get(name)
        if value is None:
            continue
        for place, array in enumerate(value) if isinstance(value, tuple) else [(-1, value)]:
            if isinstance(array, np.ndarray) and array.dtype != object:
                found.append((name, place, array, planned is None or not planned.borrows(array)))
    return found


def _probe_lists(A: Any) -> int:
    """Of up to sixteen rows of a LIL matrix, the first entries."""
    rows, data = A.rows, A.data
    spread = range(0, A.shape[0], max(1, -(-A.shape[0] // 16)))
    return hash(tuple((len(rows[i]), *rows[i][:4], *data[i][:4]) for i in spread))


def _probe_dictionary(A: Any) -> int:
    """Of a DOK matrix, how many entries there are and the first of them: others take time to get at."""
    return hash((A.nnz, tuple(islice(A.items(), 32))))


_PROBES = {"lil": _probe_lists, "dok": _probe_dictionary}


def _compare(planned: Planned, A: Any) -> Any:
    return planned.change_to(A) or _arrays_of(A, None)


def watch(A: Any, planned: Planned) -> _core.SourceWatch:
    """Watches a matrix in any form: SciPy's, PyTorch's or PyData's."""
    probe = _PROBES.get(A.format) if sp.issparse(A) else None
    return _core.SourceWatch(A, _arrays_of(A, planned), probe, partial(_compare, planned))


def watch_array(values: np.ndarray, planned: Planned) -> _core.SourceWatch | None:
    """Watches values that came without a matrix."""
    if planned.borrows(values):
        return None
    return _core.SourceWatch(None, [(None, -1, values, True)], None, partial(_compare, planned))
