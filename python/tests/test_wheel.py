"""What the wheel brings."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import sparsecast

PACKAGE = Path(sparsecast.__file__).parent


def test_it_brings_the_command():
    program = Path(sys.executable).with_name("sparsecast")
    for command in ([program], [sys.executable, "-m", "sparsecast"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"sparsecast {sparsecast.__version__}")
        wrong = subprocess.run([*command, "info", "no such file"], capture_output=True, text=True)
        assert wrong.returncode == 3 and "no such file" in wrong.stderr


def test_it_needs_no_library_that_it_does_not_bring():
    for file in PACKAGE.glob("_core*.so"):
        listed = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
        assert "not found" not in listed
        named = {Path(line.split()[0]).name.split(".so")[0] for line in listed.splitlines() if ".so" in line}
        # What a manylinux wheel may expect of a system.
        system = {
            "linux-vdso",
            "libstdc++",
            "libm",
            "libgcc_s",
            "libc",
            "ld-linux-x86-64",
            "libpthread",
            "libdl",
            "librt",
        }
        system |= {"libz"}
        brought = {name for name in named - system if list(PACKAGE.parent.glob(f"sparsecast.libs/{name}*"))}
        assert named - system - brought == set()


def test_it_says_its_version_and_its_types():
    assert importlib.metadata.version("sparsecast") == sparsecast.__version__
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_core.pyi").exists()
    assert "std::" not in (PACKAGE / "_core.pyi").read_text(), "an attribute of a type that Python has not"
    assert set(dir(sparsecast)) >= {"plan", "forecast", "Error", "plot", "cluster"}


def test_importing_it_is_quick():
    code = "import sys, sparsecast; print('scipy' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
