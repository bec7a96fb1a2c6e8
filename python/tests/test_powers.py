"""Powers of a matrix from Python: against products one after the other, in every type that vectors come in, with values
that change, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import sparsecast


def grid(n: int) -> sp.csr_array:
    rng = np.random.default_rng(5)
    A = sp.diags_array(np.ones((5, n * n)), offsets=[-n, -1, 0, 1, n], shape=(n * n, n * n)).tocsr()
    A.data = rng.random(A.nnz) / 5
    return A


def hub(n: int) -> sp.csr_array:
    A = sp.lil_array((n, n))
    A.setdiag(0.25)
    A[0, :] = 0.5 / n
    A[:, 0] = 0.5 / n
    return A.tocsr()


MATRICES = {
    "grid": grid(60),
    "large enough for blocks": grid(400),
    "hub": hub(500),
    "empty rows": sp.csr_array(sp.random_array((900, 900), density=5e-4, rng=np.random.default_rng(6))),
    "no entries": sp.csr_array((40, 40)),
    "one row": sp.csr_array([[0.5]]),
    "triangle": sp.csr_array(sp.tril(sp.random_array((300, 300), density=0.02, rng=np.random.default_rng(7)))),
}


def products(A, x, k):
    powers = []
    for _ in range(k):
        x = A @ x
        powers.append(x)
    return np.array(powers)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", MATRICES)
def test_powers_are_products_one_after_the_other(name, dtype, threads):
    A = MATRICES[name].astype(dtype)
    x = np.random.default_rng(8).standard_normal(A.shape[0]).astype(dtype)
    P = sparsecast.plan(A, powers=5, threads=threads)
    expected = products(A, x, 5)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    got = P.powers(x)
    assert got.shape == (5, A.shape[0]) and got.dtype == dtype
    assert_allclose(got, expected, rtol=0, atol=tolerance * max(1, abs(expected).max()))
    assert_allclose(P.powers(x, last=True), got[-1], rtol=0, atol=tolerance * max(1, abs(expected).max()))
    out = np.full_like(expected, np.nan)
    assert P.powers(x, out=out) is out
    assert_allclose(out, got, rtol=0, atol=tolerance * max(1, abs(expected).max()))
    told = P.strategy["powers"]
    assert told["k"] == 5 and isinstance(told["pays"], bool) and told["reason"]


def test_sums_of_powers():
    A = MATRICES["grid"]
    P = sparsecast.plan(A, powers=4)
    rng = np.random.default_rng(9)
    x, c = rng.standard_normal(A.shape[0]), rng.standard_normal(5)
    terms = [x, *products(A, x, 4)]
    assert_allclose(P.polynomial(x, c), sum(a * t for a, t in zip(c, terms)), atol=1e-13)
    assert_allclose(P.polynomial(x, c[:1]), c[0] * x)
    a, b = -0.5, 1.25
    scaled = lambda v: (2 * (A @ v) - (a + b) * v) / (b - a)
    t = [x, scaled(x)]
    while len(t) < 5:
        t.append(2 * scaled(t[-1]) - t[-2])
    assert_allclose(P.chebyshev(x, c, (a, b)), sum(w * v for w, v in zip(c, t)), atol=1e-11)


def test_other_types():
    A = MATRICES["grid"].astype(np.float32)
    P = sparsecast.plan(A, powers=3)
    x = np.random.default_rng(1).standard_normal(A.shape[0])
    assert P.powers(x).dtype == np.float64  # as P @ x
    assert_allclose(P.powers(x), products(A.astype(np.float64), x, 3), atol=1e-13)
    assert P.powers(np.arange(A.shape[0])).dtype == np.float64
    C = (MATRICES["grid"] * (1 + 0.5j)).tocsr()
    z = x * (1 - 1j)
    assert_allclose(sparsecast.plan(C, powers=3).powers(z), products(C, z, 3), atol=1e-12)
    assert not sparsecast.plan(C, powers=3).strategy["powers"]["pays"]


def test_new_values_and_pickles():
    A = MATRICES["grid"].copy()
    P = sparsecast.plan(A, powers=4)
    B = A.copy()
    B.data = np.random.default_rng(2).random(A.nnz) / 5
    P.update_values(B.data)
    x = np.random.default_rng(3).standard_normal(A.shape[0])
    expected = products(B, x, 4)
    assert_allclose(P.powers(x), expected, atol=1e-13)
    assert_allclose(pickle.loads(pickle.dumps(P)).powers(x), expected, atol=1e-13)


def test_refusals():
    A = MATRICES["grid"]
    with pytest.raises(ValueError, match="no powers"):
        sparsecast.plan(A[:100], powers=3)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="powers must be a whole number from 1"):
            sparsecast.plan(A, powers=wrong)
    x = np.ones(A.shape[0])
    with pytest.raises(ValueError, match="has no powers"):
        sparsecast.plan(A).powers(x)
    P = sparsecast.plan(A, powers=2)
    with pytest.raises(ValueError, match="shape"):
        P.powers(x[:-1])
    with pytest.raises(ValueError, match="shape"):
        P.powers(x, out=np.empty((3, x.size)))
    with pytest.raises(ValueError, match="overlap"):
        P.powers(x, out=x, last=True)
    with pytest.raises(ValueError, match="coefficients"):
        P.polynomial(x, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match="interval"):
        P.chebyshev(x, [1.0, 2.0], (1.0, 1.0))
    with pytest.raises(TypeError):
        P.powers(x * 1j)


def test_a_plan_without_a_forecast_tells_no_seconds():
    told = sparsecast.plan(MATRICES["grid"], kernel="csr", powers=3).strategy["powers"]
    assert told["pays"] is False
    assert not {"seconds", "low_s", "high_s", "all_s", "products_s"} & told.keys()
