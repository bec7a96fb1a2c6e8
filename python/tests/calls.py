"""What is public and takes a matrix A, its plan P or a vector x, for tests that call all of it somewhere hostile: in a child
of fork(), beside another that forks, without memory."""

import pickle

import numpy as np
import scipy.sparse as sp

import sparsecast

CALLS = {
    "its parent's plan": lambda A, P, x: P @ x,
    "its parent's plan, transposed": lambda A, P, x: P.T @ (A @ x),
    "its parent's plan, a block": lambda A, P, x: P @ np.stack([x, 2 * x], axis=1),
    "new values": lambda A, P, x: (P.update_values(2 * A.data), P.verify(), P @ x)[-1],
    "vectors of another type": lambda A, P, x: P @ (x + 1j),
    "plan": lambda A, P, x: sparsecast.plan(A) @ x,
    "plan(threads=1)": lambda A, P, x: sparsecast.plan(A, threads=1) @ x,
    "plan(threads=8)": lambda A, P, x: sparsecast.plan(A, threads=8) @ x,
    "plan(csc)": lambda A, P, x: sparsecast.plan(A.tocsc()) @ x,
    "plan(kernel)": lambda A, P, x: sparsecast.plan(A, kernel="sell", threads=2) @ x,
    "plan(storage)": lambda A, P, x: sparsecast.plan(A, storage="single") @ x,
    "plan(vectors)": lambda A, P, x: sparsecast.plan(A, vectors=8) @ x,
    "plan(few products)": lambda A, P, x: sparsecast.plan(A, iterations=5) @ x,
    "plan(trials=2)": lambda A, P, x: sparsecast.plan(A, trials=2) @ x,
    "plan(trials='online')": lambda A, P, x: sparsecast.plan(A, trials="online") @ x,
    "a pickle": lambda A, P, x: pickle.loads(pickle.dumps(P)) @ x,
    "forecast": lambda A, P, x: len(sparsecast.forecast(A)),
    "plan_report": lambda A, P, x: sparsecast.plan_report(A)["matrix"]["nonzeros"],
    "structure": lambda A, P, x: sparsecast.structure(A)["nonzeros"],
    "measure": lambda A, P, x: len(sparsecast.measure(A, kernels=["csr"])),
    "solve.cg": lambda A, P, x: sparsecast.solve.cg(sp.eye_array(2000, format="csr"), np.ones(2000))[0],
    "devices": lambda A, P, x: any(one["device"] == "host" for one in sparsecast.devices()),
}
