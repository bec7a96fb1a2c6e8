"""plan(), and the Plan that it returns: a LinearOperator that multiplies in the fastest way found."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from math import ceil
from os import PathLike, fspath
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Optional, get_args

import numpy as np
from scipy.sparse import issparse, spmatrix
from scipy.sparse.linalg import LinearOperator

from ._arrays import library_of
from ._errors import UsageError
from ._matrix import Lent, is_matrix, lend, lies_on_device, rounded, rounded_values, with_values
from ._native import _core
from ._text import (
    MOST_ITERATIONS,
    MOST_THREADS,
    MOST_VECTORS,
    factors,
    names_of,
    real,
    seconds_text,
    truth,
    whole,
    whole_or_none,
)
from ._watch import Planned, watch, watch_array

if TYPE_CHECKING:
    from ._tables import Forecasts

__all__ = ["Plan", "plan"]

# A child of fork() has none of OpenMP's threads and would wait for them forever.
os.register_at_fork(after_in_child=_core.use_one_thread)

Threads = Literal["auto"] | int
Storage = Literal["single", "half", "bfloat16"]
Trials = Literal["auto", "online"] | int | None


_NOT_KNOWN = -2  # Strategy::break_even

# Kernels that multiply by the arrays of a CSR matrix itself.
_IN_PLACE = frozenset({"csr", "csr-merge", "csr-scalar"})


def plan(
    A: Any,
    *,
    iterations: int | None = None,
    vectors: int = 1,
    transposed: bool = False,
    threads: Threads = "auto",
    device: str = "host",
    precision: Literal["single", "double"] | None = None,
    storage: Storage | None = None,
    profile: str | PathLike[str] | None = None,
    kernel: str | None = None,
    kernels: Iterable[str] | str | None = None,
    trials: Trials = None,
    products: Mapping[str, float] | None = None,
    powers: int | None = None,
) -> Plan:
    """Finds the fastest way to multiply a sparse matrix and prepares it.

    Parameters
    ----------
    A : scipy.sparse matrix or array, or Plan
        A sparse matrix of SciPy, PyTorch, PyData, CuPy or JAX, or a plan, whose matrix is planned again. Values are
        float32, float64, complex64 or complex128; integers and bool are converted to float64, once. The plan keeps the
        arrays of a CSR matrix whose entries are in order alive, and the kernels csr, csr-merge and csr-scalar multiply
        by them. Every other kernel multiplies by a copy in its own form (:attr:`Plan.holds_copy`), and every other
        matrix is converted into a copy. Entries that are out of order or duplicated are put in order in that copy. A
        matrix on a device is copied to the host. Changed values: :meth:`Plan.update_values`.
    iterations : int, optional
        Number of products that you intend to compute, 1 or more; the conversion of the matrix then counts. Below 40
        (below 25 for a matrix of 100,000 entries or more) the matrix is multiplied as it is: it is not analysed, and
        no checksum is taken for :meth:`Plan.verify`. By default only the time of one product counts.
    vectors : int
        Number of vectors in one product, that is, columns of `X` in ``P @ X``: 1 to 1,048,576.
    transposed : bool
        True: make products with the transpose fast.
    threads : "auto" or int
        Largest number of threads, 1 or more. The plan uses fewer if that is forecast to be faster. "auto": as many as
        the process may use, which ``OMP_NUM_THREADS`` and ``threadpoolctl`` limit.
    device : str
        Where products run: ``"host"``, ``"opencl:0"``, ``"cuda:0"``.
    precision : "single" or "double", optional
        Precision of the products. By default it is that of the values.
    storage : "single", "half" or "bfloat16", optional
        Rounds the values to this type and stores them in four or two bytes each where that is faster. Products are
        still summed in the plan's precision. :attr:`Plan.storage_error` says how much the values changed.
    profile : path, optional
        Profile file to use instead of the measurements of this machine.
    kernel : str, optional
        Kernel to use for the whole matrix on the host, without a forecast. Refused beside `trials`.
    kernels : iterable of str, optional
        Kernels to choose from, for blocks of rows and for the whole matrix. By default, all of them.
    trials : "auto", "online" or int, optional
        Measures candidates before one is chosen. A number: that many candidates. ``"auto"``: those that may still gain
        more than trying them costs. ``"online"``: candidates are tried in the plan's own products, whose results are
        right from the first one on. :attr:`Plan.trials` reports the outcome.
    products : mapping, optional
        Products that you compute in turns, and how often relative to each other. ``{"A": 1, "A.T": 1}`` plans for both,
        with one stored form of the matrix or two, whichever finishes first. Without `iterations`, or with many of them,
        some products of each are measured to decide. ``strategy["transpose"]`` says what multiplies by ``A.T``, and
        why.
    powers : int, optional
        Number of times in a row that you multiply by a square matrix, with :meth:`Plan.powers`,
        :meth:`Plan.polynomial` or :meth:`Plan.chebyshev`. Where that pays, each block of rows is read once for several
        powers; ``Plan.strategy["powers"]`` reports it. Without `iterations`, or with many of them, both ways are timed
        in turns if blocks are forecast to pay or nearly so.

    Returns
    -------
    Plan

    Raises
    ------
    TypeError
        If `A` is not a sparse matrix of numbers.
    ValueError
        If the arrays of `A` do not form a matrix, an option has an invalid value, or `powers` is given for a matrix
        that is not square. These errors are ``sparsecast.Error`` too where the library found them, with a code.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> A = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(1000, 1000), format="csr")
    >>> P = sparsecast.plan(A)
    >>> y = P @ np.ones(1000)
    >>> float(y[0]), float(y[1])
    (1.0, 0.0)
    """
    if isinstance(A, Plan):
        origin, given, lent = A._again(storage is not None)
    else:  # a matrix on a device is not watched for changes: the plan multiplies by a copy
        origin, given, lent = None if lies_on_device(A) else A, None, lend(A)
    if storage not in (None, *get_args(Storage)):
        raise UsageError(f"storage must be 'single', 'half', 'bfloat16' or None, not {storage!r}")
    lent = lent if storage is None else rounded(lent, storage)
    if lent.storage:  # products are not summed in the storage type
        precision = precision or ("single" if lent.exact.dtype.char in "fF" else "double")
    if precision not in (None, "single", "double"):
        raise UsageError(f"precision must be 'single' or 'double', not {precision!r}")
    if not (isinstance(threads, str) and threads == "auto"):
        threads = whole("threads", threads, MOST_THREADS, "'auto' or ")
    if isinstance(trials, bool) or not (trials in (None, "auto", "online") or isinstance(trials, (int, np.integer))):
        raise UsageError(f"trials must be 'auto', 'online' or a number, not {trials!r}")
    if kernel is not None and not (isinstance(kernel, str) and kernel):
        raise UsageError(f"kernel must be the name of a kernel or None, not {kernel!r}")
    shares = _products_text(products)
    if shares and transposed:
        raise UsageError("products already say how often the transpose is applied: omit transposed")
    wanted = {
        "powers": whole_or_none("powers", powers, MOST_THREADS),
        "iterations": whole_or_none("iterations", iterations, MOST_ITERATIONS),
        "vectors": whole("vectors", vectors, MOST_VECTORS),
        "transposed": truth("transposed", transposed),
        "threads": threads,
        "device": device,
        "precision": precision,
        "profile": None if profile is None else fspath(profile),
        "kernel": kernel,
        "kernels": names_of(kernels),
        "trials": "none" if trials is None else str(trials),
        "products": shares,
    }
    return Plan(origin, lent, wanted, given)


def _products_text(products: Mapping[str, float] | None) -> str:
    """The shares as text, in the form that the library reads."""
    if products is None:
        return ""
    try:
        shares = {name: real("a share", share) for name, share in products.items()}
    except (AttributeError, TypeError, ValueError):
        shares = {}
    known = set(shares) <= {"A", "A.T"} and all(0 <= share < float("inf") for share in shares.values())
    if not known or sum(shares.values()) <= 0:
        raise UsageError(f'products must look like {{"A": 1, "A.T": 1}}, not {products!r}')
    return ",".join(f"{name}={share!r}" for name, share in shares.items())


def _planned_again(A: Any, wanted: dict[str, Any], exact: Any = None, storage: str = "") -> Plan:
    """Makes a plan from what a pickle holds."""
    return Plan(None, lend(A)._replace(exact=exact, storage=storage), wanted)


_USUAL = {
    "device": "host",
    "profile": "",
    "kernel": "",
    "kernels": "",
    "precision": "double",
    "threads": 0,
    "iterations": 0,
    "powers": 0,
    "vectors": 1,
    "transposed": False,
    "trials": "none",
    "products": "",
}


def _multiplier(lent: Lent, source: _core.SourceWatch | None, wanted: dict[str, Any]) -> _core.Multiplier:
    single = lent.csr.single if wanted["precision"] is None else wanted["precision"] == "single"
    threads = 0 if wanted["threads"] == "auto" else wanted["threads"]
    wishes = {
        "device": wanted["device"],
        "profile": wanted["profile"] or "",
        "kernel": wanted["kernel"] or "",
        "kernels": wanted["kernels"],
        "precision": "single" if single else "double",
        "threads": threads,
        "iterations": wanted["iterations"] or 0,
        "powers": wanted.get("powers") or 0,
        "vectors": wanted["vectors"],
        "transposed": wanted["transposed"],
        "trials": wanted["trials"],
        "products": wanted.get("products", ""),  # a pickle of an earlier version has none
    }
    # Omit the library's defaults: reading them takes as long as a tiny product.
    told = {name: wish for name, wish in wishes.items() if wish != _USUAL[name]}
    return _core.plan(lent.csr, source, **told)


_WIDEST = "gG"  # long doubles: SciPy multiplies them, a plan does not
_Wider = Optional[Callable[[], "_core.Multiplier"]]  # gives the same product in double precision; None: never needed


class _Operator(LinearOperator):
    """What a plan and its transpose share: products with arrays of NumPy and of other libraries."""

    _multiplier: _core.Multiplier
    _by_transpose: bool
    _promotes = True  # True: a product has the type to which NumPy promotes values and vectors

    def __init__(
        self,
        multiplier: _core.Multiplier,
        by_transpose: bool,
        dtype: Any,
        shape: tuple[int, int],
        wider: _Wider = None,
        matrix: Callable[[], Any] | None = None,
        conjugated: bool = False,
    ) -> None:
        """`matrix` returns the operator's matrix in SciPy's CSR, for products that a plan does not compute. A plan
        passes neither `wider` nor `matrix`: they would be its own methods, a reference cycle that keeps it alive until
        the garbage collector runs."""
        super().__init__(dtype, shape)
        self.args = ()  # SciPy's operators list here what they are made of
        self._multiplier = multiplier
        self._by_transpose = by_transpose
        self._conjugated = conjugated  # the operator is the conjugate of what the multiplier has
        self._given_wider = wider
        self._given_matrix = matrix
        own, other = multiplier.multiply, multiplier.multiply_transposed
        if by_transpose:
            own, other = other, own
        is_complex = self.dtype.kind == "c"
        self._product = _turned(own) if conjugated else own
        self._adjoint_product = _turned(other) if is_complex and not conjugated else other

    def _matrix(self) -> Any:
        assert self._given_matrix is not None
        return self._given_matrix()

    def _wider(self) -> _Wider:
        return self._given_wider

    def __array__(self, *_arguments: Any, **_named: Any) -> np.ndarray:
        # SciPy's matrices call this to find out who multiplies `S @ P`. No dimensions means: the operator does.
        if sys._getframe(1).f_globals.get("__name__", "").startswith(("scipy.sparse._", "scipy.sparse.base")):
            shell = np.empty((), object)
            shell[()] = self
            return shell
        raise TypeError("a plan has no dense array; P @ numpy.eye(P.shape[1]) makes one")

    # The products below bypass LinearOperator's, which would take most of the time for a tiny matrix.

    def __matmul__(self, x: Any) -> Any:
        y = self._product(x)
        if y is not NotImplemented:
            return y
        library = library_of(x)
        if library is not None:
            return library.product(self, x, False)
        if np.isscalar(x):
            raise UsageError("a number is not a vector: P * number scales the operator")
        return self._any_product(x)

    def dot(self, x: Any) -> Any:
        """Returns ``A @ x``, as ``P @ x`` does."""
        y = self._product(x)
        return y if y is not NotImplemented else self._any_product(x)

    def matvec(self, x: Any) -> Any:
        """Returns ``A @ x`` for one vector, of shape (n,) or (n, 1)."""
        y = self._product(x)
        if y is not NotImplemented:
            return y
        library = library_of(x)
        return super().matvec(x) if library is None else library.product(self, x, False)

    def rmatvec(self, x: Any) -> Any:
        """Returns ``A.conj().T @ x`` for one vector, of shape (m,) or (m, 1)."""
        y = self._adjoint_product(x)
        if y is not NotImplemented:
            return y
        library = library_of(x)
        return super().rmatvec(x) if library is None else library.product(self, x, True)

    def _any_product(self, x: Any) -> Any:
        """The product with anything but a vector in the plan's precision: other arrays, and operators, which SciPy
        combines. SciPy also computes a product with a sparse matrix, which is a sparse matrix."""
        library = library_of(x)
        if library is not None:
            return library.product(self, x, False)
        if issparse(x):
            return self._matrix() @ x
        _refuse_more_dimensions(x)
        return super().dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        if issparse(x):
            return x @ self._matrix()
        _refuse_more_dimensions(x)
        return super().__rmatmul__(x)

    def matmat(self, X: Any) -> Any:
        """Returns ``A @ X`` for a block of vectors, of shape (n, k)."""
        library = library_of(X)
        if library is not None:
            return library.product(self, X, False)
        return self._matrix() @ X if issparse(X) else self._as_scipy_types(X, super().matmat(X))

    def rmatmat(self, X: Any) -> Any:
        """Returns ``A.conj().T @ X`` for a block of vectors, of shape (m, k)."""
        library = library_of(X)
        if library is not None:
            return library.product(self, X, True)
        return self._matrix().conj().T @ X if issparse(X) else self._as_scipy_types(X, super().rmatmat(X))

    def _as_scipy_types(self, X: Any, Y: Any) -> Any:
        """Converts the product to `numpy.matrix` where SciPy's older matrix classes would return one."""
        return np.asmatrix(Y) if isinstance(X, np.matrix) and isinstance(self._matrix(), spmatrix) else Y

    def _matvec(self, x: Any) -> Any:
        return self._matmat(np.asarray(x).reshape(-1))

    def _rmatvec(self, x: Any) -> Any:
        return self._rmatmat(np.asarray(x).reshape(-1))

    def _matmat(self, X: Any) -> Any:
        X = np.asarray(X)
        if X.dtype.char in _WIDEST and self._promotes:
            return self._matrix() @ X
        return self._in_its_conjugate(X, self._by_transpose, self._conjugated)

    def _rmatmat(self, X: Any) -> Any:
        X = np.asarray(X)
        if X.dtype.char in _WIDEST and self._promotes:
            return self._matrix().conj().T @ X
        return self._in_its_conjugate(X, not self._by_transpose, self.dtype.kind == "c" and not self._conjugated)

    def _in_its_conjugate(self, X: Any, transposed: bool, conjugated: bool) -> np.ndarray:
        if not conjugated:
            return self._array_product(np.asarray(X), transposed)
        return np.conj(self._array_product(np.conj(X), transposed))

    def _array_product(self, x: np.ndarray, transposed: bool) -> np.ndarray:
        """The product with an array of one or two dimensions and of any type, order and stride. SciPy has checked the
        shape."""
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            return _in_parts(lambda part: self._array_product(part, transposed), x)
        if x.dtype.kind not in "fiubc":
            raise TypeError(f"values of type {x.dtype} are not multiplied")
        by_columns = x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous
        dtype, multiplier = self._for(x.dtype)
        x = np.asarray(x, dtype=dtype, order="F" if by_columns else "C")
        y = multiplier.result(x.shape[1] if x.ndim == 2 else -1, transposed, by_columns)
        multiplier.apply(x, y, 1.0, 0.0, transposed)
        return y

    def _transpose(self) -> _Operator:
        return self._across(lambda: self._matrix().T, False)

    def _adjoint(self) -> _Operator:
        return self._across(lambda: self._matrix().conj().T, self.dtype.kind == "c")

    def _across(self, matrix: Callable[[], Any], conjugated: bool) -> _Operator:
        rows, cols = self.shape
        turned, conjugated = not self._by_transpose, self._conjugated != conjugated
        other = _Operator(self._multiplier, turned, self.dtype, (cols, rows), self._wider(), matrix, conjugated)
        other._promotes = self._promotes
        return other

    def _for(self, vectors: np.dtype) -> tuple[np.dtype, _core.Multiplier]:
        """The type of a product with vectors of this type, as NumPy and SciPy promote, and what computes it."""
        wider = self._wider()
        if wider is None or np.result_type(self.dtype, vectors) == self.dtype:
            return self.dtype, self._multiplier
        return np.result_type(self.dtype, np.float64), wider()


