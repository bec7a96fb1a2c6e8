"""Arrays of other libraries on a device, multiplied by a plan: one line of JSON a case. The stage
`arrays` of scripts/gpu-campaign."""

from __future__ import annotations

import inspect
import threading
import time

import numpy as np
import sparsecast
from cases import Cases, libraries, matrix, near, options, seconds_each

asked = options(__doc__)
cases = Cases(asked)
here, missing = libraries(asked.device)
cases.run("libraries", lambda: {"ok": bool(here), "here": [one.name for one in here], "missing": missing})

rng = np.random.default_rng(7)
A = matrix(asked.rows, asked.rows * 2 // 3)
m, n = A.shape
x, u, X = rng.standard_normal(n), rng.standard_normal(m), rng.standard_normal((n, 8))
P = sparsecast.plan(A, device=asked.device)
cases.run("NumPy", lambda: isinstance(P @ x, np.ndarray) and near(P @ x, A @ x) and near(P.T @ u, A.T @ u))


def product(lib):
    y = P @ lib.to(x)
    return lib.is_own(y) and near(lib.get(y), A @ x)


def transposed(lib):
    y = P.T @ lib.to(u)
    return lib.is_own(y) and near(lib.get(y), A.T @ u)


def held(lib):
    y = rng.standard_normal(m)
    out = lib.to(y)
    same = P.apply(lib.to(x), out=out, alpha=2, beta=-3) is out
    back = lib.to(x)
    P.apply(lib.to(u), out=back, transposed=True)
    return same and near(lib.get(out), 2 * (A @ x) - 3 * y) and near(lib.get(back), A.T @ u)


def blocks(lib):
    by_rows, by_columns, one = lib.to(X), lib.to(np.asfortranarray(X)), lib.to(x)
    Y, Z = P @ by_rows, P @ by_columns
    ok = lib.is_own(Y) and near(lib.get(Y), A @ X) and near(lib.get(Z), A @ X)
    each = {
        "one_s": seconds_each(lambda: P @ one, lib.finish),
        "eight_s": seconds_each(lambda: P @ by_rows, lib.finish),
    }
    return {"ok": ok, **each, "eight_of_one_over_eight": 8 * each["one_s"] / each["eight_s"]}


def gaps(lib):
    wide = np.repeat(x, 2)
    return near(lib.get(P @ lib.to(wide)[::2]), A @ x) and near(lib.get(P @ lib.to(X)[:, 3]), A @ X[:, 3])


def single(lib):
    B = A.astype(np.float32)
    Q = sparsecast.plan(B, device=asked.device)
    y, z = Q @ lib.to(x.astype(np.float32)), Q @ lib.to(x)
    return lib.get(y).dtype == np.float32 and near(lib.get(y), B @ x.astype(np.float32)) and near(lib.get(z), B @ x)


def renewed(lib):
    B = A.copy()
    Q = sparsecast.plan(B, device=asked.device)
    Q.T @ lib.to(u)
    C = A.copy()
    C.data = rng.standard_normal(A.nnz)
    Q.update_values(lib.to(C.data))
    return near(lib.get(Q @ lib.to(x)), C @ x) and near(lib.get(Q.T @ lib.to(u)), C.T @ u)


def refused(lib):
    for wrong in (
        lambda: sparsecast.plan(A) @ lib.to(x),
        lambda: P @ lib.to(u),
        lambda: P.apply(lib.to(x), out=np.empty(m)),
    ):
        try:
            wrong()
            return False
        except (TypeError, ValueError):
            pass
    return True


def in_order(lib):
    """x is filled behind something that lasts: the call is back before, and the product is of what was filled."""
    v = lib.to(np.zeros(n))
    P @ v
    lib.finish()
    go_on = lib.held_up(v, 2.0)
    begun = time.perf_counter()
    y = P @ v
    call_s = time.perf_counter() - begun
    go_on()
    lib.finish()
    whole_s = time.perf_counter() - begun
    return {
        "ok": near(lib.get(y), A @ np.full(n, 2.0)) and (call_s < 0.5 * whole_s or call_s < 0.01),
        "call_s": call_s,
        "whole_s": whole_s,
    }


def at_once(lib):
    """Four threads, with a queue each."""
    bad = []

    def many(k):
        try:
            with lib.another_queue() as own:
                v, expected = own.to(x * k), A @ (x * k)
                own.finish()
                for _ in range(25):
                    y = P @ v
                    own.finish()
                    if not near(own.get(y), expected):
                        bad.append(k)
        except Exception as error:
            bad.append(f"{type(error).__name__}: {error}"[:200])

    threads = [threading.Thread(target=many, args=(k + 1,)) for k in range(4)]
    [one.start() for one in threads]
    [one.join(60) for one in threads]
    return {"ok": not bad, "bad": bad[:3]}


def matrices(lib):
    kinds = lib.matrices(A)
    return {
        "ok": all(near(lib.get(sparsecast.plan(B, device=asked.device) @ lib.to(x)), A @ x) for B in kinds.values()),
        "kinds": list(kinds),
    }


def speed(lib):
    """A product, as its caller waits for it: with arrays that stay, with NumPy's, and by the library itself."""
    v = lib.to(x)
    out = None if lib.name == "JAX" else lib.empty(m)
    found = {
        "kernel": P.kernel,
        "stays_s": seconds_each(lambda: P @ v, lib.finish),
        "NumPy_s": seconds_each(lambda: P @ x, lib.finish, 5),
    }
    if out is not None:
        found["apply_s"] = seconds_each(lambda: P.apply(v, out=out), lib.finish)
    for kind, B in lib.matrices(A).items():
        found[f"{kind}_s"] = seconds_each(lambda B=B: B @ v, lib.finish)
    return {"ok": True, **found}


def gradient(lib):
    v = lib.to(x).requires_grad_()
    ((P @ v) * lib.to(u)).sum().backward()
    return near(lib.get(v.grad), A.T @ u)


def tolerance_of(solver):
    """The name of its relative tolerance: CuPy 14 renamed `tol`, as SciPy did."""
    return "rtol" if "rtol" in inspect.signature(solver).parameters else "tol"


def solved(lib):
    from cupyx.scipy.sparse.linalg import cg

    B = matrix(20_000)
    S = (B @ B.T).tocsr()
    S.setdiag(S.diagonal() + 10)
    b = np.ones(20_000)
    found, info = cg(sparsecast.plan(S, device=asked.device), lib.to(b), **{tolerance_of(cg): 1e-8})
    return info == 0 and bool(np.linalg.norm(S @ lib.get(found) - b) < 1e-6 * np.linalg.norm(b))


of_all = (product, transposed, held, blocks, gaps, single, renewed, refused, in_order, at_once, matrices, speed)
for lib in here:
    for case in of_all:
        if lib.name == "JAX" and case in (held, in_order, at_once):  # which has neither out= nor queues
            continue
        cases.run(f"{lib.name}: {case.__name__}", lambda case=case, lib=lib: case(lib))
    if lib.name == "PyTorch":
        cases.run("PyTorch: gradient", lambda lib=lib: gradient(lib))
    if lib.name == "CuPy":
        cases.run("CuPy: cg", lambda lib=lib: solved(lib))
cases.exit()
