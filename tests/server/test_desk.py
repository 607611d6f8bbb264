"""The desk with real servers, the real command line, and clients that lie, stop and disconnect."""

from __future__ import annotations

import io
import os
import socket
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena import requests
from arena.api import Arena
from arena.client.desk import DESK, RemoteArena
from arena.client.play import Destination, Unreachable
from arena.errors import ArenaError, BadSubmission, NotFound
from arena.reports.exports import as_markdown
from arena.requests import SubmitRequest, UploadTerms
from arena.server.tls import self_signed
from arena.server.worker_process import RequestError, carry_out
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.submissions.files import content_hash
from arena.v1 import desk_pb2 as pb
from bench.stores import fill
from tests.support.arena_server import PATIENCE, Serving, serving
from tests.support.cli import arena, complaint
from tests.support.waiting import until

BOT = """
from arena.bot import Bot
class Mine(Bot):
    def mantis(self, turn):
        return turn.legal[0]
Mine().run()
"""
SLEEPS = "import time; time.sleep(600)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("desk")
    fill(Home(folder / "home"), 48, bots=4, brackets=("mantis", "tentagram"))
    with serving(folder, "--drain", "10ms") as server:
        yield server


def asked(served: Serving, token: str, ca: Path | None = None, port: int | None = None) -> RemoteArena:
    address = f"localhost:{port or served.address.rpartition(':')[2]}"
    return RemoteArena(Destination(address, token, (ca or served.certificate).read_bytes()))


def options(served: Serving, token: str, folder: Path) -> tuple[str | Path, ...]:
    """The token where other users of the machine do not see it."""
    file = folder / "token"
    file.write_text(f"{token}\n")
    where = f"localhost:{served.address.rpartition(':')[2]}"
    return ("--server", where, "--ca", served.certificate, "--token-file", file)


def bot_in(folder: Path, text: str = BOT, **others: bytes) -> SubmitRequest:
    files = folder / "files"
    files.mkdir()
    (files / "bot.py").write_text(text)
    for name, content in others.items():
        (files / name).write_bytes(content)
    if others:
        (files / "arena.toml").write_text('command = ["python", "bot.py"]\n')
    return SubmitRequest(path=str(files if others else files / "bot.py"), name="mine")


def kept(served: Serving) -> tuple[list[str], list[str], list[str]]:
    """What there is of bots in the store and in the home."""
    with Store.open(Home(served.home).database) as store:
        versions = [version.label for version in store.bots.all_versions()]
    places = [served.home / "bots", served.home / "uploads"]
    bots, uploads = (sorted(path.name for path in place.iterdir()) if place.exists() else [] for place in places)
    return versions, bots, uploads


def deeds(served: Serving, user: str) -> list[str]:
    with Store.open(Home(served.home).database) as store:
        return [entry.deed for entry in store.tokens.audit(99, user)][::-1]


# Queries


def test_a_server_reports_the_same_as_its_store(served: Serving) -> None:
    local = Arena(served.home)
    with asked(served, served.token("anna")) as server:
        leaderboard = server.leaderboard(highlights=True)
        assert leaderboard == local.leaderboard(highlights=True)
        assert server.leaderboard("mantis", tournament=1) == local.leaderboard("mantis", tournament=1)
        assert server.bots(every=True) == local.bots(every=True)
        assert server.tournaments(5) == local.tournaments(5)
        chosen: dict[str, Any] = {"tournament": "1", "bot": "bot1", "bracket": "mantis", "only_faults": True}
        assert server.matches(**chosen, limit=3) == local.matches(**chosen, limit=3)
        names = server.match_names(1)
        assert names == local.match_names(1)
        assert set(leaderboard.highlights) <= set(names)
        *found, missing = server.replays([*names, *names, *names, "9-mantis-1-1"])
        assert found == [*local.replays(names)] * 3
        assert isinstance(missing, NotFound)
        with pytest.raises(NotFound, match="no tournament `cup`"):
            server.match_names("cup")
        with pytest.raises(ArenaError, match="Unknown game"):
            server.leaderboard("chess")


