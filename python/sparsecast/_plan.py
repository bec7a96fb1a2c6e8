"""plan() and what it returns: a LinearOperator that multiplies in the fastest way found."""

from __future__ import annotations

import os
from collections.abc import Callable
from os import PathLike, fspath
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Optional, get_args

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from ._matrix import Lent, lend
from ._native import _core
from ._text import seconds_text

if TYPE_CHECKING:
    from ._tables import Forecasts

__all__ = ["Plan", "plan"]

# A child of fork() has none of OpenMP's threads, and would wait for them.
os.register_at_fork(after_in_child=_core.use_one_thread)

Threads = Literal["auto"] | int
Storage = Literal["single", "half", "bfloat16"]
Trials = Literal["auto", "online"] | int | None


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
    trials: Trials = None,
) -> Plan:
    """The fastest way to multiply a sparse matrix, ready to run.

    Parameters
    ----------
    A : scipy.sparse matrix or array, or Plan
        With values in float32, float64, complex64 or complex128; integers and bool are converted to float64, once. The arrays of a CSR
        matrix whose entries are in order are borrowed and kept alive; other matrices are converted, and entries out of
        order or twice are put in order, in a copy.
    iterations : int, optional
        How many products are meant: the conversion then counts, and below 40 the matrix is multiplied as it is, without
        a look at it or a checksum for :meth:`Plan.verify`. By default the fastest product counts alone.
    vectors : int
        Vectors of one product, as of ``P @ X`` with so many columns.
    transposed : bool
        Whether products with the transpose are what is to be fast.
    threads : "auto" or int
        At most so many; fewer where that is forecast to be faster. "auto": as many as the process may use, which
        ``OMP_NUM_THREADS`` and ``threadpoolctl`` limit.
    device : str
        ``"host"``, ``"opencl:0"``, ``"cuda:0"``.
    precision : "single" or "double", optional
        Of the products; that of the values by default.
    storage : "single", "half" or "bfloat16", optional
        Rounds the values to that type: products are still summed in the plan's precision, with four or two bytes a
        value where that is faster. :attr:`Plan.storage_error` says by how much values changed.
    profile : path, optional
        A profile file instead of what was measured here.
    kernel : str, optional
        This kernel for the whole matrix on the host, without a forecast.
    trials : "auto", "online" or int, optional
        Measures candidates before the choice: ``"auto"`` those that may still win more than trying them costs, a number
        that many. ``"online"`` tries within the plan's own products, which are right from the first one on.
        :attr:`Plan.trials` tells what came of it.

    Returns
    -------
    Plan

    Raises
    ------
    TypeError
        For anything that is no sparse matrix of numbers.
    ValueError
        For arrays that are no matrix. ``sparsecast.Error`` has the codes.

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
        A = A._lent.matrix
    lent = lend(A)
    if storage not in (None, *get_args(Storage)):
        raise ValueError(f"storage is 'single', 'half', 'bfloat16' or None, not {storage!r}")
    if storage is not None:
        precision = precision or ("single" if lent.matrix.dtype.char in "fF" else "double")
        lent = _rounded(lent, storage)
    if precision not in (None, "single", "double"):
        raise ValueError(f"precision is 'single' or 'double', not {precision!r}")
    if threads != "auto" and (not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or threads < 1):
        raise ValueError(f"threads is 'auto' or a positive number, not {threads!r}")
    if iterations is not None and iterations < 1:
        raise ValueError(f"iterations is a positive number, not {iterations!r}")
    if isinstance(trials, bool) or not (trials in (None, "auto", "online") or isinstance(trials, (int, np.integer))):
        raise ValueError(f"trials is 'auto', 'online' or a number, not {trials!r}")
    wanted = {
        "iterations": None if iterations is None else int(iterations),
        "vectors": int(vectors),
        "transposed": bool(transposed),
        "threads": threads if threads == "auto" else int(threads),
        "device": device,
        "precision": precision,
        "profile": None if profile is None else fspath(profile),
        "kernel": kernel,
        "trials": "none" if trials is None else str(trials),
    }
    return Plan(lent, wanted)


def _rounded_values(data: np.ndarray, storage: str) -> np.ndarray:
    """Values of that type, as float32; of complex ones both parts."""
    if data.dtype.kind == "c":
        return _rounded_values(np.ascontiguousarray(data).view(data.real.dtype), storage).view(np.complex64)
    with np.errstate(over="ignore"):
        values = data.astype(np.float16 if storage == "half" else np.float64)
        if storage == "bfloat16":  # seven digits of 52 after the point, of two neighbours the even one
            bits, finite = values.view(np.uint64), np.isfinite(values)
            bits[finite] += (np.uint64(2**44 - 1) + (bits >> np.uint64(45) & np.uint64(1)))[finite]
            bits[finite] &= np.uint64(2**64 - 2**45)
        values = values.astype(np.float32)
    if not np.array_equal(np.isfinite(values), np.isfinite(data)):
        raise ValueError(f"a value is beyond what {storage} holds")
    return values


def _rounded(lent: Lent, storage: str) -> Lent:
    """The matrix with values of that type: in a copy, on the same pattern."""
    A = lent.matrix
    rounded = _with_values(A, _rounded_values(A.data, storage))
    return lend(rounded)._replace(source=lent.source, exact=A.data, storage=storage)


def _with_values(A: Any, data: np.ndarray) -> Any:
    """Those values on the pattern of a CSR matrix."""
    return type(A)((data, A.indices, A.indptr), shape=A.shape, copy=False)


def _planned_again(A: Any, wanted: dict[str, Any], exact: Any = None, storage: str = "") -> Plan:
    """A plan out of a pickle."""
    return Plan(lend(A)._replace(exact=exact, storage=storage), wanted)


def _multiplier(lent: Lent, wanted: dict[str, Any]) -> _core.Multiplier:
    single = lent.csr.single if wanted["precision"] is None else wanted["precision"] == "single"
    threads = 0 if wanted["threads"] == "auto" else wanted["threads"]
    wishes = {
        "device": wanted["device"],
        "profile": wanted["profile"] or "",
        "kernel": wanted["kernel"] or "",
        "precision": "single" if single else "double",
        "threads": threads,
        "iterations": wanted["iterations"] or 0,
        "vectors": wanted["vectors"],
        "transposed": wanted["transposed"],
        "trials": wanted["trials"],
    }
    return _core.plan(lent.csr, **wishes)


_Wider = Optional[Callable[[], "_core.Multiplier"]]  # the same product in double precision, where it may be asked for


class _Operator(LinearOperator):
    """What a plan and its transpose share: how NumPy's arrays come in."""

    _multiplier: _core.Multiplier
    _by_transpose: bool

    def __init__(
        self,
        multiplier: _core.Multiplier,
        by_transpose: bool,
        dtype: Any,
        shape: tuple[int, int],
        wider: _Wider,
        conjugated: bool = False,
    ) -> None:
        super().__init__(dtype, shape)
        self.args = ()  # SciPy's operators say what they are made of
        self._multiplier = multiplier
        self._by_transpose = by_transpose
        self._conjugated = conjugated  # the operator is the conjugate of what the multiplier has
        self._wider = wider
        own, other = multiplier.multiply, multiplier.multiply_transposed
        if by_transpose:
            own, other = other, own
        is_complex = self.dtype.kind == "c"
        self._product = _turned(own) if conjugated else own
        self._adjoint_product = _turned(other) if is_complex and not conjugated else other

    def __array__(self, *_arguments: Any, **_named: Any) -> np.ndarray:
        raise TypeError("a plan has no dense array; P @ numpy.eye(P.shape[1]) makes one")

    # The products below bypass LinearOperator's: of a tiny matrix those would take most of the time.

    def __matmul__(self, x: Any) -> Any:
        y = self._product(x)
        if y is not NotImplemented:
            return y
        if np.isscalar(x):
            raise ValueError("a number is no vector: P * number scales the operator")
        return self._any_product(x)

    def dot(self, x: Any) -> Any:
        """``A @ x``."""
        y = self._product(x)
        return y if y is not NotImplemented else self._any_product(x)

    def matvec(self, x: Any) -> Any:
        """``A @ x`` of one vector, of shape (n,) or (n, 1)."""
        y = self._product(x)
        return y if y is not NotImplemented else super().matvec(x)

    def rmatvec(self, x: Any) -> Any:
        """``A.conj().T @ x`` of one vector."""
        y = self._adjoint_product(x)
        return y if y is not NotImplemented else super().rmatvec(x)

    def _any_product(self, x: Any) -> Any:
        """What is no vector in the plan's precision: other arrays, and operators as SciPy combines them."""
        if issparse(x):
            raise TypeError("a plan multiplies dense vectors: x.toarray() makes them of a sparse matrix")
        return super().dot(x)

    def _matvec(self, x: Any) -> Any:
        return self._matmat(np.asarray(x).reshape(-1))

    def _rmatvec(self, x: Any) -> Any:
        return self._rmatmat(np.asarray(x).reshape(-1))

    def _matmat(self, X: Any) -> Any:
        return self._in_its_conjugate(X, self._by_transpose, self._conjugated)

    def _rmatmat(self, X: Any) -> Any:
        return self._in_its_conjugate(X, not self._by_transpose, self.dtype.kind == "c" and not self._conjugated)

    def _in_its_conjugate(self, X: Any, transposed: bool, conjugated: bool) -> np.ndarray:
        if not conjugated:
            return self._array_product(np.asarray(X), transposed)
        return np.conj(self._array_product(np.conj(X), transposed))

    def _array_product(self, x: np.ndarray, transposed: bool) -> np.ndarray:
        """One or two dimensions of any type, order and stride; the shape is checked by SciPy."""
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            real = self._array_product(x.real, transposed)
            return real + 1j * self._array_product(x.imag, transposed)
        if x.dtype.kind not in "fiubc":
            raise TypeError(f"values of type {x.dtype} are not multiplied")
        by_columns = x.ndim == 2 and x.flags.f_contiguous and not x.flags.c_contiguous
        dtype, multiplier = self._for(x.dtype)
        x = np.asarray(x, dtype=dtype, order="F" if by_columns else "C")
        y = multiplier.result(x.shape[1] if x.ndim == 2 else -1, transposed, by_columns)
        multiplier.apply(x, y, 1.0, 0.0, transposed)
        return y

    def _for(self, vectors: np.dtype) -> tuple[np.dtype, _core.Multiplier]:
        """What computes a product with vectors of a type, and in which: as NumPy and SciPy promote."""
        if self._wider is None or np.result_type(self.dtype, vectors) == self.dtype:
            return self.dtype, self._multiplier
        return np.result_type(self.dtype, np.float64), self._wider()


