"""The commands as functions: the same engine and the same documents, within this process."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

from . import _calibration
from ._line import CommandLine, threads_within, vectors_or_one
from ._tables import Evaluation, Forecasts, Measurements, Table

__all__ = [
    "devices",
    "evaluate",
    "forecast",
    "kernel",
    "measure",
    "optimize",
    "profiles",
    "structure",
    "traffic",
]


def _precision_of(A: Any, precision: str | None) -> str:
    if precision is not None:
        return precision
    return "single" if getattr(getattr(A, "dtype", None), "itemsize", 8) == 4 else "double"


def _whole(count: int | None) -> int | None:
    return None if count is None else int(count)


def _caption(document: dict[str, Any]) -> str:
    m = document["matrix"]
    text = f"{m['name']}: {m['rows']:,} × {m['cols']:,}, {m['nonzeros']:,} non-zeros, on {document['device']['name']}"
    return f"{text} in {document['precision']} precision"


def structure(A: Any, *, name: str = "matrix") -> dict[str, Any]:
    """Everything that a forecast knows of a matrix: sizes, row lengths, locality.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    name : str
        What the matrix is called.

    Returns
    -------
    dict
        The field "structure" of `sparsecast info --json`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> sparsecast.structure(sp.eye_array(100, format="csr"))["row_max"]
    1
    """
    return CommandLine("info").matrix(A, name).options(threads=threads_within("auto")).run()["structure"]


def forecast(
    A: Any,
    device: str = "host",
    *,
    profile: str | PathLike[str] | None = None,
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
    iterations : int, optional
        Ranks by what finishes so many products first, conversion included.
    vectors, transposed
        Which product: of so many vectors at once, of the transpose.
    threads : "auto" or int
        Of the host.
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

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> A = sp.random_array((2000, 2000), density=0.01, format="csr", rng=1)
    >>> table = sparsecast.forecast(A, "nvidia-h100")
    >>> table.recommended["kernel"] == table[0]["kernel"]
    True
    """
    shown = _precision_of(A, precision)
    if profile is None:
        _calibration.ensure_device(device, threads, shown)
    line = CommandLine("predict").matrix(A, name)
    line.options(device=device, profile=profile, model=model, precision=shown, threads=threads_within(threads))
    line.options(vectors=vectors_or_one(vectors), transposed=transposed, iterations=_whole(iterations))
    document = line.options(no_probe=not probe).run()
    return Forecasts(document, document["forecasts"], _caption(document))


def measure(
    A: Any,
    device: str = "host",
    *,
    kernels: Iterable[str] | None = None,
    every: bool = False,
    iterations: int | None = None,
    vectors: int = 1,
    transposed: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    name: str = "matrix",
) -> Measurements:
    """What every kernel takes on a matrix, by the same kernels that are forecast.

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
    >>> table[0]["kernel"], table[0]["seconds"] > 0
    ('csr', True)
    """
    line = CommandLine("measure").matrix(A, name)
    line.options(device=device, precision=_precision_of(A, precision), threads=threads_within(threads))
    line.options(vectors=vectors_or_one(vectors), transposed=transposed, iterations=_whole(iterations))
    document = line.options(kernels=kernels, all=every).run()
    return Measurements(document, document["measurements"], _caption(document))


def evaluate(
    matrices: Iterable[Any],
    device: str = "host",
    *,
    kernels: Iterable[str] | None = None,
    model: str = "all",
    threads: Any = "auto",
    precision: str = "double",
    progress: bool = False,
) -> Evaluation:
    """Forecast against measured, every model and kernel, on matrices.

    Parameters
    ----------
    matrices : iterable of scipy.sparse matrices and paths of files or folders
    device, kernels, threads, precision
        As in :func:`measure`.
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
    >>> table[0]["kernel"], table[0]["cases"]
    ('csr', 1)
    """
    _calibration.ensure_device(device, threads, precision)
    line = CommandLine("evaluate")
    for number, A in enumerate(matrices, 1):
        line.matrix(A, f"matrix {number}")
    line.options(device=device, model=model, kernels=kernels, precision=precision, threads=threads_within(threads))
    with _calibration.bar(progress) as shown:
        document = line.run(shown)
    return Evaluation(document, document["summary"])