def test_an_error_has_its_hint_apart_from_its_message(served: Serving, tmp_path: Path) -> None:
    token = served.token("anna")
    with asked(served, token) as server, pytest.raises(NotFound) as refused:
        server.leaderboard("mantis/grab")
    hint = "Run `arena tournament --bracket mantis/grab`."
    where = f"localhost:{served.address.rpartition(':')[2]}"
    assert str(refused.value) == f"{where}: No `mantis/grab` matches on record: expected mantis or tentagram."
    assert refused.value.hint == hint
    printed = complaint("leaderboard", "--bracket", "mantis/grab", *options(served, token, tmp_path))
    assert printed.endswith(f" tentagram.\n\nhint: {hint}"), printed


def test_commands_print_the_same_with_and_without_a_server(served: Serving, tmp_path: Path) -> None:
    there = options(served, served.token("anna"), tmp_path)
    found = Arena(served.home).leaderboard()
    assert arena("leaderboard", "--md", *there).stdout == as_markdown(found.boards, found.overall)
    verified = arena("replay", "verify", "--tournament", "1", *there).stdout.splitlines()
    assert len(verified) == 49
    assert verified[-1] == "48 of 48 verified."
    assert "`--home` does not apply with `--server`" in complaint("bots", *there, "--home", tmp_path)


# Refused requests


def test_a_refused_request_says_why_and_changes_nothing(served: Serving, tmp_path: Path) -> None:
    before = kept(served)
    bot = bot_in(tmp_path)
    with Store.open(Home(served.home).database) as store:
        _, expired = store.tokens.create("cleo", [Scope.SUBMIT], timedelta(seconds=-1))
        _, revoked = store.tokens.create("dora", [Scope.SUBMIT])
        store.tokens.revoke("dora")
    submitting = served.token("cleo", Scope.SUBMIT)
    for token, why in (
        (expired, "expired at"),
        (revoked, "was revoked at"),
        ("arena_guess", "Unknown token"),
        (served.token("cleo", Scope.PLAY), "permits play, not submit"),
    ):
        with asked(served, token) as server, pytest.raises(ArenaError, match=why):
            server.run(bot)
    with asked(served, served.token("cleo")) as server, pytest.raises(ArenaError, match="not submit or organise"):
        server.retire("bot1")
    with asked(served, submitting) as server:
        with pytest.raises(ArenaError, match="`anna/mine` is not your bot"):
            server.run(replace(bot, name="anna/mine"))
        with pytest.raises(ArenaError, match="`bot1` is not your bot"):
            server.retire("bot1")
    assert deeds(served, "cleo").count("refused") == 5
    until(lambda: kept(served) == before)


def test_a_client_sends_nothing_to_a_server_that_it_does_not_trust(served: Serving, tmp_path: Path) -> None:
    other = self_signed(Home(tmp_path), []).certificate
    sentence = "Cannot reach .* or its certificate is not trusted"
    with asked(served, served.token("anna"), ca=other) as server, pytest.raises(Unreachable, match=sentence):
        server.bots(every=False)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        away = listener.getsockname()[1]
    with asked(served, "arena_x", port=away) as server, pytest.raises(Unreachable, match=sentence):
        server.bots(every=False)


def test_reading_requests_have_a_rate_limit(served: Serving) -> None:
    with asked(served, served.token("erik")) as server:

        def ask_often() -> None:
            for _ in range(200):
                server.tournaments(1)

        with pytest.raises(ArenaError, match="Too many requests"):
            ask_often()


def test_invalid_messages_are_refused(served: Serving) -> None:
    credentials = grpc.ssl_channel_credentials(served.certificate.read_bytes())
    bearer = (("authorization", f"Bearer {served.token('finn', *Scope)}"),)
    port = served.address.rpartition(":")[2]
    with grpc.secure_channel(f"localhost:{port}", credentials, options=[("grpc.enable_http_proxy", 0)]) as channel:
        for method in (
            "ListBots",
            "GetLeaderboard",
            "ListTournaments",
            "ListMatches",
            "ListMatchNames",
            "GetReplays",
            "Retire",
        ):
            with pytest.raises(grpc.RpcError) as refused:
                list(channel.unary_stream(f"/{DESK}/{method}")(b"\xff\xff", metadata=bearer, timeout=PATIENCE))
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT, method
        many = pb.GetReplaysRequest(matches=["1-mantis-1-1"] * 101).SerializeToString()
        with pytest.raises(grpc.RpcError, match="expected at most 100"):
            channel.unary_unary(f"/{DESK}/GetReplays")(many, metadata=bearer, timeout=PATIENCE)


