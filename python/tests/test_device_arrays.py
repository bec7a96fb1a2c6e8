"""Arrays of other libraries: pyopencl's on PoCL, PyTorch's and JAX's on the CPU where those are installed, and how
a page for CuPy runs with OpenCL in its place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import sparsecast

ROOT = Path(__file__).parents[2]
DEVICE = "opencl:0"


@pytest.fixture(scope="module")
def cl():
    cl = pytest.importorskip("pyopencl")
    pytest.importorskip("pyopencl.array")
    try:
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except cl.LogicError:
        devices = []
    if not devices:
        pytest.skip("no OpenCL device")
    sparsecast.calibrate(device=DEVICE, quick=True, progress=False)
    return cl


@pytest.fixture(scope="module")
def context(cl):
    return cl.Context([next(d for p in cl.get_platforms() for d in p.get_devices())])


@pytest.fixture
def queue(cl, context):
    return cl.CommandQueue(context)


@pytest.fixture
def to(cl, queue):
    return lambda values: cl.array.to_device(queue, values)


@pytest.fixture(scope="module")
def P(cl, matrix):
    return sparsecast.plan(matrix, device=DEVICE)


@pytest.fixture
def x(rng):
    return rng.standard_normal(1500)


@pytest.fixture
def u(rng):
    return rng.standard_normal(2000)


def test_a_product_is_of_the_arrays_queue(cl, P, matrix, x, to, queue):
    y = P @ to(x)
    assert isinstance(y, cl.array.Array) and y.queue == queue and y.context == queue.context and y.shape == (2000,)
    assert_allclose(y.get(), matrix @ x, atol=1e-12)
    for same in (P.dot(to(x)), P.matvec(to(x)), P * to(x), P(to(x)), P.apply(to(x))):
        assert_allclose(same.get(), matrix @ x, atol=1e-12)


def test_other_contexts_get_the_matrix(cl, P, matrix, x):
    device = next(d for p in cl.get_platforms() for d in p.get_devices())
    for _ in range(6):  # more than keep it
        queue = cl.CommandQueue(cl.Context([device]))
        y = P @ cl.array.to_device(queue, x)
        assert y.context == queue.context
        assert_allclose(y.get(), matrix @ x, atol=1e-12)


def test_the_transpose(P, matrix, u, to, x):
    assert_allclose((P.T @ to(u)).get(), matrix.T @ u, atol=1e-12)
    assert_allclose(P.rmatvec(to(u)).get(), matrix.T @ u, atol=1e-12)
    assert_allclose((P.T.T @ to(x)).get(), matrix @ x, atol=1e-12)
    out = to(x)
    assert P.apply(to(u), out=out, alpha=2, beta=0.5, transposed=True) is out
    assert_allclose(out.get(), 2 * (matrix.T @ u) + 0.5 * x, atol=1e-12)
    assert_allclose(P.T @ u, matrix.T @ u, atol=1e-12)


@pytest.mark.parametrize("alpha, beta", [(1, 0), (2, 0), (1, 1), (-0.5, 3)])
def test_scaled(P, matrix, x, u, to, alpha, beta):
    out = to(u if beta else np.full(2000, np.nan))
    P.apply(to(x), out=out, alpha=alpha, beta=beta)
    assert_allclose(out.get(), alpha * (matrix @ x) + (beta * u if beta else 0), atol=1e-12)


@pytest.mark.parametrize("vectors", [1, 2, 8, 33])
@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks(P, matrix, rng, to, vectors, order):
    X = np.asarray(rng.standard_normal((1500, vectors)), order=order)
    Y = P @ to(X)
    assert Y.shape == (2000, vectors)
    assert_allclose(Y.get(), matrix @ X, atol=1e-12)
    U = np.asarray(rng.standard_normal((2000, vectors)), order=order)
    assert_allclose((P.T @ to(U)).get(), matrix.T @ U, atol=1e-12)
    assert_allclose(P.matmat(to(X)).get(), matrix @ X, atol=1e-12)
    out = to(np.asarray(U))
    P.apply(to(X), out=out, alpha=2, beta=-1)
    assert_allclose(out.get(), 2 * (matrix @ X) - U, atol=1e-12)


def test_views(P, matrix, x, to):
    wide = to(np.repeat(x, 2))
    assert_allclose((P @ wide[::2]).get(), matrix @ x, atol=1e-12)
    later = to(np.concatenate([np.ones(100), x]))
    assert_allclose((P @ later[100:]).get(), matrix @ x, atol=1e-12)
    room = to(np.zeros(2100))
    P.apply(to(x), out=room[100:])
    assert_allclose(room.get(), np.concatenate([np.zeros(100), matrix @ x]), atol=1e-12)
    for wrong in (to(x)[::-1], to(np.repeat(x.astype(np.float32), 2))[::2]):  # which pyopencl does not copy
        with pytest.raises(ValueError, match="gaps"):
            P @ wrong


@pytest.mark.parametrize(
    "kernel", ["csr-scalar", "csr-vector", "csr-tiles", "csr-merge", "csr-stream", "coo", "hyb", "sell", "sell-compact"]
)
def test_every_kernel_in_two_queues(cl, context, matrix, x, kernel):
    P = sparsecast.plan(matrix, device=DEVICE, kernels=[kernel])
    one, other = cl.CommandQueue(context), cl.CommandQueue(context)
    made = [(k, P @ cl.array.to_device(q, k * x)) for k in range(1, 6) for q in (one, other)]
    for k, y in made:
        assert_allclose(y.get(), k * (matrix @ x), atol=1e-11)


def test_a_row_of_several_groups_in_two_queues(cl, context, rng):
    lengths = np.where(np.arange(700) == 99, 9000, 3)
    columns = np.concatenate([rng.choice(10_000, n, replace=False) for n in lengths])
    matrix = sp.csr_array(
        (rng.standard_normal(columns.size), columns, np.concatenate([[0], np.cumsum(lengths)])), shape=(700, 10_000)
    )
    x = rng.standard_normal(10_000)
    P = sparsecast.plan(matrix, device=DEVICE, kernels=["csr-tiles"])
    queues = [cl.CommandQueue(context) for _ in range(3)]
    made = [P @ cl.array.to_device(q, x) for _ in range(4) for q in queues]
    for y in made:
        assert_allclose(y.get(), matrix @ x, atol=1e-10)
        assert (y.get() == made[0].get()).all()


def test_a_queue_without_an_order(cl, context, P, matrix, x):
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    try:
        queue = cl.CommandQueue(context, properties=properties)
    except cl.LogicError:
        pytest.skip("no such queues")
    v = cl.array.to_device(queue, x)
    y = P @ (2 * v)
    assert_allclose(y.get(), matrix @ (2 * x), atol=1e-12)


def test_what_is_queued_before_is_not_waited_for(cl, context, P, matrix, queue, to):
    v = to(np.zeros(1500))
    P @ v
    queue.finish()
    gate, made = cl.UserEvent(context), []
    cl.enqueue_barrier(queue, wait_for=[gate])
    v.fill(2.0)
    worker = threading.Thread(target=lambda: made.append(P @ v), daemon=True)
    worker.start()
    worker.join(60)
    early = len(made) == 1
    gate.set_status(cl.command_execution_status.COMPLETE)
    worker.join(60)
    assert early
    assert_allclose(made[0].get(), matrix @ np.full(1500, 2.0), atol=1e-12)


def test_what_another_queue_has_not_done_is_waited_for_on_the_device(cl, context, P, matrix, queue):
    other = cl.CommandQueue(context)
    gate = cl.UserEvent(context)
    v = cl.array.zeros(other, 1500, np.float64)
    other.finish()
    cl.enqueue_barrier(other, wait_for=[gate])
    v.fill(3.0)  # which leaves its event with v
    y = P @ v.with_queue(queue)
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert_allclose(y.get(), matrix @ np.full(1500, 3.0), atol=1e-12)


def test_types(P, matrix, x, to):
    assert (P @ to(x.astype(np.float32))).dtype == np.float64
    Q = sparsecast.plan(matrix.astype(np.float32), device=DEVICE)
    narrow = x.astype(np.float32)
    assert (Q @ to(narrow)).dtype == np.float32 and (Q @ to(x)).dtype == np.float64
    assert_allclose((Q @ to(narrow)).get(), matrix @ narrow, atol=1e-4)
    assert_allclose(Q.apply(to(narrow), alpha=0.5).get(), 0.5 * (matrix @ narrow), atol=1e-4)
    whole = np.arange(1500, dtype=np.int32) % 9
    assert_allclose((P @ to(whole)).get(), matrix @ whole, atol=1e-10)
    with pytest.raises(TypeError, match="complex"):
        P @ to(x.astype(complex))


def test_new_values(matrix, x, u, to, rng):
    A = matrix.copy()
    P = sparsecast.plan(A, device=DEVICE)
    P.T @ to(u)
    X = rng.standard_normal((1500, 4))
    P @ to(X)
    values = rng.standard_normal(A.nnz)
    P.update_values(to(values))
    B = sp.csr_array((values, A.indices, A.indptr), shape=A.shape)
    assert_allclose((P @ to(x)).get(), B @ x, atol=1e-12)
    assert_allclose((P.T @ to(u)).get(), B.T @ u, atol=1e-12)
    assert_allclose((P @ to(X)).get(), B @ X, atol=1e-12)
    assert_allclose(P @ x, B @ x, atol=1e-12)


def test_threads(cl, context, P, matrix, x):
    wrong = []

    def many(k):
        queue = cl.CommandQueue(context)
        v = cl.array.to_device(queue, k * x)
        for turn in range(20):
            y = (P if turn % 3 else P.T.T) @ v
            if not np.allclose(y.get(), k * (matrix @ x), atol=1e-10):
                wrong.append(k)

    workers = [threading.Thread(target=many, args=(k,)) for k in range(1, 5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_what_does_not_fit_is_refused(cl, P, matrix, x, u, to, queue):
    here = sparsecast.plan(matrix)
    for wrong in (lambda: here @ to(x), lambda: here.apply(to(x)), lambda: here.update_values(to(matrix.data))):
        with pytest.raises(TypeError, match="plan on host"):
            wrong()
    for wrong in (
        lambda: P @ to(x[:100]),
        lambda: P @ to(np.ones((1500, 2, 2))),
        lambda: P.apply(to(x), out=cl.array.empty(queue, 7, np.float64)),
        lambda: P.apply(to(x), out=cl.array.empty(queue, 2000, np.float32)),
        lambda: P.apply(to(x), beta=1),
        lambda: P.update_values(to(x)),
        lambda: P @ to(x).with_queue(None),
    ):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="give both of the same kind"):
        P.apply(to(x), out=np.empty(2000))
    with pytest.raises(TypeError):
        P.apply(x, out=to(u))
    square = sparsecast.plan(sp.eye_array(50, format="csr"), device=DEVICE)
    v = to(np.ones(100))
    with pytest.raises(ValueError, match="overlap"):
        square.apply(v[:50], out=v[25:75])
    square.apply(v[:50], out=v[50:])
    V = to(np.arange(400.0).reshape(50, 8))
    with pytest.raises(ValueError, match="overlap"):
        square.apply(V[:, :3], out=V[:, 2:5])
    square.apply(V[:, :3], out=V[:, 3:6], alpha=np.float32(2))
    assert_allclose(V.get()[:, 3:6], 2 * V.get()[:, :3])
    assert_allclose(V.get()[:, 6:], np.arange(400.0).reshape(50, 8)[:, 6:])
    for value in (2j, np.complex64(2), np.array(1j)):
        with pytest.raises(TypeError, match="alpha and beta are complex"):
            square.apply(v[:50], alpha=value)


def test_small_and_empty_ones(cl, to, queue):
    for shape in ((1, 1), (1, 5), (5, 1), (3, 7)):
        A = sp.csr_array(shape)
        P = sparsecast.plan(A, device=DEVICE)
        assert_allclose((P @ to(np.ones(shape[1]))).get(), np.zeros(shape[0]))
        assert_allclose((P.T @ to(np.ones(shape[0]))).get(), np.zeros(shape[1]))
    B = sp.csr_array(np.array([[2.0]]))
    assert_allclose((sparsecast.plan(B, device=DEVICE) @ to(np.ones(1))).get(), [2])


# The page for CuPy, with OpenCL's arrays for its own.


class _Diags:
    """A matrix that lies elsewhere, as CuPy's does."""

    def __init__(self, *arguments, **named):
        self._here = sp.diags(*arguments, **named)
        self.shape = self._here.shape

    def get(self):
        return self._here

    def tocsr(self):
        return self


