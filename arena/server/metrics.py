"""The server in numbers, for Prometheus. No names in them: whoever reaches the pages may read these, too."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.requests import Request
from starlette.responses import Response

from arena.referee import Outcome

OVERHEAD = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
ROUND_TRIP = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


class Metrics:
    """Counts what happens."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._guests = Gauge("arena_connected_bots", "Bots that are connected.", registry=registry)
        self._under_way = Gauge("arena_matches_under_way", "Matches that are being played.", registry=registry)
        self.knocks = Counter("arena_connections", "Bots that wanted to be let in.", ["result"], registry=registry)
        self.calls = Counter("arena_calls", "What people did besides.", ["what", "result"], registry=registry)
        self._matches = Counter("arena_matches", "Matches that were played.", ["bracket"], registry=registry)
        self.decisions = Counter("arena_decisions", "Turns that bots have answered.", registry=registry)
        self._faults = Counter("arena_faults", "Seats that forfeited.", ["kind"], registry=registry)
        self.unwritten = Gauge(
            "arena_unwritten_matches", "Matches that were played and are not on record yet.", registry=registry
        )
        self._overhead = Histogram(
            "arena_overhead_seconds",
            "What a turn took besides the bot's own time, the way to it included, as the mean of a match.",
            registry=registry,
            buckets=OVERHEAD,
        )
        self.wait = Histogram(
            "arena_wait_seconds",
            "How long a turn waited until it was sent; of each message the one that waited longest.",
            registry=registry,
            buckets=OVERHEAD,
        )

        self.round_trip = Histogram(
            "arena_round_trip_seconds",
            "The way to a bot and back, every few seconds for each bot; no bot's clock is charged for it.",
            registry=registry,
            buckets=ROUND_TRIP,
        )

    def follow(self, guests: Callable[[], int], matches: Callable[[], int]) -> None:
        """These are asked whenever somebody asks us."""
        self._guests.set_function(guests)
        self._under_way.set_function(matches)

    def count(self, bracket: str, outcome: Outcome) -> None:
        """A match is over."""
        turns = sum(outcome.decisions)
        self._matches.labels(bracket).inc()
        for fault in outcome.faults:
            self._faults.labels(fault.fault.value).inc()
        if turns:
            self._overhead.observe(outcome.overhead_ms / 1000 / turns)

    async def page(self, _: Request) -> Response:
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)
