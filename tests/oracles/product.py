"""Asking the product: one command, one folder for a case's inputs, one JSON document back."""

import json
import os
import shlex
import subprocess


class Refused(Exception):
    """The command ended with another status than 0."""


class Product:
    def __init__(self, command, folder):
        self.command, self.folder = os.path.abspath(command), folder
        self.asked = []  # as a shell would have it, for who repeats a case

    def write(self, name, content):
        """Text as it is, anything else as JSON."""
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            if isinstance(content, str):
                file.write(content)
            else:
                json.dump(content, file, indent=1)
        return name

    def ask(self, *arguments):
        line = [self.command, *map(str, arguments), "--json", "--quiet"]
        self.asked.append(shlex.join(line))
        home = os.path.join(self.folder, "home")  # neither this user's calibrations nor their observations
        done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "SPARSECAST_HOME": home})
        if done.returncode != 0:
            raise Refused(f"status {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)
