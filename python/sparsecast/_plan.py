"""plan() and what it returns: a LinearOperator that multiplies in the fastest way found."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Optional, get_args

import numpy as np
from scipy.sparse import issparse, spmatrix
from scipy.sparse.linalg import LinearOperator

from ._arrays import library_of
from ._matrix import Lent, is_matrix, lend, lies_on_device, rounded, rounded_values, with_values
from ._native import _core
from ._text import names_of, seconds_text
from ._watch import Planned, watch, watch_array

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
    kernels: Iterable[str] | str | None = None,
    trials: Trials = None,
    products: Mapping[str, float] | None = None,
    powers: int | None = None,
) -> Plan:
    """The fastest way to multiply a sparse matrix, ready to run.

    Parameters
    ----------
    A : scipy.sparse matrix or array, or Plan
        A matrix of SciPy, PyTorch, PyData sparse, CuPy or JAX with float32, float64, complex64 or complex128 values.
        Integers and bool are converted to float64 once. A CSR matrix with sorted entries is used in place, without a
        copy, and kept alive. Other formats are converted; a matrix on a device is copied to the host; unsorted or
        duplicate entries are sorted and added up in a copy.
    iterations : int, optional
        How many products you will compute, so that the cost of converting the matrix counts. Below 40 products (below
        25 for a matrix of 100,000 entries or more) the matrix is multiplied as it is: nothing is analysed, and there
        is no checksum for :meth:`Plan.verify`. Without it only the time of a product counts.
    vectors : int
        Columns of `X` in ``P @ X``.
    transposed : bool
        Plan for products with the transpose.
    threads : "auto" or int
        The most threads to use. A product uses fewer where that is forecast to be faster. "auto": all that the process
        may use; ``OMP_NUM_THREADS`` and ``threadpoolctl`` limit them.
    device : str
        ``"host"``, ``"opencl:0"`` or ``"cuda:0"``.
    precision : "single" or "double", optional
        The precision of the products; by default that of the values.
    storage : "single", "half" or "bfloat16", optional
        Store the values rounded to this type, in four or two bytes each, where that is faster. Products are still
        summed in the plan's precision. :attr:`Plan.storage_error` tells how much the values changed.
    profile : path, optional
        A profile to forecast from, instead of this machine's calibration.
    kernel : str, optional
        Use this kernel for the whole matrix on the host, and forecast nothing.
    kernels : iterable of str, optional
        Choose among these kernels only.
    trials : "auto", "online" or int, optional
        Measure candidates before choosing. ``"auto"`` measures those that may gain more than measuring them costs, a
        number measures that many. ``"online"`` measures while the plan multiplies; its results are right from the first
        product on. :attr:`Plan.trials` tells what was found.
    products : mapping, optional
        Products that you will compute in turns, and their ratio: ``{"A": 1, "A.T": 1}`` plans for both, and stores the
        matrix once or twice, whichever is faster. Without `iterations`, or with many, some products of each are
        measured first. ``strategy["transpose"]`` tells what multiplies by ``A.T``, and why.
    powers : int, optional
        How many times a square matrix will be applied in a row, by :meth:`Plan.powers`, :meth:`Plan.polynomial` or
        :meth:`Plan.chebyshev`. Where it pays, blocks of rows are read once for several powers;
        ``Plan.strategy["powers"]`` tells whether. Without `iterations`, or with many, both ways are timed in turns
        where the forecast is close.

    Returns
    -------
    Plan

    Raises
    ------
    TypeError
        If `A` is not a sparse matrix of numbers.
    ValueError
        If the arrays do not form a matrix, or `powers` is given for a matrix that is not square. It is a
        :class:`sparsecast.Error`, whose ``code`` names the reason.

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
    else:  # a matrix on a device is not watched: it is multiplied in a copy
        origin, given, lent = None if lies_on_device(A) else A, None, lend(A)
    if storage not in (None, *get_args(Storage)):
        raise ValueError(f"storage must be 'single', 'half', 'bfloat16' or None, not {storage!r}")
    lent = lent if storage is None else rounded(lent, storage)
    if lent.storage:  # which products are not summed in
        precision = precision or ("single" if lent.exact.dtype.char in "fF" else "double")
    if precision not in (None, "single", "double"):
        raise ValueError(f"precision must be 'single' or 'double', not {precision!r}")
    if threads != "auto" and (not isinstance(threads, (int, np.integer)) or isinstance(threads, bool) or threads < 1):
        raise ValueError(f"threads must be 'auto' or a positive number, not {threads!r}")
    if iterations is not None and iterations < 1:
        raise ValueError(f"iterations must be a positive number, not {iterations!r}")
    if isinstance(trials, bool) or not (trials in (None, "auto", "online") or isinstance(trials, (int, np.integer))):
        raise ValueError(f"trials must be 'auto', 'online' or a number, not {trials!r}")
    shares = _products_text(products)
    if shares and transposed:
        raise ValueError("products already say how often the transpose is applied: omit transposed")
    if powers is not None and (
        not isinstance(powers, (int, np.integer)) or isinstance(powers, bool) or powers < 1
    ):
        raise ValueError(f"powers must be a positive number, not {powers!r}")
    wanted = {
        "powers": None if powers is None else int(powers),
        "iterations": None if iterations is None else int(iterations),
        "vectors": int(vectors),
        "transposed": bool(transposed),
        "threads": threads if threads == "auto" else int(threads),
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
    """As the library reads them."""
    if products is None:
        return ""
    try:
        shares = {name: float(share) for name, share in products.items()}
    except (AttributeError, TypeError, ValueError):
        shares = {}
    known = set(shares) <= {"A", "A.T"} and all(0 <= share < float("inf") for share in shares.values())
    if not known or sum(shares.values()) <= 0:
        raise ValueError(f'products must look like {{"A": 1, "A.T": 1}}, not {products!r}')
    return ",".join(f"{name}={share!r}" for name, share in shares.items())


def _planned_again(A: Any, wanted: dict[str, Any], exact: Any = None, storage: str = "") -> Plan:
    """A plan out of a pickle."""
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
        "products": wanted.get("products", ""),  # none in a pickle of an earlier version
    }
    # What is as the library has it need not be told: reading it takes as long as a tiny product.
    told = {name: wish for name, wish in wishes.items() if wish != _USUAL[name]}
    return _core.plan(lent.csr, source, **told)


