"""Examples: plans in the hands of networkx, scikit-learn, pyamg, PyTorch and PyData's sparse, beside what those compute."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pyamg
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import aslinearoperator, eigsh, svds
from sklearn.decomposition import TruncatedSVD
from sklearn.manifold import SpectralEmbedding

import sparsecast

CLUB = nx.karate_club_graph()


def club_matrix():
    A = nx.to_scipy_sparse_array(CLUB, dtype=float, format="csr")
    A.indptr, A.indices = A.indptr.astype(np.int32), A.indices.astype(np.int32)  # scikit-learn takes no wider ones
    return A


def test_pagerank():
    A = club_matrix()
    steps = sparsecast.plan(sp.csr_array(A.multiply(1 / A.sum(axis=1)[:, None])), transposed=True)
    rank, n = np.full(34, 1 / 34), 34
    for _ in range(100):
        rank = 0.85 * (steps.T @ rank) + 0.15 / n
    assert_allclose(rank, list(nx.pagerank(CLUB, tol=1e-12).values()), atol=1e-9)


def test_label_propagation():
    A = club_matrix()
    P = sparsecast.plan(sp.csr_array(A.multiply(1 / A.sum(axis=1)[:, None])), vectors=2)
    known, labels = [0, 33], np.zeros((34, 2))  # the instructor's and the president's sides
    for _ in range(100):
        labels[known] = np.eye(2)
        labels = P @ labels
    clubs = [CLUB.nodes[node]["club"] == "Officer" for node in CLUB]
    assert np.sum(labels.argmax(axis=1) == clubs) >= 31  # as many as the paper's own cut, but for one or two


def test_truncated_svd(matrix):
    theirs = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(matrix)
    _, values, components = svds(sparsecast.plan(matrix), k=4, rng=np.random.default_rng(0))
    assert_allclose(values[::-1], theirs.singular_values_, rtol=1e-8)
    assert_allclose(abs(components[::-1]), abs(theirs.components_), atol=1e-6)


def test_spectral_embedding():
    A = club_matrix()
    theirs = SpectralEmbedding(2, affinity="precomputed", eigen_solver="arpack", random_state=0).fit_transform(A)
    L, degrees = laplacian(A, normed=True, return_diag=True)
    turned = 2 * aslinearoperator(sp.eye_array(34)) - sparsecast.plan(sp.csr_array(L))  # the smallest become the largest
    _, vectors = eigsh(turned, k=3, which="LM", v0=np.ones(34))
    ours = vectors[:, -2::-1] / degrees[:, None]
    assert_allclose(abs(ours / ours[0]), abs(theirs / theirs[0]), rtol=1e-6)


def test_cycles_of_pyamg_with_plans_on_each_level(laplacian):
    smoother, b = ("chebyshev", {"degree": 3}), np.ones(900)

    def levels():
        np.random.seed(1)  # Chebyshev's bounds are estimated from a random vector
        A = sp.csr_matrix(laplacian)
        return pyamg.ruge_stuben_solver(A, presmoother=smoother, postsmoother=smoother, max_coarse=20)

    plain, planned = levels(), levels()
    assert len(planned.levels) >= 3
    for level in planned.levels[:-1]:
        level.A, level.P, level.R = (sparsecast.plan(part.tocsr()) for part in (level.A, level.P, level.R))
    residuals, others = [], []
    x = planned.solve(b, tol=1e-10, residuals=residuals)
    assert_allclose(x, plain.solve(b, tol=1e-10, residuals=others), rtol=1e-8)
    assert_allclose(residuals[:-1], others[:-1], rtol=1e-4)  # the last are differences of nearly equal numbers
    assert np.linalg.norm(laplacian @ x - b) < 1e-8 * np.linalg.norm(b)


class Tensor:
    """What a plan asks of a sparse tensor of PyTorch, which is no part of the tests' environment."""

    def __init__(self, A):
        self.shape = A.shape
        self.crow_indices, self.col_indices, self.values = (lambda: A.indptr), (lambda: A.indices), (lambda: A.data)


def sparse_tensor(A):
    try:
        import torch
    except ImportError:
        return Tensor(A)
    return torch.sparse_csr_tensor(*map(torch.from_numpy, (A.indptr, A.indices, A.data)), size=A.shape)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_tensors_share_their_memory(matrix, rng, index):
    A, x = matrix.copy(), rng.standard_normal(1500)
    A.indptr, A.indices = A.indptr.astype(index), A.indices.astype(index)
    P = sparsecast.plan(sparse_tensor(A), kernel="csr")
    assert_allclose(P @ x, A @ x, rtol=1e-12, atol=1e-12)
    for name in ("indptr", "indices", "data"):
        assert np.may_share_memory(getattr(P.planned_matrix, name), getattr(A, name)), name


def test_arrays_of_pydata(matrix, rng):
    class Array:  # as sparse.COO and sparse.GCXS
        def to_scipy_sparse(self):
            return matrix.tocoo()

    x = rng.standard_normal(1500)
    assert_allclose(sparsecast.plan(Array()) @ x, matrix @ x, rtol=1e-12, atol=1e-12)
