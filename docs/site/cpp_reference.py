"""The reference of the C++ interface: a page per public header, made from the header itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from plain_text import escaped

__all__ = ["page_of", "write_pages"]


@dataclass
class Entry:
    """A declaration, or several without an empty line between them, with what stands above the first."""

    comment: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        text = " ".join(line for line in self.lines if not line.lstrip().startswith("//"))
        text = re.sub(r"\[\[[^\]]*\]\]|^\s*template <[^>]*>", "", text)
        kind = re.search(r"\b(?:enum class|class|struct|using)\s+(\w+)", text.split("(")[0])
        if kind:
            return kind.group(1)
        function = re.search(r"(operator\S+|\w+)\s*\(", text)
        constant = re.search(r"(\w+)\s*(?:=|\{|;)", text)
        found = function or constant
        return found.group(1) if found else text.strip()


def _without_private(lines: list[str]) -> list[str]:
    """A class without what its users cannot name."""
    kept, hidden = [], False
    for line in lines:
        if re.match(r"\s*(private|protected):", line):
            hidden = True
        elif re.match(r"\s*public:", line) or line.startswith("}"):
            hidden = False
        if not hidden:
            kept.append(line)
    while len(kept) > 1 and not kept[-2].strip():
        del kept[-2]
    return kept


def _entries(lines: list[str]) -> list[Entry]:
    """What stands in namespace sparsecast, without forward declarations and namespaces within."""
    found: list[Entry] = []
    entry, depth, within = Entry(), 0, 0
    for line in lines:
        if depth == 0 and re.match(r"(inline )?namespace \w+ \{$", line):
            within += 1
            continue
        if depth == 0 and within and line.startswith("}"):
            within -= 1
            continue
        if depth == 0 and (not line.strip() or within):
            if entry.lines:
                found.append(entry)
                entry = Entry()
            continue
        code = line.split("//")[0]
        if not entry.lines and line.startswith("//"):
            entry.comment.append(line)
            continue
        entry.lines.append(line)
        depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
    if entry.lines:
        found.append(entry)
    # Fields and words repeat what the members' types and names say.
    told = [one for one in found if not re.match(r"template <>\s*struct (Fields|Words)<", "\n".join(one.lines))]
    declared = [one for one in told if not all(re.match(r"(class|struct) \w+;", line) for line in one.lines)]
    return [Entry(one.comment, _without_private(one.lines)) for one in declared]


def _text(comment: list[str]) -> str:
    """Lines of // or /// as paragraphs; those indented by three spaces are code."""
    out: list[str] = []
    code = False
    for line in comment:
        text = re.sub(r"^///?<? ?", "", line)
        if text.startswith("  ") and (code or not out or not out[-1]):
            if not code:
                out.append("```cpp")
            code = True
            out.append(text[2:])
            continue
        if code and text.strip():
            out.append("```")
            code = False
        out.append("" if code else escaped(text))
    return "\n".join(out + (["```"] if code else [])).strip()


def page_of(header: Path) -> str:
    """The page of one header, in Markdown."""
    lines = header.read_text().splitlines()
    opening, rest = [], lines[1:]  # behind #pragma once
    while rest and rest[0].startswith("//"):
        opening.append(rest.pop(0))
    begins = [k for k, line in enumerate(rest) if line.startswith("namespace sparsecast")]
    ends = [k for k, line in enumerate(rest) if line.startswith("}  // namespace sparsecast")]
    inner = rest[begins[0] + 1 : ends[-1]] if begins else []
    name = "sparsecast/" + header.as_posix().split("/sparsecast/")[-1]
    parts = [f"# `{name}`", _text(opening), f"```cpp\n#include <{name}>\n```"]
    for entry in _entries(inner):
        code = "\n".join(entry.lines)
        parts += [f"## `{entry.name}`", _text(entry.comment), f"```cpp\n{code}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"


def write_pages(headers: Path, folder: Path) -> None:
    """A page for each header and one that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for header in sorted(headers.rglob("*.hpp")):
        name = "-".join(header.relative_to(headers).with_suffix("").parts)
        (folder / f"{name}.md").write_text(page_of(header))
        names.append(name)
    text = (
        "# C++\n\nWhat `#include <sparsecast/…>` gives, from the headers themselves. Everything is in namespace "
        "`sparsecast`; errors are `sparsecast::Error`. [A plan](../../plan.md) shows the calls in use.\n\n"
        "```{toctree}\n:maxdepth: 2\n\n" + "\n".join(names) + "\n```\n"
    )
    (folder / "index.md").write_text(text)
