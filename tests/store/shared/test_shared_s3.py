"""What an S3 server, or none, says to a reader: one message, and no secret in it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from _bucket import KEY, SECRET, Answering, environment, free_port, refusal
from _places import TEXTS, Team

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.store.shared.bucket import BucketError
from hdlgraph.store.shared.follow import Follower
from hdlgraph.store.shared.open_bucket import open_bucket

pytest.importorskip("obstore", reason="not installed; `make test` installs it")
GIVEN = "s3://team-bucket/soc"


def use(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    for name, value in environment(endpoint).items():
        monkeypatch.setenv(name, value)


def why(given: str = GIVEN) -> str:
    """Returns what a reader without any generation is told."""
    with pytest.raises(HdlgraphError) as told:
        Follower(given).ready()
    text = str(told.value)
    assert KEY not in text
    assert SECRET not in text
    assert len(text) < 400
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        (403, "AccessDenied", r"the server refuses these credentials (AccessDenied); look at AWS_"),
        (403, "InvalidAccessKeyId", "refuses these credentials (InvalidAccessKeyId)"),
        (403, "SignatureDoesNotMatch", "refuses these credentials (SignatureDoesNotMatch)"),
        (403, "RequestTimeTooSkewed", "the clock of this machine differs from the server's"),
        (404, "NoSuchBucket", "there is no such bucket"),
        (404, "NoSuchKey", "nothing was published there"),
        (400, "IllegalLocationConstraintException", "answers IllegalLocationConstraintException"),
        (503, "SlowDown", "the server answers SlowDown"),
    ],
)
def test_what_a_server_refuses(
    status: int, code: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Answering(status, refusal(code)) as server:
        use(monkeypatch, server.endpoint)
        assert told in why()


def test_a_server_that_is_none_of_s3(monkeypatch: pytest.MonkeyPatch) -> None:
    with Answering(200, "<html>sign in") as server:
        use(monkeypatch, server.endpoint)
        assert "its pointer is damaged" in why()


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, f"http://127.0.0.1:{free_port()}")
    assert "s3://team-bucket/soc: the server 127.0.0.1 " in why()


def test_a_server_that_hangs_takes_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    from hdlgraph.store.shared import s3_bucket

    assert s3_bucket.QUICK == (2, 4)
    monkeypatch.setattr(s3_bucket, "QUICK", (1, 1))
    with Answering(200, "late", wait_s=5) as server:
        use(monkeypatch, server.endpoint)
        began = time.monotonic()
        assert "does not answer in time" in why()
        assert time.monotonic() - began < 4.5


def test_a_bucket_that_is_gone_leaves_what_was_fetched(
    s3_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = Team(s3_address, tmp_path)
    team.publish()
    team.fetch()
    place, own = team.place, team.read()
    with Answering(404, refusal("NoSuchBucket")) as server:
        monkeypatch.setattr("hdlgraph.store.shared.s3_bucket.endpoint", lambda: server.endpoint)
        reader = Follower(s3_address)
        reader.ready()
        assert server.asked
    assert reader.place == place
    assert reader.notes == (
        f"index {s3_address}: there is no such bucket: the generation that was fetched before "
        "answers",
    )
    assert team.read() == own == TEXTS


def test_no_secret_is_kept_anywhere(s3_address: str, tmp_path: Path) -> None:
    team = Team(s3_address, tmp_path)
    team.publish()
    Follower(s3_address).ready()
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    kept += [team.bucket.read(one.key, 10**6)[0] for one in team.bucket.list()]
    assert len(kept) > 10
    assert not [data for data in kept if SECRET.encode() in data or KEY.encode() in data]
    assert SECRET not in repr(vars(team.bucket)) + str(team.address)


def test_without_credentials_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with Answering(200) as server, Answering(200) as metadata:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", metadata.endpoint)
        for switch in ("", "true"):
            monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", switch)
            assert "the environment has no credentials; set AWS_ACCESS_KEY_ID and" in why()
        assert server.asked == metadata.asked == []
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "false")
        why()
        assert metadata.asked  # as the user said
        assert server.asked == []


def test_with_credentials_the_metadata_service_is_not_asked(
    s3_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Answering(200) as metadata:
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", metadata.endpoint)
        Team(s3_address, tmp_path).publish()
        Follower(s3_address).ready()
    assert metadata.asked == []


def test_a_public_bucket_needs_no_credentials(
    s3_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Answering(404, refusal("NoSuchKey")) as server:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
        monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")
        assert "nothing was published there" in why()
        assert server.asked == ["GET /team-bucket/soc/pointer.json"]


def test_a_redirect_gets_no_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    with Answering(200, "{}") as other, Answering(302, headers={}) as server:
        server.headers["Location"] = f"{other.endpoint}/elsewhere"
        use(monkeypatch, server.endpoint)
        assert "its pointer is damaged" in why()
    assert other.asked == ["GET /elsewhere"]
    assert "authorization" in server.told[0]
    assert "authorization" not in other.told[0]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("http://s3.example.com", "without encryption"),
        ("http://10.0.0.1:9000", "without encryption"),
        (f"https://{KEY}:{SECRET}@s3.example.com", "AWS_ENDPOINT_URL holds credentials"),
    ],
)
def test_endpoints_that_are_not_safe(
    where: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, where)
    assert told in why()


@pytest.mark.parametrize(
    "given",
    [
        *("s3://", "s3://b", "s3:///x", "s3://bucket/../x", "s3://bucket/a b", "s3://bucket/a\n"),
        *(f"s3://{KEY}:{SECRET}@bucket/soc", f"s3://bucket/soc?secret={SECRET}", "s3://bucket/%2e"),
    ],
)
def test_what_is_no_address(given: str) -> None:
    with pytest.raises(UsageError, match=r"write s3://|between its slashes") as told:
        Follower(given)
    assert SECRET not in str(told.value)


def test_a_path_object_is_the_same_address() -> None:
    assert Follower(Path(GIVEN)).address == Follower(f"{GIVEN}/").address
    assert str(Follower(Path(GIVEN)).address) == GIVEN


def test_the_bucket_is_looked_at_now_and_then(
    s3_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = Team(s3_address, tmp_path)
    team.publish()
    monkeypatch.setenv("HDLGRAPH_SHARED_SECONDS", "1000")
    Follower(s3_address).ready()
    team.publish(**{"facts.msgpack": "second"})
    Follower(s3_address).ready()  # another process of the user
    assert team.read() == TEXTS
    # A clock that was set back does not keep a reader from looking.
    team.place.state.write_text('{"at": 99999999999, "wrong": ""}')
    Follower(s3_address).ready()
    assert team.read()["facts.msgpack"] == "second"


def test_a_failed_look_is_told_again_without_another(
    s3_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = Team(s3_address, tmp_path)
    team.publish()
    team.fetch()
    monkeypatch.setenv("HDLGRAPH_SHARED_SECONDS", "1000")
    with Answering(404, refusal("NoSuchBucket")) as server:
        monkeypatch.setattr("hdlgraph.store.shared.s3_bucket.endpoint", lambda: server.endpoint)
        for _ in range(2):
            reader = Follower(s3_address)
            reader.ready()
            assert "there is no such bucket" in reader.notes[0]
        assert len(server.asked) == 1


def test_many_objects_are_listed_and_removed(s3_address: str, tmp_path: Path) -> None:
    bucket = Team(s3_address, tmp_path).bucket
    for number in range(12):
        bucket.send(f"objects/{number}", b"x" * number)
    found = {one.key: one.size for one in bucket.list()}
    assert found == {f"objects/{number}": number for number in range(12)}
    bucket.remove([*found, "objects/none"])
    assert list(bucket.list()) == []


def test_large_files_go_in_pieces(s3_address: str, tmp_path: Path) -> None:
    file = tmp_path / "large"
    data = bytes(range(256)) * 80_000  # 20 MB
    file.write_bytes(data)
    bucket = Team(s3_address, tmp_path).bucket
    bucket.send("large", file)
    assert b"".join(bucket.stream("large", len(data))) == data
    with pytest.raises(BucketError, match="more than 1,000 bytes"):
        bucket.read("large", 1000)


def test_the_package_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    use(monkeypatch, "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    with pytest.raises(UsageError, match=r"pip install 'hdlgraph\[shared\]'"):
        open_bucket(Follower(GIVEN).address, patient=False)
