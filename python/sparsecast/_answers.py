"""The questions as functions: what the library answers, in types with attributes."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _calibration
from ._errors import UsageError
from ._matrix import lend
from ._native import _core
from ._stderr import tell_once
from ._tables import Evaluation, Forecasts, Measurements, Table
from ._text import MOST_ITERATIONS, MOST_THREADS, MOST_VECTORS, names_of, truth, whole, whole_or_none

__all__ = [
    "devices",
    "doctor",
    "evaluate",
    "forecast",
    "kernel",
    "measure",
    "optimize",
    "plan_report",
    "profiles",
    "structure",
    "traffic",
]


def matrix_of(A: Any, name: str = "matrix") -> Any:
    """A file by its path, or the arrays of a matrix or a plan as the library reads them."""
    if isinstance(A, (str, PathLike)):
        return fspath(A)
    return lend(getattr(A, "planned_matrix", A), name).csr


def _number_of(threads: Any) -> int:
    """0 stands for "auto"."""
    if isinstance(threads, str) and threads == "auto":
        return 0
    return whole("threads", threads, MOST_THREADS, "'auto' or ")


def threads_within(threads: Any) -> int:
    """A number of threads out of "auto" or a bound, as a plan takes it."""
    return _core.most_threads(_number_of(threads))


def _threads_on(device: str, threads: Any, profile: Any = None) -> int:
    here = device == "host" and profile is None
    return threads_within(threads) if here else _number_of(threads)


def _precision_of(A: Any, matrix: Any, precision: str | None) -> str:
    """That in which plan() multiplies by the matrix, which A was lent as; of a plan, its own."""
    if precision is not None:
        return precision
    single = A.dtype.char in "fF" if hasattr(A, "planned_matrix") else getattr(matrix, "single", False)
    return "single" if single else "double"


def _advice(answer: Any) -> str:
    """The first line of what `sparsecast predict` prints."""
    chosen = answer.recommended
    return f"use {chosen.kernel}: {chosen.advice or chosen.reason}\n" if chosen.kernel else ""


def _caption(answer: Any) -> str:
    m = answer.matrix
    text = f"{m.name}: {m.rows:,} × {m.cols:,}, {m.nonzeros:,} non-zeros, on {answer.device.name}"
    return f"{text} in {answer.precision} precision"


def structure(A: Any, *, name: str = "matrix") -> dict[str, Any]:
    """Everything that a forecast knows about a matrix: sizes, row lengths, locality.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    name : str
        What the matrix is called.

    Returns
    -------
    dict
        The field "structure" of `sparsecast info`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> sparsecast.structure(sp.eye_array(100, format="csr"))["row_max"]
    1
    """
    return _core.info(tell_once, None, matrix=matrix_of(A, name), threads=threads_within("auto")).structure.to_dict()


def forecast(
    A: Any,
    device: str = "host",
    *,
    profile: str | PathLike[str] | None = None,
    kernels: Iterable[str] | str | None = None,
    iterations: int | None = None,
    vectors: int = 1,
    transposed: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    model: str = "best",
    probe: bool = False,
    name: str = "matrix",
) -> Forecasts:
    """How long every kernel will take on a matrix, on a machine that is here or one that is not.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file or a structure
    device : str
        ``"host"``, ``"cuda:0"``, the name of a profile or of a machine of the catalogue.
    profile : path, optional
        A profile file instead.
    kernels : iterable of str, optional
        Only these.
    iterations : int, optional
        Ranks by what finishes so many products first, conversion included: 1 or more. By default by one product.
    vectors, transposed
        Which product: of so many vectors at once (1 to 1,048,576), of the transpose.
    threads : "auto" or int
        Of the host, or cores of a processor that is described: 1 or more, of which those that are there count.
    precision : "single" or "double", optional
        That of the matrix by default.
    model : str
        A model's name, "best" or "all".
    probe : bool
        Times some products of the host's calibration again, which tells whether it has drifted.
    name : str
        What the matrix is called.

    Returns
    -------
    Forecasts

    Raises
    ------
    ValueError
        If a number is none of those.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.random_array((2000, 2000), density=0.01, format="csr", rng=1)
    >>> table = sparsecast.forecast(A, "nvidia-h100")
    >>> table.recommended.kernel == table[0].kernel, table[0].low <= table[0].seconds <= table[0].high
    (True, True)
    """
    matrix = matrix_of(A, name)
    answer = _core.predict(
        tell_once,
        None,
        matrix=matrix,
        device=device,
        profile=None if profile is None else fspath(profile),
        model=model,
        kernels=names_of(kernels),
        precision=_precision_of(A, matrix, precision),
        threads=_threads_on(device, threads, profile),
        vectors=whole("vectors", vectors, MOST_VECTORS),
        transposed=truth("transposed", transposed),
        iterations=whole_or_none("iterations", iterations, MOST_ITERATIONS),
        check_drift=probe,
    )
    return Forecasts(answer, answer.forecasts, _advice(answer) + _caption(answer))


def measure(
    A: Any,
    device: str = "host",
    *,
    kernels: Iterable[str] | str | None = None,
    every: bool = False,
    iterations: int | None = None,
    vectors: int = 1,
    transposed: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    name: str = "matrix",
) -> Measurements:
    """Measures how long every kernel takes on a matrix; the kernels are those that are forecast.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    device : str
    kernels : iterable of str, optional
        Only these.
    every : bool
        Also kernels that are forecast to take ten times as long as the best.
    iterations, vectors, transposed, threads, precision, name
        As in :func:`forecast`.

    Returns
    -------
    Measurements

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> table = sparsecast.measure(sp.eye_array(1000, format="csr"), kernels=["csr"])
    >>> table[0].kernel, table[0].seconds > 0
    ('csr', True)
    """
    matrix = matrix_of(A, name)
    answer = _core.measure(
        tell_once,
        None,
        matrix=matrix,
        device=device,
        kernels=names_of(kernels),
        every=every,
        precision=_precision_of(A, matrix, precision),
        threads=_threads_on(device, threads),
        vectors=whole("vectors", vectors, MOST_VECTORS),
        transposed=truth("transposed", transposed),
        iterations=whole_or_none("iterations", iterations, MOST_ITERATIONS),
    )
    return Measurements(answer, answer.measurements, _caption(answer))


def evaluate(
    matrices: Any,
    device: str = "host",
    *,
    kernels: Iterable[str] | str | None = None,
    model: str = "all",
    threads: Any = "auto",
    precision: str = "double",
    progress: bool = False,
) -> Evaluation:
    """Compares forecasts with measured times on matrices, for every model and kernel.

    Parameters
    ----------
    matrices : iterable of scipy.sparse matrices and paths, or one
        Files, or folders of them.
    device, kernels, threads
        As in :func:`measure`.
    precision : "double" or "single"
    model : str
        A model's name or "all".
    progress : bool
        Draws a bar on stderr.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.random_array((500, 500), density=0.02, format="csr", rng=1)
    >>> table = sparsecast.evaluate([A], kernels=["csr"], model="sparsecast")
    >>> table[0].kernel, table[0].cases
    ('csr', 1)
    """
    listed = [matrices] if isinstance(matrices, (str, PathLike)) or hasattr(matrices, "shape") else matrices
    with _calibration.bar(truth("progress", progress)) as shown:
        answer = _core.evaluate(
            tell_once,
            shown,
            matrices=[matrix_of(A, f"matrix {number}") for number, A in enumerate(listed, 1)],
            device=device,
            model=model,
            kernels=names_of(kernels),
            precision=precision,
            threads=_threads_on(device, threads),
        )
    return Evaluation(answer, answer.summary)


def plan_report(
    A: Any,
    device: str = "host",
    *,
    profile: str | PathLike[str] | None = None,
    iterations: int | None = None,
    max_blocks: int | None = None,
    kernels: Iterable[str] | str | None = None,
    trials: str | int = "none",
    verify: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    name: str = "matrix",
) -> _core.PlanReport:
    """How :func:`plan` multiplies a matrix, and on request the measured times.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    device, profile, iterations, threads, precision, name
        As in :func:`forecast`.
    max_blocks : int, optional
        At most so many blocks: 1 or more. By default any number.
    kernels : iterable of str, optional
        Blocks and single kernels of these alone.
    trials : "auto" or int
        Measures candidates before the choice, as in :func:`plan`.
    verify : bool
        Measures the plan and every single kernel, in turns.

    Returns
    -------
    PlanReport
        The strategy; by key as in the document of `sparsecast plan`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> document = sparsecast.plan_report(sp.eye_array(5000, format="csr"))
    >>> document["strategy"][0]["first_row"], document["predicted_s"] > 0
    (0, True)
    """
    matrix = matrix_of(A, name)
    return _core.plan_report(
        tell_once,
        None,
        matrix=matrix,
        device=device,
        profile=None if profile is None else fspath(profile),
        precision=_precision_of(A, matrix, precision),
        threads=_threads_on(device, threads, profile),
        iterations=whole_or_none("iterations", iterations, MOST_ITERATIONS),
        max_blocks=whole_or_none("max_blocks", max_blocks, MOST_ITERATIONS),
        kernels=names_of(kernels),
        trials=str(trials),
        verify=verify,
    )


def optimize(*arguments: Any, **wishes: Any) -> _core.PlanReport:
    """The former name of :func:`plan_report`; the next version removes it.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> sparsecast.optimize(sp.eye_array(5000, format="csr"))["predicted_s"] > 0
    True
    """
    return plan_report(*arguments, **wishes)


def devices(*, catalogue: bool = False) -> Table:
    """The devices of this machine, or all machines of the catalogue.

    Examples
    --------
    >>> import sparsecast
    >>> sparsecast.devices()[0]["device"]
    'host'
    >>> "nvidia-h100" in [machine["name"] for machine in sparsecast.devices(catalogue=True)]
    True
    """
    answer = _core.catalogue(tell_once, None) if truth("catalogue", catalogue) else _core.devices(tell_once, None)
    return Table(answer, answer.devices)


def doctor() -> _core.Diagnosis:
    """What is installed and calibrated, how noisy this machine is now, and what to do next: how a report of a bug begins.

    Examples
    --------
    >>> import sparsecast
    >>> sparsecast.doctor().next.startswith("sparsecast.")
    True
    """
    return _core.doctor(tell_once, None)


def profiles() -> Table:
    """The devices that were measured, and how much is known about each.

    Examples
    --------
    >>> import sparsecast
    >>> "host" in [profile["name"] for profile in sparsecast.profiles()]
    True
    """
    answer = _core.profiles(tell_once, None)
    return Table(answer, answer.profiles)


def traffic(
    program: str | PathLike[str],
    *,
    call: str | None = None,
    machine: str | None = None,
    time_limit: float | None = None,
) -> _core.ProgramTraffic:
    """The bytes that an annotated MATLAB program moves. GNU Octave runs it.

    Parameters
    ----------
    program : path
    call : str, optional
        How a function file is called: ``"x = cg(1000)"``.
    machine : str, optional
        A profile, file or name: bytes per cache level, and seconds.
    time_limit : float, optional
        Seconds that the program may run.

    Returns
    -------
    ProgramTraffic
        By key as in the document of `sparsecast traffic`.

    Examples
    --------
    >>> import pathlib, sparsecast
    >>> lines = ["x = ones(1000, 1);", "%SLM start scale;", "y = 2*x;", "%SLM end scale;", "%SLM print scale;"]
    >>> _ = pathlib.Path("scale.m").write_text("\\n".join(lines))
    >>> [region["name"] for region in sparsecast.traffic("scale.m")["regions"]]
    ['scale']
    """
    return _core.traffic(
        tell_once,
        None,
        program=fspath(program),
        call=call,
        machine=None if machine is None else fspath(machine),
        time_limit_s=time_limit,
    )


def kernel(
    source: str | PathLike[str],
    *,
    device: str | None = None,
    name: str | None = None,
    grid: tuple[int, ...] | None = None,
    block: tuple[int, ...] | None = None,
    arguments: dict[str, Any] | None = None,
    buffers: dict[str, Any] | None = None,
    define: Iterable[str] | str = (),
    **others: Any,
) -> _core.LaunchTime:
    """The time of a GPU kernel from its code: PTX, CUDA or OpenCL C source, or a graph.

    Parameters
    ----------
    source : path
    device : str, optional
        Whose times of instructions.
    name : str, optional
        Which kernel, where the file has several.
    grid, block : tuples of int, optional
        Blocks, and threads of a block.
    arguments, buffers : dict, optional
        Values of parameters, and what stands behind pointers (bytes or a file of them), by name or position.
    define : str or iterable of str
        NAME=VALUE for the compiler.
    **others
        Further fields of the request: ``clock``, ``models``, ``trips``, ``shared_bytes``, ``no_run``, …

    Returns
    -------
    LaunchTime
        By key as in the document of `sparsecast kernel`.

    Examples
    --------
    >>> import pathlib, sparsecast
    >>> source = "kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }"
    >>> _ = pathlib.Path("twice.cl").write_text(source)
    >>> document = sparsecast.kernel("twice.cl", grid=(2048,), block=(256,), device="nvidia-a100")
    >>> all(estimate["seconds"] > 0 for estimate in document["estimates"])
    True
    """
    return _core.kernel(
        tell_once,
        None,
        file=fspath(source),
        device=device,
        kernel=name,
        grid=_shape("grid", grid),
        block=_shape("block", block),
        arguments=arguments,
        buffers={key: value if isinstance(value, bytes) else Path(value).read_bytes() for key, value in buffers.items()}
        if buffers
        else None,
        defines=define,
        **others,
    )


def _shape(name: str, counts: Iterable[int] | None) -> tuple[int, ...] | None:
    """Counts of one to three directions; of those that are not told, one."""
    if counts is None:
        return None
    told = [whole(f"each of {name}", count, MOST_THREADS) for count in counts]
    if not 1 <= len(told) <= 3:
        raise UsageError(f"{name} has one to three directions, not {len(told)}")
    return (*told, 1, 1)[:3]
