#!/usr/bin/env python3
"""How results of benchmarks are written: a row a line, so that what a new run changed is read line by line.

    benchmarks/results_json.py FILE…      # writes files anew in that form; their values stay

An object has a member a line and an array an element a line where their members have members themselves. An element of
an array is one line, whatever it holds. C++ writes the same form: benchmarks/results_json.hpp.
"""
import json
import pathlib
import sys


def one_line(value):
    return json.dumps(value, ensure_ascii=False)


def text(value, indent=""):
    members = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if not any(isinstance(member, (dict, list)) for member in members) and (indent or not members):
        return one_line(value)
    within = indent + " "
    if isinstance(value, dict):
        lines = [f"{within}{one_line(key)}: {text(member, within)}" for key, member in value.items()]
        begin, end = "{}"
    else:
        lines = [within + one_line(row) for row in value]
        begin, end = "[]"
    return begin + "\n" + ",\n".join(lines) + f"\n{indent}{end}"


def write(path, document):
    pathlib.Path(path).write_text(text(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(name, json.loads(pathlib.Path(name).read_text(encoding="utf-8")))
