"""SciPy's matrices as the library's: borrowed where they are in order, else put in order in a copy."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._errors import UsageError
from ._native import _core
from ._stderr import tell_once

__all__ = ["Lent", "from_neighbours", "is_matrix", "lend", "lies_on_device", "rounded", "rounded_values", "with_values"]


class Lent(NamedTuple):
    """A matrix that the library reads, a SciPy matrix of its own with those arrays, and what was done to get it."""

    csr: _core.Csr
    matrix: Any
    source: str  # "", or what the caller's matrix was and what became of it
    exact: Any = None  # the values before they were rounded, where they were
    storage: str = ""  # what to


def is_matrix(A: Any) -> bool:
    """Whether it is a sparse matrix of SciPy, PyTorch, PyData, CuPy or JAX."""
    return sp.issparse(A) or hasattr(A, "to_scipy_sparse") or _is_csr_tensor(A) or lies_on_device(A)


def _is_csr_tensor(A: Any) -> bool:
    # Tensors of every layout have the attribute.
    return hasattr(A, "crow_indices") and str(getattr(A, "layout", "torch.sparse_csr")) == "torch.sparse_csr"


def _root(A: Any) -> str:
    return type(A).__module__.partition(".")[0]


def lies_on_device(A: Any) -> bool:
    """Whether it is a sparse matrix on a GPU, which a plan copies: CuPy's, JAX's or PyTorch's."""
    root = _root(A)
    if root == "scipy":
        return False
    if root == "cupyx":
        return hasattr(A, "tocsr") and hasattr(A, "get")
    if root == "jax":
        return type(A).__name__ == "BCSR"
    return _is_csr_tensor(A) and getattr(getattr(A, "device", None), "type", "cpu") != "cpu"


def from_neighbours(A: Any) -> Any:
    """PyTorch's sparse CSR tensors, whose memory is shared by DLPack, and PyData's arrays as SciPy's; copies of what lies on a
    device; others as they are."""
    if hasattr(A, "to_scipy_sparse"):
        return A.to_scipy_sparse()
    if lies_on_device(A):
        if _root(A) == "cupyx":
            return A.get()
        if _root(A) == "jax":
            if A.n_batch or A.n_dense:
                raise TypeError("a BCSR array with batches or dense blocks is not a two-dimensional matrix")
            return sp.csr_array(tuple(map(np.array, (A.data, A.indices, A.indptr))), shape=tuple(A.shape))
        A = A.cpu()
    if not _is_csr_tensor(A):
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
        raise UsageError(f"a matrix of two dimensions is needed, not {A.ndim}")
    if A.dtype == _DOUBLE:
        return
    native = A.dtype.newbyteorder("=")
    if native not in (np.float32, np.float64, np.complex64, np.complex128) and A.dtype.kind not in "biu":
        remedy = "complex" if A.dtype.kind == "c" else "float"
        raise TypeError(
            f"values of type {A.dtype} are not supported, only float32, float64, complex64, complex128, integers and bool: "
            f"A.astype({remedy}) converts it"
        )


_NARROW, _WIDE, _DOUBLE = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)
_FIRST_INEXACT = 2**53


def _index(array: np.ndarray, name: str) -> np.ndarray:
    """Indices of a width and order that the library reads: the array itself where it is so. What is no whole number, or
    does not fit, is refused: converting it would point elsewhere."""
    if (array.dtype == _NARROW or array.dtype == _WIDE) and array.flags.c_contiguous and array.flags.aligned:
        return array
    kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
    if kind == "f":
        # Beyond 2^53 what is read need not be what was meant.
        wrong = np.flatnonzero(~((array == np.trunc(array)) & (np.abs(array) <= 2.0**53)))
        if wrong.size:
            k = int(wrong[0])
            raise UsageError(f"{name}[{k}] is {array.flat[k]}, not a whole number: give {name} as integers")
    elif kind not in "biu":
        raise TypeError(f"{name} of type {array.dtype} are not indices: give them as integers")
    wide = bits > 32 if kind in "bi" else bits > 16 and bool(array.size) and array.max() > np.iinfo(np.int32).max
    if kind == "u" and wide and array.max() > np.iinfo(np.int64).max:
        raise UsageError(f"{name}[{int(array.argmax())}] is {array.max()}, which does not fit a signed 64-bit integer")
    return np.require(array, np.int64 if wide else np.int32, ["C", "A"])


