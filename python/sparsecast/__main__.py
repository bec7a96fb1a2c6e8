"""``python -m sparsecast`` is the command."""

from sparsecast._command import main

main()
