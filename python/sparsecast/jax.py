"""Products for JAX on the CPU: a linear function that JAX differentiates and transposes, calls of which leave its
compiled code for a plan.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._errors import UsageError
from ._plan import Plan, plan

__all__ = ["SparseCSR"]

# JAX's pure_callback alone knows no gradient, its linear_call no vmap: a primitive of our own has both.
_product = Primitive("sparsecast_product")


def _result_of(x: Any, by: Plan, transposed: bool) -> Any:
    rows, cols = by.shape
    return jax.core.ShapedArray((cols if transposed else rows, *x.shape[1:]), x.dtype)


def _call(x: Any, by: Plan, transposed: bool) -> Any:
    result = _result_of(x, by, transposed)
    return jax.pure_callback(
        lambda x: by.apply(np.asarray(x), transposed=transposed), jax.ShapeDtypeStruct(result.shape, result.dtype), x
    )


def _transpose(above: Any, _x: Any, by: Plan, transposed: bool) -> list[Any]:
    return [_product.bind(above, by=by, transposed=not transposed)]


def _batch(arguments: Any, axes: Any, by: Plan, transposed: bool) -> tuple[Any, int]:
    """Vectors side by side, which a plan multiplies at once."""
    (x,), (axis,) = arguments, axes
    x = jnp.moveaxis(x, axis, -1)
    Y = _product.bind(x.reshape(x.shape[0], -1), by=by, transposed=transposed)
    return Y.reshape(-1, *x.shape[1:]), x.ndim - 1


_product.def_impl(jax.jit(_call, static_argnames=("by", "transposed")))
_product.def_abstract_eval(_result_of)
ad.deflinear2(_product, _transpose)
batching.primitive_batchers[_product] = _batch
mlir.register_lowering(_product, mlir.lower_fun(_call, multiple_results=False))


class SparseCSR:
    """A SciPy matrix as a linear function of JAX's arrays.

    ``S @ x`` takes vectors and matrices, within ``jax.jit``, ``grad``, ``jvp``, ``vmap``; ``S.T @ x`` the transpose,
    which is what a gradient is made of. Values are constants, in the plan's precision; x64 is JAX's to enable.

    Parameters
    ----------
    A : scipy.sparse matrix or array, or Plan
    **wishes
        As :func:`sparsecast.plan` takes them.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, numpy as np, scipy.sparse as sp, sparsecast.jax
    >>> S = sparsecast.jax.SparseCSR(sp.csr_array(np.array([[2, 0], [1, 3]], np.float32)))
    >>> jax.grad(lambda x: (S @ x).sum())(jnp.ones(2))
    Array([3., 3.], dtype=float32)
    """

    def __init__(self, A: Any, **wishes: Any) -> None:
        self.plan: Plan = A if isinstance(A, Plan) else plan(A, **wishes)
        self.shape, self.dtype = self.plan.shape, self.plan.dtype
        self._transposed = False

    @property
    def T(self) -> SparseCSR:
        """The transpose, by the same plan."""
        turned = object.__new__(SparseCSR)
        turned.plan, turned.shape, turned.dtype = self.plan, self.shape[::-1], self.dtype
        turned._transposed = not self._transposed
        return turned

    def __matmul__(self, x: Any) -> Any:
        x = jnp.asarray(x)
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise UsageError(f"{self.shape} and {x.shape} are not multiplied")
        x = x.astype(self.dtype)
        if x.dtype != self.dtype:
            raise TypeError(f'the plan is in {self.dtype}, JAX in {x.dtype}: jax.config.update("jax_enable_x64", True)')
        return _product.bind(x, by=self.plan, transposed=self._transposed)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<SparseCSR of {rows} × {cols}, {self.dtype}, by {self.plan!r}>"