def _check_indices(A: Any) -> None:
    """Refuses indices that SciPy's conversions would cut to integers, or follow out of their arrays."""
    rows, cols = A.shape
    if A.format == "csr":  # whose order and range the library checks
        _index(A.indptr, "indptr"), _index(A.indices, "indices")
    elif A.format in ("csc", "bsr"):
        lines, across = (cols, rows) if A.format == "csc" else (rows // A.blocksize[0], cols // A.blocksize[1])
        indptr, indices = _index(A.indptr, "indptr"), _index(A.indices, "indices")
        if indptr.ndim != 1 or indptr.size != lines + 1 or indices.ndim != 1:
            raise UsageError("the arrays of the matrix contradict its shape")
        stored = int(indptr[-1])
        if stored < 0 or stored > indices.size or stored > A.data.shape[0]:
            raise UsageError("the arrays of the matrix contradict its shape")
        line, entry = ("column", "row") if A.format == "csc" else ("block row", "block column")
        _check_order(indptr, line)
        _check_range(indices[:stored], across, "indices", entry)
    elif A.format == "coo":
        for name, what, array, size in (("row", "row", A.row, rows), ("col", "column", A.col, cols)):
            if array.ndim != 1 or array.size != A.data.size:
                raise UsageError("the arrays of the matrix contradict its shape")
            _check_range(_index(array, name), size, name, what)
    elif A.format == "dia":
        _index(A.offsets, "offsets")


def _check_order(indptr: np.ndarray, line: str) -> None:
    if indptr[0] != 0:
        raise UsageError(f"indptr[0] is {indptr[0]}, not 0, where the first {line} begins")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        k = int(falls[0])
        raise UsageError(f"indptr decreases from {indptr[k]} to {indptr[k + 1]} at {line} {k}: correct it")


def _check_range(indices: np.ndarray, size: int, name: str, what: str) -> None:
    if indices.size == 0 or (indices.min() >= 0 and indices.max() < size):
        return
    k = int(np.flatnonzero((indices < 0) | (indices >= size))[0])
    raise UsageError(f"{name}[{k}] is {what} {indices[k]} of {size}, counted from 0: correct it, or the shape")


def _tell_of_rounding(data: np.ndarray, name: str) -> None:
    """Remarks on whole numbers that a double does not hold, as readers of files do."""
    if data.dtype.kind not in "iu" or data.dtype.itemsize < 8 or data.size == 0:
        return
    if max(int(data.max()), -int(data.min())) >= _FIRST_INEXACT:
        tell_once(f"{name}: values are held in double precision: whole numbers of 2^53 and more are rounded")


def lend(A: Any, name: str = "matrix") -> Lent:
    """The matrix in its own arrays where they are canonical CSR, else in a copy that is."""
    A = A if sp.issparse(A) else from_neighbours(A)
    _refuse(A)
    _check_indices(A)
    source = ""
    if A.dtype.kind in "biu" or not A.dtype.isnative:
        source = f"converted from {A.dtype}"
        _tell_of_rounding(A.data, name)
        A = A.astype(np.float64 if A.dtype.kind in "biu" else A.dtype.newbyteorder("="))
    if A.format != "csr":
        source = f"converted from {A.format}" + ("; " if source else "") + source
        A = A.tocsr()
    rows, cols = A.shape
    data = A.data if A.data.flags.aligned else A.data.copy()
    indptr, indices = _index(A.indptr, "indptr"), _index(A.indices, "indices")
    data = np.ascontiguousarray(data)
    stored = int(indptr[-1]) if indptr.ndim == 1 and indptr.size == rows + 1 and rows >= 0 else -1
    if stored < 0 or stored > indices.size or stored > data.size:
        raise UsageError("the arrays of the matrix contradict its shape")
    if stored < indices.size or stored < data.size:  # SciPy may keep room behind the entries
        indices, data = indices[:stored], data[:stored]
    if indptr.dtype.itemsize < indices.dtype.itemsize:
        indptr = indptr.astype(np.int64)
    try:
        csr = _core.Csr(rows, cols, indptr, indices, data, name)
        return Lent(csr, _of_arrays(A, indptr, indices, data), source)
    except ValueError:
        # What follows is SciPy's, which reads and writes where the arrays point.
        _check_order(indptr, "row")
        _check_range(indices, cols, "indices", "column")
    # Unsorted or duplicate entries: put in order in a copy, never in the caller's arrays.
    ordered = sp.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=(rows, cols))
    ordered.sum_duplicates()
    source = (source + "; " if source else "") + "entries sorted in a copy"
    indptr, indices = _index(ordered.indptr, "indptr"), _index(ordered.indices, "indices")
    csr = _core.Csr(rows, cols, indptr, indices, ordered.data, name)
    return Lent(csr, _of_arrays(A, indptr, indices, ordered.data), source)


_SCIPYS_CSR = (sp.csr_array, sp.csr_matrix)


def _of_arrays(A: Any, indptr: np.ndarray, indices: np.ndarray, data: np.ndarray) -> Any:
    """A CSR matrix of A's type and shape with those very arrays, which the constructor might copy. It is nobody else's: who
    has A may put other arrays in their place."""
    if type(A) in _SCIPYS_CSR:  # what copy() does of such, in a third of the time
        own = object.__new__(type(A))
        own.__dict__.update(A.__dict__)
    else:
        own = copy(A)
    own.indptr, own.indices, own.data = indptr, indices, data
    own.has_canonical_format = True
    return own


def with_values(A: Any, data: np.ndarray) -> Any:
    """Those values on the pattern of a CSR matrix."""
    return _of_arrays(A, A.indptr, A.indices, data)


def rounded_values(data: np.ndarray, storage: str) -> np.ndarray:
    """Values of that type, as float32; of complex ones both parts."""
    if data.dtype.kind == "c":
        return rounded_values(np.ascontiguousarray(data).view(data.real.dtype), storage).view(np.complex64)
    with np.errstate(over="ignore"):
        values = data.astype(np.float16 if storage == "half" else np.float64)
        if storage == "bfloat16":  # seven digits of 52 after the point, of two neighbours the even one
            bits, finite = values.view(np.uint64), np.isfinite(values)
            bits[finite] += (np.uint64(2**44 - 1) + (bits >> np.uint64(45) & np.uint64(1)))[finite]
            bits[finite] &= np.uint64(2**64 - 2**45)
        values = values.astype(np.float32)
    if not np.array_equal(np.isfinite(values), np.isfinite(data)):
        raise UsageError(f"a value exceeds the range of {storage}")
    return values


def rounded(lent: Lent, storage: str) -> Lent:
    """The matrix with values of that type: in a copy, on the same pattern."""
    exact = lent.matrix.data
    own = lend(with_values(lent.matrix, rounded_values(exact, storage)))
    return own._replace(source=lent.source, exact=exact, storage=storage)
