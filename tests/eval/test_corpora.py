import json
import os
import stat
import zipfile
from importlib.resources import files

import pytest

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.sets import corpora
from hdlgraph.eval.sets.catalogue import (
    COMPOSITES,
    PACKAGES,
    Package,
    corpus_at,
    corpus_name,
    packages_of,
)
from hdlgraph.eval.sets.corpora import cache_folder, materialise, unpack, verilog_files

ROOT = "pythondata_cpu_tiny/verilog"


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {
            f"{ROOT}/rtl/a.v": "module a; endmodule\n",
            f"{ROOT}/rtl/b.SVH": "not verilog by its suffix: PyPI's counts are case-sensitive",
            f"{ROOT}/doc/guide.MD": "# guide",
            f"{ROOT}/LICENSE.txt": "free",
            f"{ROOT}/COPYING": "free",
            f"{ROOT}/sw/main.c": "int main;",
            f"{ROOT}/.gitignore": "rtl/",
            f"{ROOT}/../../evil.v": "module evil;",
            f"/{ROOT}/absolute.v": "module evil;",
            f"{ROOT}\\..\\..\\back.v": "module evil;",
            "pythondata_cpu_tiny/__init__.py": "raise SystemExit",
            "pythondata_cpu_tinyx/verilog/other.v": "module other;",
        }.items():
            archive.writestr(name, text)
        link = zipfile.ZipInfo(f"{ROOT}/rtl/link.v")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return path


def test_unpack_takes_verilog_and_text_and_nothing_outside(wheel, tmp_path):
    target = tmp_path / "deep" / "out"
    target.mkdir(parents=True)
    unpack(wheel, ROOT, target)
    found = sorted(p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file())
    assert found == ["COPYING", "LICENSE.txt", "doc/guide.MD", "rtl/a.v"]
    assert verilog_files(target) == ["rtl/a.v"]
    assert not list(tmp_path.rglob("evil.v"))
    assert not list(tmp_path.rglob("back.v"))


def test_a_damaged_wheel_is_named(tmp_path):
    (tmp_path / "bad.whl").write_bytes(b"PK nonsense")
    with pytest.raises(HdlgraphError, match=r"bad.whl: damaged"):
        unpack(tmp_path / "bad.whl", ROOT, tmp_path / "out")


def test_unknown_corpus_lists_the_known():
    with pytest.raises(UsageError, match="corpus ibx: unknown; known are blackparrot, "):
        materialise("ibx")


def test_packages_with_all_files():
    assert len(COMPOSITES["all16"]) == 16
    assert sum(PACKAGES[name].files for name in COMPOSITES["all16"]) == 4194
    known = json.loads((files("hdlgraph.eval") / "data/corpora.json").read_text())
    others = {"umi", "nvdla", "wally", "logikbench", "yosys-cells"}
    assert set(known) == {*COMPOSITES["all16"], *COMPOSITES["libraries"], *others} == set(PACKAGES)
    assert sum(known[name]["files"] for name in COMPOSITES["libraries"]) == 354
    assert sum(known[name]["files"] for name in COMPOSITES["riscv-cores"]) == 2336
    for package in PACKAGES.values():
        assert package.upstream.startswith("https://")
        assert package.licence
        assert len(package.commit) in (8, 40) or package.commit.startswith("release ")


def test_names_of_a_corpus_meet(tmp_path):
    assert corpus_name("pythondata-misc-opentitan==0.0.post5550") == corpus_name("opentitan")
    assert corpus_name("pythondata-misc-opentitan==0.0.post1") == "opentitan 0.0.post1"
    assert (
        corpus_name("riscv-cores") == "riscv-cores" == corpus_at(tmp_path / "corpora/riscv-cores")
    )
    assert corpus_at(tmp_path / "corpora" / "opentitan-0.0.post5550") == corpus_name("opentitan")
    assert corpus_at(tmp_path / "opentitan-0.0.post5550") == ""
    assert list(packages_of("riscv-cores")) == list(COMPOSITES["riscv-cores"])
    with pytest.raises(UsageError, match="corpus opentitian: unknown"):
        packages_of("opentitian")


def test_cache_folder_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "hdlgraph"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "hdlgraph"


@pytest.fixture
def tiny(monkeypatch, tmp_path, wheel):
    """A package index without a network: pip finds the wheel of one package in a folder."""
    shop = tmp_path / "shop"
    shop.mkdir()
    with zipfile.ZipFile(wheel, "a") as archive:
        info = "pythondata_cpu_tiny-1.0.dist-info"
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: pythondata-cpu-tiny\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    wheel.rename(shop / "pythondata_cpu_tiny-1.0-py3-none-any.whl")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shop))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setitem(PACKAGES, "tiny", Package("pythondata-cpu-tiny", "1.0", ROOT, 1))
    monkeypatch.setitem(COMPOSITES, "both", ("tiny",))
    return tmp_path / "cache"


def test_materialise_downloads_once_and_joins(tiny, monkeypatch):
    folder = materialise("both", tiny)
    assert verilog_files(folder) == ["tiny/rtl/a.v"]
    assert verilog_files(materialise("tiny", tiny)) == ["rtl/a.v"]

    def refuse(*_):
        raise AssertionError("downloaded again")

    monkeypatch.setattr(corpora, "_download", refuse)
    assert materialise("both", tiny) == folder
    assert sorted(p.name for p in (tiny / "corpora").iterdir()) == ["both", "tiny-1.0"]


def test_an_unreachable_index_is_a_clear_message(tiny, monkeypatch):
    monkeypatch.setitem(PACKAGES, "tiny", Package("pythondata-cpu-tiny", "9.9", ROOT, 1))
    with pytest.raises(HdlgraphError, match=r"cannot download pythondata-cpu-tiny==9\.9 \(.+\)"):
        materialise("tiny", tiny)
    assert not list((tiny / "corpora").iterdir())


def test_another_number_of_files_is_refused(tiny, monkeypatch):
    monkeypatch.setitem(PACKAGES, "tiny", Package("pythondata-cpu-tiny", "1.0", ROOT, 2))
    with pytest.raises(HdlgraphError, match="1 Verilog files instead of 2"):
        materialise("tiny", tiny)
    assert not list((tiny / "corpora").iterdir())


def test_a_cache_that_cannot_be_written(tiny, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HdlgraphError, match="set XDG_CACHE_HOME"):
        materialise("tiny", tmp_path / "file")


def test_the_command_prints_folders(tiny, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert corpora.main(["tiny"]) == 0
    assert capsys.readouterr().out.strip().endswith("hdlgraph/corpora/tiny-1.0")
    assert corpora.main(["nothing"]) == 2
    assert "unknown" in capsys.readouterr().err
