"""What was measured here: taken quickly where something needs it for the first time, and on request."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from ._native import _core
from ._errors import CalibrationWarning

__all__ = ["bar", "calibrate", "ensure", "ensure_device"]

Progress = Callable[[float, float, str], None]

_BUDGET_S = 13.0  # of a first look, for all numbers of threads together
_FIXED_S = 2.0  # of one number of threads, beside the matrices: bandwidth, latency, the last matrix begun
_PACKAGE = str(Path(__file__).parent)
_lock = Lock()


def ensure_device(device: str, threads: int, single: bool) -> None:
    """The same for forecasts of a device that is here; others are known by their profiles."""
    if device != "host" and not device.startswith(("opencl:", "cuda:")):
        return
    ensure({"device": device, "precision": "single" if single else "double", "threads": threads})


def ensure(wishes: dict[str, Any]) -> None:
    """Measures quickly what a plan with these wishes (a request's fields) lacks, and says so."""
    device = wishes["device"]
    if not _core.missing_calibrations(**wishes):
        return
    with _lock:
        missing = _core.missing_calibrations(**wishes)
        if not missing:
            return
        start, lacking = time.monotonic(), missing
        while lacking and time.monotonic() - start < 10 * _BUDGET_S:  # on a busy machine a turn may not do
            for number, threads in enumerate(lacking):
                left = _BUDGET_S - (time.monotonic() - start)
                seconds = max(0.05 * _BUDGET_S, left / (len(lacking) - number) - _FIXED_S)
                _core.calibrate(None, None, quick=True, device=device, minutes=seconds / 60, threads=threads)
            lacking = _core.missing_calibrations(**wishes)
        counts = f" with {' and '.join(map(str, missing))} threads" if missing != [0] else ""
        warnings.warn(
            f"{device} was not calibrated{counts}; a quick calibration took {time.monotonic() - start:.0f} s and is "
            "kept. sparsecast.calibrate(quick=False) takes a thorough one",
            CalibrationWarning,
            stacklevel=_level_of_caller(),
        )


def _level_of_caller() -> int:
    """Frames between warn() and the first one that is not of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


class Bar:
    """A line of progress on a terminal or in a notebook's stderr, redrawn some times a second."""

    def __init__(self) -> None:
        self._drawn = 0.0
        self._width = 0

    def __call__(self, done: float, seconds_left: float, what: str) -> None:
        now = time.monotonic()
        if now - self._drawn < 0.1 and done < 1:
            return
        self._drawn = now
        filled = round(30 * min(max(done, 0.0), 1.0))
        left = f"{seconds_left:.0f} s left  " if seconds_left >= 0 else ""
        line = f"{100 * done:3.0f} %|{'█' * filled}{' ' * (30 - filled)}| {left}{what}"
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def close(self) -> None:
        """Leaves the line as it is and begins another."""
        if self._width:
            sys.stderr.write("\n")


class TqdmBar:
    """The same by tqdm, in notebooks as a widget."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, bar_format="{percentage:3.0f} %|{bar}| {postfix}")

    def __call__(self, done: float, seconds_left: float, what: str) -> None:
        left = f"{seconds_left:.0f} s left  " if seconds_left >= 0 else ""
        self._bar.set_postfix_str(left + what, refresh=False)
        self._bar.update(100 * done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


@contextmanager
def bar(shown: bool) -> Iterator[Progress | None]:
    """A bar for a command's progress, or none."""
    if not shown:
        yield None
        return
    drawn = TqdmBar(import_module("tqdm.auto").tqdm) if find_spec("tqdm") else Bar()
    try:
        yield drawn
    finally:
        drawn.close()


def calibrate(
    quick: bool = True,
    progress: bool = True,
    *,
    device: str = "host",
    threads: int | None = None,
    precision: str = "double",
    seconds: float | None = None,
    fresh: bool = False,
) -> _core.Calibration:
    """Measures a device, so that forecasts of it can be made; what is measured is kept.

    Ctrl-C ends it between two measurements; a later call goes on from there.

    Parameters
    ----------
    quick : bool
        A first look within a minute. Without it a host takes some minutes per number of threads.
    progress : bool
        Draws a bar on stderr.
    device : str
        ``"host"``, ``"opencl:0"``, ``"cuda:0"``.
    threads : int, optional
        Of the host. By default all cores, then one.
    precision : "double" or "single"
    seconds : float, optional
        Begins no new measurement after so many seconds per number of threads.
    fresh : bool
        Forgets what was measured before.

    Returns
    -------
    Calibration
        What was measured, and what was there.

    Examples
    --------
    >>> import sparsecast
    >>> done = sparsecast.calibrate(progress=False, threads=1, seconds=0.1)
    >>> done.device
    'host'
    """
    with bar(progress) as shown:
        return _core.calibrate(
            lambda line: print(line, file=sys.stderr),
            shown,
            device=device,
            precision=precision,
            quick=quick,
            fresh=fresh,
            threads=threads,
            minutes=None if seconds is None else seconds / 60,
        )
