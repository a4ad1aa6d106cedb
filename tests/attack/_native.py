"""Small libraries in C that are loaded into a program before its own (LD_PRELOAD)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def compiler() -> str | None:
    """Returns the C compiler, or None where there is none."""
    return shutil.which("gcc") or shutil.which("cc")


def build(name: str, folder: Path) -> Path:
    """Returns the library of `name`.c, compiled into a folder."""
    library = folder / f"{name}.so"
    command = [str(compiler()), "-shared", "-fPIC", "-O1", "-o", str(library)]
    subprocess.run([*command, str(HERE / f"{name}.c"), "-ldl"], check=True, timeout=60)
    return library


def preloaded(library: Path, **variables: str) -> dict[str, str]:
    """Returns the environment of a program that has `library` loaded first."""
    return {**os.environ, "LD_PRELOAD": str(library), **variables}
