"""What the library throws, as Python's exceptions."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Error", "Place"]


class Place(NamedTuple):
    """Where in which input; line and column count from 1 and are 0 where not known."""

    file: str = ""
    line: int = 0
    column: int = 0


class Error(Exception):
    """What the library could not do, and what to do about it.

    The exceptions raised are of subclasses that are Python's own kinds as well: ``ValueError`` for wrong calls and bad
    input, ``MemoryError`` for what is too large.

    Attributes
    ----------
    code : str
        ``"failed"``, ``"usage"``, ``"bad_input"``, ``"unavailable"`` or ``"too_large"``.
    reason : str
        What went wrong.
    place : Place
        Where.
    remedy : str
        What to do; may be empty.

    Examples
    --------
    >>> import sparsecast
    >>> try:
    ...     sparsecast.traffic("missing.m")
    ... except sparsecast.Error as error:
    ...     print(error.code, error.place.file)
    bad_input missing.m
    """

    code = "failed"

    def __init__(self, text: str, reason: str = "", place: Place = Place(), remedy: str = "") -> None:
        super().__init__(text)
        self.reason = reason or text
        self.place = place
        self.remedy = remedy

    def __reduce__(self):
        return type(self), (self.args[0], self.reason, self.place, self.remedy)


class UsageError(Error, ValueError):
    """The call itself is wrong."""

    code = "usage"


class BadInputError(Error, ValueError):
    """An input does not hold what it should."""

    code = "bad_input"


class UnavailableError(Error, RuntimeError):
    """That device or optional component is not here."""

    code = "unavailable"


class TooLargeError(Error, MemoryError):
    """A sound matrix or format needs more memory, or wider integers, than there is."""

    code = "too_large"


_KINDS = {1: Error, 2: UsageError, 3: BadInputError, 4: UnavailableError, 5: TooLargeError}


def make(code: int, text: str, reason: str, file: str, line: int, column: int, remedy: str) -> BaseException:
    """The exception for an error of the library; called by the extension module."""
    if code == 130:
        return KeyboardInterrupt(text)
    return _KINDS.get(code, Error)(text, reason, Place(file, line, column), remedy)
