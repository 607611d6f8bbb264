"""After a shutdown or kill -9, every match that was logged is stored once."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from arena import replay
from arena.store.home import Home
from arena.store.store import Store
from tests.support.arena_server import Serving, hello, playing, serving, visiting
from tests.support.waiting import until

OPTIONS = ("--insecure", "--time-per-move", "none", "--pace", "none", "--bracket", "mantis")


def matches_in_log(served: Serving, event: str) -> list[str]:
    return [line["match"] for line in served.events(event)]


def stored_matches(served: Serving) -> set[str]:
    """The matches on record. Each is counted once, and its replay holds."""
    with Store.open(Home(served.home).database) as store:
        (ladder,) = store.tournaments.latest()
        results = list(store.matches.results(ladder.id, "mantis"))
        kept = [name for _, _, name, _ in results]
        counted = sum(sum(each.placements) for each in store.standings.load(ladder.id, "mantis").bots.values())
        assert len(set(kept)) == len(kept) == ladder.played
        assert counted == sum(len(seats) for *_, seats in results)
        for name in kept[-3:]:
            replay.verify(replay.loads(store.matches.replay(name).encode()))
    return set(kept)


def test_a_match_that_does_not_end_in_time_continues_after_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path, *OPTIONS, "--at-once", "1", "--drain", "10ms") as served:
        tokens = {user: served.token(user) for user in ("kai", "lea")}

        async def begin() -> bytes:
            async with (
                visiting(served.address, hello(tokens["kai"], "kai")) as first,
                visiting(served.address, hello(tokens["lea"], "lea")) as second,
            ):
                turns = [asyncio.create_task(visitor.hear_turn()) for visitor in (first, second)]
                done, waiting = await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
                visitor = first if turns[0] in done else second
                await visitor.answer(done.pop().result())
                asked = [asyncio.create_task(visitor.hear_turn()), *waiting]  # whoever is asked next
                done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                seen = done.pop().result().events
                assert await asyncio.to_thread(served.stop) == 0
                await asyncio.gather(*waiting, return_exceptions=True)
                return seen

        assert asyncio.run(begin())
        (name,) = matches_in_log(served, "match.suspended")
        assert matches_in_log(served, "match.ended") == []
    assert stored_matches(served) == set()

    with serving(tmp_path, *OPTIONS, "--at-once", "1") as served:

        async def go_on() -> None:
            async with visiting(served.address, hello(tokens["kai"], "kai")) as first:
                await first.hear()
                async with playing(served.address, lea=tokens["lea"]):
                    start, turn = await first.hear_start()
                    assert start.id == name
                    assert turn.events, "the events from before the restart are sent again"
                async with playing(served.address, kai=tokens["kai"], lea=tokens["lea"]):
                    await asyncio.to_thread(until, lambda: name in matches_in_log(served, "match.ended"))

        asyncio.run(go_on())
        assert matches_in_log(served, "match.resumed") == [name]
        assert next(line for line in served.events("match.ended") if line["match"] == name)["faults"] is None
    assert name in stored_matches(served)
    assert not (served.home / "unfinished" / f"{name}.jsonl").exists()


def test_logged_matches_survive_kill_9(tmp_path: Path) -> None:
    known: set[str] = set()
    for _ in range(3):
        with serving(tmp_path, *OPTIONS, "--drain", "10ms", ended_by=signal.SIGKILL) as served:
            tokens = {user: served.token(user) for user in ("ada", "ben", "cleo")}

            async def evening(served: Serving = served, tokens: dict[str, str] = tokens) -> None:
                async with playing(served.address, **tokens):
                    await asyncio.to_thread(until, lambda: len(matches_in_log(served, "match.ended")) > 5)

            asyncio.run(evening())
        now = set(matches_in_log(served, "match.ended"))
        assert now
        assert not now & known
        known |= now
        assert known <= stored_matches(served)