def _refuse_more_dimensions(x: Any) -> None:
    """SciPy's operators refuse them too, with the whole array in the text."""
    if np.ndim(x) > 2:
        raise UsageError(f"x has {np.ndim(x)} dimensions; a plan multiplies arrays of one or two")


_OVERLAP_WORK: Any = 10_000  # candidates that NumPy looks at; its stubs know 0 and -1 alone


def _refuse_overlap(x: Any, out: np.ndarray) -> None:
    """Of arrays that share memory, or whose strides take too long to tell."""
    if not np.may_share_memory(x, out):
        return
    try:
        shared = np.shares_memory(x, out, max_work=_OVERLAP_WORK)
    except RuntimeError:  # NumPy's TooHardError, which has moved between its versions
        shared = True
    if shared:
        raise UsageError("x and out overlap; give out memory of its own")


def _in_parts(product: Callable[[Any], Any], x: Any) -> Any:
    """The product of real values with a complex array, put together by parts: times 1j an infinity would be no number
    in its other part."""
    real = product(x.real)
    y = np.empty(real.shape, np.result_type(real.dtype, np.complex64), "F" if real.flags.fnc else "C")
    y.real, y.imag = real, product(x.imag)
    return y


def _turned(product: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that multiplies by the conjugate of the matrix by which `product` multiplies."""

    def turned(x: Any) -> Any:
        y = product(np.conj(x)) if isinstance(x, np.ndarray) else NotImplemented
        return y if y is NotImplemented else np.conj(y, out=y)

    return turned


def _pays_from(forecasts: Forecasts, kernel: str) -> int | None:
    """From how many products on the conversion is earned back against csr; None where forecasts do not tell."""
    told = {row.kernel: row for row in forecasts}
    own, plain = told.get(kernel), told.get("csr")
    if own is None or plain is None or own.preprocess is None:
        return None
    spent, saved = own.preprocess - (plain.preprocess or 0.0), plain.seconds - own.seconds
    if spent <= 0:
        return 0
    return ceil(min(spent / saved, 2.0**50)) if saved > 0 else None


class Plan(_Operator):
    """A sparse matrix that is ready to be multiplied. :func:`plan` makes it.

    A plan is a :class:`scipy.sparse.linalg.LinearOperator`. Use it in place of the matrix in ``P @ x``, ``P @ X``,
    ``P.T @ u`` and in SciPy's solvers.

    Types: products are computed in the plan's precision, which is its ``dtype``. As in SciPy, a matrix of float32 times
    vectors of float64 gives float64. The first such product makes a second plan, in double precision, unless
    `precision` was "single". The same holds for complex values. A real matrix multiplies the real and the imaginary
    parts of complex vectors one after the other.

    Threads: several threads may use one plan at once. The interpreter's lock is released during a product.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> from scipy.sparse.linalg import cg
    >>> A = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(500, 500), format="csr")
    >>> x, info = cg(sparsecast.plan(A), np.ones(500), rtol=1e-8)
    >>> bool(np.allclose(A @ x, np.ones(500)))
    True
    """

    def __init__(self, A: Any, lent: Lent, wanted: dict[str, Any], given: np.dtype | None = None) -> None:
        """`A` is the caller's matrix, or None if there is none to watch. `given` is the type of its values if the plan
        has another one."""
        self._lent = lent
        self._wanted = wanted
        self._planned = Planned.of(lent.matrix, lent.exact, lent.storage, given)
        self._source = None if A is None else watch(A, self._planned)
        multiplier = _multiplier(lent, self._source, wanted)
        single = lent.csr.single if wanted["precision"] is None else wanted["precision"] == "single"
        self._widens = single and wanted["precision"] is None
        types = (np.complex64, np.complex128) if lent.matrix.dtype.kind == "c" else (np.float32, np.float64)
        super().__init__(multiplier, False, types[0 if single else 1], lent.matrix.shape)
        self._promotes = wanted["precision"] is None
        self._forecast: Forecasts | None = None
        self._double: _core.Multiplier | None = None
        self._lock = Lock()

    @classmethod
    def of_live_arrays(cls, csr: _core.Csr, matrix: Any) -> Plan:
        """Plans arrays that every product reads as they are at that time (Csr.live), without analysing them."""
        wanted = {
            "iterations": 1,
            "vectors": 1,
            "transposed": False,
            "threads": "auto",
            "device": "host",
            "precision": None,
            "profile": None,
            "kernel": None,
            "kernels": "",
            "trials": "none",
        }
        return cls(None, Lent(csr, matrix, "", None, ""), wanted)

    def _wider(self) -> _Wider:
        return self._in_double if self._widens else None

    def _in_double(self) -> _core.Multiplier:
        """A second plan of the same values, in double precision. It is made at the first product that needs it."""
        self._multiplier.check()
        with self._lock:
            if self._double is None:
                wanted = {**self._wanted, "precision": "double"}
                self._double = _multiplier(lend(self._lent.matrix), self._source, wanted)
            return self._double

    def _again(self, exact: bool = False) -> tuple[Any, np.dtype, Lent]:
        """What another plan of the same matrix needs: the caller's matrix, the type of its values, and the planned
        matrix. `exact`: with its values before they were rounded."""
        self._multiplier.check()
        with self._lock:
            old, source, given = self._lent, self._source, self._planned.given
        if exact and old.exact is not None:
            lent = lend(with_values(old.matrix, old.exact))._replace(source=old.source)
        else:
            lent = lend(old.matrix)._replace(source=old.source, exact=old.exact, storage=old.storage)
        return None if source is None else source.source, given, lent

    def __copy__(self) -> Plan:
        origin, given, lent = self._again()
        return Plan(origin, lent, self._wanted, given)

    def __reduce__(self):
        self._multiplier.check()
        return _planned_again, (self._lent.matrix, self._wanted, self._lent.exact, self._lent.storage)

    def _matrix(self) -> Any:
        self._multiplier.check()
        return self._lent.matrix

    def apply(
        self,
        x: np.ndarray,
        out: np.ndarray | None = None,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        *,
        transposed: bool = False,
    ) -> np.ndarray:
        """Computes ``out = alpha * A @ x + beta * out`` in your own memory.

        Parameters
        ----------
        x : array of shape (n,) or (n, k)
            Vector or vectors: a NumPy array, or an array of another library, which is read where it lies (see the page
            "Multiply on a GPU"). Then `out` is an array of the same library.
        out : array of shape (m,) or (m, k), optional
            Where the result is written. Its type is one that ``P @ x`` can have; its rows or its columns have no gaps
            between them; it does not overlap `x`. If omitted, a new array is made, and `beta` must be 0. With
            ``beta = 0``, `out` is not read.
        alpha, beta : float, or complex if the matrix is complex
        transposed : bool
            True: multiply by ``A.T`` instead of ``A``.

        Returns
        -------
        numpy.ndarray
            `out`.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.eye_array(3, format="csr"))
        >>> y = np.ones(3)
        >>> P.apply(np.array([1.0, 2.0, 3.0]), out=y, alpha=2, beta=-1)
        array([1., 3., 5.])
        """
        if transposed is not False:
            transposed = truth("transposed", transposed)
        library = library_of(x)
        if library is not None:
            return library.apply(self, x, out, alpha, beta, transposed)
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        x = np.asarray(x)
        is_complex = self.dtype.kind == "c"
        if x.dtype.kind not in "fiub" and not (is_complex and x.dtype.kind == "c"):
            raise TypeError(f"values of type {x.dtype} are not multiplied into an array of {self.dtype}")
        alpha, beta = factors(alpha, beta, is_complex)
        given = x
        dtype, multiplier = self._for((x if out is None else np.asarray(out)).dtype)
        if x.dtype != dtype or not (x.flags.c_contiguous or x.flags.f_contiguous):
            x = np.ascontiguousarray(x, dtype=dtype)
        if out is None:
            if beta != 0:
                raise UsageError("beta needs an array out, which is missing")
            out = multiplier.result(x.shape[1] if x.ndim == 2 else -1, transposed, False)
        elif x is not given:
            _refuse_overlap(given, out)
        multiplier.apply(x, out, alpha, beta, transposed)
        return out

    def gram(self, x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Computes ``A.T @ (A @ x)``, and reads the matrix only once where that is faster than two products.

        The first call measures which is faster, in some products of each. Complex values are not conjugated.

        Parameters
        ----------
        x : array of shape (n,)
        out : array of shape (n,), optional
            Where the result is written: of a type that ``P @ x`` can have, without gaps, not overlapping `x`.

        Returns
        -------
        numpy.ndarray
            `out`, or a new array if `out` was omitted.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.diags_array([1.0, 2.0, 3.0], format="csr"), products={"A": 1, "A.T": 1})
        >>> P.gram(np.ones(3))
        array([1., 4., 9.])
        """
        x = np.asarray(x)
        if x.ndim != 1:
            raise UsageError(f"x must have one dimension, not {x.ndim}")
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            if out is not None:
                raise TypeError(f"values of type {x.dtype} are not multiplied into an array of {self.dtype}")
            return _in_parts(lambda part: self.gram(np.ascontiguousarray(part)), x)
        if x.dtype.kind not in "fiubc":
            raise TypeError(f"values of type {x.dtype} are not multiplied")
        given = x
        dtype, multiplier = self._for((x if out is None else np.asarray(out)).dtype)
        x = np.ascontiguousarray(x, dtype=dtype)
        if x.shape[0] != self.shape[1]:
            raise UsageError(f"x has {x.shape[0]} entries and the matrix {self.shape[1]} columns")
        if out is None:
            out = multiplier.result(-1, True, False)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        elif x is not given:
            _refuse_overlap(given, out)
        multiplier.gram(x, out)
        return out

    def _powers_planned(self) -> int:
        k = self._wanted.get("powers")
        if not k:
            raise UsageError("the plan has no powers: use plan(A, powers=K)")
        return k

    def _starting(self, x: Any) -> tuple[np.ndarray, _core.Multiplier]:
        """The starting vector of powers, in the type that the plan needs, and what computes them."""
        x = np.asarray(x)
        is_complex = self.dtype.kind == "c"
        if x.dtype.kind not in "fiub" and not (is_complex and x.dtype.kind == "c"):
            raise TypeError(f"values of type {x.dtype} are not multiplied by a matrix of {self.dtype}")
        if x.shape not in ((self.shape[1],), (self.shape[1], 1)):
            raise UsageError(f"x has the shape {x.shape}; powers need one vector of {self.shape[1]} entries")
        dtype, multiplier = self._for(x.dtype)
        return np.ascontiguousarray(x.reshape(-1), dtype=dtype), multiplier

    def powers(self, x: Any, out: np.ndarray | None = None, last: bool = False) -> np.ndarray:
        """Computes ``A @ x``, ``A @ A @ x`` and so on: the K powers that ``plan(A, powers=K)`` prepared.

        Parameters
        ----------
        x : array of shape (n,)
        out : array of shape (K, n), or (n,) with `last`, optional
            Where the result is written: without gaps, of a type that ``P @ x`` can have, not overlapping `x`.
        last : bool
            True: return the last power alone.

        Returns
        -------
        numpy.ndarray
            Row ``j - 1`` is ``A`` to the power ``j``, times `x`. With `last`, the vector of the last power.

        Raises
        ------
        ValueError
            If the plan was made without `powers`, or a shape does not fit.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.diags_array([1.0, 2.0, 3.0], format="csr"), powers=3)
        >>> P.powers(np.ones(3))
        array([[ 1.,  2.,  3.],
               [ 1.,  4.,  9.],
               [ 1.,  8., 27.]])
        >>> P.powers(np.ones(3), last=True)
        array([ 1.,  8., 27.])
        """
        k, last = self._powers_planned(), truth("last", last)
        vector, multiplier = self._starting(x)
        shape = vector.shape if last else (k, vector.size)
        if out is None:
            out = np.empty(shape, vector.dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        elif out.shape != shape or not out.flags.c_contiguous:
            raise UsageError(f"out has the shape {out.shape}; it should have {shape}, without gaps")
        elif out.dtype != vector.dtype:
            dtype, multiplier = self._for(out.dtype)
            if out.dtype != dtype:
                raise UsageError(f"out is of {out.dtype}, and the powers are of {dtype}")
            vector = vector.astype(dtype)
        if vector is not x:
            _refuse_overlap(x, out)
        multiplier.apply_powers(vector, out.reshape(-1), k if last else -1)
        return out

    def _coefficients(self, c: Any, dtype: np.dtype) -> np.ndarray:
        c = np.asarray(c)
        if c.dtype.kind not in ("fiubc" if dtype.kind == "c" else "fiub"):
            raise TypeError(f"coefficients of type {c.dtype} are not taken by products of {dtype}")
        c = np.ascontiguousarray(c, dtype=dtype)
        if c.ndim != 1 or not 1 <= c.size <= self._powers_planned() + 1:
            raise UsageError(f"1 to {self._powers_planned() + 1} coefficients are needed, not {c.shape}")
        return c

    def polynomial(self, x: Any, c: Any) -> np.ndarray:
        """Computes ``c[0] * x + c[1] * A @ x + c[2] * A @ A @ x + ...`` without storing the powers.

        Parameters
        ----------
        x : array of shape (n,)
        c : array of 1 to K + 1 coefficients
            K is the number of powers in ``plan(A, powers=K)``.

        Returns
        -------
        numpy.ndarray
            The sum, of shape (n,).

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.diags_array([1.0, 2.0, 3.0], format="csr"), powers=2)
        >>> P.polynomial(np.ones(3), [1.0, 0.0, 1.0])
        array([ 2.,  5., 10.])
        """
        self._powers_planned()
        vector, multiplier = self._starting(x)
        out = np.empty_like(vector)
        multiplier.apply_polynomial(self._coefficients(c, vector.dtype), vector, out)
        return out

    def chebyshev(self, x: Any, c: Any, interval: tuple[float, float]) -> np.ndarray:
        """Computes the sum of ``c[j] * T_j(B) @ x``, with Chebyshev's polynomials ``T_j``.

        ``B`` is ``(2 A - (a + b) I) / (b - a)``.

        Parameters
        ----------
        x : array of shape (n,)
        c : array of 1 to K + 1 coefficients
            K is the number of powers in ``plan(A, powers=K)``.
        interval : (a, b)
            Interval of the eigenvalues of ``A``, which is mapped to the interval from -1 to 1.

        Returns
        -------
        numpy.ndarray
            The sum, of shape (n,).

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.diags_array([1.0, 2.0, 3.0], format="csr"), powers=2)
        >>> P.chebyshev(np.ones(3), [0.0, 0.0, 1.0], (1.0, 3.0))
        array([ 1., -1.,  1.])
        """
        self._powers_planned()
        a, b = (real("an end of the interval", end) for end in interval)
        vector, multiplier = self._starting(x)
        out = np.empty_like(vector)
        multiplier.apply_chebyshev(self._coefficients(c, vector.dtype), a, b, vector, out)
        return out

    def update_values(self, data: Any) -> None:
        """Replaces the values of the matrix. The pattern stays, so nothing is planned or analysed again.

        Parameters
        ----------
        data : array or sparse matrix
            An array holds one value per entry, in the order of the matrix's ``data``. A kernel that reads CSR borrows
            the array; an array on a device is copied to the host. A matrix may be in any form that :func:`plan` takes.
            Its entries must be at the positions of the planned matrix's entries.

        Raises
        ------
        TypeError
            If the values are of a type that cannot replace those of the matrix, such as complex for real.
        ValueError
            If the number of values or the positions of the entries do not fit, or if you give an array and the plan
            holds a copy of the matrix, in an order that your array need not have.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> A = sp.eye_array(3, format="csc")
        >>> P = sparsecast.plan(A)
        >>> A.data[:] = 1.0, 2.0, 3.0
        >>> P.update_values(A)
        >>> P @ np.ones(3)
        array([1., 2., 3.])
        """
        if is_matrix(data):
            lent = lend(data)
            if not self._planned.has_pattern_of(lent.matrix):
                raise UsageError(
                    "the entries of this matrix are at other positions than the planned one's: plan it again"
                )
            self._take_values(lent.matrix.data, None if lies_on_device(data) else data)
            return
        library = library_of(data)
        if library is not None:
            data = library.values(self, data)
        if self._lent.source:
            raise UsageError(
                f"the plan holds a copy of the matrix ({self._lent.source}), which does not know the order of your "
                "values; update_values(A) takes those of the matrix"
            )
        values = np.asarray(data)
        entries = self._planned.data.size
        origin = None if self._source is None else self._source.source
        theirs = getattr(origin, "data", None)
        is_theirs = isinstance(theirs, np.ndarray) and (
            values is theirs or values.__array_interface__ == theirs.__array_interface__
        )
        if values.ndim != 1 or values.size < entries or (values.size > entries and not is_theirs):
            raise UsageError(f"{entries} values are needed, in one dimension, not {values.shape}")
        self._take_values(values[:entries], origin if is_theirs else None, values if values is data else None)

    def _take_values(self, exact: np.ndarray, A: Any, array: np.ndarray | None = None) -> None:
        """Takes values in the plan's order. `A` or `array` is the caller's object that holds them, or None."""
        matrix, storage = self._lent.matrix, self._lent.storage
        if exact.dtype.kind not in "fiub" and not (exact.dtype.kind == "c" and matrix.dtype.kind == "c"):
            raise TypeError(f"values of type {exact.dtype} cannot replace those of a matrix of {matrix.dtype}")
        given = exact.dtype if A is not None else self._planned.given
        data = np.ascontiguousarray(rounded_values(exact, storage) if storage else exact, dtype=matrix.dtype)
        planned = self._planned._replace(data=data, given=given)
        source = None
        if A is not None:
            source = watch(A, planned)
        elif array is not None:
            source = watch_array(array, planned)
        with self._lock:  # a plan in double precision that is made meanwhile gets the new values
            self._multiplier.update_values(data, source)
            self._lent = self._lent._replace(matrix=with_values(matrix, data), exact=exact if storage else None)
            self._planned, self._source = planned, source
            self._double = None
            self._forecast = None

    def astype(self, dtype: Any) -> Plan:
        """Plans the matrix again with the same options, for values and products of another type.

        Returns a new :class:`Plan`; this one stays as it is.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.eye_array(3, format="csr"), threads=1)
        >>> P.astype(np.float32).dtype, P.astype(complex).dtype
        (dtype('float32'), dtype('complex128'))
        """
        origin, given, lent = self._again(exact=True)
        storage, source = self._lent.storage, lent.source
        lent = lend(lent.matrix.astype(dtype, copy=False))
        precision = None if not storage else "single" if lent.matrix.dtype.char in "fF" else "double"
        lent = rounded(lent, storage) if storage else lent
        if np.dtype(dtype).kind in "biu":  # values are truncated, which a comparison with the source would not know
            origin = None
        return Plan(origin, lent._replace(source=source or lent.source), {**self._wanted, "precision": precision}, given)

    def verify(self) -> None:
        """Compares your whole matrix with the planned one, and raises ``ValueError`` if it was changed.

        Every product already checks which arrays the matrix has, and some of their entries (all entries of a small
        matrix).

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> A = sp.eye_array(3, format="csr")
        >>> P = sparsecast.plan(A)
        >>> P.verify()
        >>> A.data[1] = 7.0
        >>> P.verify()
        Traceback (most recent call last):
        sparsecast._errors.UsageError: the matrix was changed after it was planned; update_values(A) takes its new ...
        """
        self._multiplier.verify()
        with self._lock:
            double = self._double
        if double is not None:
            double.verify()

    @property
    def planned_matrix(self) -> Any:
        """The planned matrix in SciPy's CSR. It shares your arrays if they are in CSR and in order."""
        return self._matrix()

    @property
    def kernel(self) -> str:
        """Name of the kernel. If blocks use several kernels: their names in the order of rows, joined by " + "."""
        return " + ".join(dict.fromkeys(self._multiplier.kernels))

    @property
    def threads(self) -> int:
        """Number of threads that a product uses; 0 on devices other than the host."""
        return self._multiplier.threads

    @property
    def trials(self) -> dict[str, Any] | None:
        """The candidates that were tried and their results; None if no trials were requested."""
        return self._multiplier.trials

    @property
    def storage_error(self) -> float:
        """Largest relative change of a value by rounding to the ``storage`` type; 0 if nothing was rounded.

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> A = sp.diags_array([0.1, 0.5], format="csr")
        >>> sparsecast.plan(A).storage_error, sparsecast.plan(A, storage="single").storage_error < 6e-8
        (0.0, True)
        """
        exact, stored = self._lent.exact, self._lent.matrix.data
        if exact is None:
            return 0.0
        told = np.isfinite(exact) & (exact != 0)
        return float(np.max(np.abs(stored[told] - exact[told]) / np.abs(exact[told]), initial=0.0))

    def health(self) -> str | None:
        """Returns one line, once, if a second of products took 15 % more or less time than forecast; otherwise None.

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> sparsecast.plan(sp.eye_array(3, format="csr")).health() is None
        True
        """
        return self._multiplier.health() or None

    @property
    def strategy(self) -> dict[str, Any]:
        """How the matrix is multiplied, and why: the document that ``sparsecast plan`` reports, as a dictionary."""
        return self._multiplier.strategy

    @property
    def predicted_s(self) -> float:
        """Forecast time of one product in seconds; 0 if you named the kernel."""
        return self._multiplier.predicted_s

    @property
    def break_even(self) -> int | None:
        """Number of products from which on the conversion pays, compared with CSR. 0: at once; None: never, or there is
        no forecast. If you named the kernel, the first access forecasts (:attr:`forecast`).

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> sparsecast.plan(sp.eye_array(3, format="csr"), kernel="csr").break_even
        0
        """
        products = self._multiplier.break_even
        if products == _NOT_KNOWN and self._wanted["kernel"]:
            return _pays_from(self.forecast, self._wanted["kernel"])
        return products if products >= 0 else None

    @property
    def nbytes(self) -> int:
        """Size of the stored formats in bytes, including arrays that are shared with the matrix."""
        return self._multiplier.bytes

    @property
    def holds_copy(self) -> bool:
        """False: products read the arrays of the matrix itself, and have what you write into its values. True: some or
        all read a copy in the form of their kernel, or ``A.T`` is multiplied by as ``A``, which was symmetric;
        :meth:`update_values` takes new values. Products with vectors of a higher precision than that of the values
        always read a copy.

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> A = sp.eye_array(3, format="csr")
        >>> sparsecast.plan(A, kernel="csr").holds_copy, sparsecast.plan(A, kernel="sell").holds_copy
        (False, True)
        """
        given = self._lent.matrix
        if self._lent.source or self._wanted["device"] != "host" or given.dtype != self.dtype:
            return True
        strategy = self.strategy
        of_transpose, of_powers = strategy.get("transpose") or {}, strategy.get("powers") or {}
        if of_transpose.get("storage", "shared") != "shared":
            return True
        if of_powers.get("pays") or of_powers.get("all_pays"):  # blocks of rows have arrays of their own
            return True
        sorted_rows = any(block["reordered"] for block in strategy["strategy"])
        return sorted_rows or not _IN_PLACE.issuperset(self._multiplier.kernels)

    @property
    def conversion_s(self) -> float:
        """Measured time of the conversion in seconds."""
        return self._multiplier.conversion_s

    @property
    def forecast(self) -> Forecasts:
        """Forecasts of every kernel for this matrix on the plan's number of threads. Computed at the first access."""
        if self._forecast is None:
            from ._answers import forecast

            wanted = self._wanted
            self._forecast = forecast(
                self._lent.matrix,
                device=wanted["device"],
                profile=wanted["profile"],
                iterations=wanted["iterations"],
                vectors=wanted["vectors"],
                transposed=wanted["transposed"],
                threads=self.threads or "auto",
                precision="single" if self.dtype in (np.float32, np.complex64) else "double",
            )
        return self._forecast

    def __repr__(self) -> str:
        rows, cols = self.shape
        text = f"<Plan of {rows} × {cols} with {int(self._lent.matrix.indptr[-1])} entries, {self.dtype}: {self.kernel}"
        if self.threads:
            text += f" on {self.threads} thread{'s' if self.threads > 1 else ''}"
        else:
            text += f" on {self._wanted['device']}"
        if self.predicted_s > 0:
            text += f", forecast {seconds_text(self.predicted_s)}"
        if self._lent.source:
            return f"{text}; {self._lent.source}>"
        return f"{text}; holds a copy of the values>" if self.holds_copy else f"{text}>"
