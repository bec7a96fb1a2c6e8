"""SciPy's matrices as the library's: borrowed where they are in order, else put in order in a copy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._native import _core

__all__ = ["Lent", "lend"]


class Lent(NamedTuple):
    """A matrix that the library reads, the SciPy matrix whose arrays those are, and what was done to get it."""

    csr: _core.Csr
    matrix: Any
    source: str  # "", or what the caller's matrix was and what became of it
    exact: Any = None  # the values before they were rounded, where they were
    storage: str = ""  # what to


def _from_neighbours(A: Any) -> Any:
    """PyTorch's sparse CSR tensors, whose memory is shared by DLPack, and PyData's arrays as SciPy's; others as they are."""
    if hasattr(A, "to_scipy_sparse"):
        return A.to_scipy_sparse()
    if not hasattr(A, "crow_indices"):
        return A
    shared = sp.csr_array(tuple(A.shape))  # whose constructor would copy wide indices into narrow ones
    shared.indptr, shared.indices, shared.data = map(np.from_dlpack, (A.crow_indices(), A.col_indices(), A.values()))
    return shared


def _refuse(A: Any) -> None:
    if not sp.issparse(A):
        kind = type(A).__name__
        remedy = "; scipy.sparse.csr_array(A) makes one" if isinstance(A, np.ndarray) and A.ndim == 2 else ""
        raise TypeError(f"a sparse matrix of SciPy is needed, not {kind}{remedy}")
    if A.ndim != 2:
        raise ValueError(f"a matrix of two dimensions is needed, not {A.ndim}")
    if A.dtype not in (np.float32, np.float64, np.complex64, np.complex128) and A.dtype.kind not in "biu":
        raise TypeError(
            f"values of type {A.dtype} are not read, only float32, float64, complex64, complex128, integers and bool: "
            "A.astype(float) converts it"
        )


def _index(array: np.ndarray) -> np.ndarray:
    """Indices of a width and order that the library reads: the array itself where it is so."""
    wanted = np.int32 if array.dtype.itemsize <= 4 else np.int64
    return np.ascontiguousarray(array, dtype=wanted)


def lend(A: Any, name: str = "matrix") -> Lent:
    """The matrix in its own arrays where they are canonical CSR, else in a copy that is."""
    A = A if sp.issparse(A) else _from_neighbours(A)
    _refuse(A)
    source = ""
    if A.format != "csr":
        source = f"converted from {A.format}"
        A = A.tocsr()
    if A.dtype.kind in "biu":
        source += ("; " if source else "") + f"converted from {A.dtype}"
        A = A.astype(np.float64)
    rows, cols = A.shape
    data = A.data if A.data.dtype.isnative and A.data.flags.aligned else A.data.astype(A.data.dtype.newbyteorder("="))
    indptr, indices, data = _index(A.indptr), _index(A.indices), np.ascontiguousarray(data)
    stored = int(indptr[-1]) if indptr.ndim == 1 and indptr.size == rows + 1 and rows >= 0 else -1
    if stored < 0 or stored > indices.size or stored > data.size:
        raise ValueError("the arrays of the matrix contradict its shape")
    indices, data = indices[:stored], data[:stored]  # SciPy may keep room behind the entries
    if indptr.dtype.itemsize < indices.dtype.itemsize:
        indptr = indptr.astype(np.int64)
    try:
        return Lent(_core.Csr(rows, cols, indptr, indices, data, name), A, source)
    except ValueError:
        if not _sound(indptr, indices, cols):
            raise
    # Unsorted or duplicate entries: put in order in a copy, never in the caller's arrays.
    ordered = sp.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=(rows, cols))
    ordered.sum_duplicates()
    source = (source + "; " if source else "") + "entries put in order in a copy"
    csr = _core.Csr(rows, cols, _index(ordered.indptr), _index(ordered.indices), ordered.data, name)
    return Lent(csr, ordered, source)


def _sound(indptr: np.ndarray, indices: np.ndarray, cols: int) -> bool:
    """Whether SciPy may touch these arrays: it reads and writes where they point."""
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        return False
    return indices.size == 0 or bool(indices.min() >= 0 and indices.max() < cols)
