"""Plain values of options: what typer makes of them, without what it loads for that."""

import subprocess
import sys

import pytest
import typer

from hdlgraph.serve.cli import main
from hdlgraph.serve.cli.plain_values import _OTHERWISE, _plain

PATH = (
    "import sys; sys.argv[1:] = {!r}\n"
    + """
from hdlgraph.serve.start import main
try:
    main()
except SystemExit:
    pass
print("pydantic" in sys.modules)
"""
)


def commands(command):
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from commands(inner)


def test_plain_values_are_those_that_typer_makes():
    compared = 0
    for command in commands(typer.main.get_command(main.app)):
        for one in command.params:
            for given in (None, one.default, "x", ".", "", ("a", "b"), (), ["a"]):
                found = _plain(one, given) if hasattr(one, "type_descriptor") else _OTHERWISE
                if found is not _OTHERWISE:
                    expected = one.get_runtime_param().coerce(given, param=one, ctx=None)
                    assert (type(found), found) == (type(expected), expected), (command, one.name)
                    compared += 1
    assert compared > 500 or not hasattr(one, "type_descriptor")


@pytest.mark.cold
@pytest.mark.parametrize("arguments", [["index", "."], ["who", "a"]])
def test_a_command_of_plain_values_does_not_load_pydantic(arguments, tmp_path):
    (tmp_path / "a.v").write_text("module a; endmodule\n")
    for given in (["index", ".", "--no-embeddings", "-q"], arguments):
        code = PATH.format(given)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "False", done.stdout + done.stderr
