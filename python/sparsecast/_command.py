"""The command ``sparsecast``, as it lies in the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the command, with the arguments of this process."""
    program = Path(__file__).parent / "bin" / "sparsecast"
    os.execv(program, ["sparsecast", *sys.argv[1:]])


if __name__ == "__main__":
    main()
