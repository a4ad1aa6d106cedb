"""Filelists of strangers: they end, they tell no variable, and what they name stays inside."""

from __future__ import annotations

import os
import random
import shlex
import time

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index.discover.files import discover
from hdlgraph.parsers import filelist
from hdlgraph.parsers.filelist import read_filelist
from hdlgraph.parsers.filelist_words import words

SECRET = "sk-from-the-environment"


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a.v", "b.v"):
        (root / name).write_text("module m; endmodule\n")
    return root


def paths(found):
    return [file.path for file in found.files]


def test_nul_in_a_list(root):
    (root / "verible.filelist").write_bytes(b"a.v\nx\0y.v\n-f no\0list.f\n+incdir+i\0n\n")
    found = discover(root)
    assert paths(found) == ["a.v"]
    assert r"verible.filelist: entry skipped, not UTF-8 or with control characters: x\x00y.v" in (
        found.notes
    )


def test_a_chain_of_1500_lists(root):
    for n in range(1500):
        (root / f"l{n}.f").write_text(f"-f l{n + 1}.f\n")
    (root / "l1500.f").write_text("b.v\n")
    (root / "verible.filelist").write_text("a.v\n-f l0.f\n")
    found = discover(root)
    assert paths(found) == ["a.v"]
    assert "verible.filelist: l63.f: not read: filelists beyond 64 deep" in found.notes


def test_lists_that_double(root):
    for n in range(30):
        (root / f"l{n}.f").write_text(f"-f l{n + 1}.f\n-f l{n + 1}.f\n")
    (root / "l30.f").write_text("a.v\n")
    started = time.process_time()
    assert read_filelist(root / "l0.f", root).files == ("a.v",)
    assert time.process_time() - started < 1


def test_lists_words_and_folders_are_bounded(root, monkeypatch):
    monkeypatch.setattr(filelist, "LISTS", 5)
    monkeypatch.setattr(filelist, "WORDS", 50)
    monkeypatch.setattr(filelist, "FOLDERS", 4)
    for n in range(9):
        (root / f"l{n}.f").write_text(f"+define+D{n} +incdir+i{n}\n")
    (root / "top.f").write_text("".join(f"-f l{n}.f\n" for n in range(9)) + "a.v " * 60 + "b.v")
    found = read_filelist(root / "top.f", root)
    assert found.files == ("a.v",)
    assert len(found.defines) == len(found.incdirs) == 4
    assert "l4.f: not read: filelists beyond 5 in all" in found.notes
    assert "more than 50 words; the rest is not read" in found.notes


@pytest.mark.parametrize("kind", ["pipe", "zero", "outside", "folder", "large"])
def test_a_found_list_that_is_none(root, tmp_path, kind):
    target = root / "verible.filelist"
    if kind == "pipe":
        os.mkfifo(target)
    elif kind == "zero":
        target.symlink_to("/dev/zero")
    elif kind == "outside":
        (tmp_path / "private.f").write_text("b.v\nsecret words\n")
        target.symlink_to(tmp_path / "private.f")
    elif kind == "folder":
        target.mkdir()
    else:
        target.write_bytes(b"b.v\n" * filelist.LIST_BYTES)
    found = discover(root)
    assert paths(found) == ["a.v", "b.v"]
    (note,) = found.notes
    assert note.startswith("verible.filelist: not used (")
    assert "secret" not in note


@pytest.mark.parametrize("kind", ["pipe", "zero", "missing", "circle"])
def test_a_list_within_a_found_list(root, kind):
    if kind == "pipe":
        os.mkfifo(root / "inner.f")
    elif kind == "zero":
        (root / "inner.f").symlink_to("/dev/zero")
    elif kind == "circle":
        (root / "inner.f").write_text("-f inner.f\n")
    (root / "verible.filelist").write_text("-f inner.f\na.v\n")
    found = discover(root)
    assert paths(found) == ["a.v"]
    assert any("inner.f" in note or "/dev/zero" in note for note in found.notes)


def test_the_users_list_may_be_no_pipe(root):
    os.mkfifo(root / "pipe.f")
    with pytest.raises(UsageError, match="no regular file"):
        discover(root, filelist=root / "pipe.f")


