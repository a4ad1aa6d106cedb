"""What is told of files by path: near copies and directories, put together when asked for."""

from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.query.directories import USUAL_DIRECTORIES, Directories
from hdlgraph.query.near_copies import NearCopies

NUMBERS = st.lists(st.lists(st.integers(-2, 9), max_size=5), max_size=6)
NAMES = st.sampled_from(["uart", "Uart", "rtl", "spi", "i2c"])
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), unique=True, max_size=12)


@given(NUMBERS)
def test_a_file_is_in_the_first_group_that_names_it(groups: list[list[int]]) -> None:
    paths = [f"{9 - n}.sv" for n in range(8)]
    wanted: dict[str, tuple[str, ...]] = {}
    for numbers in groups:
        own = {paths[n] for n in numbers if 0 <= n < len(paths)} - wanted.keys()
        wanted.update(dict.fromkeys(own, tuple(sorted(own))))
    found = NearCopies(groups, paths, paths.index)
    assert dict(found) == wanted
    assert [found.get(path, ()) for path in paths] == [wanted.get(path, ()) for path in paths]
    assert len(found) == len(wanted)


def test_a_number_that_is_too_large_for_an_array_is_of_no_file() -> None:
    found = NearCopies([[0, 1 << 80, 1]], ["a.sv", "b.sv"], ["a.sv", "b.sv"].index)
    assert found["a.sv"] == ("a.sv", "b.sv")


@given(PATHS)
def test_directories_have_the_files_below_them(paths: list[str]) -> None:
    paths = sorted(f"{path}.sv" for path in paths)
    found = Directories(paths)
    names = {name for path in paths for name in path.lower().split("/")[:-1]}
    for name in names | {"absent"}:
        below = [n for n, path in enumerate(paths) if name in path.lower().split("/")[:-1]]
        few = 0 < 2 * len(below) <= len(paths) and name not in USUAL_DIRECTORIES
        assert (name in found) == few
        if few:
            assert found[name].tolist() == below
    assert list(found) == sorted(found)
