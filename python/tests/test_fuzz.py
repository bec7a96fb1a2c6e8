"""Whatever arrays come: SciPy's product or a clear exception, never a crash."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import sparsecast

CLEAR = (TypeError, ValueError, sparsecast.Error)
DTYPES = [np.float64, np.float32, np.float16, np.longdouble, np.int64, np.uint8, bool, complex, object, ">f8", "U3"]
quickly = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def csr_arrays(draw):
    """Mostly matrices of SciPy, in some format; sometimes with one of their arrays spoilt."""
    rows, cols = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    dense = rng.standard_normal((rows, cols)) * (rng.random((rows, cols)) < draw(st.sampled_from([0.0, 0.2, 1.0])))
    A = sp.csr_array(dense.astype(draw(st.sampled_from([np.float64, np.float32]))))
    if draw(st.booleans()):
        index = draw(st.sampled_from([np.int32, np.int64]))
        A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    match draw(st.integers(0, 5)):
        case 0:
            return A.asformat(draw(st.sampled_from(["csc", "coo", "lil", "dok"])))
        case 1 if A.nnz:
            array = draw(st.sampled_from([A.data, A.indices, A.indptr]))
            array[draw(st.integers(0, array.size - 1))] = draw(st.sampled_from([-1, 0, 3, 2**31 - 1]))
        case 2 if A.nnz:
            name = draw(st.sampled_from(["data", "indices", "indptr"]))
            setattr(A, name, getattr(A, name)[: draw(st.integers(0, 3))])
        case 3 if A.nnz:
            A.data = np.repeat(A.data, 2)[::2]  # strided
        case _:
            pass
    return A


@st.composite
def arrays(draw, length):
    """One to three dimensions, any type, order and stride; mostly of that length."""
    shape = [draw(st.sampled_from([length, length, length, 0, 1, 7]))]
    shape += draw(st.lists(st.integers(0, 4), max_size=2))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    step = draw(st.sampled_from([1, 1, 2, -1, -3]))
    made = np.ones([abs(step) * size for size in shape]).astype(dtype)
    made = made[tuple(slice(None, None, step) for _ in shape)]
    if draw(st.booleans()):
        made = np.asarray(made, order="F")
    if draw(st.integers(0, 6)) == 0:
        made = np.broadcast_to(made[:1], made.shape) if made.shape[0] else made
    return made


def reference(A, x):
    return A @ (x.astype(float) if x.dtype.kind in "fiub" else x)


@quickly
@given(st.data())
def test_products(data):
    A = data.draw(csr_arrays())
    try:
        P = sparsecast.plan(A, kernel=data.draw(st.sampled_from([None, "csr", "sell", "ell"])))
    except CLEAR:
        return
    transposed = data.draw(st.booleans())
    x = data.draw(arrays(A.shape[0] if transposed else A.shape[1]))
    try:
        y = (P.T if transposed else P) @ x
    except CLEAR:
        return
    assert_allclose(y, reference(A.T if transposed else A, x), rtol=1e-4, atol=1e-4)


@quickly
@given(st.data())
def test_apply(data):
    A = sp.csr_array(np.arange(12.0).reshape(4, 3) % 5)
    P = sparsecast.plan(A, kernel=data.draw(st.sampled_from(["csr", "sell"])))
    memory = np.ones(40)
    if data.draw(st.booleans()):  # x and out in one memory, which may overlap
        start, step = data.draw(st.integers(0, 30)), data.draw(st.sampled_from([1, 2, -1]))
        x, out = memory[3:6], memory[start::step][:4]
    else:
        x, out = data.draw(arrays(3)), data.draw(arrays(4))
    before = np.array(x, copy=True)
    try:
        P.apply(x, out=out, alpha=data.draw(st.sampled_from([1, 2.5])), beta=0)
    except CLEAR:
        return
    np.testing.assert_array_equal(x, before)


@quickly
@given(st.data())
def test_new_values(data):
    P = sparsecast.plan(sp.csr_array(np.eye(3)), kernel=data.draw(st.sampled_from(["csr", "sell"])))
    values = data.draw(arrays(3))
    try:
        P.update_values(values)
    except CLEAR:
        return
    assert_allclose(P @ np.ones(3), values.astype(float), rtol=1e-4)
