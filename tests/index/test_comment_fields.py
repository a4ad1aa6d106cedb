"""Fields of comments: what describes a file is told first, people, tools and dates are dropped."""

import pytest

from hdlgraph.index.explain.by_rules.evidence.header import told

BOXED = """File:        ping.v
Owner:       Jane Q. Doe
Function:    Measures the round trip
             of a frame.
Comments:
Project: Big Chip
Tool versions: Maker 12.4
Target Devices: all of them
Revision:
  0.01 - file created
  0.02 - an error was fixed

Holds the last result."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOXED, ("Measures the round trip of a frame.", "Holds the last result.")),
        (
            "@file ping.sv\n@author Me\n@brief Counts beats.\n@date 2019-01-02\n\nMore here.",
            ("Counts beats.", "More here."),
        ),
        ("\\brief Counts beats.\n\\author Me Myself", ("Counts beats.",)),
        ("Description :\n\n  A fast adder tree.\n", ("A fast adder tree.",)),
        ("Description ping press and release machine", ("ping press and release machine",)),
        ("Author: Jane Doe\nDescription: Adds.. two numbers", ("Adds.. two numbers",)),
        ("Title      : A slice of registers\nProject    : Other", ("A slice of registers",)),
        ("Holds data until the bus is free.", ("Holds data until the bus is free.",)),
        (
            "# Function: Binary to gray encoder\n#\n# Author:   Jane Doe\n#           A Street\n#",
            ("Binary to gray encoder",),
        ),
        ("Docs:\n\n- Reads first\n- Writes later", ("Reads first", "Writes later")),
        ("Purpose: Stalls the fetch stage\n\nAbstract: Sees hazards early", (
            "Stalls the fetch stage", "Sees hazards early",
        )),
    ],
)  # fmt: skip
def test_describing_fields_come_first_and_others_go(text: str, expected: tuple[str, ...]):
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Jane Doe 06/2019",
        "Modified by Jane Doe to take out checksum bytes.",
        "Update and further development Jane Doe, 2014.",
        "Created with Tool Maker version 3.2 from a table",
        "Originally designed by Jane Doe",
        "Migrated: Jane Quentin Doe, Somewhere.",
        "JANE ADD DESCRIPTION",
        "Company: Acme Chips\nEngineer: Jane Doe\nCreate Date: 01/02/2003\nDesign Name: ping",
    ],
)
def test_people_dates_and_tools_say_nothing_of_a_file(text: str):
    assert told(text) == ()


def test_a_value_ends_where_its_lines_are_no_longer_indented():
    text = "Author:  Jane Doe\n         Somewhere Street\nSends bytes over one wire."
    assert told(text) == ("Sends bytes over one wire.",)


def test_initials_and_a_date_are_taken_off():
    assert told("JQD 5-22-2016 fixed priority unit") == ("fixed priority unit",)
    assert told("Adapted to it by @jane as part of a project") == ()


def test_a_heading_mark_is_no_delay():
    assert told("## Limits\n\n# Positive edge-triggered flop") == ("Positive edge-triggered flop",)
