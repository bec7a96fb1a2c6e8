"""Arrays of other libraries as vectors: PyTorch's, CuPy's, JAX's and pyopencl's are multiplied where they lie, in the
order of their own queues, and what comes back is of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._errors import UsageError
from ._text import factors

if TYPE_CHECKING:
    from ._plan import Plan, _Operator

__all__ = ["library_of"]


class _Queue(NamedTuple):
    """Where a product goes: the numbers of a context (0 with CUDA) and of a queue or stream."""

    context: int
    number: int


def library_of(x: Any) -> _Library | None:
    """The library that an array is of; None for NumPy's and for all that is no array of those above."""
    kind = type(x)
    try:
        return _known[kind]
    except KeyError:
        found = None
        for base in kind.__mro__:
            root = base.__module__.partition(".")[0]
            if root in _LIBRARIES:
                library = _made.get(root) or _made.setdefault(root, _LIBRARIES[root]())
                found = library if library.has(x) else None
                break
        _known[kind] = found
        return found


class _Library:
    """What is told of one library's arrays. Those on a device of a plan's go the way of this class; those in the host's
    memory become NumPy's, which share it."""

    name = ""
    addresses = False  # memory is named by addresses of one space, not by a number of its own

    def has(self, x: Any) -> bool:
        """Whether an object of the library is an array."""
        raise NotImplementedError

    def device(self, x: Any) -> str:
        """Where it lies, by the names of plan(); "opencl" without a number where its context tells that."""
        raise NotImplementedError

    def dtype(self, x: Any) -> np.dtype:
        """NumPy's name of its type."""
        return np.dtype(x.dtype)

    def converted(self, x: Any, dtype: np.dtype) -> Any:
        return x.astype(dtype)

    def promoted(self, op: _Operator, x: Any) -> Any:
        """In the type that the library promotes the plan's values and these to, where NumPy's is another."""
        return x

    def strides(self, x: Any) -> tuple[int, ...]:
        """In bytes."""
        return tuple(x.strides)

    def memory(self, x: Any) -> tuple[int, int]:
        """Its number, and the bytes from there to the first entry."""
        raise NotImplementedError

    def compact(self, x: Any) -> Any:
        """A copy without gaps."""
        raise NotImplementedError

    def empty(self, like: Any, shape: tuple[int, ...], dtype: np.dtype, by_columns: bool) -> Any:
        raise NotImplementedError

    def queue(self, multiplier: Any, x: Any) -> _Queue:
        """That of the caller, made to wait for what x waits for."""
        raise NotImplementedError

    def queued(self, multiplier: Any, x: Any, y: Any) -> None:
        """After y was queued."""

    def to_host(self, x: Any) -> np.ndarray:
        raise NotImplementedError

    def from_host(self, like: Any, y: np.ndarray) -> Any:
        raise NotImplementedError

    # What is the same for all.

    def product(self, op: _Operator, x: Any, adjoint: bool) -> Any:
        """``op @ x``, or with the conjugate transpose."""
        x = self.promoted(op, x)
        if self.device(x) == "host":
            return self.from_host(x, self._of_host(op, self.to_host(x), adjoint))
        self._expect(op, x)
        transposed = op._by_transpose != adjoint
        rows = op.shape[1] if adjoint else op.shape[0]
        return self._there(op, x, None, rows, 1.0, 0.0, transposed)

    def apply(self, plan: Plan, x: Any, out: Any, alpha: Any, beta: Any, transposed: bool) -> Any:
        if out is not None and library_of(out) is not self:
            raise TypeError(f"x is an array of {self.name} and out of {type(out).__name__}: give both of the same kind")
        x = self.promoted(plan, x) if out is None else x
        if self.device(x) == "host" and (out is None or self.device(out) == "host"):
            y = plan.apply(
                self.to_host(x), None if out is None else self.writable(out), alpha, beta, transposed=transposed
            )
            return self.from_host(x, y) if out is None else out
        alpha, beta = factors(alpha, beta, False)
        self._expect(plan, x)
        if out is None and beta != 0:
            raise UsageError("beta needs an array out, which is missing")
        rows = plan.shape[1] if transposed else plan.shape[0]
        return self._there(plan, x, out, rows, alpha.real, beta.real, transposed)

    def values(self, plan: Plan, data: Any) -> np.ndarray:
        """New values, in the host's memory, where conversions begin."""
        if self.device(data) != "host":
            self._expect(plan, data)
        return self.to_host(data)

    def writable(self, out: Any) -> np.ndarray:
        return self.to_host(out)

    @staticmethod
    def _of_host(op: _Operator, x: np.ndarray, adjoint: bool) -> np.ndarray:
        if not adjoint:
            return op @ x
        return op.rmatvec(x) if x.ndim == 1 else op.rmatmat(x)

    def _expect(self, op: _Operator, x: Any) -> None:
        """Refuses arrays that are not where the plan is."""
        there, here = self.device(x), op._multiplier.device
        if there == here or (there == "opencl" and here.startswith("opencl:")):
            return
        wanted = "opencl:0" if there == "opencl" else there
        raise TypeError(
            f"the array of {self.name} is on {there} and the plan on {here}: sparsecast.plan(A, device={wanted!r}) "
            "makes one for it"
        )

    def _told(self, x: Any, itemsize: int) -> tuple[Any, tuple[int, ...]]:
        """The array, or a copy without gaps where strides are none of whole entries; and what the library is told."""
        strides = self.strides(x)
        memory, offset = self.memory(x)
        if offset % itemsize or any(s <= 0 or s % itemsize for s, n in zip(strides, x.shape, strict=True) if n > 1):
            x = self.compact(x)
            strides = self.strides(x)
            memory, offset = self.memory(x)
        steps = [max(1, s // itemsize) for s in strides]
        vectors = x.shape[1] if len(steps) == 2 else 1
        told = (memory, offset // itemsize, x.shape[0], vectors, steps[0], steps[1] if len(steps) == 2 else 1)
        return x, told

    def _there(self, op: _Operator, x: Any, out: Any, rows: int, alpha: float, beta: float, transposed: bool) -> Any:
        columns = op.shape[0] + op.shape[1] - rows
        if len(x.shape) not in (1, 2) or x.shape[0] != columns:
            raise UsageError(f"x has the shape {tuple(x.shape)}, and the product takes {columns} entries or rows")
        own = self.dtype(x)
        if own.kind not in "fiub":
            raise TypeError(f"values of type {own} are not multiplied on {op._multiplier.device}")
        dtype, multiplier = op._for(own if out is None else self.dtype(out))
        if own != dtype:
            x = self.converted(x, dtype)
        shape = (rows, *tuple(x.shape)[1:])
        if out is None:
            strides = self.strides(x)
            by_columns = len(strides) == 2 and strides[0] < strides[1]
            out = self.empty(x, shape, dtype, by_columns)
        else:
            self._expect(op, out)
            if self.dtype(out) != dtype:
                raise UsageError(f"out is of type {self.dtype(out)}, and the plan's products are of {dtype}")
            if tuple(out.shape) != shape:
                raise UsageError(f"out has the shape {tuple(out.shape)}, and the product {shape}")
        size = dtype.itemsize
        x, from_ = self._told(x, size)
        y, to = self._told(out, size)
        if y is not out:
            raise UsageError("out has gaps that are not between its entries, rows or columns")
        if self._overlap(from_, to, size):
            raise UsageError("x and out overlap; give out memory of its own")
        if rows and shape[-1]:
            context, queue = self.queue(multiplier, x)
            multiplier.apply_there(from_, to, alpha, beta, transposed, context, queue)
            self.queued(multiplier, x, out)
        return out

    def _overlap(self, x: tuple[int, ...], y: tuple[int, ...], size: int) -> bool:
        """Whether one begins before the other ends, in the same memory, and is not between its rows or columns."""
        if not self.addresses and x[0] != y[0]:
            return False
        begin = [v[0] * self.addresses + v[1] * size for v in (x, y)]
        ends = [
            first + ((max(1, v[2]) - 1) * v[4] + (max(1, v[3]) - 1) * v[5] + 1) * size
            for v, first in zip((x, y), begin, strict=True)
        ]
        apart = 0 in (x[0], y[0]) or begin[0] >= ends[1] or begin[1] >= ends[0]
        return not apart and not _interleaved(x, y, begin[1] - begin[0], size)


def _interleaved(x: tuple[int, ...], y: tuple[int, ...], between: int, size: int) -> bool:
    """Whether the runs of one lie in the gaps of the other, as told by _told(), `between` bytes behind it."""
    if x[4:] != y[4:] or 1 not in x[4:] or between % size:
        return False
    run, step = (3, x[4]) if x[5] == 1 else (2, x[5])
    between = between // size % step
    return between >= x[run] and between + y[run] <= step


class _PyOpenCl(_Library):
    name = "pyopencl"

    def __init__(self) -> None:
        import pyopencl
        import pyopencl.array

        self._cl, self._array = pyopencl, pyopencl.array

    def has(self, x: Any) -> bool:
        return isinstance(x, self._array.Array)

    def device(self, x: Any) -> str:
        return "opencl"

    def memory(self, x: Any) -> tuple[int, int]:
        if x.base_data is None:
            return 0, 0
        if not isinstance(x.base_data, self._cl.MemoryObject) and not hasattr(x.base_data, "int_ptr"):
            raise TypeError("arrays in shared virtual memory are not supported: create them with pyopencl's buffers")
        return x.base_data.int_ptr, x.offset

    def compact(self, x: Any) -> Any:
        self._refuse_gaps(x)
        return x.copy()

    def converted(self, x: Any, dtype: np.dtype) -> Any:
        self._refuse_gaps(x)
        return x.astype(dtype, self._queue(x))

    @staticmethod
    def _refuse_gaps(x: Any) -> None:
        if not x.flags.forc:
            raise UsageError(
                "pyopencl cannot copy an array with gaps, and this one must be copied: give it without gaps"
            )

    def empty(self, like: Any, shape: tuple[int, ...], dtype: np.dtype, by_columns: bool) -> Any:
        self._queue(like)
        order = "F" if by_columns else "C"
        return self._array.empty(like.queue, shape, dtype, order=order, allocator=like.allocator)

    def queue(self, multiplier: Any, x: Any) -> _Queue:
        queue = self._queue(x)
        if x.events:  # of queues that are not this one, too
            self._cl.enqueue_barrier(queue, wait_for=x.events)
        return _Queue(x.context.int_ptr, queue.int_ptr)

    def queued(self, multiplier: Any, x: Any, y: Any) -> None:
        y.add_event(self._cl.enqueue_marker(x.queue))

    def to_host(self, x: Any) -> np.ndarray:
        return x.get(self._queue(x))

    def _queue(self, x: Any) -> Any:
        if x.queue is None:
            raise UsageError("the array has no queue to multiply in: use array.with_queue(queue)")
        return x.queue


class _Cuda(_Library):
    """Of libraries whose arrays are addresses of CUDA's."""

    addresses = True


class _CuPy(_Cuda):
    name = "CuPy"

    def __init__(self) -> None:
        import cupy

        self._cupy = cupy

    def has(self, x: Any) -> bool:
        return isinstance(x, self._cupy.ndarray)

    def device(self, x: Any) -> str:
        return f"cuda:{x.device.id}"

    def memory(self, x: Any) -> tuple[int, int]:
        return x.data.ptr, 0

    def compact(self, x: Any) -> Any:
        return self._cupy.ascontiguousarray(x)

    def empty(self, like: Any, shape: tuple[int, ...], dtype: np.dtype, by_columns: bool) -> Any:
        with like.device:
            return self._cupy.empty(shape, dtype, order="F" if by_columns else "C")

    def queue(self, multiplier: Any, x: Any) -> _Queue:
        with x.device:
            return _Queue(0, self._cupy.cuda.get_current_stream().ptr)

    def to_host(self, x: Any) -> np.ndarray:
        return x.get()


class _Torch(_Cuda):
    name = "PyTorch"

    def __init__(self) -> None:
        import torch

        self._torch = torch
        self._of_numpy: dict[np.dtype, Any] = {
            np.dtype(np.float32): torch.float32,
            np.dtype(np.float64): torch.float64,
            np.dtype(np.complex64): torch.complex64,
            np.dtype(np.complex128): torch.complex128,
        }
        self._to_numpy = {theirs: ours for ours, theirs in self._of_numpy.items()}
        self._function = _torch_function(torch)

    def has(self, x: Any) -> bool:
        return isinstance(x, self._torch.Tensor)

    def product(self, op: _Operator, x: Any, adjoint: bool) -> Any:
        torch = self._torch
        if x.layout is not torch.strided:
            raise TypeError(f"a tensor of layout {x.layout} is not a vector: to_dense() converts it")
        if x.requires_grad and torch.is_grad_enabled():
            return self._function.apply(x, self, op, adjoint)
        return super().product(op, x, adjoint)

    def apply(self, plan: Plan, x: Any, out: Any, alpha: Any, beta: Any, transposed: bool) -> Any:
        if self._torch.is_grad_enabled() and (x.requires_grad or getattr(out, "requires_grad", False)):
            raise UsageError("apply() records no gradient; P @ x does, and x.detach() needs none")
        return super().apply(plan, x, out, alpha, beta, transposed)

    def device(self, x: Any) -> str:
        kind = x.device.type
        if kind == "cpu":
            return "host"
        if kind != "cuda" or self._torch.version.hip:
            raise TypeError(f"tensors on {x.device} are not supported: use x.cpu()")
        return f"cuda:{x.device.index or 0}"

    def dtype(self, x: Any) -> np.dtype:
        if x.dtype in self._to_numpy:
            return self._to_numpy[x.dtype]
        # Whatever is promoted to a plan's type, which is all that matters of it.
        if x.dtype.is_complex:
            return np.dtype(np.complex64)
        return np.dtype(np.float16) if x.dtype.is_floating_point else np.dtype(np.int8)

    def converted(self, x: Any, dtype: np.dtype) -> Any:
        return x.to(self._of_numpy[dtype])

    def promoted(self, op: _Operator, x: Any) -> Any:
        own = self._of_numpy[op.dtype]
        wanted = own if x.dtype is own else self._torch.promote_types(own, x.dtype)
        return x if x.dtype is wanted else x.to(wanted)

    def strides(self, x: Any) -> tuple[int, ...]:
        size = x.element_size()
        return tuple(s * size for s in x.stride())

    def memory(self, x: Any) -> tuple[int, int]:
        return x.data_ptr(), 0

    def compact(self, x: Any) -> Any:
        return x.contiguous()

    def empty(self, like: Any, shape: tuple[int, ...], dtype: np.dtype, by_columns: bool) -> Any:
        sizes = shape[::-1] if by_columns else shape
        made = self._torch.empty(sizes, dtype=self._of_numpy[dtype], device=like.device)
        return made.t() if by_columns else made

    def queue(self, multiplier: Any, x: Any) -> _Queue:
        return _Queue(0, self._torch.cuda.current_stream(x.device).cuda_stream)

    def to_host(self, x: Any) -> np.ndarray:
        if x.requires_grad:
            x = x.detach()
        if x.is_complex():
            x = x.resolve_conj().resolve_neg()
        return x.cpu().numpy() if x.device.type != "cpu" else x.numpy()

    def from_host(self, like: Any, y: np.ndarray) -> Any:
        return self._torch.from_numpy(y)


def _torch_function(torch: Any) -> Any:
    class Product(torch.autograd.Function):
        """A product whose gradient is one with the conjugate transpose."""

        @staticmethod
        def forward(context: Any, x: Any, library: _Torch, op: _Operator, adjoint: bool) -> Any:
            context.made_of = library, op, adjoint, x.dtype
            return _Library.product(library, op, x, adjoint)

        @staticmethod
        def backward(context: Any, *gradients: Any) -> Any:
            library, op, adjoint, dtype = context.made_of
            return library.product(op, gradients[0], not adjoint).to(dtype), None, None, None

    return Product


class _Jax(_Cuda):
    """JAX has no streams of a caller's: what x waits for is waited for, and so is the product. Within its transformations a
    product is a callback to the host, with the transpose for its gradient."""

    name = "JAX"

    def __init__(self) -> None:
        import jax
        import jax.numpy

        self._jax = jax
        self._tracer = getattr(getattr(jax, "core", None), "Tracer", ())

    def has(self, x: Any) -> bool:
        return isinstance(x, self._jax.Array)

    def device(self, x: Any) -> str:
        if isinstance(x, self._tracer):
            raise TypeError("inside jit or grad, use P @ x: apply() needs an array, and there is none yet")
        if not x.is_fully_addressable or len(x.devices()) != 1:
            raise TypeError("a JAX array that is distributed over devices is not supported")
        device = next(iter(x.devices()))
        if device.platform == "cpu":
            return "host"
        if device.platform not in ("gpu", "cuda"):
            raise TypeError(f"arrays of JAX on {device} are not multiplied")
        return f"cuda:{device.local_hardware_id or 0}"

    def product(self, op: _Operator, x: Any, adjoint: bool) -> Any:
        return self._traced(op, x, adjoint) if isinstance(x, self._tracer) else super().product(op, x, adjoint)

    def _traced(self, op: _Operator, x: Any, adjoint: bool) -> Any:
        jax = self._jax
        if op.dtype.kind == "c" or np.dtype(x.dtype).kind == "c":
            raise TypeError("inside jit or grad, only products of real numbers are supported")
        rows, columns = op.shape[::-1] if adjoint else op.shape
        if len(x.shape) not in (1, 2) or x.shape[0] != columns:
            raise UsageError(f"x has the shape {tuple(x.shape)}, and the product takes {columns} entries or rows")
        dtype = jax.dtypes.canonicalize_dtype(np.result_type(op.dtype, x.dtype))
        result = jax.ShapeDtypeStruct((rows, *x.shape[1:]), dtype)

        def on_host(values: Any) -> np.ndarray:
            return np.asarray(self._of_host(op, np.asarray(values), adjoint), dtype)

        @jax.custom_vjp
        def multiply(v: Any) -> Any:
            return jax.pure_callback(on_host, result, v, vmap_method="sequential")

        def backward(_: None, gradient: Any) -> tuple[Any]:
            return (self.product(op, gradient, not adjoint).astype(x.dtype),)

        multiply.defvjp(lambda v: (multiply(v), None), backward)
        return multiply(x)

    def strides(self, x: Any) -> tuple[int, ...]:
        size = x.dtype.itemsize
        return (size,) if len(x.shape) == 1 else (x.shape[1] * size, size)

    def memory(self, x: Any) -> tuple[int, int]:
        return x.unsafe_buffer_pointer(), 0

    def compact(self, x: Any) -> Any:
        return x.copy()

    def apply(self, plan: Plan, x: Any, out: Any, alpha: Any, beta: Any, transposed: bool) -> Any:
        if out is not None:
            raise TypeError("JAX arrays cannot be written to: omit out=")
        return super().apply(plan, x, out, alpha, beta, transposed)

    def empty(self, like: Any, shape: tuple[int, ...], dtype: np.dtype, by_columns: bool) -> Any:
        made = self._jax.device_put(self._jax.numpy.zeros(shape, dtype), next(iter(like.devices())))
        return made.block_until_ready()

    def queue(self, multiplier: Any, x: Any) -> _Queue:
        x.block_until_ready()
        return _Queue(*multiplier.own_queue)

    def queued(self, multiplier: Any, x: Any, y: Any) -> None:
        multiplier.wait()

    def to_host(self, x: Any) -> np.ndarray:
        return np.asarray(x)

    def from_host(self, like: Any, y: np.ndarray) -> Any:
        return self._jax.numpy.asarray(y)


# By the package that a class comes from; JAX's arrays are a class of the second, its tracers of the first.
_LIBRARIES = {"pyopencl": _PyOpenCl, "cupy": _CuPy, "torch": _Torch, "jax": _Jax, "jaxlib": _Jax}
_made: dict[str, _Library] = {}
_known: dict[type, _Library | None] = {np.ndarray: None}
