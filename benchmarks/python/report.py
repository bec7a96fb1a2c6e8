"""The table and the plot of docs/results-python.md, from benchmarks/results/python.json."""

from __future__ import annotations

import json
import math
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURE = ROOT / "docs" / "results-python.md", ROOT / "docs" / "pictures" / "results-python.svg"
BEGIN, END = "<!-- table -->\n", "<!-- end of the table -->"
MARKS = {
    "sparsecast": ("o", "#0b5394"),
    "sparse_dot_mkl": ("s", "#d9730d"),
    "numba": ("^", "#4c9a6a"),
    "PyRSB": ("d", "#8e63ab"),
}


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def table(document: dict) -> list[str]:
    """A row for each matrix: how many times as fast as SciPy, with the kernel; means of the others below."""
    cases = {(case["matrix"], case["threads"]): case for case in document["products"]}
    threads = sorted({count for _, count in cases})
    heads = [f"{count} thread{'s' if count > 1 else ''}" for count in threads]
    lines = ["| matrix | non-zeros | SciPy | " + " | ".join(heads) + " |", "| --- | ---: | ---: |" + " --- |" * len(heads)]
    ratios: dict[tuple[str, int], list[float]] = {}
    for matrix in dict.fromkeys(name for name, _ in cases if not name.startswith("tiny")):
        first = cases[matrix, threads[0]]
        cells = [matrix, f"{first['nonzeros']:,}", time_text(first["seconds"]["scipy"])]
        for count in threads:
            case = cases[matrix, count]
            cells.append(f"{case['seconds']['scipy'] / case['seconds']['sparsecast']:.2f} {case['kernel']}")
            for name in (name for name in MARKS if name in case["seconds"]):
                ratios.setdefault((name, count), []).append(case["seconds"]["scipy"] / case["seconds"][name])
        lines.append("| " + " | ".join(cells) + " |")
    for name in dict.fromkeys(name for name, _ in ratios):
        means = [f"**{geometric_mean(ratios[name, count]):.2f}**" for count in threads]
        lines.append(f"| **geometric mean, {name}** | | | " + " | ".join(means) + " |")
    return lines


def time_text(seconds: float) -> str:
    for size, unit in ((1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def calls(document: dict) -> list[str]:
    lines = ["| non-zeros | C++ product | `P @ x` | beyond C++ | `P.apply(x, out=y)` | SciPy |", "| ---: " * 6 + "|"]
    for row in document["calls"]:
        shown = [time_text(row["seconds"][name]) for name in ("cpp", "python", "overhead", "apply", "scipy")]
        lines.append(f"| {row['nonzeros']:,} | " + " | ".join(shown) + " |")
    return lines


def solvers(document: dict) -> list[str]:
    lines = ["| solver | threads | kernel | products | SciPy | planned | times as fast |", "| --- " * 7 + "|"]
    for case in document["solvers"]:
        theirs, ours = (case["seconds"][name] for name in ("scipy", "sparsecast"))
        lines.append(
            f"| {case['solver']} | {case['threads']} | {case['kernel']} | {case['products']} | {time_text(theirs)} | "
            f"{time_text(ours)} | {theirs / ours:.2f} |"
        )
    return lines


def draw(document: dict) -> None:
    threads = sorted({case["threads"] for case in document["products"]})
    names = list(dict.fromkeys(case["matrix"] for case in document["products"]))[::-1]
    figure, axes = plt.subplots(1, len(threads), figsize=(4 * len(threads), 0.8 + 0.18 * len(names)), sharey=True,
                                layout="constrained", squeeze=False)  # fmt: skip
    for ax, count in zip(axes[0], threads):
        cases = {case["matrix"]: case["seconds"] for case in document["products"] if case["threads"] == count}
        for other, (mark, color) in MARKS.items():
            points = [(s["scipy"] / s[other], names.index(name)) for name, s in cases.items() if other in s]
            if points:
                ax.plot(*zip(*points), mark, color=color, ms=4, label=other)
        ax.axvline(1, color="#8a8a8a", lw=0.8, ls="--")
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel(f"times as fast as SciPy, {count} thread{'s' if count > 1 else ''}")
        ax.set_yticks(range(len(names)), names, fontsize=7)
        ax.grid(axis="y", lw=0.3, alpha=0.5)
    axes[0][0].legend(fontsize=7, frameon=False)
    matplotlib.rcParams["svg.hashsalt"] = "sparsecast"
    figure.savefig(PICTURE, metadata={"Date": None})


def main() -> None:
    document = json.loads((ROOT / "benchmarks" / "results" / "python.json").read_text())
    draw(document)
    before, rest = PAGE.read_text().split(BEGIN)
    parts = ["\n".join(part(document)) for part in (calls, solvers, table)]
    PAGE.write_text(before + BEGIN + "\n\n".join(parts) + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