# Submissions


def test_a_bot_is_submitted_retired_and_restored(served: Serving, tmp_path: Path) -> None:
    there = options(served, served.token("gina", Scope.SUBMIT), tmp_path)
    folder = tmp_path / "walnut"
    folder.mkdir()
    (folder / "main.py").write_text(BOT)
    (folder / "weights").mkdir()
    (folder / "weights" / "large").write_bytes(bytes(200_000))
    (folder / "arena.toml").write_text('name = "walnut"\nversion = "2"\ncommand = ["python", "main.py"]\n')
    done = arena("submit", folder, *there, "--notes", "from home")
    assert done.stdout.splitlines()[-1] == "gina/walnut 2 is submitted, plays mantis.", done
    with Store.open(Home(served.home).database) as store:
        found = store.bots.find("gina/walnut")
        assert (found.version, found.notes, found.games) == ("2", "from home", ("mantis",))
        assert found.content_hash == content_hash(folder)
    assert (served.home / "bots" / found.program / "weights" / "large").read_bytes() == bytes(200_000)
    with asked(served, served.token("gina", Scope.SUBMIT)) as server:
        again = server.run(SubmitRequest(path=str(folder), name="gina/walnut"))
        assert (again.label, again.is_new) == ("gina/walnut 2", False)
        server.retire("gina/walnut")
        assert "gina/walnut" not in {row.bot for row in server.bots(every=False)}
    with asked(served, served.token("olga", Scope.ORGANISE)) as server:
        server.retire("gina/walnut", undo=True)  # an organiser may do that to anybody's
        assert "gina/walnut" in {row.bot for row in server.bots(every=False)}
    assert deeds(served, "gina") == ["created", "submitted", "created", "submitted", "retired"]
    assert deeds(served, "olga") == ["created", "brought back"]


def test_a_bot_that_fails_its_check_is_refused(served: Serving, tmp_path: Path) -> None:
    before = kept(served)
    with asked(served, served.token("hugo", Scope.SUBMIT)) as server:
        with pytest.raises(BadSubmission, match=r"hugo/mine failed a check(.|\n)*out of order") as refused:
            server.run(bot_in(tmp_path, "raise SystemExit('out of order')"))
        assert str(served.home) not in str(refused.value)  # where things are is the organiser's business
    assert deeds(served, "hugo") == ["created", "submission refused"]
    until(lambda: kept(served) == before)  # its files are removed a moment after it was told


def archive_of(*names: str, content: bytes = b"abc") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def upload(content: bytes, **more: Any) -> list[pb.SubmitRequest]:
    facts = {"name": "mine", "content_hash": "0" * 64, "size": len(content), **more}
    return [pb.SubmitRequest(header=pb.SubmitHeader(**facts)), pb.SubmitRequest(data=content)]


LIES = [
    ([], "is empty"),
    (upload(b"abc")[1:], "must start with a header"),
    (upload(archive_of("bot.py")), "do not have the announced content hash"),
    (upload(b"abc", size=4), "smaller than announced"),
    (upload(b"abc", size=2), "larger than announced"),
    (upload(b"", size=0), "has 0 bytes"),
    (upload(b"abc", size=10**12), "accepts up to 67,108,864"),
    (upload(b"abc")[:1] * 2, "must be data"),
    (upload(b"no archive"), "not a valid archive"),
    (upload(b"no archive", name=r"\q\1"), "not a valid archive"),
    (upload(archive_of("bot.py")[:-9]), "not a valid archive"),
    (upload(archive_of("bot.py", "bot.py")), "`bot.py` occurs twice"),
    (upload(archive_of("../bot.py")), "not a valid path"),
    (upload(archive_of("/etc/passwd")), "not a valid path"),
    (upload(archive_of("a/" * 70 + "b")), "nested too deep"),
    (upload(archive_of(*map(str, range(5001)), content=b"")), "more than 64 MiB or 5,000 files"),
    (upload(archive_of("bot", content=bytes(2**26 + 1))), "more than 64 MiB or 5,000 files"),
    (upload(archive_of("a", "b")), "mine` has no arena.toml"),
    (upload(b"abc", notes="\x1b[2J"), "printable"),
    (upload(b"abc", name="x" * 200), "more than 100 characters"),
]


