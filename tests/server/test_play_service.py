"""The play service with bots that are late, invalid or gone: hand-made messages to a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from arena.bot.session import BotSession
from arena.server.config import CONFIG
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.v1 import referee_pb2 as pb
from tests.support.arena_server import Serving, Simple, hello, serving, visiting
from tests.support.waiting import until


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("play")
    options = ("--insecure", "--time-per-move", "2s", "--pace", "none", "--at-once", "2", "--grace", "1s")
    with serving(
        folder, *options, "--bracket", "mantis"
    ) as server:  # who plays only Tentagram stays and is never asked
        yield server


def refused(served: Serving, said: pb.Hello | None, *metadata: tuple[str, str]) -> str:
    """Return the reason in the fault of a refused bot. The stream ends with it."""

    async def visit() -> str:
        async with visiting(served.address, said, metadata) as visitor:
            if said is None:
                await visitor.say(pb.PlayRequest())
            why = await visitor.hear_fault()
            assert await visitor.hear() is None
            return why

    return asyncio.run(visit())


def matches_of(served: Serving, bot: str) -> list[dict[str, object]]:
    return [line for line in served.events("match.ended") if any(each.startswith(bot) for each in line["bots"])]


def test_a_bot_with_an_invalid_token_or_name_is_refused(served: Serving) -> None:
    with Store.open(Home(served.home).database) as store:
        store.bots.register("cleo/taken", "1", "0" * 64, "0/bot.py", "", ["mantis"])
        _, expired = store.tokens.create("cleo", [Scope.PLAY], timedelta(seconds=-1))
    good = served.token("cleo")
    assert "expired at" in refused(served, hello(expired))
    assert "Unknown token" in refused(served, hello("arena_guess"))
    assert "A token is required" in refused(served, hello(""))
    assert "must be a hello" in refused(served, None)
    assert "permits organise, not play" in refused(served, hello(served.token("cleo", Scope.ORGANISE)))
    assert "must have 1 to 60 printable" in refused(served, hello(good, "\x1b[2J"))
    assert "`cleo/taken` is taken" in refused(served, hello(good, "taken"))
    assert "speaks version 7" in refused(served, hello(good, protocol=7))
    assert "plays no game" in refused(served, hello(good, games=[]))
    assert not matches_of(served, "cleo/")


def test_the_token_may_be_in_the_metadata(served: Serving) -> None:
    async def visit() -> pb.PlayResponse | None:
        bearer = ("authorization", f"Bearer {served.token('dora')}")
        async with visiting(served.address, hello("", "meta", games=[pb.GAME_TENTAGRAM]), [bearer]) as visitor:
            return await visitor.hear()

    answer = asyncio.run(visit())
    assert answer
    assert answer.welcome.matches_at_once == 2


def test_a_bot_that_sleeps_or_leaves_forfeits_and_others_play_on(served: Serving) -> None:
    """The SDK dials in by itself, as any bot can; the other one never answers, then is gone."""

    async def evening() -> None:
        session = asyncio.create_task(BotSession(Simple("plays")).play(served.address, served.token("emil")))
        async with visiting(served.address, hello(served.token("finn"), "sleeps")) as sleeper:
            await sleeper.hear_turn()
            assert "limit 2 s" in await sleeper.hear_fault()
        async with visiting(served.address, hello(served.token("finn"), "goes")) as goer:
            await goer.hear_turn()
        await asyncio.to_thread(until, lambda: bool(matches_of(served, "finn/goes")))
        session.cancel()
        await asyncio.gather(session, return_exceptions=True)

    asyncio.run(evening())
    faults = [fault for line in served.events("match.ended") for fault in line["faults"] or ()]
    assert {"finn/sleeps 1: timeout", "finn/goes 1: disconnect"} <= set(faults)
    until(lambda: len(served.events("bot.left")) == len(served.events("bot.connected")))


def test_a_bot_whose_stream_breaks_reconnects_to_its_seats(tmp_path: Path) -> None:
    options = ("--insecure", "--time-per-move", "none", "--pace", "none", "--at-once", "1", "--grace", "60s")
    with serving(tmp_path, *options, "--bracket", "mantis") as served:
        token = served.token("mia")

        async def evening() -> None:
            session = asyncio.create_task(BotSession(Simple("plays")).play(served.address, served.token("emil")))
            async with visiting(served.address, hello(token, "breaks")) as first:
                turn = await first.hear_turn()
                events = turn.events
                await first.answer(turn)
                turn = await first.hear_turn()
                events += turn.events
            await asyncio.to_thread(until, lambda: bool(served.events("bot.disconnected")))
            async with visiting(served.address, hello(token, "breaks")) as second:
                start, turn = await second.hear_start()
                assert turn.events == events, "a new process gets all events"
                while start.id not in {line["match"] for line in served.events("match.ended")}:
                    await second.answer(turn)
                    turn = await second.hear_turn()
            session.cancel()
            await asyncio.gather(session, return_exceptions=True)

        asyncio.run(evening())
        first = served.events("match.ended")[0]
        assert first["faults"] is None
        assert [line["seats"] for line in served.events("bot.reconnected")] == [1]


def test_a_bot_that_sends_too_much_is_cut_off(served: Serving) -> None:
    async def visit() -> str:
        async with visiting(served.address, hello(served.token("gina"), "loud")) as visitor:
            await visitor.hear()
            count = CONFIG.max_bot_message // 2
            answers = pb.Answers(match=[1] * count, turn=[1] * count, action=[1] * count)
            await visitor.say(pb.PlayRequest(answers=answers))
            return await visitor.hear_fault()

    assert f"the limit is {CONFIG.max_bot_message}" in asyncio.run(visit())


def test_only_the_latest_connection_of_a_bot_counts(served: Serving) -> None:
    token = served.token("hugo")

    async def visit() -> str:
        async with visiting(served.address, hello(token, "twice")) as first:
            await first.hear()
            async with visiting(served.address, hello(token, "twice")) as second:
                welcome = await second.hear()
                assert welcome
                assert welcome.HasField("welcome")
                return await first.hear_fault()

    assert "has opened another connection" in asyncio.run(visit())


def test_a_bot_whose_token_is_revoked_is_removed(served: Serving) -> None:
    async def visit() -> str:
        async with visiting(served.address, hello(served.token("ida"), "revoked")) as visitor:
            await visitor.hear()
            with Store.open(Home(served.home).database) as store:
                store.tokens.revoke("ida")
            return await visitor.hear_fault()

    assert "expired or was revoked" in asyncio.run(visit())


def test_the_number_of_bots_per_token_is_limited(served: Serving) -> None:
    token = served.token("jens")

    async def visit() -> str:
        async with asyncio.TaskGroup() as group:
            here = asyncio.Event()
            leave = asyncio.Event()
            count = 0

            async def stay(number: int) -> None:
                nonlocal count
                async with visiting(
                    served.address, hello(token, f"bot {number}", games=[pb.GAME_TENTAGRAM])
                ) as visitor:
                    welcome = await visitor.hear()
                    assert welcome
                    assert welcome.HasField("welcome"), welcome
                    count += 1
                    if count == 8:
                        here.set()
                    await leave.wait()

            for number in range(8):
                group.create_task(stay(number))
            await here.wait()
            async with visiting(served.address, hello(token, "one more")) as visitor:
                why = await visitor.hear_fault()
            leave.set()
            return why

    assert "At most 8 bots may be connected with one token" in asyncio.run(visit())
