import pytest

from hdlgraph.errors import UsageError
from hdlgraph.parsers.filelist import read_filelist


@pytest.fixture
def root(tmp_path):
    for path in ("rtl/a.sv", "rtl/b.v", "lib/c.v", "lib/d.sv", "lib/e.txt", "inc/x.svh"):
        target = tmp_path / "root" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    (tmp_path / "outside.sv").touch()
    return tmp_path / "root"


def test_everything_a_list_can_say(root):
    (root / "top.f").write_text(
        "// comment rtl/no.sv\n# another\n/* and\n one more */\n"
        "+incdir+inc+rtl\n+define+A=1+B\n-DC=2 -Iinc\n${DIR}/a.sv \\\n -f sub/sub.f\n"
        "-F sub/own.f\n-y lib +libext+.v\n-v rtl/b.v\n--top top\n../outside.sv\nrtl/gone.sv\n"
    )
    (root / "sub").mkdir()
    (root / "sub/sub.f").write_text("lib/d.sv\n")
    (root / "sub/own.f").write_text("../rtl/b.v\n")
    found = read_filelist(root / "top.f", root, {"DIR": "rtl"})
    assert found.files == ("rtl/a.sv", "lib/d.sv", "rtl/b.v", "lib/c.v")
    assert found.incdirs == ("inc", "rtl")
    assert found.defines == ("A=1", "B", "C=2")
    assert found.outside == ("../outside.sv",)
    assert found.missing == ("rtl/gone.sv",)
    assert found.notes == ()


def test_circle_names_the_lists(root):
    (root / "a.f").write_text("-f b.f\n")
    (root / "b.f").write_text("-f a.f\n")
    with pytest.raises(UsageError, match=r"a\.f -> b\.f -> a\.f"):
        read_filelist(root / "a.f", root)


def test_missing_list(root):
    with pytest.raises(UsageError, match=r"none\.f"):
        read_filelist(root / "none.f", root)


def test_unset_variable_is_noted(root):
    (root / "v.f").write_text("$NOWHERE/a.sv\n")
    assert read_filelist(root / "v.f", root, {}).notes == ("$NOWHERE is not set",)