def test_a_list_of_the_repository_expands_nothing(root, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("PLACE", "sub")
    (root / "verible.filelist").write_text(
        "a.v\n$OPENAI_API_KEY\n${PLACE}/b.v\n+define+K=$(OPENAI_API_KEY)\n-f $OPENAI_API_KEY\n"
    )
    found = discover(root)
    assert SECRET not in repr(found)
    assert "sub" not in repr(found)
    assert (
        "verible.filelist: $OPENAI_API_KEY is not expanded in a filelist of the repository; "
        "name it with -f to do so" in found.notes
    )
    # As with a variable that is not set, the entry is tried below the root.
    assert paths(found) == ["a.v", "b.v"]


@pytest.mark.parametrize(
    "name",
    "OPENAI_API_KEY gh_token MySecret DB_PASSWORD PASS CREDENTIALS_X BASIC_AUTH TEAM".split(),
)
def test_no_list_expands_a_secret(root, name):
    (root / "inner.f").write_text(f"+define+K=${name}\n-y ${name}\n-f ${{{name}}}\n")
    (root / "user.f").write_text(f"a.v $({name})\n-f inner.f\n$PLACE.v\n")
    values = {name: SECRET, "PLACE": "b"}
    found = read_filelist(root / "user.f", root, values, secrets={"TEAM"})
    assert SECRET not in repr(found)
    assert f"${name} is not expanded: its name is that of a secret" in found.notes
    assert found.files == ("a.v", "b.v")


def test_a_list_that_the_users_list_names_is_the_users_word(root):
    (root / "verible.filelist").write_text("$PLACE.v\n")
    (root / "user.f").write_text("-f verible.filelist\n")
    assert read_filelist(root / "user.f", root, {"PLACE": "b"}).files == ("b.v",)


def test_the_key_variable_of_the_settings_is_a_secret(root, monkeypatch):
    import dataclasses

    from hdlgraph.index.discover.find import find_files
    from hdlgraph.index.request import Request
    from hdlgraph.settings.records import Settings

    monkeypatch.setenv("TEAM_ENDPOINT", SECRET)
    (root / "user.f").write_text("a.v $TEAM_ENDPOINT\n")
    plain = Settings()
    llm = dataclasses.replace(plain.llm, key_env="TEAM_ENDPOINT")
    request = Request(
        root, root / ".hdlgraph", dataclasses.replace(plain, llm=llm), filelist=root / "user.f"
    )
    assert SECRET not in repr(find_files(request, None))


def test_undecodable_values_and_names(root):
    (root / os.fsdecode(b"caf\xe9.v")).touch()
    (root / "link.v").symlink_to(os.fsdecode(b"caf\xe9.v"))
    (root / "user.f").write_text("$PLACE/a.v\nlink.v\n-y .\na.v\n+define+D=$PLACE\n")
    found = read_filelist(root / "user.f", root, {"PLACE": os.fsdecode(b"\xe9")})
    repr(found).encode()
    assert found.files == ("a.v", "b.v", "link.v")
    assert found.defines == ()


def test_libraries_do_not_lead_out(root, tmp_path):
    (tmp_path / "secret.v").write_text("x")
    (root / "lib").mkdir()
    (root / "lib/s.v").symlink_to(tmp_path / "secret.v")
    (root / "lib/self.v").symlink_to("self.v")
    os.mkfifo(root / "lib/pipe.v")
    (root / "user.f").write_text("-y lib\na.v\nlib/self.v\nlib/pipe.v\n" + "n" * 300 + ".v\n")
    found = read_filelist(root / "user.f", root)
    assert found.files == ("a.v",)
    assert found.outside == ("s.v",)


def test_a_list_that_names_nothing_takes_all_files(root):
    (root / "verible.filelist").write_text("gone.v\n")
    found = discover(root)
    assert paths(found) == ["a.v", "b.v"]
    assert "verible.filelist: names no file that exists; all files are taken" in found.notes


def test_words_are_those_of_a_shell():
    import re

    comment = re.compile(r"/\*[\s\S]*?\*/|(?<![:\w])//[^\n]*|(?:^|(?<=\s))#[^\n]*")
    chance = random.Random(1)
    for _ in range(20_000):
        text = "".join(chance.choice("a b/*#\"'\\\n:/*\r") for _ in range(chance.randint(0, 14)))
        plain = comment.sub(" ", text.replace("\\\r\n", " ").replace("\\\n", " "))
        try:
            wanted = shlex.split(plain)
        except ValueError:
            wanted = plain.split()
        assert words(text) == wanted, text


@pytest.mark.parametrize("text", ["/*", "a", "\\a", "'a'", "/**/", '"\\a"', "a "])
def test_time_grows_with_the_length_alone(text):
    started = time.process_time()
    words(text * 200_000)
    assert time.process_time() - started < 3
