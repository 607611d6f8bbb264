"""A remote bot's absences, with a clock that the tests control."""

from __future__ import annotations

import pytest

from arena.protocol.batching import Batching
from arena.server import remote_bot
from arena.server.config import ServerConfig
from arena.server.metrics import Metrics
from arena.server.remote_bot import RemoteBot
from arena.server.tcp_info import UNKNOWN, TcpProbe, TcpStatus
from arena.store.bots import BotVersion
from arena.store.tokens import Scope, Token

GRACE = 20.0


class Clock:
    """Replaces the module `time`."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(remote_bot, "time", clock)
    return clock


def connect(clock: Clock) -> RemoteBot:
    token = Token(1, "anna", frozenset({Scope.PLAY}), "2026-01-01T00:00:00Z", None, None)
    version, config = BotVersion(1, "anna/a", "1", "", "", "", (), "", "", retired=False), ServerConfig(grace=GRACE)
    bot = RemoteBot(token, version, 0, config, Batching(), lambda _: None, Metrics(), TcpProbe("unix:"), clock.now)
    bot.playing.add("m")
    return bot


def is_waited_for(bot: RemoteBot) -> bool:
    bot.check_time()
    return not bot.dead


def test_a_loss_that_ends_with_the_stream_costs_grace_once(clock: Clock) -> None:
    bot = connect(clock)
    clock.now += 3
    bot.update_link(TcpStatus(0.1, lost=True, silent=2.0))
    clock.now += 9
    bot._stream_ended()  # eleven seconds after the bot was last heard
    bot.update_link(UNKNOWN)
    assert bot.is_disconnected
    assert is_waited_for(bot)
    clock.now += 8
    assert is_waited_for(bot)
    clock.now += 2
    assert not is_waited_for(bot)


def test_a_bot_that_is_unreachable_between_matches_stays(clock: Clock) -> None:
    bot = connect(clock)
    bot.playing.clear()
    bot.update_link(TcpStatus(0.1, lost=True))
    clock.now += 5
    assert is_waited_for(bot)
    assert not bot.is_connected
    bot.update_link(TcpStatus(0.1, without_data=0.1))
    assert bot.is_connected


def test_grace_is_regained_slowly_and_stays_with_the_bot(clock: Clock) -> None:
    first = connect(clock)
    first._stream_ended()
    clock.now += 15
    second = connect(clock)
    clock.now += 50  # the time that the server takes to accept it is not an absence
    second.take_over(first)
    assert second.link.grace_at(clock.now) == pytest.approx(GRACE - 15 + 5)
    assert second.playing is first.playing
