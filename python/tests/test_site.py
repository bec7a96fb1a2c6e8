"""The site of the documents: it builds without a warning, its links lead somewhere, its code runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

import sparsecast

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# test_device_arrays runs the page of GPUs, on OpenCL.
ELSEWHERE = {DOCS / "how-to" / name for name in ("index.md", "gpu.md")}
PAGES = [DOCS / "first-plan.md", *sorted(set((DOCS / "how-to").glob("*.md")) - ELSEWHERE)]

# Pages about packages that are too large for the tests' environment: run where they are installed.
OTHERS = {"optimizers": "cvxpy", "pytorch": "torch", "jax": "jax"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "html"
    command = [sys.executable, ROOT / "docs" / "site" / "build.py", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Page(HTMLParser):
    """Where a page's links lead, and what in it can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        self.links += [found[name] for name in ("href", "src") if found.get(name)]


def test_no_link_is_broken(site):
    pages = {file: Page(file) for file in site.rglob("*.html") if "_static" not in file.parts}  # the theme's templates
    assert len(pages) > 60
    broken, followed = [], 0
    for file, page in pages.items():
        for link in page.links:
            url = urlparse(link)
            if url.scheme or url.netloc:
                continue
            followed += 1
            there = (file.parent / unquote(url.path)).resolve() if url.path else file
            known = pages[there].anchors | {""} if there in pages else {url.fragment}
            if not there.is_file() or unquote(url.fragment) not in known:
                broken.append(f"{file.relative_to(site)}: {link}")
    assert followed > 2000 and not broken, broken


def test_the_references_are_whole(site):
    python = (site / "reference" / "python.html").read_text()
    for name in sparsecast.__all__:
        if not name.startswith("__"):
            assert f'id="sparsecast.{name}"' in python or f'id="module-sparsecast.{name}"' in python or (
                f'id="sparsecast.{name}.' in python
            ), name  # fmt: skip
    for header in (ROOT / "include" / "sparsecast").glob("*.hpp"):
        assert (site / "reference" / "cpp" / f"{header.stem}.html").is_file()
    plan = (site / "reference" / "cpp" / "plan.html").read_text()
    assert "apply_transposed_block" in plan and "private:" not in plan
    for command in ("sparsecast", "sparsecast-predict", "sparsecast-cluster-predict"):
        assert (site / "reference" / "command" / f"{command}.html").is_file()
    assert "--iterations" in (site / "reference" / "command" / "sparsecast-predict.html").read_text()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def test_there_are_pages_with_code():
    assert len(PAGES) >= 8
    of_other_languages = [page for page in PAGES if "{literalinclude} ../programs/" in page.read_text()]
    assert len(of_other_languages) == 3, "programs of C, Fortran and Octave, which tests/c_interface runs"
    for page in set(PAGES) - set(of_other_languages):
        assert blocks(page, "python") or blocks(page, "console"), page.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page):
    """The Python blocks of a page are one program, its console blocks one session."""
    program = "\n".join(blocks(page, "python"))
    if page.stem in OTHERS:
        pytest.importorskip(OTHERS[page.stem])
    exec(compile(program, str(page), "exec"), {"__name__": "page"})
    session = re.findall(r"^\$ (.*)$", "\n".join(blocks(page, "console")), re.MULTILINE)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", "\n".join(session)], env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
