"""The command `python -m hdlgraph.eval.figures`: stores runs, writes or checks README.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hdlgraph.errors import telling_errors
from hdlgraph.eval.figures import stored, tables
from hdlgraph.eval.figures.blocks import blocks, filled
from hdlgraph.eval.figures.session import CORE, replayed

PAGE = Path("README.md")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, or 1 when `--check` finds an old text, 2 on wrong use."""
    options = _arguments(arguments)
    if options.command == "store":
        made = stored.summary(options.folder, options.by, options.commit)
        sys.stdout.write(f"wrote {stored.write(made, options.name)}\n")
        return 0
    return _write(options.page, options.check, options.session)


def figures(folder: Path = stored.FOLDER) -> dict[str, str]:
    """Returns the text of each block of figures, by its name, from the stored runs."""
    benches = {name: stored.read(name, folder) for name in tables.BENCHES}
    return {name: made(benches) for name, made in tables.BLOCKS.items()}


def session(page: str, cache: Path | None = None) -> str | None:
    """Returns the session block as its commands print it now; None without the corpus here.

    The corpus is indexed below the cache folder, which takes a minute the first time.
    """
    from hdlgraph.eval.sets.corpora import cache_folder, materialise
    from hdlgraph.project import Project

    home = cache or cache_folder()
    if not any((home / "corpora").glob(f"{CORE}-*")):
        return None
    folder = home / "demo"
    Project(materialise(CORE, home), folder).index(graphrag="never")
    return replayed(blocks(page)["session"], folder)


def _write(file: Path, check: bool, with_session: bool) -> int:
    page = file.read_text(encoding="utf-8")
    texts = figures()
    if with_session:
        content = session(page)
        if content is None:
            sys.stderr.write(f"figures: the session stays: {CORE} is not in the cache folder\n")
        else:
            texts["session"] = content
    new = filled(page, texts)
    old = sorted(name for name, text in texts.items() if blocks(page)[name] != text)
    if check:
        sys.stdout.writelines(f"{file}: block {name} is not what the runs give\n" for name in old)
        return 1 if old else 0
    if new != page:
        file.write_text(new, encoding="utf-8")
    sys.stdout.write(f"{file}: {len(old)} of {len(texts)} blocks changed\n")
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.figures", description=__doc__)
    parser.add_argument("--page", type=Path, default=PAGE, help="the page; README.md")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if a block is old")
    parser.add_argument("--session", action="store_true", help="also run the session's commands")
    commands = parser.add_subparsers(dest="command")
    store = commands.add_parser("store", help="keep the summary of a suite in eval/figures")
    store.add_argument("name", choices=tables.BENCHES)
    store.add_argument("folder", type=Path, help="the --out folder of `hdlgraph eval suite`")
    store.add_argument("--by", required=True, action="append", help="a command that made it")
    store.add_argument("--commit", required=True, help="the version that ran")
    return parser.parse_args(arguments)
