"""Builds the site of the documents in the environment that it is called in, which has the package and Sphinx.

build.py FOLDER     the site, as HTML; what it is made of lies beside it in FOLDER.source
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from cpp_reference import write_pages as write_cpp
from command_reference import write_pages as write_commands
from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).resolve().parents[2]


def _within(text: str, page: Path) -> str:
    """A page's text without links to files of the repository that are not of the site: their texts stay."""

    def kept(link: re.Match) -> str:
        target = (page.parent / link[2]).resolve()
        return link[0] if target.is_relative_to(ROOT / "docs") or not target.exists() else link[1]

    return re.sub(r"\[([^\]\n]+)\]\(([^)#:\s]+)\)", kept, text)


def stage(source: Path) -> None:
    """The documents, and the pages that are made, in one folder."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("site", "schemas"))
    shutil.copytree(ROOT / "examples" / "c_interface", source / "programs")
    shutil.copy(ROOT / "include" / "sparsecast.h", source / "programs")
    for page in source.rglob("*.md"):
        page.write_text(_within(page.read_text(), ROOT / "docs" / page.relative_to(source)))
    write_cpp(ROOT / "include" / "sparsecast", source / "reference" / "cpp")
    write_commands(Path(sys.executable).with_name("sparsecast"), source / "reference" / "command")


def build(site: Path) -> int:
    """Sphinx's exit status: every warning is a failure."""
    source = site.with_name(site.name + ".source")
    stage(source)
    shutil.rmtree(site, ignore_errors=True)
    strict = ["-q", "--nitpicky", "--fail-on-warning", "--keep-going"]
    folders = ["-c", str(Path(__file__).parent), "-d", str(source / ".doctrees"), str(source), str(site)]
    return sphinx(strict + folders)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(build(Path(sys.argv[1]).resolve()))
