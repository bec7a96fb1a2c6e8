"""The reference of the command: a page per command, made from its man page and the schema of what `--json` prints. Both
follow from the tables of fields (src/fields)."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plain_text import escaped

__all__ = ["document_of", "page_of", "write_pages"]

# Commands whose document has another name than they.
DOCUMENTS = {
    "plan": ["optimize"],
    "predict": ["predict", "predictions"],
    "measure": ["measure", "measures"],
    "devices": ["devices", "catalogue", "device", "device-check"],
    "traffic": ["traffic", "traffic-compare"],
    "get": ["get", "collection"],
    "report": ["page"],
    "profiles-constants": ["constants"],
    "profiles-list": ["profiles"],
    "profiles-observations": ["observations"],
    "profiles-show": ["profile-summary"],
}


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
                out += [f"# {name.replace('-', ' ')}", "", escaped(summary[0].upper() + summary[1:]) + ".", ""]
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


def _type(schema: dict[str, Any]) -> str:
    """What a value is, in a word or two."""
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(json.dumps(word) for word in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[choice]))
    if schema.get("type") == "array":
        return "list"
    kind = schema.get("type", "any")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _fields(schema: dict[str, Any], before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key below a schema with its path, as `forecasts[].low_s`, once."""
    for one in [schema, *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        for key, value in one.get("properties", {}).items():
            path = f"{before}.{key}" if before else key
            yield path, value
            yield from _fields(value, path)
        if isinstance(one.get("items"), dict):
            yield from _fields(one["items"], before + "[]")


def document_of(schema: dict[str, Any]) -> str:
    """A document's fields as a table in Markdown."""
    rows = ["| key | type | meaning |", "| --- | --- | --- |"]
    for path, value in dict(_fields(schema)).items():
        cells = (f"`{path}`", escaped(_type(value)), escaped(value.get("description", "")))
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _documents(name: str, schemas: Path) -> str:
    """The section about what a command prints with --json; nothing for one that prints none."""
    text = ""
    for document in DOCUMENTS.get(name, [name]):
        file = schemas / f"{document}.schema.json"
        if file.is_file():
            schema = json.loads(file.read_text())
            text += f"\n### `{schema['$id']}`\n\n{escaped(schema['title'].rstrip('.'))}.\n\n{document_of(schema)}"
    return "\n## What `--json` prints\n" + text if text else ""


def write_pages(program: Path, schemas: Path, folder: Path) -> None:
    """A page for each command and one that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as manuals:
        subprocess.run([program, "manual", manuals], check=True)
        pages = {page.stem: page.read_text() for page in sorted(Path(manuals).glob("*.1"))}
    for name, manual in pages.items():
        page = page_of(manual) + _documents(name.removeprefix("sparsecast-"), schemas)
        (folder / f"{name}.md").write_text(page)
    names = "\n".join(pages)
    (folder / "index.md").write_text(
        "# Command\n\nEvery command with its options, as `sparsecast help COMMAND` and the man pages have them, and the fields "
        "of the document that it prints with `--json`.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    )
