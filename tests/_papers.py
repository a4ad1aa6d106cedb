"""Documents that tests read, made by hand: a PDF, a DOCX, a PPTX and a little manual."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path


def pdf(pages: Sequence[str], titles: Sequence[tuple[str, int]] = ()) -> bytes:
    """Returns a PDF whose pages have lines of text, with bookmarks (title, page from 0)."""
    objects: list[bytes] = []
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    first = 4 + 2 * count
    outlines = f"/Outlines {first} 0 R" if titles else ""
    objects.append(f"<< /Type /Catalog /Pages 2 0 R {outlines} >>".encode())
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, text in enumerate(pages):
        lines = "".join(f"({line}) Tj T* " for line in text.split("\n") if line)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {lines}ET".encode()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    if titles:
        last = first + len(titles)
        objects.append(f"<< /First {first + 1} 0 R /Last {last} 0 R >>".encode())
        for n, (title, page) in enumerate(titles):
            at = first + 1 + n
            after = f"/Next {at + 1} 0 R" if at < last else ""
            before = f"/Prev {at - 1} 0 R" if n else ""
            objects.append(
                f"<< /Title ({title}) /Parent {first} 0 R {after} {before} "
                f"/Dest [{4 + 2 * page} 0 R /Fit] >>".encode()
            )
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        start,
    )
    return bytes(out)


def docx_file() -> bytes:
    """Returns a DOCX with two headings, a paragraph below each and a table."""
    import docx

    made = docx.Document()
    made.add_heading("Pump controller", 1)
    made.add_paragraph("The pump runs until the tank is full.")
    made.add_heading("Modes", 2)
    made.add_paragraph("There are two modes.")
    table = made.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, (("mode", "speed"), ("slow", "10")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def pptx_file() -> bytes:
    """Returns a PPTX with a slide that has a title, text and notes, and an empty one."""
    import pptx

    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Calibration"
    slide.placeholders[1].text = "Trim the oscillator first."
    slide.notes_slide.notes_text_frame.text = "It takes an hour."
    made.slides.add_slide(made.slide_layouts[6])
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def bomb() -> bytes:
    """Returns an archive of some kilobytes that would unpack to 40 MB."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(2):
            with archive.open(f"word/{number}.xml", "w", force_zip64=True) as entry:
                for _ in range(20):
                    entry.write(bytes(1_000_000))
    return out.getvalue()


MANUAL = """\
# Pulse unit

The pulse unit makes one pulse for each write.

## Theory of operation

The module `pulse` starts when software writes `CTRL.GO`, and then the counter runs.
Its code is [here](../rtl/pulse.sv).

## Theory of operation

A second section of the same name.
"""


def write_manual(root: Path) -> None:
    """Writes documents of several formats into a repository."""
    for folder in ("doc", "vendor/other/doc"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "doc" / "pulse.md").write_text(MANUAL)
    notes = "Notes\n=====\n\nHow to reset the board: hold the button for ten seconds.\n"
    (root / "doc" / "notes.rst").write_text(notes)
    # The same section twice is one passage with two places.
    (root / "vendor/other/doc/notes.rst").write_text(notes)
    (root / "doc" / "manual.pdf").write_bytes(
        pdf(["Thermal limits\nThe junction stays below 125 degrees."], [("Thermal limits", 0)])
    )
