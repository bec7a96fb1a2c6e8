"""Holds JSON documents against docs/schemas/NAME.schema.json of the schema that each names, one after the other.

  validate_document.py SCHEMAS     a request on standard input is the document's length in bytes on a line, and the
                                   document; the answer on standard output the length of what is wrong, and that

Starting Python and checking the schemas takes a quarter of a second, a document some milliseconds. Exit status 4 where
jsonschema is not here."""
import json
import pathlib
import sys

try:
    import jsonschema
except ModuleNotFoundError:
    print("validate_document.py: this Python has no jsonschema; scripts/make-venv installs it", file=sys.stderr)
    sys.exit(4)

schemas = pathlib.Path(sys.argv[1])
validators = {}


def validator(name):
    if name not in validators:
        schema = json.loads((schemas / f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[name] = jsonschema.Draft202012Validator(schema)
    return validators[name]


def wrong(text):
    try:
        document = json.loads(text)
        prefix, name, version = document["schema"].split("/")
        assert (prefix, version) == ("sparsecast", "1"), document["schema"]
        found = jsonschema.exceptions.best_match(validator(name).iter_errors(document))
        return str(found) if found else ""
    except Exception as error:  # whatever it is, it is an answer
        return f"{type(error).__name__}: {error}"


while line := sys.stdin.buffer.readline():
    said = wrong(sys.stdin.buffer.read(int(line))).encode()
    sys.stdout.buffer.write(b"%d\n%s" % (len(said), said))
    sys.stdout.buffer.flush()