def optimize(
    A: Any,
    device: str = "host",
    *,
    profile: str | PathLike[str] | None = None,
    iterations: int | None = None,
    max_blocks: int | None = None,
    verify: bool = False,
    threads: Any = "auto",
    precision: str | None = None,
    name: str = "matrix",
) -> dict[str, Any]:
    """The best strategy of row blocks for a matrix, and on request the truth about it.

    Parameters
    ----------
    A : scipy.sparse matrix, or path of a matrix file
    device, profile, iterations, threads, precision, name
        As in :func:`forecast`.
    max_blocks : int, optional
        At most so many blocks.
    verify : bool
        Measures the plan and every single kernel, in turns.

    Returns
    -------
    dict
        The document of `sparsecast optimize --json`.

    Examples
    --------
    >>> import scipy.sparse as sp, sparsecast
    >>> document = sparsecast.optimize(sp.eye_array(5000, format="csr"))
    >>> document["strategy"][0]["first_row"], document["predicted_s"] > 0
    (0, True)
    """
    shown = _precision_of(A, precision)
    if profile is None:
        _calibration.ensure_device(device, threads, shown)
    line = CommandLine("optimize").matrix(A, name)
    line.options(device=device, profile=profile, precision=shown, threads=threads_within(threads), no_probe=True)
    return line.options(iterations=_whole(iterations), max_blocks=_whole(max_blocks), verify=verify).run()


def devices(*, catalogue: bool = False) -> Table:
    """The devices that are here, or all machines that are described.

    Examples
    --------
    >>> import sparsecast
    >>> sparsecast.devices()[0]["device"]
    'host'
    >>> "nvidia-h100" in [machine["name"] for machine in sparsecast.devices(catalogue=True)]
    True
    """
    document = CommandLine("devices").options(catalogue=catalogue).run()
    return Table(document, document["devices"])


def profiles() -> Table:
    """The devices that were measured, and how much is known of each.

    Examples
    --------
    >>> import sparsecast
    >>> "host" in [profile["name"] for profile in sparsecast.profiles()]
    True
    """
    document = CommandLine("profiles", "list").run()
    return Table(document, document["profiles"])


def traffic(
    program: str | PathLike[str],
    *,
    call: str | None = None,
    machine: str | None = None,
    time_limit: float | None = None,
) -> dict[str, Any]:
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
    dict
        The document of `sparsecast traffic --json`.

    Examples
    --------
    >>> import pathlib, sparsecast
    >>> lines = ["x = ones(1000, 1);", "%SLM start scale;", "y = 2*x;", "%SLM end scale;", "%SLM print scale;"]
    >>> _ = pathlib.Path("scale.m").write_text("\\n".join(lines))
    >>> [region["name"] for region in sparsecast.traffic("scale.m")["regions"]]
    ['scale']
    """
    return CommandLine("traffic", program).options(call=call, machine=machine, time_limit=time_limit).run()


def kernel(
    source: str | PathLike[str],
    *,
    device: str | None = None,
    name: str | None = None,
    grid: tuple[int, ...] | None = None,
    block: tuple[int, ...] | None = None,
    arguments: dict[str, Any] | None = None,
    buffers: dict[str, Any] | None = None,
    define: Iterable[str] = (),
    options: Iterable[str] = (),
) -> dict[str, Any]:
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
        Values of parameters, and bytes behind pointers, by name or position.
    define : iterable of str
        NAME=VALUE for the compiler.
    options : iterable of str
        Further options of `sparsecast kernel`.

    Returns
    -------
    dict
        The document of `sparsecast kernel --json`.

    Examples
    --------
    >>> import pathlib, sparsecast
    >>> source = "kernel void twice(global float* x) { x[get_global_id(0)] *= 2; }"
    >>> _ = pathlib.Path("twice.cl").write_text(source)
    >>> document = sparsecast.kernel("twice.cl", grid=(2048,), block=(256,), device="nvidia-a100")
    >>> all(estimate["seconds"] > 0 for estimate in document["estimates"])
    True
    """
    line = CommandLine("kernel", source).options(device=device, kernel=name, grid=_shape(grid), block=_shape(block))
    line.each("arg", (f"{key}={value}" for key, value in (arguments or {}).items()))
    line.each("buffer", (f"{key}={value}" for key, value in (buffers or {}).items()))
    return line.each("define", define).words(options).run()


def _shape(counts: Iterable[int] | None) -> str | None:
    return None if counts is None else "x".join(str(int(count)) for count in counts)
