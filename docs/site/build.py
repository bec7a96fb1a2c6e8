"""Builds the site of the documents in the environment that it is called in, which has the package and Sphinx.

build.py SITES/NAME     the site of this version, as HTML; what it is made of lies in SITES.source/NAME

SITES holds the sites of all versions. `versions.js` there names them, and `index.html` leads to the newest; both are
written again by each build. Nothing needs a server.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import sparsecast

from cpp_reference import write_pages as write_cpp
from command_reference import write_pages as write_commands
from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).resolve().parents[2]


def _within(text: str, page: Path) -> str:
    """A page's text without links to files of the repository that are not of the site: their texts stay."""

    def kept(link: re.Match) -> str:
        target = (page.parent / link[2]).resolve()
        return link[0] if target.is_relative_to(ROOT / "docs") or not target.exists() else link[1]

    return re.sub(r"\[([^\]]+)\]\(([^)#:\s]+)\)", kept, text)


def _together(text: str) -> str:
    """A number and its unit never part at the end of a line; code stays as it is."""
    parts = re.split(r"(^```.*?^```$|^(?: {4}.*\n)+|`[^`\n]*`)", text, flags=re.DOTALL | re.MULTILINE)
    unit = r"(?<=\d) (?=(%|×|[nµm]?s|[kMGT]?i?B|GB/s|[MG]Hz)(?![\w/]))"
    return "".join(part if part.startswith(("`", "    ")) else re.sub(unit, "\u00a0", part) for part in parts)


def stage(source: Path) -> None:
    """The documents, and the pages that are made, in one folder."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("site", "schemas"))
    shutil.copytree(ROOT / "examples" / "c_interface", source / "programs")
    shutil.copy(ROOT / "include" / "sparsecast.h", source / "programs")
    for page in source.rglob("*.md"):
        page.write_text(_together(_within(page.read_text(), ROOT / "docs" / page.relative_to(source))))
    write_cpp(ROOT / "include" / "sparsecast", source / "reference" / "cpp")
    program = Path(sys.executable).with_name("sparsecast")
    write_commands(program, ROOT / "docs" / "schemas", source / "reference" / "command")


def write_versions(sites: Path) -> None:
    """What the versions in a folder are called, newest first, and the page that leads to the newest."""
    found = {file.parent.name: file.read_text().strip() for file in sites.glob("*/version.txt")}
    newest = sorted(found, key=lambda name: [int(part) for part in re.findall(r"\d+", found[name])], reverse=True)
    named = [{"version": found[name], "folder": name} for name in newest]
    (sites / "versions.js").write_text(f"window.sparsecastVersions = {json.dumps(named)};\n")
    (sites / "index.html").write_text(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Sparsecast</title>'
        f'<meta http-equiv="refresh" content="0; url={newest[0]}/index.html"></head>'
        f'<body><p><a href="{newest[0]}/index.html">Sparsecast {found[newest[0]]}</a></p></body></html>\n'
    )


def build(site: Path) -> int:
    """Sphinx's exit status: every warning is a failure."""
    source = site.parent.with_name(site.parent.name + ".source") / site.name
    stage(source)
    shutil.rmtree(site, ignore_errors=True)
    strict = ["-q", "--nitpicky", "--fail-on-warning", "--keep-going"]
    folders = ["-c", str(Path(__file__).parent), "-d", str(source / ".doctrees"), str(source), str(site)]
    status = sphinx(strict + folders)
    if status == os.EX_OK:
        (site / "version.txt").write_text(sparsecast.__version__ + "\n")
        write_versions(site.parent)
    return status


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(build(Path(sys.argv[1]).resolve()))
