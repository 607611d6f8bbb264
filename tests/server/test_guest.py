"""A guest's grace, by a clock that the tests turn."""

from __future__ import annotations

import pytest

from arena.referee.connection import Traffic
from arena.server import guest as guests
from arena.server.guest import Guest, Registered
from arena.server.line import UNKNOWN, Condition, Line
from arena.server.metrics import Metrics
from arena.store.tokens import Scope, Token

GRACE = 20.0


class Clock:
    """What the guest takes for the time."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    perf_counter = monotonic


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(guests, "time", clock)
    return clock


def come(clock: Clock) -> Guest:
    token = Token(1, "anna", frozenset({Scope.PLAY}), "2026-01-01T00:00:00Z", None, None)
    guest = Guest(
        token, Registered(1, 0, "anna/a 1"), 4, Traffic(), lambda _: None, Metrics(), Line("unix:"), GRACE, clock.now
    )
    guest.playing.add("m")
    return guest


def still_waited_for(guest: Guest) -> bool:
    guest.check_time(5.0)
    return not guest.dead


def test_a_cut_that_ends_with_the_stream_costs_grace_once(clock: Clock) -> None:
    guest = come(clock)
    clock.now += 3
    guest.take_in(Condition(0.1, dead=True, silent=2.0))
    clock.now += 9
    guest._stream_ended()  # eleven seconds after it was heard of last
    guest.take_in(UNKNOWN)
    assert guest.is_away
    assert still_waited_for(guest)
    clock.now += 8
    assert still_waited_for(guest)
    clock.now += 2
    assert not still_waited_for(guest)


def test_who_is_cut_off_between_matches_is_not_sent_away(clock: Clock) -> None:
    guest = come(clock)
    guest.playing.clear()
    guest.take_in(Condition(0.1, dead=True))
    clock.now += 5
    assert still_waited_for(guest)
    assert not guest.is_here
    guest.take_in(Condition(0.1, wordless=0.1))
    assert guest.is_here


def test_grace_comes_back_slowly_and_follows_the_bot(clock: Clock) -> None:
    first = come(clock)
    first._stream_ended()
    clock.now += 15
    second = come(clock)
    clock.now += 50  # how long it takes to let it in is not its affair
    second.follow(first)
    assert second._grace_now(clock.now) == pytest.approx(GRACE - 15 + 5)
    assert second.playing is first.playing
