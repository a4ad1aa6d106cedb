"""The store of paid answers: what is paid once, what two calls share, and a damaged file."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _calls import SCHEMA, ask, call, client, one

from hdlgraph.eval.stubs.faults import first
from hdlgraph.eval.stubs.server import Stub, quarter
from hdlgraph.llm.answers import AnswerStore
from hdlgraph.llm.call import Completion, Usage
from hdlgraph.llm.client import run

pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(count=quarter) as server:
        yield server


def test_an_answer_is_paid_once(stub: Stub, store: AnswerStore, tmp_path: Path) -> None:
    fresh = one(client(stub, store), call(1))
    store.close()
    again = one(client(stub, AnswerStore(tmp_path / "answers.sqlite")), call(1))
    assert stub.calls == 1
    assert (again.text, again.stored, fresh.stored) == (fresh.text, True, False)
    assert again.usage == Usage(stored=1)


def test_the_store_tells_models_endpoints_and_arguments_apart(
    stub: Stub, store: AnswerStore
) -> None:
    model = client(stub, store)
    variants = [
        call(1),
        call(1, model="other"),
        call(1, max_tokens=5),
        call(1, temperature=1.0),
        call(1, stage="ask"),
        call(1, schema=SCHEMA),
        call(1, system="x"),
    ]
    ask(model, *variants)
    assert stub.calls == len(variants)
    with Stub(count=quarter) as other:
        one(client(other, store), call(1))
        assert other.calls == 1


def test_equal_calls_at_once_are_sent_once(stub: Stub, store: AnswerStore) -> None:
    stub.latency_s = 0.05
    for answers in (store, None):
        stub.forget()
        found = ask(client(stub, answers), *[call(7)] * 5)
        assert stub.calls == 1
        assert [one.stored for one in found] == [False, True, True, True, True]  # type: ignore


def test_a_cancelled_call_leaves_its_twin_an_answer(stub: Stub) -> None:
    stub.latency_s = 0.1
    model = client(stub)

    async def twins() -> Completion:
        leader = asyncio.create_task(model.complete(call(1)))
        follower = asyncio.create_task(model.complete(call(1)))
        await asyncio.sleep(0.03)
        leader.cancel()
        return await follower

    assert run(twins()).text.startswith("Stub answer")


def test_a_twin_of_a_failed_call_fails_alike(stub: Stub) -> None:
    stub.latency_s, stub.faults = 0.02, first("overflow")
    errors = ask(client(stub), call(1), call(1))
    assert [error.kind for error in errors] == ["overflow", "overflow"]  # type: ignore
    assert stub.calls == 1


def test_a_damaged_store_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"no database at all" * 100)
    store = AnswerStore(path)
    store.put("0" * 32, Completion(text="a", model="m"))
    assert store.count() == 1
    assert path.with_name("answers.sqlite.damaged").read_bytes().startswith(b"no database")


def test_stored_answers_need_no_endpoint(stub: Stub, store: AnswerStore, tmp_path: Path) -> None:
    one(client(stub, store), call(1))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from _calls import call\n"
        "from hdlgraph.llm.client import Client, run\n"
        "from hdlgraph.llm.answers import AnswerStore\n"
        "from hdlgraph.settings.records import LlmSettings\n"
        "store = AnswerStore(Path(sys.argv[2]))\n"
        "client = Client(LlmSettings(provider='openai', base_url=sys.argv[3]), store)\n"
        "print(run(client.complete(call(1))).stored, list(client.stream(call(1))) != [])\n"
        "print(sorted({'openai', 'aiohttp'} & set(sys.modules)))"
    )
    arguments = [str(Path(__file__).parents[1]), str(store.path), stub.base_url]
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["True True", "[]"], done.stderr


def test_answers_of_an_earlier_version_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    store = AnswerStore(path)
    store.put("0" * 32, Completion(text="a counter", model="m"))
    store.close()
    with sqlite3.connect(path) as db:  # as it was: without checksums
        db.execute("ALTER TABLE kv RENAME TO new")
        db.execute(
            "CREATE TABLE kv (namespace TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
            "UNIQUE (namespace, key))"
        )
        db.execute("INSERT INTO kv SELECT namespace, key, value FROM new")
        db.execute("DROP TABLE new")
    db.close()
    again = AnswerStore(path)
    found = again.get("0" * 32)
    assert found is not None
    assert found.text == "a counter"
    again.put("1" * 32, Completion(text="b", model="m"))
    assert again.count() == 2
    assert not path.with_name("answers.sqlite.damaged").exists()


def test_what_can_be_read_of_damaged_answers_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    store = AnswerStore(path)
    for number in range(200):
        store.put(f"{number:032}", Completion(text="x" * 300, model="m"))
    store.close()
    data = bytearray(path.read_bytes())
    data[-8000:-4000] = b"\xff" * 4000
    path.write_bytes(data)
    again = AnswerStore(path)
    answers = [again.get(f"{number:032}") for number in range(200)]
    again.put("f" * 32, Completion(text="new", model="m"))
    kept = [again.get(f"{number:032}") for number in range(200)]
    assert sum(one is not None for one in kept) >= 100
    assert all(one is None or one.text == "x" * 300 for one in (*answers, *kept))
