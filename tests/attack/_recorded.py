"""Runs commands of hdlgraph in a home of their own, without a network; notes what they reach."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from _native import HERE, preloaded

HDLGRAPH = str(Path(sys.executable).with_name("hdlgraph"))
ALONE = [sys.executable, "-P", str(HERE / "alone.py")]
HARMLESS = ("/dev/", "/proc/self/")
LOUD = {
    "ORT_DISABLE_TELEMETRY": "0",
    "HF_HUB_DISABLE_TELEMETRY": "0",
    "DO_NOT_TRACK": "0",
    "LITELLM_LOCAL_MODEL_COST_MAP": "False",
    "LITELLM_MODE": "DEV",
    "ARROW_TRACING_BACKEND": "otlp_http",
}
"""An environment that wants what hdlgraph switches off."""
UNSET = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
)


def separable() -> str:
    """Returns why no network namespace can be made here, "" where one can."""
    done = subprocess.run([*ALONE, "true"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"no network namespace: {done.stderr.splitlines()[-1]}"


@dataclass
class Recorder:
    """A folder with a home, a place for temporary files and a record of what was reached."""

    folder: Path
    library: Path
    alone: bool

    def __post_init__(self) -> None:
        for name in ("home", "tmp", "cache", "empty"):
            (self.folder / name).mkdir(parents=True)

    def run(
        self, *command: str, said: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command with `said` on its stdin and the record begun anew."""
        self.record.unlink(missing_ok=True)
        env = preloaded(self.library, RECORD=str(self.record), **LOUD)
        env = {name: value for name, value in env.items() if name not in UNSET}
        env |= {"HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp")}
        env |= {"XDG_CACHE_HOME": str(self.folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        env |= variables
        return subprocess.run(
            [*(ALONE if self.alone else ()), *command],
            **{"env": env, "cwd": self.folder / "empty", "input": said},
            **{"capture_output": True, "text": True, "timeout": 300, "check": False},
        )

    @property
    def record(self) -> Path:
        return self.folder / "record.txt"

    def events(self) -> list[tuple[str, str]]:
        """Returns (connect, resolve or write; address, name or path) of the last command."""
        text = self.record.read_text("utf-8", "replace") if self.record.exists() else ""
        return [
            (kind, what) for kind, _, what in (line.partition(" ") for line in text.split("\n"))
        ]

    def reached(self) -> list[str]:
        """Returns the addresses and names that the last command wanted to reach."""
        return sorted({what for kind, what in self.events() if kind in ("connect", "resolve")})

    def written(self, *allowed: Path) -> list[str]:
        """Returns what the last command wrote outside the folders that it may write to."""
        inside = (*allowed, self.folder / "tmp")
        paths = {os.path.normpath(what) for kind, what in self.events() if kind == "write"}
        return sorted(
            path
            for path in paths
            if not path.startswith(HARMLESS)
            and not any(Path(path).is_relative_to(p) for p in inside)
        )

    def left(self) -> list[str]:
        """Returns what lies in the home, among the temporary files, or in the working folder."""
        places = (self.folder / "home", self.folder / "tmp", self.folder / "empty")
        return sorted(str(path) for place in places for path in place.rglob("*"))
