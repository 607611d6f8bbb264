"""Event streams: rendered once for all subscribers, and robust against errors of the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from arena.errors import BadStore
from arena.web import events
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy
from arena.web.events import EventHub, Messages, Topic, background


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CONFIG", replace(CONFIG, store_poll_interval=0.01))


class Board:
    """A board that changes and can fail."""

    def __init__(self) -> None:
        self.number = 0
        self.made = 0
        self.is_broken = False

    def look(self) -> int:
        if self.is_broken:
            raise BadStore("the store is locked.")
        return self.number

    def make(self) -> Messages:
        self.made += 1
        self.look()
        return {"number": self.number}


async def heard(stream: AsyncIterator[bytes], message: bytes) -> None:
    """Wait until the stream sends the message."""
    async with asyncio.timeout(30):
        while message not in await anext(stream):
            pass


def test_changes_are_rendered_once_for_all_subscribers() -> None:
    board = Board()

    async def run() -> None:
        hub = EventHub(board.look)
        async with background(hub.run()):
            streams = [hub.follow("board", Topic(board.make)) for _ in range(20)]
            for stream in streams:
                await heard(stream, b"data: 0")
            before = board.made
            board.number = 1
            for stream in streams:
                await heard(stream, b"data: 1")
            assert board.made == before + 1
            for stream in streams:
                await stream.aclose()  # type: ignore[attr-defined]
            assert not hub.topics

    asyncio.run(run())


def test_a_store_that_fails_for_a_while_stops_nothing() -> None:
    board = Board()

    async def run() -> None:
        hub = EventHub(board.look)
        async with background(hub.run()), aclosing(hub.follow("board", Topic(board.make))) as first:  # type: ignore[type-var]
            await heard(first, b"data: 0")
            board.is_broken = True
            await asyncio.sleep(0.1)
            async with aclosing(hub.follow("other", Topic(board.make))) as second:  # type: ignore[type-var]
                waiting = asyncio.ensure_future(anext(second))
                await asyncio.sleep(0.05)
                board.is_broken, board.number = False, 7
                await heard(first, b"data: 7")
                assert b"data: 7" in await waiting

    asyncio.run(run())


def test_the_number_of_subscribers_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CONFIG", replace(CONFIG, max_subscribers=1))
    board = Board()

    async def run() -> None:
        hub = EventHub(board.look)
        async with background(hub.run()), aclosing(hub.follow("board", Topic(board.make))) as first:  # type: ignore[type-var]
            await heard(first, b"data: 0")
            with pytest.raises(ServerBusy, match="Too many browsers"):
                hub.response("board", Topic(board.make))

    asyncio.run(run())
