"""What the programs of this folder share: one line of JSON for each case, a limit of time, a matrix, and the libraries
whose arrays lie on a device, each as the few words that a case needs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import nullcontext

import numpy as np
import scipy.sparse as sp


def options(text):
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--seconds", type=float, default=90, help="no case is begun after so long")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--skip", default="", help="cases that are done already, by their names, with commas")
    return parser.parse_args()


class Cases:
    def __init__(self, asked):
        self.end = time.monotonic() + asked.seconds
        self.skipped = set(asked.skip.split(","))
        self.late = False

    def run(self, name, case):
        """`case()` gives whether it holds, or a dictionary of what it found with "ok" among it."""
        if name in self.skipped:
            return
        if time.monotonic() > self.end:
            self.late = True
            return
        begun = time.monotonic()
        try:
            found = case()
            found = found if isinstance(found, dict) else {"ok": bool(found)}
        except Exception as error:  # a case that fails says so, and the others run
            found = {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({"case": name, **found, "took_s": round(time.monotonic() - begun, 3)}), flush=True)

    def exit(self):
        sys.exit(3 if self.late else 0)


def matrix(rows, cols=None, mean=8, seed=5):
    """Rows of Poisson's lengths, columns at random."""
    rng, cols = np.random.default_rng(seed), cols or rows
    indptr = np.concatenate([[0], np.cumsum(rng.poisson(mean, rows))]).astype(np.int32)
    indices = rng.integers(0, cols, indptr[-1], dtype=np.int32)
    A = sp.csr_array((rng.standard_normal(indptr[-1]), indices, indptr), shape=(rows, cols))
    A.sum_duplicates()
    return A


def near(y, expected):
    y = np.asarray(y)
    eps = 1e-4 if y.dtype in (np.float32, np.complex64) else 1e-11
    return y.shape == expected.shape and bool(np.allclose(y, expected, rtol=0, atol=eps * (abs(expected).max() or 1)))


def seconds_each(product, finish, times=50):
    product(), finish()
    begun = time.perf_counter()
    for _ in range(times):
        product()
    finish()
    return (time.perf_counter() - begun) / times


class PyOpenCl:
    name = "pyopencl"

    def __init__(self, device):
        import pyopencl as cl
        import pyopencl.array as arrays

        devices = [d for platform in cl.get_platforms() for d in platform.get_devices()]
        self.cl, self.arrays = cl, arrays
        self.device = devices[int(device.partition(":")[2])]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)

    def to(self, values):
        return self.arrays.to_device(self.queue, values)

    def empty(self, shape, dtype=np.float64):
        return self.arrays.empty(self.queue, shape, dtype)

    def get(self, array):
        return array.get()

    def finish(self):
        self.queue.finish()

    def is_own(self, array):
        return isinstance(array, self.arrays.Array) and array.queue.int_ptr == self.queue.int_ptr

    def another_queue(self):
        """Of the same library, in a queue of its own."""
        other = PyOpenCl.__new__(PyOpenCl)
        other.__dict__.update(self.__dict__)
        other.queue = self.cl.CommandQueue(self.context)
        return nullcontext(other)

    def held_up(self, x, value):
        """Queues that x is filled with a value, behind something that lasts; gives what lets it go on."""
        gate = self.cl.UserEvent(self.context)
        self.cl.enqueue_barrier(self.queue, wait_for=[gate])
        x.fill(value)
        return lambda: gate.set_status(self.cl.command_execution_status.COMPLETE)

    def matrices(self, A):
        return {}


class CuPy:
    name = "CuPy"

    def __init__(self, device):
        import cupy

        self.cupy = cupy
        cupy.cuda.Device(int(device.partition(":")[2])).use()

    def to(self, values):
        return self.cupy.asarray(values, order="A")

    def empty(self, shape, dtype=np.float64):
        return self.cupy.empty(shape, dtype)

    def get(self, array):
        return array.get()

    def finish(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def is_own(self, array):
        return isinstance(array, self.cupy.ndarray)

    def another_queue(self):
        return _within(self, self.cupy.cuda.Stream(non_blocking=True))

    def held_up(self, x, value):
        spin = self.cupy.RawKernel(
            'extern "C" __global__ void spin(long long n) { long long s = clock64(); while (clock64() - s < n); }',
            "spin",
        )
        spin((1,), (1,), (np.int64(1),))  # compiled
        spin((1,), (1,), (np.int64(1_500_000_000),))
        x.fill(value)
        return lambda: None

    def matrices(self, A):
        from cupyx.scipy.sparse import csr_matrix

        return {"cupyx csr_matrix": csr_matrix(sp.csr_matrix(A))}


class Torch:
    name = "PyTorch"

    def __init__(self, device):
        import torch

        self.torch = torch
        self.on = torch.device(device)
        torch.zeros(1, device=self.on)

    def to(self, values):
        by_columns = values.ndim == 2 and not values.flags.c_contiguous
        if by_columns:
            return self.torch.from_numpy(np.ascontiguousarray(values.T)).to(self.on).t()
        return self.torch.from_numpy(values).to(self.on)

    def empty(self, shape, dtype=np.float64):
        return self.torch.empty(
            shape, dtype=self.torch.float64 if dtype == np.float64 else self.torch.float32, device=self.on
        )

    def get(self, array):
        return array.detach().cpu().numpy()

    def finish(self):
        self.torch.cuda.current_stream().synchronize()

    def is_own(self, array):
        return isinstance(array, self.torch.Tensor) and array.device.type == self.on.type

    def another_queue(self):
        return _within(self, self.torch.cuda.stream(self.torch.cuda.Stream()))

    def held_up(self, x, value):
        self.torch.cuda._sleep(1_500_000_000)
        x.fill_(value)
        return lambda: None

    def matrices(self, A):
        parts = map(self.torch.from_numpy, (A.indptr, A.indices, A.data))
        return {"torch sparse_csr_tensor": self.torch.sparse_csr_tensor(*parts, size=A.shape).to(self.on)}


class Jax:
    name = "JAX"

    def __init__(self, device):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the others need memory too
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax = jax
        self.on = jax.devices("gpu")[int(device.partition(":")[2])]

    def to(self, values):
        return self.jax.device_put(values, self.on)

    def get(self, array):
        return np.asarray(array)

    def finish(self):
        pass  # every product is waited for

    def is_own(self, array):
        return isinstance(array, self.jax.Array)

    def matrices(self, A):
        from jax.experimental.sparse import BCSR

        return {"BCSR": BCSR(tuple(map(self.to, (A.data, A.indices, A.indptr))), shape=A.shape)}


class _within:
    """A library whose current stream is another one for a while."""

    def __init__(self, library, stream):
        self.library, self.stream = library, stream

    def __enter__(self):
        self.stream.__enter__()
        return self.library

    def __exit__(self, *error):
        return self.stream.__exit__(*error)


def libraries(device):
    """Those that are here and see the device; and those that are not, with why."""
    here, missing = [], {}
    for kind in [PyOpenCl] if device.startswith("opencl") else [CuPy, Torch, Jax]:
        try:
            here.append(kind(device))
        except Exception as error:
            missing[kind.name] = f"{type(error).__name__}: {error}"[:200]
    return here, missing