_WIDEST = "gG"  # long doubles, which SciPy multiplies and no plan does
_Wider = Optional[Callable[[], "_core.Multiplier"]]  # the same product in double precision, where it may be asked for


class _Operator(LinearOperator):
    """What a plan and its transpose share: how NumPy's arrays come in."""

    _multiplier: _core.Multiplier
    _by_transpose: bool
    _promotes = True  # to the type that NumPy finds for the values and the vectors

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
        """`matrix`: gives the operator's in SciPy's CSR, for products that are none of a plan's. A plan, which would hold
        itself by its own methods and outlive its last user until the garbage is collected, gives neither."""
        super().__init__(dtype, shape)
        self.args = ()  # SciPy's operators say what they are made of
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
        # SciPy's matrices ask so who is to multiply `S @ P`. An array of no dimensions says: not they, as any operator's.
        if sys._getframe(1).f_globals.get("__name__", "").startswith(("scipy.sparse._", "scipy.sparse.base")):
            shell = np.empty((), object)
            shell[()] = self
            return shell
        raise TypeError("a plan has no dense array; P @ numpy.eye(P.shape[1]) makes one")

    # The products below bypass LinearOperator's: of a tiny matrix those would take most of the time.

    def __matmul__(self, x: Any) -> Any:
        y = self._product(x)
        if y is not NotImplemented:
            return y
        library = library_of(x)
        if library is not None:
            return library.product(self, x, False)
        if np.isscalar(x):
            raise ValueError("a number is not a vector: P * number scales the operator")
        return self._any_product(x)

    def dot(self, x: Any) -> Any:
        """``A @ x``."""
        y = self._product(x)
        return y if y is not NotImplemented else self._any_product(x)

    def matvec(self, x: Any) -> Any:
        """``A @ x`` of one vector, of shape (n,) or (n, 1)."""
        y = self._product(x)
        if y is not NotImplemented:
            return y
        library = library_of(x)
        return super().matvec(x) if library is None else library.product(self, x, False)

    def rmatvec(self, x: Any) -> Any:
        """``A.conj().T @ x`` of one vector."""
        y = self._adjoint_product(x)
        if y is not NotImplemented:
            return y
        library = library_of(x)
        return super().rmatvec(x) if library is None else library.product(self, x, True)

    def _any_product(self, x: Any) -> Any:
        """What is no vector in the plan's precision: other arrays, and operators as SciPy combines them. A product with a
        sparse matrix is a sparse matrix, which SciPy makes."""
        library = library_of(x)
        if library is not None:
            return library.product(self, x, False)
        return self._matrix() @ x if issparse(x) else super().dot(x)

    def __rmatmul__(self, x: Any) -> Any:
        return x @ self._matrix() if issparse(x) else super().__rmatmul__(x)

    def matmat(self, X: Any) -> Any:
        """``A @ X`` of vectors side by side."""
        library = library_of(X)
        if library is not None:
            return library.product(self, X, False)
        return self._matrix() @ X if issparse(X) else self._as_scipy_types(X, super().matmat(X))

    def rmatmat(self, X: Any) -> Any:
        """``A.conj().T @ X`` of vectors side by side."""
        library = library_of(X)
        if library is not None:
            return library.product(self, X, True)
        return self._matrix().conj().T @ X if issparse(X) else self._as_scipy_types(X, super().rmatmat(X))

    def _as_scipy_types(self, X: Any, Y: Any) -> Any:
        """`numpy.matrix` of it where SciPy's matrix, one of the older kind, would make that."""
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
        """What computes a product with vectors of a type, and in which: as NumPy and SciPy promote."""
        wider = self._wider()
        if wider is None or np.result_type(self.dtype, vectors) == self.dtype:
            return self.dtype, self._multiplier
        return np.result_type(self.dtype, np.float64), wider()


