"""Helpers of the parser tests: records of texts and of the designs in `designs/parsing`."""

from pathlib import Path

from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model import FileRecord, Unit
from hdlgraph.parsers.includes import IncludeIndex

DESIGNS = Path(__file__).parent / "designs" / "parsing"


def record_of(
    folder: Path,
    text: str | bytes,
    name: str = "top.sv",
    others: dict[str, str] | None = None,
    **kw,
) -> FileRecord:
    """Writes `text` (and `others`, by path) under `folder` and reads it through all layers."""
    files = {name: text, **(others or {})}
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Extractor(folder, IncludeIndex(files)).extract(name, "", "rtl", **kw)


def design(name: str, **kw) -> FileRecord:
    """Reads a committed design through all layers."""
    paths = sorted(path.name for path in DESIGNS.iterdir())
    return Extractor(DESIGNS, IncludeIndex(paths)).extract(name, "", "rtl", **kw)


def unit(record: FileRecord, name: str) -> Unit:
    """Returns the unit of that name."""
    return next(unit for unit in record.units if unit.name == name)