def _turned(product: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The product with the conjugate of what `product` multiplies by."""

    def turned(x: Any) -> Any:
        y = product(np.conj(x)) if isinstance(x, np.ndarray) else NotImplemented
        return y if y is NotImplemented else np.conj(y, out=y)

    return turned


class Plan(_Operator):
    """A sparse matrix made ready for products; :func:`plan` makes it.

    A :class:`scipy.sparse.linalg.LinearOperator`: ``P @ x``, ``P @ X``, ``P.T @ u`` and SciPy's solvers take it where
    they take the matrix. Products are computed in the plan's precision, which is their ``dtype``. A matrix of float32
    with vectors of float64 gives float64, as in SciPy: at the first of them a second plan is made, in double precision,
    unless `precision` says "single"; so with complex ones. Complex vectors of a real matrix are multiplied part by
    part. Many threads may use one plan at
    once; the interpreter's lock is released meanwhile.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, sparsecast
    >>> from scipy.sparse.linalg import cg
    >>> A = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(500, 500), format="csr")
    >>> x, info = cg(sparsecast.plan(A), np.ones(500), rtol=1e-8)
    >>> bool(np.allclose(A @ x, np.ones(500)))
    True
    """

    def __init__(self, lent: Lent, wanted: dict[str, Any]) -> None:
        self._lent = lent
        self._wanted = wanted
        multiplier = _multiplier(lent, wanted)
        single = lent.csr.single if wanted["precision"] is None else wanted["precision"] == "single"
        promotes = single and wanted["precision"] is None
        wider = self._in_double if promotes else None
        types = (np.complex64, np.complex128) if lent.matrix.dtype.kind == "c" else (np.float32, np.float64)
        super().__init__(multiplier, False, types[0 if single else 1], lent.matrix.shape, wider)
        self._forecast: Forecasts | None = None
        self._double: _core.Multiplier | None = None
        self._lock = Lock()

    def _in_double(self) -> _core.Multiplier:
        """A second plan, for vectors in double precision: made when the first of them comes, of the same values."""
        self._multiplier.check()
        with self._lock:
            if self._double is None:
                self._double = _multiplier(lend(self._lent.matrix), {**self._wanted, "precision": "double"})
            return self._double

    def __reduce__(self):
        self._multiplier.check()
        return _planned_again, (self._lent.matrix, self._wanted, self._lent.exact, self._lent.storage)

    def _transpose(self) -> _Operator:
        rows, cols = self.shape
        return _Operator(self._multiplier, True, self.dtype, (cols, rows), self._wider)

    def _adjoint(self) -> _Operator:
        rows, cols = self.shape
        return _Operator(self._multiplier, True, self.dtype, (cols, rows), self._wider, self.dtype.kind == "c")

    def apply(
        self,
        x: np.ndarray,
        out: np.ndarray | None = None,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        *,
        transposed: bool = False,
    ) -> np.ndarray:
        """``out = alpha * A @ x + beta * out``, in memory of the caller.

        Parameters
        ----------
        x : array of shape (n,) or (n, k)
        out : array of shape (m,) or (m, k), optional
            In a precision of ``P @ x``, its rows or its columns without gaps, apart from `x`. A new one where it is left
            out, and then `beta` must be 0. With ``beta = 0`` it is not read.
        alpha, beta : float, or complex where the matrix is
        transposed : bool
            ``A.T`` instead of ``A``.

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
        x = np.asarray(x)
        is_complex = self.dtype.kind == "c"
        if x.dtype.kind not in "fiub" and not (is_complex and x.dtype.kind == "c"):
            raise TypeError(f"values of type {x.dtype} are not multiplied into an array of {self.dtype}")
        if not is_complex and (isinstance(alpha, complex) or isinstance(beta, complex)):
            raise TypeError("alpha and beta are complex, and the matrix is real")
        given = x
        dtype, multiplier = self._for((x if out is None else np.asarray(out)).dtype)
        if x.dtype != dtype or not (x.flags.c_contiguous or x.flags.f_contiguous):
            x = np.ascontiguousarray(x, dtype=dtype)
        if out is None:
            if beta != 0:
                raise ValueError("beta is for an array out that holds something: out is missing")
            out = multiplier.result(x.shape[1] if x.ndim == 2 else -1, bool(transposed), False)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out is an array of NumPy, not {type(out).__name__}")
        elif x is not given and np.may_share_memory(given, out):
            raise ValueError("x and out overlap; give out memory of its own")
        multiplier.apply(x, out, complex(alpha), complex(beta), bool(transposed))
        return out

    def update_values(self, data: np.ndarray) -> None:
        """New values on the old pattern: no planning, no analysis.

        Parameters
        ----------
        data : array
            One value per entry in the order of the matrix's ``data``; a kernel that reads CSR borrows it.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> A = sp.eye_array(3, format="csr")
        >>> P = sparsecast.plan(A)
        >>> P.update_values(np.array([1.0, 2.0, 3.0]))
        >>> P @ np.ones(3)
        array([1., 2., 3.])
        """
        if self._lent.source:
            raise ValueError(
                f"the plan's matrix was {self._lent.source}: values in the order of yours are not known; plan again"
            )
        matrix = self._lent.matrix
        data = np.asarray(data)
        if data.dtype.kind not in "fiub" and not (data.dtype.kind == "c" and matrix.dtype.kind == "c"):
            raise TypeError(f"values of type {data.dtype} do not become those of a matrix of {matrix.dtype}")
        entries = int(matrix.indptr[-1])
        if data.ndim != 1 or data.size < entries or (data.size > entries and data is not matrix.data):
            raise ValueError(f"{entries} values are needed, in one dimension, not {data.shape}")
        storage = self._lent.storage
        exact = data[:entries] if storage else None
        if storage:
            data = _rounded_values(data[:entries], storage)
        data = np.ascontiguousarray(data[:entries], dtype=matrix.data.dtype)
        new = _with_values(matrix, data)
        with self._lock:  # a product in double precision that is made meanwhile is of the new values
            self._multiplier.update_values(data)
            self._lent = Lent(self._lent.csr, new, "", exact, storage)
            self._double = None
            self._forecast = None

    def astype(self, dtype: Any) -> Plan:
        """The matrix planned again, as it was wished, with values and products of another type.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.eye_array(3, format="csr"), threads=1)
        >>> P.astype(np.float32).dtype, P.astype(complex).dtype
        (dtype('float32'), dtype('complex128'))
        """
        self._multiplier.check()
        old = self._lent
        lent = lend((old.matrix if old.exact is None else _with_values(old.matrix, old.exact)).astype(dtype, copy=False))
        precision = None if not old.storage else "single" if lent.matrix.dtype.char in "fF" else "double"
        lent = _rounded(lent, old.storage) if old.storage else lent
        return Plan(lent._replace(source=old.source or lent.source), {**self._wanted, "precision": precision})

    def verify(self) -> None:
        """Whether the matrix is as it was planned: raises ``ValueError`` where one of its arrays was changed.

        Every product looks at some entries, of a small matrix at all; this looks at all of any.

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> A = sp.eye_array(3, format="csr")
        >>> P = sparsecast.plan(A)
        >>> P.verify()
        >>> A.data[1] = 7.0
        >>> P.verify()
        Traceback (most recent call last):
        sparsecast._errors.UsageError: the matrix was changed after it was planned; update_values(A.data) takes new ...
        """
        self._multiplier.verify()

    @property
    def planned_matrix(self) -> Any:
        """The SciPy matrix that is multiplied."""
        return self._lent.matrix

    @property
    def kernel(self) -> str:
        """The kernel, or those of the blocks in their order, joined by " + "."""
        return " + ".join(dict.fromkeys(self._multiplier.kernels))

    @property
    def threads(self) -> int:
        """Threads of a product; 0 on other devices than the host."""
        return self._multiplier.threads

    @property
    def trials(self) -> dict[str, Any] | None:
        """What was tried, with what came of it; None where nothing was to be tried."""
        return self._multiplier.trials

    @property
    def storage_error(self) -> float:
        """The most that rounding for ``storage`` changed a value, of itself; 0 where nothing was rounded.

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
        """One line, once, where a second of products ran 15 % off what was promised; else None.

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> sparsecast.plan(sp.eye_array(3, format="csr")).health() is None
        True
        """
        return self._multiplier.health() or None

    @property
    def strategy(self) -> dict[str, Any]:
        """How the matrix is multiplied, as `sparsecast plan` tells it."""
        return self._multiplier.strategy

    @property
    def predicted_s(self) -> float:
        """Seconds of a product, forecast; 0 where the kernel was named."""
        return self._multiplier.predicted_s

    @property
    def break_even(self) -> int | None:
        """From so many products on the conversion has paid, against plain CSR: 0 at once, None never."""
        products = self._multiplier.break_even
        return products if products >= 0 else None

    @property
    def nbytes(self) -> int:
        """Bytes of the formats; arrays shared with the matrix count."""
        return self._multiplier.bytes

    @property
    def conversion_s(self) -> float:
        """Seconds that the conversion took."""
        return self._multiplier.conversion_s

    @property
    def forecast(self) -> Forecasts:
        """The forecast of every kernel for this matrix and as many threads, made when first asked for."""
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
        return text + (f"; {self._lent.source}>" if self._lent.source else ">")
