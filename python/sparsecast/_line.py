"""The line of a command, put together from Python's values and run within this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from os import PathLike, fspath
from typing import Any

from ._native import _core

__all__ = ["CommandLine", "Progress", "threads_within", "vectors_or_one"]

Progress = Callable[[float, float, str], None]


def threads_within(threads: Any) -> int:
    """A number of threads out of "auto" or a bound, as a plan takes it."""
    return _core.most_threads(0 if threads == "auto" else int(threads))


def vectors_or_one(vectors: int) -> int | None:
    """What ``--vectors`` is told: nothing where it is one, since not every device takes blocks."""
    return None if vectors == 1 else int(vectors)


class CommandLine:
    """Words, matrices and options of one command. Matrices stay where they are until the line is forgotten."""

    def __init__(self, *words: str | PathLike[str]) -> None:
        self._words = [fspath(word) for word in words]
        self._options: list[str] = []
        self._lent: list[Any] = []

    def matrix(self, A: Any, name: str = "matrix") -> CommandLine:
        """A file by its path, or a matrix in memory by a name that holds as long as this object."""
        from ._matrix import lend
        from ._plan import Plan

        if isinstance(A, (str, PathLike)):
            self._words.append(fspath(A))
            return self
        if isinstance(A, Plan):
            A = A._lent.matrix
        self._lent.append(_core.LentMatrix(lend(A, name).csr))
        self._words.append(self._lent[-1].path)
        return self

    def options(self, **values: Any) -> CommandLine:
        """``--name value`` for each: True is a flag, None and False leave it out, several values are joined by
        commas."""
        for name, value in values.items():
            if value is None or value is False:
                continue
            self._options.append("--" + name.replace("_", "-"))
            if value is not True:
                self._options.append(_text(value))
        return self

    def each(self, option: str, values: Iterable[Any]) -> CommandLine:
        """The option once for each value."""
        for value in values:
            self._options += ["--" + option, _text(value)]
        return self

    def words(self, values: Iterable[str]) -> CommandLine:
        """Words behind the options, as they are."""
        self._options += list(values)
        return self

    def run(self, progress: Progress | None = None) -> dict[str, Any]:
        """The document; the command's remarks go to stderr."""
        # Matrices stand right behind the command: an option that takes several values would take them for its own.
        line = [*self._words, *self._options, "--json"]
        return json.loads(_core.run(line, lambda remark: print(remark, file=sys.stderr), progress))


def _text(value: Any) -> str:
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, str) or not isinstance(value, Iterable):
        return str(value)
    return ",".join(str(one) for one in value)
