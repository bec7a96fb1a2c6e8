"""The command ``sparsecast``, as it lies in the package."""

from __future__ import annotations

import os
import sys

from ._native import _core


def main() -> None:
    """Runs the command with the arguments of this process, and ends it."""
    status = _core.command(["sparsecast", *sys.argv[1:]])
    sys.stdout.flush()
    os._exit(status)  # the command answers to signals by now, not Python


if __name__ == "__main__":
    main()
