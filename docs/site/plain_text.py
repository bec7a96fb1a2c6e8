"""Plain text as Markdown."""

from __future__ import annotations

import re

__all__ = ["escaped"]


def escaped(text: str) -> str:
    """Outside of `code`, no letter is a sign of Markdown's."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]#|{}$])", r"\\\1", part) for part in parts)
