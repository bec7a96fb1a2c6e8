"""A plan goes with its last user: what it holds, several times the matrix, does not wait for the garbage collector."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sparsecast

A = sp.random(300, 300, 0.03, format="csr", random_state=5)
X = np.ones(300)


def by_all_products(P: Any) -> None:
    """Those that keep something for the next time."""
    for operator in (P, P.T, P.H, P.adjoint().T):
        operator @ X, operator @ np.ones((300, 3)), operator @ A
    P.apply(X, transposed=True)
    P.forecast, P.strategy, P.planned_matrix, repr(P)


def by_powers(P: Any) -> None:
    P.powers(X), P.polynomial(X, [1, 2]), P.chebyshev(X, [1, 2], (0, 8))


WAYS: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "double": (lambda: sparsecast.plan(A), by_all_products),
    "single, with vectors in double": (lambda: sparsecast.plan(A.astype(np.float32)), by_all_products),
    "complex": (lambda: sparsecast.plan(A.astype(complex)), by_all_products),
    "converted": (lambda: sparsecast.plan(A.tocoo()), by_all_products),
    "of powers": (lambda: sparsecast.plan(A, powers=3), by_powers),
    "of both products": (lambda: sparsecast.plan(A, products={"A": 1, "A.T": 1}), lambda P: P.gram(X)),
    "online trials": (lambda: sparsecast.plan(A, trials="online"), by_all_products),
    "new values": (lambda: sparsecast.plan(A), lambda P: P.update_values(2 * A.data)),
    "array in SciPy's place": (lambda: sparsecast.csr_array(A), lambda P: [P @ X for _ in range(3)]),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_plan_goes_with_its_last_user(way: str) -> None:
    make, use = WAYS[way]
    enabled = gc.isenabled()
    gc.disable()
    try:
        P = make()
        use(P)
        gone = weakref.ref(P)
        del P
        assert gone() is None
    finally:
        if enabled:
            gc.enable()


def test_a_transpose_keeps_its_plan() -> None:
    T = sparsecast.plan(A).T
    gc.collect()
    assert np.allclose(T @ X, A.T @ X)
    assert np.allclose((A @ T).toarray(), (A @ A.T).toarray())
