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
EXAMPLES = sorted((DOCS / "examples").glob("*.md"))

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


def shape(line: str) -> str:
    """A printed line without what another machine or another day prints: figures, units, bars, how many figures a scale
    has, names of kernels and of machines and how many, marks of a place in a ranking or of a doubt."""
    kernel = r"(csr|coo|ell|hyb|jad|sell|dia|bsr|armpl|mkl|(roc|cu)sparse|ginkgo)(-[a-z0-9-]+)?"
    machine = r"(amd|intel|nvidia|aws|arm|ampere)-[a-z0-9-]+|host(?= )"
    words = re.sub(r"[├─●┤=*–]|\b(ns|µs|ms|s)\b", " ", line)
    words = re.sub(rf"\b({machine}|{kernel}|transpose|shared|second_form)(?![\w-])", "NAME", words)
    words = " ".join(re.sub(r"[+-]?\d[\d.,]*(e[+-]?\d+)?( %| ×)?", "#", words).split())
    words = words.replace("# threads", "# thread")
    return re.sub(r"NAME(,? (and )?(NAME|# more))+|(?<=it: )NAME", "NAMES", re.sub(r"#( #)+", "#", words))


def test_a_shape_keeps_the_words():
    assert shape("csr   315 µs  237 µs – 428 µs  ├●┤  =") == shape("sell-8-1  1.2 ms  1 ms – 2 ms ├─●──┤")
    assert shape("apart from it: sell-8-1, csr and 1 more") == shape("apart from it: csr, sell, dia, ell and 10 more")
    assert shape("dia on 2 threads, 37.8 µs") == shape("csr on 1 thread, 3 ms")
    assert shape("dia on 2 threads, 37.8 µs") != shape("dia on 2 cores, 37.8 µs")


def held_against(shown: list[str], printed: list[str]) -> str:
    """The first line of a page's screen that a program did not print after the ones before it, on however many lines."""
    words, at = shape("\n".join(printed)), 0
    for line in shown:
        if (wanted := shape(line)) and wanted != "…":
            if (found := words.find(wanted, at)) < 0:
                return line
            at = found + len(wanted)
    return ""


def test_there_are_twelve_examples():
    assert len(EXAMPLES) == 12
    for page in EXAMPLES:
        assert f"(examples/{page.name})" in (DOCS / "examples.md").read_text(), page.name
        assert len(page.read_text().splitlines()) <= 60, f"{page.name} is longer than a screen"


@pytest.mark.parametrize("page", [page for page in EXAMPLES if blocks(page, "console")], ids=lambda page: page.stem)
def test_an_example_of_the_command_prints_its_screen(page, tmp_path):
    session = re.findall(r"^\$ (.*)$", "\n".join(blocks(page, "console")), re.MULTILINE)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    told = {**os.environ, "PATH": path, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-euc", "\n".join(session)], env=told, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (shown,) = blocks(page, "text")
    assert held_against(shown.splitlines(), done.stdout.splitlines()) == "", done.stdout


@pytest.mark.parametrize("page", [page for page in EXAMPLES if blocks(page, "python")], ids=lambda page: page.stem)
def test_an_example_in_python_prints_its_screen(page, tmp_path):
    (program,) = blocks(page, "python")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (shown,) = blocks(page, "text")
    assert held_against(shown.splitlines(), done.stdout.splitlines()) == "", done.stdout


def sessions(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of a page's indented sessions, each with the screen below it."""
    found: list[tuple[str, list[str]]] = []
    inside = False
    for line in page.read_text().splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
            inside = True
        elif inside and (line.startswith("    ") or not line):
            found[-1][1].append(line[4:])
        else:
            inside = False
    return [(command, "\n".join(screen).strip("\n").splitlines()) for command, screen in found]


# The pages whose sessions users type first; what takes minutes, or is made on the page, is left out.
FIRST = [ROOT / "README.md", DOCS / "tutorial.md"]


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.stem)
def test_the_screens_of_a_first_page_are_todays(page, tmp_path):
    told = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    told["COLUMNS"] = "80"
    told["SPARSECAST_HOME"] = str(tmp_path / "home")  # a newcomer's: nothing was measured
    made = "sparsecast generate geometric --rows 100000 --row-mean 16 --seed 1 -o mesh.mtx"
    assert page.name != "README.md" or made in page.read_text()
    subprocess.run(["bash", "-c", made], env=told, cwd=tmp_path, check=True, capture_output=True)
    asked = sessions(page)
    assert len(asked) >= 3
    for command, shown in asked:
        if command == "sparsecast calibrate":
            continue
        done = subprocess.run(["bash", "-euc", command], env=told, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert held_against(shown, done.stdout.splitlines()) == "", f"{command}\n{done.stdout}"


def test_the_pictures_are_of_todays_figures(tmp_path):
    subprocess.run([sys.executable, ROOT / "benchmarks" / "pictures" / "draw", tmp_path], check=True)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) == 5
    for picture in drawn:
        assert picture.read_text() == (DOCS / "pictures" / picture.name).read_text(), "benchmarks/pictures/draw"
        assert min(map(float, re.findall(r"font(?:-size)?: (\d+)px", picture.read_text()))) >= 12