def test_nothing_that_is_sent_is_believed(served: Serving) -> None:
    before = kept(served)
    credentials = grpc.ssl_channel_credentials(served.certificate.read_bytes())
    port = served.address.rpartition(":")[2]
    with grpc.secure_channel(f"localhost:{port}", credentials, options=[("grpc.enable_http_proxy", 0)]) as channel:
        submit = channel.stream_stream(
            f"/{DESK}/Submit", lambda part: part.SerializeToString(), pb.SubmitResponse.FromString
        )
        for number, (parts, why) in enumerate(LIES):
            bearer = (("authorization", f"Bearer {served.token(f'liar{number}', Scope.SUBMIT)}"),)
            *_, last = submit(iter(parts), metadata=bearer, timeout=PATIENCE)
            assert why in last.error.message, (last, why)
    until(lambda: kept(served) == before)


@contextmanager
def cut_after(served: Serving, count: int) -> Iterator[int]:
    """A port that leads to the server until it has passed on `count` bytes."""
    target = int(served.address.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def lead() -> None:
            near, _ = listener.accept()
            listener.close()
            with near, socket.create_connection(("127.0.0.1", target)) as far:
                back = threading.Thread(target=pump, args=(far, near), daemon=True)
                back.start()
                pump(near, far, count)
                for end in (near, far):
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)
                back.join()

        thread = threading.Thread(target=lead, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(PATIENCE)


def pump(source: socket.socket, target: socket.socket, count: int = 1 << 40) -> None:
    with suppress(OSError):
        while count > 0 and (received := source.recv(min(count, 65536))):
            target.sendall(received)
            count -= len(received)


def test_a_connection_that_breaks_during_an_upload_changes_nothing(served: Serving, tmp_path: Path) -> None:
    before = kept(served)
    bot = bot_in(tmp_path, weights=os.urandom(3_000_000))
    with (
        cut_after(served, 1_000_000) as port,
        asked(served, served.token("ida", Scope.SUBMIT), port=port) as server,
        pytest.raises(Unreachable, match=r"The connection to localhost:\d+ broke"),
    ):
        server.run(bot)
    until(lambda: kept(served) == before)


def test_a_client_that_leaves_during_the_check_cancels_the_submission(served: Serving, tmp_path: Path) -> None:
    before = kept(served)
    token = served.token("jens", Scope.SUBMIT)
    bot = bot_in(tmp_path, SLEEPS)
    server = asked(served, token)
    gone = threading.Thread(target=_submit_until_closed, args=(server, bot))
    gone.start()
    until(lambda: kept(served)[1] != before[1])
    with asked(served, token) as second, pytest.raises(ArenaError, match="with this token is in progress"):
        second.run(bot)
    server.__exit__(None, None, None)
    gone.join(PATIENCE)
    until(lambda: kept(served) == before)


def _submit_until_closed(server: RemoteArena, bot: SubmitRequest) -> None:
    with suppress(ArenaError, ValueError):
        server.run(bot)


def test_a_server_that_stops_cancels_submissions(served: Serving, tmp_path: Path) -> None:
    """The last one, because it stops the server."""
    before = kept(served)
    bot = bot_in(tmp_path, SLEEPS)
    heard: list[str] = []

    def submit() -> None:
        with asked(served, served.token("kai", Scope.SUBMIT)) as server:
            try:
                server.run(bot)
            except ArenaError as error:
                heard.append(str(error))

    thread = threading.Thread(target=submit)
    thread.start()
    until(lambda: kept(served)[1] != before[1])
    assert served.stop() == 0
    thread.join(PATIENCE)
    assert len(heard) == 1
    assert "broke" in heard[0]
    assert kept(served) == before


def test_without_a_sandbox_no_submitted_bot_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.sandbox import Sandbox, Tier, probe

    monkeypatch.setattr(requests, "choose", lambda *_: (Sandbox(Tier.NONE), probe(Tier.NONE)))
    request = SubmitRequest(path="bot.tar.gz", name="anna/mine", upload=UploadTerms("0" * 64, 10, 10))
    refused = carry_out(Home(tmp_path), request, lambda _: None)
    assert isinstance(refused, RequestError)
    assert refused.message == "This server has no sandbox, so it accepts no bots."
    assert "arena doctor" in refused.hint
