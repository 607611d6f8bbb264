"""`arena serve` with real processes, TLS, tokens and pages."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import stat
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from arena import replay
from arena.errors import BadSubmission
from arena.server.tls import self_signed
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.submissions.install import launch_of
from tests.support.arena_server import PATIENCE, Serving, hello, serving, visiting
from tests.support.cli import ARENA, arena, complaint
from tests.support.waiting import until


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("serve"), "--time-per-move", "20s", "--pace", "600") as server:
        yield server


def connector(served: Serving, bot: str, token: str) -> subprocess.Popen[str]:
    """`arena bot connect`, with the token where other users of the machine do not see it."""
    port = served.address.rpartition(":")[2]
    command = [*ARENA, "bot", "connect", bot, "--server", f"localhost:{port}", "--ca", str(served.certificate)]
    environment = {**os.environ, "ARENA_SERVER_TOKEN": token, "COLUMNS": "200", "PYTHONUTF8": "1", "TERM": "dumb"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)


def get(served: Serving, address: str) -> str:
    """A page, over TLS, with the certificate checked."""
    context = ssl.create_default_context(cafile=served.certificate)
    with urllib.request.urlopen(served.pages + address, context=context, timeout=PATIENCE) as answer:  # noqa: S310, our own
        assert answer.status == 200
        text: str = answer.read().decode()
        return text


def test_the_key_is_for_its_owner_only_and_there_is_one_server_for_a_home(served: Serving) -> None:
    assert stat.S_IMODE((served.home / "tls" / "key.pem").stat().st_mode) == 0o600
    assert "Another `arena serve` is running" in complaint("serve", "--home", served.home, "--port", "0")


def test_no_token_is_sent_to_a_server_that_is_not_trusted(served: Serving, tmp_path: Path) -> None:
    other = self_signed(Home(tmp_path), []).certificate
    where = ("--server", served.address, "--token", served.token("anna"), "--ca", other)
    done = arena("bot", "connect", "random", *where)
    assert done.returncode == 2
    assert "or its certificate is not trusted" in done.stderr

    async def visit(ca: bytes | None) -> None:
        async with visiting(served.address, hello("x"), ca=ca) as visitor:
            await visitor.hear()

    for ca in (None, other.read_bytes()):  # without TLS, and with it
        with pytest.raises(grpc.aio.AioRpcError):
            asyncio.run(visit(ca))
    assert served.events("bot.connected") == served.events("bot.refused") == []


def test_a_refused_bot_gets_the_reason(served: Serving) -> None:
    port = served.address.rpartition(":")[2]
    where = ("--server", f"localhost:{port}", "--ca", served.certificate)
    wrong = served.token("anna", Scope.SUBMIT)
    said = complaint("bot", "connect", "random", *where, "--token", wrong)
    assert "refuses `random 1.0`: This token permits submit, not play" in said


def test_without_tls_nothing_leaves_this_machine(tmp_path: Path) -> None:
    said = complaint("serve", "--insecure", "--host", "0.0.0.0", "--home", tmp_path)  # noqa: S104
    assert "could read the tokens" in said


def test_a_bot_sends_no_token_without_tls_to_another_machine() -> None:
    said = complaint("bot", "connect", "random", "--insecure", "--server", "example.org:1", "--token", "x")
    assert "could read your token" in said


def test_health_and_reflection_are_there(served: Serving) -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    credentials = grpc.ssl_channel_credentials(served.certificate.read_bytes())
    with grpc.secure_channel(served.address, credentials, options=[("grpc.enable_http_proxy", 0)]) as channel:
        answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    assert json.loads(served.log.read_text().splitlines()[0])["event"] == "server.ready"


def test_bots_connect_and_play_until_the_server_stops(served: Serving) -> None:
    """The last one, because it stops the server."""
    bots = [connector(served, bot, served.token(user)) for bot, user in (("random", "anna"), ("greedy", "ben"))]
    until(lambda: len(served.events("match.ended")) >= 5)
    metrics = get(served, "/metrics")
    assert "arena_connected_bots 2.0" in metrics
    assert 'arena_matches_total{bracket="mantis"}' in metrics
    with Store.open(Home(served.home).database) as store:
        until(lambda: store.tournaments.load(1).played > 0)  # they are written a moment after they were told
        (newest,) = store.history.page(limit=1)
    assert "anna/random" in get(served, "/boards/mantis.json?tournament=1")
    pages = (
        "/",
        "/bots",
        "/bots/anna/random",
        "/matches",
        "/tournaments",
        "/tournaments/1",
        f"/matches/{newest.name}",
    )
    for page in pages:
        assert "anna/random" in get(served, page) or page in ("/", "/bots", "/tournaments"), page
    assert served.stop() == 0
    for bot in bots:
        said, _ = bot.communicate(timeout=PATIENCE)
        assert (bot.returncode, said.splitlines()[-1]) == (0, "The server has ended the stream.")
    ended = {line["match"] for line in served.events("match.ended")}
    assert [line["written"] for line in served.events("drain.ended")] == [True]
    with Store.open(Home(served.home).database) as store:
        (ladder,) = store.tournaments.latest()
        assert (ladder.format, ladder.rated, ladder.played) == ("remote", False, len(ended))
        standings = store.standings.load(ladder.id, "mantis")
        assert [standing.matches for standing in standings.bots.values()] == [len(ended)] * 2
        assert {match.name for match in store.history.page(limit=10_000)} == ended
        replay.verify(replay.loads(store.matches.replay(newest.name).encode()))
        assert store.bots.latest() == []  # they cannot be started here, so they enter no tournament
        assert [entry.deed for entry in store.tokens.audit(99)].count("connected") == 2
        with pytest.raises(BadSubmission, match="is a remote bot"):
            launch_of(Home(served.home), store.bots.find("anna/random"))
