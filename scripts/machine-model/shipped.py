"""What a shipped model tells of itself: command, tables with their SHA-256 and sizes, licence, date. And the numbers of
src/constants.tsv that training shares with the program."""
import hashlib
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def constants():
    """By name the list of a row's numbers."""
    rows = [line.split("\t") for line in (ROOT / "src/constants.tsv").read_text().splitlines()[1:]]
    return {row[0]: [float(value) for value in row[1].split()] for row in rows}


def add_options(options):
    options.add_argument("--tables", type=pathlib.Path, required=True, help="folder of the tables of measured times")
    options.add_argument("--output", type=pathlib.Path, default=ROOT / "profiles", help="folder that the model is for")
    options.add_argument("--date", help="when it was learned (as the shipped file says)")


def learned(what, tables, folder, licence, date, file):
    """`file`: the one that is shipped, whose date stays where none is given."""
    if date is None:
        date = json.loads((ROOT / "profiles" / file).read_text())["learned"]["date"]
    files = [{"table": path.relative_to(folder).as_posix(), "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
              "bytes": path.stat().st_size} for path in sorted(tables)]
    return {"command": f"scripts/refit {what} --tables FOLDER --output FOLDER --date {date}", "licence": licence,
            "date": date, "learned_from": files}


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")
