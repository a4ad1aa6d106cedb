"""Checks the ZIP archive that a DOCX or PPTX file is, before a library unpacks it."""

from __future__ import annotations

import zipfile
from io import BytesIO

from hdlgraph.parsers.documents.records import DocumentError

ENTRIES = 20_000
"""Most files of an archive."""
UNPACKED = 300_000_000
"""Most bytes of all of them, unpacked."""
RATIO, FROM = 200, 1_000_000
"""An entry of more than FROM bytes that shrank to less than 1/RATIO is no document's."""
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How encrypted files, and those of the formats before, begin."""


def check_archive(data: bytes) -> None:
    """Raises DocumentError for what is no archive, is encrypted, or would unpack to too much.

    zipfile gives no more bytes of an entry than the entry says, so its word can be taken.
    """
    if data.startswith(OLE):
        raise DocumentError("is encrypted, or of the format before 2007: save it as DOCX or PPTX")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentError(f"is broken: no archive ({error})") from error
    if len(entries) > ENTRIES:
        raise DocumentError(f"holds {len(entries)} files, more than {ENTRIES}: not unpacked")
    if any(one.flag_bits & 1 for one in entries):
        raise DocumentError("is encrypted")
    total = sum(one.file_size for one in entries)
    if total > UNPACKED:
        raise DocumentError(f"would unpack to {total} bytes, more than {UNPACKED}: a ZIP bomb")
    for one in entries:
        if one.file_size > FROM and one.file_size > RATIO * max(one.compress_size, 1):
            raise DocumentError(
                f"holds {one.filename[:80]!r}, {one.compress_size} bytes that would unpack to "
                f"{one.file_size}: a ZIP bomb"
            )
