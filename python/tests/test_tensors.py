"""Products for PyTorch and JAX, beside what those compute themselves, and their gradients beside finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

# Neither is in the tests' environment: they take longer to fetch than all tests to run.


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_products_of_pytorch(torch, matrix, dtype):
    from sparsecast.torch import SparseCSR

    A = matrix.astype(dtype)
    tensor = torch.sparse_csr_tensor(*map(torch.from_numpy, (A.indptr, A.indices, A.data)), size=A.shape)
    S = SparseCSR(tensor)
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-10
    for shape in ((1500,), (1500, 1), (1500, 7)):
        x = torch.from_numpy(np.random.default_rng(1).standard_normal(shape).astype(dtype))
        assert_allclose((S @ x).numpy(), A @ x.numpy(), rtol=tolerance, atol=tolerance)
    u = torch.ones(2000, dtype=getattr(torch, dtype))
    assert_allclose((S.T @ u).numpy(), A.T @ u.numpy(), rtol=tolerance, atol=tolerance)
    assert S.plan is not None and S.T.T.shape == S.shape
    tensor.values()[5] = 1e3  # the memory is shared, and read as it is
    assert_allclose((S @ x).numpy(), A @ x.numpy(), rtol=tolerance, atol=tolerance)


def test_gradients_of_pytorch(torch):
    from sparsecast.torch import SparseCSR

    for dtype in (np.float64, np.complex128):
        A = sp.random_array((9, 7), density=0.4, format="csr", rng=np.random.default_rng(3)).astype(dtype)
        values = torch.from_numpy(A.data + 0).requires_grad_()
        for shape in ((7,), (7, 3)):
            x = torch.from_numpy(np.random.default_rng(4).standard_normal(shape).astype(dtype)).requires_grad_()
            u = np.random.default_rng(5).standard_normal((9, *shape[1:])).astype(dtype)
            u = torch.from_numpy(u).requires_grad_()
            assert torch.autograd.gradcheck(lambda v, x, A=A: SparseCSR(A, values=v) @ x, (values, x))
            assert torch.autograd.gradcheck(lambda v, u, A=A: SparseCSR(A, values=v).T @ u, (values, u))
            assert torch.autograd.gradgradcheck(lambda x, A=A: SparseCSR(A) @ x, (x,))


def test_what_pytorch_cannot_multiply_is_refused(torch, matrix):
    from sparsecast.torch import SparseCSR

    S = SparseCSR(matrix)
    with pytest.raises(TypeError, match="float64"):
        S @ torch.ones(1500)
    with pytest.raises(ValueError, match="not multiplied"):
        S @ torch.ones(1499, dtype=torch.float64)
    with pytest.raises(TypeError, match="to_sparse_csr"):
        SparseCSR(torch.ones(3, 3))
    with pytest.raises(ValueError, match="values are needed"):
        SparseCSR(matrix, values=torch.ones(3))


@pytest.mark.parametrize("shape", [(1500,), (1500, 3)])
def test_products_and_gradients_of_jax(jax, matrix, shape):
    from sparsecast.jax import SparseCSR

    S, A = SparseCSR(matrix.astype(np.float32)), matrix.astype(np.float32)
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    for product in (lambda x: S @ x, jax.jit(lambda x: S @ x)):
        assert_allclose(product(x), A @ x, rtol=1e-4, atol=1e-4)
    loss = jax.jit(jax.grad(lambda x: 0.5 * ((S @ x) ** 2).sum()))
    assert_allclose(loss(x), A.T @ (A @ x), rtol=1e-3, atol=1e-3)
    value, tangent = jax.jvp(lambda x: S @ x, (x,), (2 * x,))
    assert_allclose(tangent, 2 * value, rtol=1e-4, atol=1e-4)
    assert_allclose(S.T @ (S @ x), A.T @ (A @ x), rtol=1e-3, atol=1e-3)


def test_many_vectors_of_jax(jax, matrix):
    from sparsecast.jax import SparseCSR

    S, A = SparseCSR(matrix.astype(np.float32)), matrix.astype(np.float32)
    X = np.random.default_rng(1).standard_normal((4, 1500)).astype(np.float32)
    assert_allclose(jax.vmap(lambda x: S @ x)(X), (A @ X.T).T, rtol=1e-4, atol=1e-4)
    gradients = jax.jit(jax.vmap(jax.grad(lambda x: (S @ x)[:3].sum())))(X)
    assert_allclose(gradients, np.tile(A[:3].sum(axis=0), (4, 1)), rtol=1e-4, atol=1e-4)
    with pytest.raises(TypeError, match="x64"):
        SparseCSR(matrix) @ X[0]
