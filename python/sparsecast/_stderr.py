"""What is told beside an answer, which nothing else depends on."""

from __future__ import annotations

import contextlib
import sys

__all__ = ["tell", "tell_once"]

_said: set[str] = set()


def tell(text: str, end: str = "\n") -> None:
    """Prints on stderr, where there is one: a daemon has closed it, a program with windows has none."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(text, file=sys.stderr, end=end, flush=True)


def tell_once(line: str) -> None:
    """Prints a remark, once a process: a program that asks a thousand times has read it the first time."""
    if line in _said:
        return
    if len(_said) > 1000:
        _said.clear()
    _said.add(line)
    tell(line)
