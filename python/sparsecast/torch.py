"""Products for PyTorch: sparse CSR tensors on the CPU, with gradients.

A call of PyTorch's own takes milliseconds where MKL makes its matrix anew each time; ours goes through a plan of the
tensor's memory, which is read at each product as it is then.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from ._errors import UsageError
from ._live import of_arrays
from ._native import _core
from ._plan import Plan

__all__ = ["SparseCSR"]


class _Product(torch.autograd.Function):
    """A·x of values and vectors, either of which may ask for its gradient."""

    @staticmethod
    def forward(ctx: Any, matrix: SparseCSR, values: torch.Tensor, x: torch.Tensor, transposed: bool) -> torch.Tensor:
        ctx.matrix, ctx.transposed = matrix, transposed
        ctx.save_for_backward(values, x)
        return matrix._multiply(values, x, transposed)

    @staticmethod
    def backward(ctx: Any, above: torch.Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        values, x = ctx.saved_tensors
        of_values = of_x = None
        if ctx.needs_input_grad[2]:
            of_x = _Product.apply(ctx.matrix, values, above.conj(), not ctx.transposed).conj()  # of the same plan
        if ctx.needs_input_grad[1]:
            rows, columns = ctx.matrix._rows(), ctx.matrix.col_indices
            terms = x.conj()[rows] * above[columns] if ctx.transposed else above[rows] * x.conj()[columns]
            of_values = terms if terms.ndim == 1 else terms.sum(dim=1)
        return None, of_values, of_x, None


class SparseCSR:
    """A sparse CSR tensor on the CPU whose products go through a plan.

    Parameters
    ----------
    tensor : torch.Tensor or SciPy matrix
        Of layout ``torch.sparse_csr``, in float32, float64, complex64 or complex128. Its memory is shared.
    values : torch.Tensor, optional
        In the place of the tensor's own, one per entry; where they require a gradient they get one.

    ``S @ x`` takes vectors and matrices in the type of the values; ``S.T @ x`` the transpose.

    Examples
    --------
    >>> import torch, sparsecast.torch
    >>> A = torch.tensor([[2.0, 0.0], [1.0, 3.0]]).to_sparse_csr()
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = sparsecast.torch.SparseCSR(A) @ x
    >>> y.sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """

    def __init__(self, tensor: Any, values: torch.Tensor | None = None) -> None:
        if sp.issparse(tensor):
            A = tensor.tocsr()
            tensor = torch.sparse_csr_tensor(*map(torch.from_numpy, (A.indptr, A.indices, A.data)), size=A.shape)
        if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.sparse_csr or tensor.ndim != 2:
            raise TypeError("a sparse CSR tensor of two dimensions is needed: A.to_sparse_csr() makes one")
        if tensor.device.type != "cpu":
            raise UsageError(f"products run on the CPU, and the tensor is on {tensor.device}: use A.cpu()")
        self.crow_indices, self.col_indices = tensor.crow_indices(), tensor.col_indices()
        self.values = tensor.values().detach() if values is None else values
        if self.values.shape != self.col_indices.shape:
            raise UsageError(f"{self.col_indices.numel()} values are needed, not {tuple(self.values.shape)}")
        self.shape = tuple(tensor.shape)
        self._transposed = False
        self._indices = self.crow_indices.numpy(), self.col_indices.numpy()
        self._data: tuple[Any, int, Any] = (None, 0, None)  # values, where they are, and as NumPy's
        self._row_of_each: list[torch.Tensor] = []
        self._plans: list[Plan] = []

    @property
    def dtype(self) -> torch.dtype:
        """Of the values."""
        return self.values.dtype

    @property
    def plan(self) -> Plan | None:
        """What products go through; None before the first."""
        return self._plans[0] if self._plans else None

    @property
    def T(self) -> SparseCSR:
        """The transpose, of the same tensors."""
        turned = object.__new__(SparseCSR)
        turned.__dict__.update(self.__dict__, shape=self.shape[::-1], _transposed=not self._transposed)
        return turned

    def __matmul__(self, x: Any) -> torch.Tensor:
        if not isinstance(x, torch.Tensor) or x.layout != torch.strided or x.ndim not in (1, 2):
            return NotImplemented
        if x.dtype != self.dtype or x.device.type != "cpu":
            raise TypeError(f"vectors in {self.dtype} on the CPU are needed, not {x.dtype} on {x.device}")
        if x.shape[0] != self.shape[1]:
            raise UsageError(f"{tuple(self.shape)} and {tuple(x.shape)} are not multiplied")
        values = self.values
        if torch.is_grad_enabled() and (x.requires_grad or values.requires_grad):
            return _Product.apply(self, values, x, self._transposed)  # type: ignore[no-any-return]
        return self._multiply(values, x, self._transposed)

    def _rows(self) -> torch.Tensor:
        """The row of each entry."""
        if not self._row_of_each:
            counts = self.crow_indices.diff()
            self._row_of_each.append(torch.repeat_interleave(torch.arange(counts.numel()), counts))
        return self._row_of_each[0]

    def _multiply(self, values: torch.Tensor, x: torch.Tensor, transposed: bool) -> torch.Tensor:
        indptr, indices = self._indices
        known, place, data = self._data
        if known is not values or place != values.data_ptr():
            data = values.detach().resolve_conj().numpy()
            self._data = values, values.data_ptr(), data
        vectors = np.ascontiguousarray(x.detach().resolve_conj().numpy())
        for _ in range(2):
            if self._plans:
                y = self._plans[0]._multiplier.multiply_arrays(indptr, indices, data, vectors, transposed)
                if y is not NotImplemented:
                    return torch.from_numpy(y)
            rows, cols = self.shape[::-1] if self._transposed else self.shape
            csr = _core.Csr.live(rows, cols, indptr, indices, data, True)
            self._plans[:] = [Plan.of_live_arrays(csr, of_arrays((rows, cols), indptr, indices, data))]
        raise TypeError(f"values in {values.dtype} are not multiplied")

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<SparseCSR of {rows} × {cols} with {self.col_indices.numel()} entries, {self.dtype}>"
