"""Short forms: mined definitions, a team's own file, precedence, and the notes for a question."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from hdlgraph.errors import SettingsError
from hdlgraph.index.lexical.mine_abbreviations import is_abbreviation, mine_abbreviations
from hdlgraph.index.lexical.mine_short_forms import definitions, mine_definitions
from hdlgraph.index.lexical.tokens import FileTokens
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.dictionary import Dictionary, load_dictionary, read_team, team_file
from hdlgraph.knowledge.short_forms import ShortForm, general_forms
from hdlgraph.project import Project
from hdlgraph.query.question.abbreviations import abbreviation_notes, expansions, meanings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the quad wide loader (QWL) moves", [("QWL", "quad wide loader")]),
        ("Return of Address Stack (RAS)", [("RAS", "return of address stack")]),
        ("Several QWLs (quad wide loaders) exist", [("QWL", "quad wide loaders")]),
        ("QWL: quad wide loader, in short", [("QWL", "quad wide loader")]),
        ("QWL stands for Quad-Wide Loader.", [("QWL", "quad-wide loader")]),
        ("**QWL** - the quad wide loader of the core", [("QWL", "quad wide loader")]),
        ("An Advanced eXtensible Interface (AXI) port", [("AXI", "advanced eXtensible interface")]),
        ("the power manager (PWRMGR)", [("PWRMGR", "power manager")]),
        # Initials that do not fit, words left over, words that are no words.
        ("the wide quad loader (QWL)", []),
        ("see the manual (PDF)", []),
        ("this is done in the first stage (IDF)", []),
        ("QWL: a loader", []),
        ("if (ENABLE) begin", []),
        ("OK: old kit is used everywhere", []),
        ("port (RX)", []),
    ],
)
def test_definitions(text: str, found: list[tuple[str, str]]) -> None:
    assert list(definitions(text)) == found


def test_the_commonest_long_form_comes_first_and_a_rare_one_not_at_all() -> None:
    texts = [(f"doc/{n}.md", "A quad wide loader (QWL).") for n in range(4)]
    texts += [("a.md", "x\n\nThe quick word line (QWL).")]
    mined = mine_definitions((), texts)
    assert [(form.long, form.place) for form in mined] == [("quad wide loader", "doc/0.md:1")]
    mined = mine_definitions((), texts[-2:])
    assert [form.long for form in mined] == ["quad wide loader", "quick word line"]
    assert mined[1].place == "a.md:3"


def test_a_definition_with_hostile_markup_is_only_words() -> None:
    text = "quad {wide} \x1b[31mloader (QWL) and `quad $(rm) wide loader` (QWL)"
    assert all(set(long) <= set("quad wide loader ") for _, long in definitions(text))


def test_long_text_is_read_in_linear_time() -> None:
    assert list(definitions("word " * 100_000 + "(QWL) " + "A" * 100_000 + "(" * 10_000)) == []


def team(folder: Path, text: str) -> Path:
    file = folder / "terms.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_team_file_is_read(tmp_path: Path) -> None:
    file = team(
        tmp_path,
        "# ours\n\nQWL = quad wide loader: the block that fills the banks.\nZAP = zone: \n"
        "T-bus = trunk bus\n",
    )
    assert read_team(file) == (
        ShortForm(
            "QWL", "quad wide loader", "the block that fills the banks", "team", "terms.txt:3"
        ),
        ShortForm("ZAP", "zone", "", "team", "terms.txt:4"),
        ShortForm("T-bus", "trunk bus", "", "team", "terms.txt:5"),
    )


@pytest.mark.parametrize(
    "line", ["QWL quad wide loader", "QWL =", "= quad", "QWL = : what", "a b = c"]
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    file = team(tmp_path, f"OK1 = one\n{line}\n")
    with pytest.raises(SettingsError, match=r"SHORT = long form.*terms\.txt:2\)"):
        read_team(file)


def test_a_team_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file"):
        read_team(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"QWL = caf\xe9\n")
    with pytest.raises(SettingsError, match="UTF-8"):
        read_team(tmp_path / "latin.txt")


def test_a_found_settings_file_reads_nothing_outside_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    secret = team(tmp_path, "QWL = quad wide loader\n")
    (root / "link.txt").symlink_to(secret)
    for name in ("../terms.txt", str(secret), "link.txt"):
        with pytest.raises(SettingsError, match="--settings"):
            team_file(name, root)
    named = tmp_path / "settings.yaml"
    assert read_team(team_file("terms.txt", root, named))[0].short == "QWL"
    team(root, "ABC = a big core\n")
    assert team_file("terms.txt", root) == root / "terms.txt"


def test_team_goes_before_mined_and_mined_before_general() -> None:
    mined = [
        ShortForm("CSR", "cold start register", "", "mined", "README.md:7"),
        ShortForm("PMP", "Physical Memory Protection", "", "mined", "README.md:9"),
    ]
    dictionary = Dictionary(mined)
    assert [form.long for form in dictionary.meanings("csr")] == ["cold start register"]
    alike = Dictionary([ShortForm("CSR", "control/status register", "", "mined", "README.md:7")])
    assert [form.long for form in alike.meanings("csr")] == [
        "control/status register",
        "control and status register",
    ]
    [pmp] = dictionary.meanings("PMP")  # one meaning, with the description of the general table
    assert pmp.place == "README.md:9"
    assert "check of accesses" in pmp.what
    own = Dictionary(mined, [ShortForm("csr", "chip select row", "a row", "team")])
    assert [form.long for form in own.meanings("CSR")] == ["chip select row"]


def test_the_general_table_is_sound() -> None:
    forms = [form for forms in general_forms().values() for form in forms]
    assert len(forms) > 200
    assert all(form.long and form.what and form.short.isupper() for form in forms)
    assert len(set(forms)) == len(forms)
    assert {"arb", "cnt"} <= set(abbreviations())


def test_notes_say_what_a_short_form_stands_for() -> None:
    dictionary = Dictionary([ShortForm("QWL", "quad wide loader", "", "mined", "rtl/q.sv:4")])
    assert abbreviation_notes("what feeds the QWL?", "", dictionary) == [
        "QWL is usually short for quad wide loader (rtl/q.sv:4)."
    ]
    [note] = abbreviation_notes("where does the plic rank?", "", dictionary)
    assert note.startswith("PLIC is usually short for platform-level interrupt controller, which ")
    assert len(abbreviation_notes("is it a MAC?", "", dictionary)[0].split("; or for ")) == 3


def test_notes_bridge_a_long_form_to_the_short_one_of_the_context() -> None:
    dictionary = Dictionary()
    question = "which registers configure physical memory protection?"
    assert abbreviation_notes(question, "assign x = y;", dictionary) == []
    [note] = abbreviation_notes(question, "input pmp_cfg_i,", dictionary)
    assert note.startswith("PMP is usually short for physical memory protection")


def test_everyday_words_get_no_note_and_the_limit_holds() -> None:
    dictionary = Dictionary()
    assert abbreviation_notes("can the top add a pin to the map and load it?", "", dictionary) == []
    capitals = "CSR PMP TLB MMU FIFO DMA UART SPI LFSR ECC AES " * 3
    assert len(abbreviation_notes("how?", capitals, dictionary)) == 8
    assert len(abbreviation_notes("how?", capitals, dictionary, limit=2)) == 2


def test_only_a_question_for_a_meaning_gets_the_meaning_alone() -> None:
    dictionary = Dictionary()
    assert meanings("what does CSR stand for?", dictionary)[0].short == "CSR"
    assert meanings("who writes the CSR?", dictionary) == []


def test_an_index_keeps_what_its_repository_defines(soc: Path) -> None:
    (soc / "README.md").write_text("# Soc\n\nThe quad wide loader (QWL) is here.\n")
    project = Project(soc)
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert project.dictionary().meanings("QWL")[0].place == "README.md:3"


def test_an_older_generation_has_no_mined_forms(tmp_path: Path) -> None:
    assert load_dictionary(tmp_path, tmp_path).meanings("QWL") == ()


@pytest.mark.parametrize(
    ("fragment", "word", "fits"),
    [
        ("esc", "escalation", True),
        ("dbg", "debug", True),
        ("rsp", "response", True),
        ("mgr", "manager", True),
        ("arb", "arbiter", True),
        ("for", "forward", False),  # a word itself
        ("reg", "regular", False),  # known for another one
        ("decis", "decision", False),  # its stem
        ("wr", "word", False),  # two letters fit too many words
        ("cnt", "condition", False),
        ("str", "subtract", False),
    ],
)
def test_a_fragment_must_spell_its_word(fragment: str, word: str, fits: bool) -> None:
    assert is_abbreviation(fragment, word) is fits


def test_fragments_are_mined_from_files_that_use_both() -> None:
    file = partial(FileTokens, [], b"", b"", b"", 0)
    with_both = [file(["escalation", "counter"], ["esc", "cnt", "clk"]) for _ in range(4)]
    others = [file(["other"], ["clk"]) for _ in range(12)]
    assert mine_abbreviations([*with_both, *others]) == {
        "counter": [["cnt", 1.0]],
        "escal": [["esc", 1.0]],
    }


def test_expansions_go_both_ways_and_add_one_word_of_a_long_form() -> None:
    dictionary = Dictionary([ShortForm("QWL", "quad wide loader", "", "mined", "rtl/q.sv:4")])
    files = {"quad": 3, "wide": 9, "loader": 1, "qwl": 2}.get
    count = lambda term: files(term, 0)  # noqa: E731
    assert expansions("who stalls the quad wide loader?", dictionary, count) == {"loader": ("qwl",)}
    assert expansions("who stalls the QWL?", dictionary, count) == {"qwl": ("loader",)}
    assert expansions("who stalls?", dictionary, count) == {}


def test_a_quoted_answer_says_what_an_asked_abbreviation_stands_for(soc_project: Project) -> None:
    answer = soc_project.ask("what does FIFO stand for?", writer="extractive")
    assert answer.text.startswith(
        "General knowledge: FIFO is usually short for first-in first-out queue, which is "
    )
    plain = soc_project.ask("where is the fifo?", writer="extractive")
    assert "usually short for" not in plain.text


def test_a_bad_team_file_stops_a_question(soc_project: Project, tmp_path: Path) -> None:
    team(tmp_path, "FIFO first in\n")
    named = tmp_path / "settings.yaml"
    named.write_text("hdlgraph:\n  search:\n    abbreviations: terms.txt\n")
    project = Project(soc_project.root, settings=named)
    with pytest.raises(SettingsError, match=r"terms\.txt:1"):
        project.ask("what does FIFO stand for?")
    team(tmp_path, "FIFO = our queue: the one of the bus\n")
    answer = project.ask("what does FIFO stand for?")
    assert answer.text.startswith("FIFO is usually short for our queue, which is the one of the ")
