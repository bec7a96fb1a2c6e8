"""SciPy's own products, as they were before anybody put others in their place: sparsecast.accelerated() does."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

__all__ = ["BASE", "BLOCK", "VECTOR", "own_block", "own_vector"]

# Every product of a sparse array with a dense one ends in one of these two methods of its format. Their names changed
# with SciPy 1.13.
VECTOR, BLOCK = (
    next(name for name in (f"_matmul_{what}", f"_mul_{what}") if hasattr(sp.csr_array, name))
    for what in ("vector", "multivector")
)
# Where all formats have `A @ x` from.
BASE = next(kind for kind in sp.csr_array.__mro__ if "__matmul__" in vars(kind))

_KINDS = {"csr": sp.csr_array, "csc": sp.csc_array, "bsr": sp.bsr_array, "coo": sp.coo_array}
_VECTORS = {name: getattr(kind, VECTOR) for name, kind in _KINDS.items()}
_BLOCKS = {name: getattr(kind, BLOCK) for name, kind in _KINDS.items()}


def own_vector(A: Any, x: Any) -> Any:
    """SciPy's product with one vector of one dimension."""
    return _VECTORS[A.format](A, x)


def own_block(A: Any, X: Any) -> Any:
    """SciPy's product with vectors side by side."""
    return _BLOCKS[A.format](A, X)
