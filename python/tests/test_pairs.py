"""Plans for A and A.T in turns, and A.T @ (A @ x), against SciPy over many made matrices."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.sparse.linalg import lsmr, lsqr, svds

import sparsecast

BOTH = {"A": 1, "A.T": 1}
RNG = np.random.default_rng(11)


def diagonals(n):
    return sp.diags_array([RNG.random(n - abs(k)) for k in (-40, -1, 0, 1, 40)], offsets=[-40, -1, 0, 1, 40]).tocsr()


def random(rows, cols, density):
    return sp.random_array((rows, cols), density=density, format="csr", rng=RNG)


def hubs():
    A = random(700, 500, 0.002).tolil()
    A[13, :], A[:, [7]] = RNG.random(500), RNG.random((700, 1))
    return sp.csr_array(A)


MATRICES = {
    "diagonals": lambda: diagonals(3000),
    "tall": lambda: random(4000, 120, 0.02),
    "flat": lambda: random(120, 4000, 0.02),
    "empty rows and columns": lambda: random(900, 800, 3e-4),
    "a dense row and column": hubs,
    "a row": lambda: random(1, 300, 0.3),
    "a column": lambda: random(300, 1, 0.3),
    "an entry": lambda: sp.csr_array([[0.5]]),
    "nothing": lambda: sp.csr_array((40, 30)),
    "symmetric": lambda: (lambda S: sp.csr_array(S + S.T))(random(600, 600, 0.01)),
    "twice": lambda: sp.csr_array((RNG.random(6), ([0, 0, 0, 2, 2, 1], [1, 1, 3, 0, 0, 2])), shape=(3, 5)),
    "64-bit": lambda: (lambda A: sp.csr_array((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), A.shape))(
        random(800, 700, 0.01)
    ),
}


def close(dtype):
    return {"rtol": 2e-4, "atol": 2e-3} if dtype in (np.float32, np.complex64) else {"rtol": 1e-11, "atol": 1e-11}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", MATRICES)
def test_all_three_products_are_those_of_scipy(name, dtype, threads):
    A = MATRICES[name]().astype(dtype)
    P = sparsecast.plan(A, products=BOTH, threads=threads)
    for _ in range(2):  # as they are after what the first call of gram measured
        x, u = RNG.standard_normal(A.shape[1]).astype(dtype), RNG.standard_normal(A.shape[0]).astype(dtype)
        z = np.full(A.shape[1], np.nan, dtype)
        assert P.apply(u, out=z, transposed=True) is z
        assert_allclose(z, A.T @ u, **close(dtype))
        assert_allclose(P @ x, A @ x, **close(dtype))
        assert_allclose(P.T @ u, A.T @ u, **close(dtype))
        z[:] = np.nan
        assert P.gram(x, out=z) is z
        assert_allclose(z, A.T @ (A @ x), **close(dtype))
        assert P.gram(x).dtype == dtype
    U = RNG.standard_normal((A.shape[0], 3)).astype(dtype)
    assert_allclose(P.T @ U, A.T @ U, **close(dtype))
    assert P.strategy["transpose"]["storage"] in ("symmetric", "shared", "second-form", "transpose")


@pytest.mark.parametrize("name", ["diagonals", "tall", "symmetric"])
def test_new_values_and_pickles_are_of_both(name):
    A = MATRICES[name]()
    P = sparsecast.plan(A, products=BOTH, threads=2)
    x, u = RNG.standard_normal(A.shape[1]), RNG.standard_normal(A.shape[0])
    P.gram(x)
    B = A.copy()
    B.data = RNG.random(B.nnz)
    P.update_values(B.data)
    for Q in (P, pickle.loads(pickle.dumps(P))):
        assert_allclose(Q @ x, B @ x, **close(np.float64))
        assert_allclose(Q.T @ u, B.T @ u, **close(np.float64))
        assert_allclose(Q.gram(x), B.T @ (B @ x), **close(np.float64))


def test_gram_of_plans_for_one_product_and_of_complex_values():
    A = MATRICES["tall"]()
    x = RNG.standard_normal(A.shape[1])
    for options in ({}, {"transposed": True}, {"kernel": "sell"}, {"iterations": 5}, {"products": {"A.T": 1}}):
        assert_allclose(sparsecast.plan(A, **options).gram(x), A.T @ (A @ x), **close(np.float64))
    P = sparsecast.plan(A, products=BOTH)
    assert_allclose(P.gram(x + 2j), A.T @ (A @ (x + 2j)), **close(np.float64))
    C = A.astype(np.complex128)
    C.data = C.data * np.exp(1j * RNG.random(C.nnz))
    Q = sparsecast.plan(C, products=BOTH)
    z = x * (1 - 0.5j)
    assert_allclose(Q.gram(z), C.T @ (C @ z), **close(np.float64))
    assert_allclose(Q.rmatvec(C @ z), C.conj().T @ (C @ z), **close(np.float64))


def test_solvers_take_a_plan_of_both():
    A = random(1500, 400, 0.02)
    b = RNG.standard_normal(1500)
    P = sparsecast.plan(A, products=BOTH)
    assert_allclose(lsqr(P, b)[0], lsqr(A, b)[0], atol=1e-6)
    assert_allclose(lsmr(P, b)[0], lsmr(A, b)[0], atol=1e-6)
    assert_allclose(svds(P, 3, return_singular_vectors=False), svds(A, 3, return_singular_vectors=False), rtol=1e-6)


@pytest.mark.parametrize("products", [{}, {"A": 0}, {"A": -1, "A.T": 1}, {"B": 1}, {"A": "x"}, "A", {"A": np.inf}, 3])
def test_products_that_are_none_are_refused(products):
    with pytest.raises(ValueError, match="products"):
        sparsecast.plan(MATRICES["tall"](), products=products)


def test_calls_that_do_not_fit_are_refused():
    A = MATRICES["tall"]()
    with pytest.raises(ValueError, match="transposed"):
        sparsecast.plan(A, products=BOTH, transposed=True)
    P = sparsecast.plan(A, products=BOTH)
    x = np.ones(A.shape[1])
    with pytest.raises(ValueError):
        P.gram(np.ones(A.shape[0]))
    with pytest.raises(ValueError):
        P.gram(np.ones((A.shape[1], 2)))
    with pytest.raises(ValueError, match="overlap"):
        P.gram(x, out=x)
    with pytest.raises(TypeError):
        P.gram(x, out=[0.0])
    with pytest.raises(TypeError):
        P.gram(x * 1j, out=np.empty_like(x))
