"""Validates the JSON document on standard input against docs/schemas/<its own schema name>.schema.json."""
import json
import pathlib
import sys

try:
    import jsonschema
except ModuleNotFoundError:
    print("validate_document.py: this Python has no jsonschema; scripts/make-venv installs it", file=sys.stderr)
    sys.exit(4)

schemas = pathlib.Path(sys.argv[1])
document = json.load(sys.stdin)
prefix, name, version = document["schema"].split("/")
assert (prefix, version) == ("sparsecast", "1"), document["schema"]
schema = json.loads((schemas / f"{name}.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
