"""Figures on pages that rest on data sheets alone are the same on every machine: a page shows today's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {  # and how wide its screens are
    ROOT / "README.md": 80,
    DOCS / "tutorial.md": 80,
    DOCS / "how-to" / "cluster.md": 80,
    DOCS / "examples" / "choose-a-gpu.md": 100,
    DOCS / "examples" / "choose-a-server.md": 100,
    DOCS / "examples" / "cluster-size.md": 100,
}
MATRICES = (
    "sparsecast generate poisson3d --size 60 -o heat.mtx",
    "sparsecast generate geometric --rows 100000 --row-mean 16 --seed 1 -o mesh.mtx",
)
SCALES = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "%": 1e-2, "": 1.0}


def rows(text: str) -> list[tuple[tuple[str, ...], list[float]]]:
    """The words and the figures of each line about a machine or a scheme."""
    found = []
    for line in text.splitlines():
        if re.match(r"\s*((nvidia|amd|intel|aws)-\S+|l1dr) .*\d", line):
            figure = r"(?<![\w-])(\d[\d,.]*\d|\d)(?: (ns|µs|ms|s|%))?(?![\w-])"
            words = re.sub(r"[├─●┤=;:,.]", " ", re.sub(figure, " ", line)).split()
            figures = [float(n.replace(",", "")) * SCALES[unit] for n, unit in re.findall(figure, line)]
            found.append((tuple(words), figures))
    return found


def is_as(shown: list[float], printed: list[float]) -> bool:
    """Apart by what rounding and another compiler do."""
    return len(shown) == len(printed) and all(abs(a - b) <= 0.011 * max(a, b) for a, b in zip(shown, printed))


def test_a_row_is_read():
    (row,) = rows("  amd-mi300x   rocsparse-csr  14.0 ms  ├──●──┤  61.1 %  =\n  machine  total\n")
    assert row[0] == ("amd-mi300x", "rocsparse-csr") and is_as(row[1], [0.014, 0.611])
    assert not is_as(row[1], [0.0138, 0.611]) and not is_as(row[1], [0.014])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_figures_of_a_page_are_todays(page, tmp_path):
    text = page.read_text()
    without_a_calibration = "compare|cluster predict|cluster advise|json|hdr200"
    asked = re.findall(rf"^(?:    )?\$ (.*(?:{without_a_calibration}).*)$", text, re.MULTILINE)
    assert asked and rows(text)
    told = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    told |= {"COLUMNS": str(PAGES[page]), "SPARSECAST_HOME": str(tmp_path / "home")}
    session = "\n".join([*(f"{made} --quiet >/dev/null" for made in MATRICES), *asked])
    done = subprocess.run(["bash", "-euc", session], env=told, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = rows(done.stdout)
    for words, figures in rows(text):
        assert any(words == those and is_as(figures, today) for those, today in printed), (words, done.stdout)
