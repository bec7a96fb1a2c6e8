"""The reference of the command: a page per command, made from its man pages."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from plain_text import escaped

__all__ = ["page_of", "write_pages"]


def _plain(text: str) -> str:
    return text.removeprefix("\\&").replace("\\-", "-").replace("\\e", "\\")


def page_of(manual: str) -> str:
    """A man page, as `sparsecast manual` writes it, in Markdown."""
    out: list[str] = []
    lines = iter(manual.splitlines())
    for line in lines:
        if line.startswith(".TH "):
            continue
        if line.startswith(".SH "):
            title = line[4:].capitalize()
            if title == "Name":
                name, summary = _plain(next(lines)).split(" - ", 1)
                out += [f"# {name}", "", escaped(summary[0].upper() + summary[1:]) + ".", ""]
            elif title == "Synopsis":
                out += ["```text", _plain(next(lines)).removeprefix(".B "), "```", ""]
            elif title == "See also":
                break
            else:
                out += [f"## {title}", ""]
        elif line == ".TP":
            heading = _plain(next(lines).removeprefix(".B "))
            out += [f"`{heading}`", f": {escaped(_plain(next(lines))) or '–'}", ""]
        elif line == ".nf":
            out.append("```text")
        elif line == ".fi":
            out += ["```", ""]
        else:
            out.append(_plain(line))
    return "\n".join(out).rstrip() + "\n"


def write_pages(program: Path, folder: Path) -> None:
    """A page for each command and one that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as manuals:
        subprocess.run([program, "manual", manuals], check=True)
        pages = {page.stem: page.read_text() for page in sorted(Path(manuals).glob("*.1"))}
    for name, manual in pages.items():
        (folder / f"{name}.md").write_text(page_of(manual))
    names = "\n".join(pages)
    (folder / "index.md").write_text(
        "# Command\n\nWhat `sparsecast help COMMAND` and the man pages tell.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    )
