"""``python -m sparsecast.accelerate [--after N] PROGRAM [ARGUMENTS]``: a program within ``sparsecast.accelerated()``.

The program runs as ``__main__`` with its own arguments, output and status; at its end a line on the standard error tells
what was done. ``-m MODULE`` in the place of PROGRAM runs a module, as Python's own ``-m`` does.
"""

from __future__ import annotations

import os
import runpy
import sys
from types import ModuleType
from typing import NoReturn

from ._accelerated import accelerated

__all__ = ["main"]

USAGE = "usage: python -m sparsecast.accelerate [--after N] PROGRAM [ARGUMENTS]"


def _refuse(reason: str) -> NoReturn:
    print(f"{USAGE}\nsparsecast.accelerate: {reason}", file=sys.stderr)
    sys.exit(2)


def _source_of(program: str) -> bytes:
    try:
        with open(program, "rb") as file:
            return file.read()
    except OSError as error:
        _refuse(f"{program}: {error.strerror}")


def _run(program: str, source: bytes) -> None:
    """As `python PROGRAM` does. In a module that stays, unlike runpy's, for threads that are still at it at the end."""
    main = ModuleType("__main__")
    main.__file__, main.__builtins__ = program, __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    exec(compile(source, program, "exec"), vars(main))


def main(arguments: list[str]) -> None:
    """Runs the program; what it raises goes on."""
    after = 2
    while arguments and (arguments[0].startswith("--") or arguments[0] == "-h"):
        name, given, value = arguments.pop(0).partition("=")
        if name in ("--help", "-h"):
            return print(__doc__)
        if name != "--after":
            _refuse(f"there is no option {name}")
        value = value if given else arguments.pop(0) if arguments else ""
        if not value.isdecimal():
            _refuse(f"--after takes a number of products, not {value!r}")
        after = int(value)
    if not arguments or arguments == ["-m"]:
        _refuse("no program is named")
    by_module, process = arguments[0] == "-m", os.getpid()
    sys.argv = arguments[1:] if by_module else arguments
    source = b"" if by_module else _source_of(sys.argv[0])
    with accelerated(after) as report:
        try:
            if by_module:
                runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
            else:
                _run(sys.argv[0], source)
        finally:
            if os.getpid() == process:  # and not in a child that ends here
                print(report, file=sys.stderr, flush=True)


if __name__ == "__main__":
    from sparsecast import accelerate  # the module that others import, not a second one

    accelerate.main(sys.argv[1:])