_Diags.__module__ = "cupyx.scipy.sparse._csr"


def test_the_page_runs(cl, queue, monkeypatch):
    arrays = cl.array
    dot = lambda u, v: float(u.get() @ v.get())  # pyopencl's own needs a library more

    def cg(P, b):
        x, r = arrays.zeros_like(b), b.copy()
        p, rr = r.copy(), dot(r, r)
        for _ in range(1000):
            q = P.matvec(p)
            a = rr / dot(p, q)
            x, r = x + a * p, r - a * q
            rr, old = dot(r, r), rr
            if rr < 1e-20 * dot(b, b):
                return x, 0
            p = r + (rr / old) * p
        return x, 1

    cupy = types.SimpleNamespace(
        ones=lambda n: arrays.to_device(queue, np.ones(n)),
        linalg=types.SimpleNamespace(norm=lambda v: dot(v, v) ** 0.5),
    )
    for name, module in {
        "cupy": cupy,
        "cupyx": types.SimpleNamespace(),
        "cupyx.scipy": types.SimpleNamespace(),
        "cupyx.scipy.sparse": types.SimpleNamespace(diags=_Diags),
        "cupyx.scipy.sparse.linalg": types.SimpleNamespace(cg=cg),
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    page = ROOT / "docs" / "how-to" / "gpu.md"
    (program,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    assert len([line for line in program.splitlines() if line]) <= 12
    exec(compile(program.replace("cuda:0", DEVICE), str(page), "exec"), {"__name__": "page"})


@pytest.mark.slow  # test-app's GpuCampaign has its stages with a command that stands in
def test_the_campaign_is_rehearsed(cl, tmp_path):
    command = Path(sys.executable).parent / "sparsecast"
    words = [sys.executable, ROOT / "scripts" / "gpu-campaign", "--rehearse", "--stages", "arrays,speed,powers"]
    words += ["--python", sys.executable, "--command", command, "--output", tmp_path / "out"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for stage in ("arrays", "speed", "powers"):
        told = json.loads((tmp_path / "out" / f"{stage}.json").read_text())
        assert told["stage"] == stage and told["done"] and told["wrong"] == [] and told["cases"], told
    before = (tmp_path / "out" / "campaign.log").read_text().count("\n")
    assert subprocess.run(words, capture_output=True).returncode == 0
    assert (tmp_path / "out" / "campaign.log").read_text().count("\n") == before + 1


# PyTorch's tensors of the CPU. It brings some gigabytes along: these run where it is installed.


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def test_tensors(torch, matrix, x, u, rng):
    P, X, t = sparsecast.plan(matrix), rng.standard_normal((1500, 3)), torch.from_numpy
    for y, expected in (
        (P @ t(x), matrix @ x),
        (P.T @ t(u), matrix.T @ u),
        (P.H @ t(u), matrix.T @ u),
        (P @ t(X), matrix @ X),
        (P @ t(np.asfortranarray(X)), matrix @ X),
        (P @ t(np.repeat(x, 2))[::2], matrix @ x),
        (P.rmatvec(t(u)), matrix.T @ u),
        (P.apply(t(x), alpha=2), 2 * (matrix @ x)),
    ):
        assert isinstance(y, torch.Tensor) and y.dtype == torch.float64
        assert_allclose(y.numpy(), expected, atol=1e-12)
    y = torch.full((2000,), float("nan"), dtype=torch.float64)
    assert P.apply(t(x), out=y) is y
    assert_allclose(y.numpy(), matrix @ x, atol=1e-12)
    with pytest.raises(TypeError):
        P.apply(t(x), out=np.empty(2000))
    with pytest.raises(ValueError):
        P @ t(x[:7])


def test_types_of_tensors(torch, matrix, x):
    double, single = sparsecast.plan(matrix), sparsecast.plan(matrix.astype(np.float32))
    t = torch.from_numpy(x)
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32, torch.int64, torch.bool):
        v = t.to(kind)
        for P, own in ((double, torch.float64), (single, torch.float32)):
            wanted = torch.promote_types(own, kind)
            y, values = P @ v, matrix.astype(np.float32 if own is torch.float32 else np.float64)
            assert y.dtype == wanted, (kind, own)
            expected = values.astype(float) @ v.to(torch.float64).numpy()
            assert_allclose(y.numpy(), expected, atol=1e-3 if wanted is torch.float32 else 1e-12)
    assert (double @ t.to(torch.complex64)).dtype == torch.complex128


def test_gradients(torch, matrix, x, u):
    P, v = sparsecast.plan(matrix), torch.from_numpy(x).requires_grad_()
    ((P @ v) * torch.from_numpy(u)).sum().backward()
    assert_allclose(v.grad.numpy(), matrix.T @ u, atol=1e-12)
    v = torch.from_numpy(x.astype(np.float32)).requires_grad_()
    (P @ v).sum().backward()
    assert v.grad.dtype == torch.float32
    small = sparsecast.plan(matrix[:20, :30].tocsr())
    z = torch.from_numpy(x[:30]).requires_grad_()
    assert torch.autograd.gradcheck(lambda w: small @ w, (z,)) and torch.autograd.gradcheck(
        lambda w: (small @ w) ** 2, (z,)
    )
    assert torch.autograd.gradgradcheck(lambda w: (small @ w) ** 2, (z,))
    B = (matrix[:20, :30] * (1 + 2j)).tocsr()
    c = torch.from_numpy(x[:30] + 1j * x[30:60]).requires_grad_()
    Q = sparsecast.plan(B)
    assert torch.autograd.gradcheck(lambda w: Q @ w, (c,))
    with torch.no_grad():
        assert not (P @ torch.from_numpy(x).requires_grad_()).requires_grad
    with pytest.raises(ValueError, match="gradient"):
        P.apply(torch.from_numpy(x).requires_grad_())


def test_values_of_a_tensor(torch, matrix, x):
    P = sparsecast.plan(matrix.copy())
    P.update_values(torch.from_numpy(2 * matrix.data))
    assert_allclose(P @ x, 2 * (matrix @ x), atol=1e-12)


# JAX's arrays of the CPU, where it is installed.


def test_arrays_of_jax(matrix, x, u):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    from jax.experimental.sparse import BCSR

    to = jax.numpy.asarray
    P = sparsecast.plan(matrix)
    for y, expected in (
        (P @ to(x), matrix @ x),
        (P.T @ to(u), matrix.T @ u),
        (P.apply(to(x), alpha=2), 2 * (matrix @ x)),
    ):
        assert isinstance(y, jax.Array) and y.dtype == np.float64
        assert_allclose(np.asarray(y), expected, atol=1e-12)
    Q = sparsecast.plan(BCSR((to(matrix.data), to(matrix.indices), to(matrix.indptr)), shape=matrix.shape))
    assert_allclose(Q @ x, matrix @ x, atol=1e-12)
    Q.update_values(to(2 * matrix.data))
    assert_allclose(np.asarray(Q @ to(x)), 2 * (matrix @ x), atol=1e-12)
    assert_allclose(jax.jit(lambda v: 2 * (P @ v))(to(x)), 2 * (matrix @ x), atol=1e-12)
    assert_allclose(jax.grad(lambda v: (P @ v) @ to(u))(to(x)), matrix.T @ u, atol=1e-12)
    assert_allclose(
        jax.jit(jax.grad(lambda v: ((P.T @ v) ** 2).sum()))(to(u)), 2 * (matrix @ (matrix.T @ u)), atol=1e-11
    )
    X = np.stack([x, -x, 2 * x])
    assert_allclose(jax.vmap(lambda v: P @ v)(to(X)), (matrix @ X.T).T, atol=1e-12)
    with pytest.raises(TypeError, match="jit or grad"):
        jax.jit(lambda v: P.apply(v))(to(x))
    with pytest.raises(TypeError, match="never written"):
        P.apply(to(x), out=to(u))