def _turned(product: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The product with the conjugate of what `product` multiplies by."""

    def turned(x: Any) -> Any:
        y = product(np.conj(x)) if isinstance(x, np.ndarray) else NotImplemented
        return y if y is NotImplemented else np.conj(y, out=y)

    return turned


class Plan(_Operator):
    """A sparse matrix that is ready to be multiplied; :func:`plan` makes it.

    It is a :class:`scipy.sparse.linalg.LinearOperator`: ``P @ x``, ``P @ X``, ``P.T @ u`` and SciPy's solvers accept it
    in place of the matrix. Products have the plan's ``dtype``. A float32 matrix times a float64 vector gives float64, as
    in SciPy: the first such product makes a second plan in double precision, unless `precision` is "single". Complex
    vectors do the same; with a real matrix their two parts are multiplied one after the other. Any number of threads
    may use one plan at once, and Python's global lock is released during a product.

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
        """`A`: what the caller has, None where that is nothing; `given`: the type of its values, if the plan has another."""
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
        """Of arrays that are multiplied as they are at each product (Csr.live), without a look at them."""
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
        """A second plan, for vectors in double precision: made when the first of them comes, of the same values."""
        self._multiplier.check()
        with self._lock:
            if self._double is None:
                wanted = {**self._wanted, "precision": "double"}
                self._double = _multiplier(lend(self._lent.matrix), self._source, wanted)
            return self._double

    def _again(self, exact: bool = False) -> tuple[Any, np.dtype, Lent]:
        """For another plan of the same: what the caller has, the type of its values, and the matrix; `exact`: as it was
        before it was rounded."""
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
        """Computes ``out = alpha * A @ x + beta * out`` in your own array.

        Parameters
        ----------
        x : array of shape (n,) or (n, k)
            A NumPy array, or an array of another library on the plan's device, which is used where it lies (see "How to
            multiply on a GPU"). `out` is then of the same kind.
        out : array of shape (m,) or (m, k), optional
            Where to write, with the dtype of ``P @ x``; rows or columns are contiguous, and it must not overlap `x`.
            Without it a new array is made, and `beta` must be 0. With ``beta = 0`` its old contents are not read.
        alpha, beta : float, or complex for a complex matrix
        transposed : bool
            Multiply by ``A.T``.

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
        library = library_of(x)
        if library is not None:
            return library.apply(self, x, out, alpha, beta, bool(transposed))
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
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
                raise ValueError("beta needs an array out, which is missing")
            out = multiplier.result(x.shape[1] if x.ndim == 2 else -1, bool(transposed), False)
        elif x is not given and np.may_share_memory(given, out):
            raise ValueError("x and out overlap; give out memory of its own")
        multiplier.apply(x, out, complex(alpha), complex(beta), bool(transposed))
        return out

    def gram(self, x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Computes ``A.T @ (A @ x)``, and reads the matrix once where that is faster than two products.

        The first call measures which is faster, in some products of each. Complex values are not conjugated.

        Parameters
        ----------
        x : array of shape (n,)
        out : array of shape (n,), optional
            Where to write: contiguous, with the dtype of ``P @ x``, and not overlapping `x`.

        Returns
        -------
        numpy.ndarray
            `out`.

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.diags_array([1.0, 2.0, 3.0], format="csr"), products={"A": 1, "A.T": 1})
        >>> P.gram(np.ones(3))
        array([1., 4., 9.])
        """
        x = np.asarray(x)
        if x.ndim != 1:
            raise ValueError(f"x must have one dimension, not {x.ndim}")
        if x.dtype.kind == "c" and self.dtype.kind != "c":
            if out is not None:
                raise TypeError(f"values of type {x.dtype} are not multiplied into an array of {self.dtype}")
            return self.gram(np.ascontiguousarray(x.real)) + 1j * self.gram(np.ascontiguousarray(x.imag))
        if x.dtype.kind not in "fiubc":
            raise TypeError(f"values of type {x.dtype} are not multiplied")
        given = x
        dtype, multiplier = self._for((x if out is None else np.asarray(out)).dtype)
        x = np.ascontiguousarray(x, dtype=dtype)
        if x.shape[0] != self.shape[1]:
            raise ValueError(f"x has {x.shape[0]} entries and the matrix {self.shape[1]} columns")
        if out is None:
            out = multiplier.result(-1, True, False)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        elif x is not given and np.may_share_memory(given, out):
            raise ValueError("x and out overlap; give out memory of its own")
        multiplier.gram(x, out)
        return out

    def _powers_planned(self) -> int:
        k = self._wanted.get("powers")
        if not k:
            raise ValueError("the plan has no powers: use plan(A, powers=K)")
        return k

    def _starting(self, x: Any) -> tuple[np.ndarray, _core.Multiplier]:
        """The vector that powers begin with, as the plan that computes them takes it."""
        x = np.asarray(x)
        is_complex = self.dtype.kind == "c"
        if x.dtype.kind not in "fiub" and not (is_complex and x.dtype.kind == "c"):
            raise TypeError(f"values of type {x.dtype} are not multiplied by a matrix of {self.dtype}")
        if x.shape not in ((self.shape[1],), (self.shape[1], 1)):
            raise ValueError(f"x has the shape {x.shape}; powers need one vector of {self.shape[1]} entries")
        dtype, multiplier = self._for(x.dtype)
        return np.ascontiguousarray(x.reshape(-1), dtype=dtype), multiplier

    def powers(self, x: Any, out: np.ndarray | None = None, last: bool = False) -> np.ndarray:
        """Computes ``A @ x``, ``A @ A @ x`` and so on, K powers for a plan with ``powers=K``.

        Parameters
        ----------
        x : array of shape (n,)
        out : array of shape (K, n), or (n,) with `last`, optional
            Where to write: contiguous, with the dtype of ``P @ x``, and not overlapping `x`.
        last : bool
            Return only the last power.

        Returns
        -------
        numpy.ndarray
            Row ``j - 1`` is the ``j``-th power of the matrix times `x`; with `last`, only the last of them.

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
        k = self._powers_planned()
        vector, multiplier = self._starting(x)
        shape = vector.shape if last else (k, vector.size)
        if out is None:
            out = np.empty(shape, vector.dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(out).__name__}")
        elif out.shape != shape or not out.flags.c_contiguous:
            raise ValueError(f"out has the shape {out.shape}; it should have {shape}, without gaps")
        elif out.dtype != vector.dtype:
            dtype, multiplier = self._for(out.dtype)
            if out.dtype != dtype:
                raise ValueError(f"out is of {out.dtype}, and the powers are of {dtype}")
            vector = vector.astype(dtype)
        if vector is not x and np.may_share_memory(x, out):
            raise ValueError("x and out overlap; give out memory of its own")
        multiplier.apply_powers(vector, out.reshape(-1), k if last else -1)
        return out

    def _coefficients(self, c: Any, dtype: Any) -> np.ndarray:
        c = np.ascontiguousarray(c, dtype=dtype)
        if c.ndim != 1 or not 1 <= c.size <= self._powers_planned() + 1:
            raise ValueError(f"1 to {self._powers_planned() + 1} coefficients are needed, not {c.shape}")
        return c

    def polynomial(self, x: Any, c: Any) -> np.ndarray:
        """``c[0] * x + c[1] * A @ x + c[2] * A @ A @ x + ...``, without storing the powers.

        Parameters
        ----------
        x : array of shape (n,)
        c : array of at most K + 1 coefficients

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
        """Computes the sum of ``c[j] * T_j(B) @ x``, where ``T_j`` is the Chebyshev polynomial of degree j and ``B`` is
        ``(2 A - (a + b) I) / (b - a)``.

        Parameters
        ----------
        x : array of shape (n,)
        c : array of at most K + 1 coefficients
        interval : (a, b)
            The interval of A's eigenvalues, which is mapped to [-1, 1].

        Examples
        --------
        >>> import numpy as np, scipy.sparse as sp, sparsecast
        >>> P = sparsecast.plan(sp.diags_array([1.0, 2.0, 3.0], format="csr"), powers=2)
        >>> P.chebyshev(np.ones(3), [0.0, 0.0, 1.0], (1.0, 3.0))
        array([ 1., -1.,  1.])
        """
        self._powers_planned()
        a, b = (float(end) for end in interval)
        vector, multiplier = self._starting(x)
        out = np.empty_like(vector)
        multiplier.apply_chebyshev(self._coefficients(c, vector.dtype), a, b, vector, out)
        return out

    def update_values(self, data: Any) -> None:
        """Replaces the values. The sparsity pattern stays, so nothing is analysed or planned again.

        Parameters
        ----------
        data : array or sparse matrix
            One value per entry, in the order of the matrix's ``data``. A kernel that reads CSR uses this array in place; an
            array on a device is copied to the host. Or a matrix with the same pattern, in any format that :func:`plan`
            accepts.

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
                raise ValueError(
                    "the entries of this matrix are at other positions than the planned one's: plan it again"
                )
            self._take_values(lent.matrix.data, None if lies_on_device(data) else data)
            return
        library = library_of(data)
        if library is not None:
            data = library.values(self, data)
        if self._lent.source:
            raise ValueError(
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
            raise ValueError(f"{entries} values are needed, in one dimension, not {values.shape}")
        self._take_values(values[:entries], origin if is_theirs else None, values if values is data else None)

    def _take_values(self, exact: np.ndarray, A: Any, array: np.ndarray | None = None) -> None:
        """Values in the plan's order, and the matrix or the array that the caller has them in, or None."""
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
        with self._lock:  # a product in double precision that is made meanwhile is of the new values
            self._multiplier.update_values(data, source)
            self._lent = self._lent._replace(matrix=with_values(matrix, data), exact=exact if storage else None)
            self._planned, self._source = planned, source
            self._double = None
            self._forecast = None

    def astype(self, dtype: Any) -> Plan:
        """Plans the matrix again with the same options, for values and products of another dtype.

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
        if np.dtype(dtype).kind in "biu":  # whose values are cut, which a comparison would not know
            origin = None
        return Plan(origin, lent._replace(source=source or lent.source), {**self._wanted, "precision": precision}, given)

    def verify(self) -> None:
        """Checks that your matrix has not changed since it was planned, and raises ``ValueError`` if it has.

        Every product checks that the matrix still has the same arrays, and compares some of their entries, or all of a
        small matrix. This method compares every entry.

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
        """The SciPy matrix that is multiplied: in CSR, in your arrays where those are in order."""
        return self._matrix()

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
        """What was tried, and with which result; None if nothing was to be tried."""
        return self._multiplier.trials

    @property
    def storage_error(self) -> float:
        """The largest relative change of a value by rounding for ``storage``; 0 if nothing was rounded.

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
        """One line, once, if a second of products was 15 % off its forecast; else None.

        Examples
        --------
        >>> import scipy.sparse as sp, sparsecast
        >>> sparsecast.plan(sp.eye_array(3, format="csr")).health() is None
        True
        """
        return self._multiplier.health() or None

    @property
    def strategy(self) -> dict[str, Any]:
        """How the matrix is multiplied, as `sparsecast plan` reports it."""
        return self._multiplier.strategy

    @property
    def predicted_s(self) -> float:
        """Seconds of a product, forecast; 0 where the kernel was named."""
        return self._multiplier.predicted_s

    @property
    def break_even(self) -> int | None:
        """The number of products from which on the conversion pays, compared with CSR: 0 at once, None never."""
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
