"""What is measured here on request, and a line of progress meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ._native import _core
from ._stderr import tell
from ._text import MOST_THREADS, truth, whole_or_none

__all__ = ["bar", "calibrate"]

Progress = Callable[[float, float, str], None]

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
        tell("\r" + line.ljust(self._width), end="")
        self._width = len(line)

    def close(self) -> None:
        """Leaves the line as it is and begins another."""
        if self._width:
            tell("")


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
    """Measures a device, so that forecasts for it rest on its own times. The results are stored.

    Ctrl-C ends it between two measurements; a later call resumes there.

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
    with bar(truth("progress", progress)) as shown:
        return _core.calibrate(
            tell,
            shown,
            device=device,
            precision=precision,
            quick=truth("quick", quick),
            fresh=truth("fresh", fresh),
            threads=whole_or_none("threads", threads, MOST_THREADS),
            minutes=None if seconds is None else seconds / 60,
        )
