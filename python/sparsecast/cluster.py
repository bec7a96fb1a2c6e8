"""Iterated products on clusters."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from ._line import CommandLine, threads_within

__all__ = ["predict"]


def predict(
    A: Any,
    cluster: str | PathLike[str],
    processes: Iterable[int],
    *,
    ways: Iterable[str] | None = None,
    formats: Iterable[str] | None = None,
    model: str | None = None,
    name: str = "matrix",
) -> dict[str, Any]:
    """Every way to deal a matrix to processes, forecast, and which to take.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    cluster : path
        A cluster's profile, from `sparsecast cluster calibrate`.
    processes : iterable of int
        Numbers of processes to choose from.
    ways : iterable of str, optional
        Of "2du", "g1dr", "l1dr".
    formats : iterable of str, optional
        Of "csr", "coo".
    model : str, optional
        "sparsecast", "microbench", "svr", "linear" or "all".
    name : str
        What the matrix is called.

    Returns
    -------
    dict
        The document of `sparsecast cluster predict --json`.
    """
    line = CommandLine("cluster", "predict").matrix(A, name)
    line.options(cluster=cluster, threads=threads_within("auto"), model=model)
    return line.options(processes=processes, way=ways, format=formats).run()
