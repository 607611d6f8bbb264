"""Metrics for Prometheus. They contain no names, because everyone who can open the pages can read them."""

from __future__ import annotations

from functools import partial

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.requests import Request
from starlette.responses import Response

from arena.referee import Outcome

_OVERHEAD_BUCKETS = (1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0)
_ROUND_TRIP_BUCKETS = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        gauge, counter = partial(Gauge, registry=registry), partial(Counter, registry=registry)
        histogram = partial(Histogram, registry=registry)
        self.bots = gauge("arena_connected_bots", "Connected bots.")
        self.in_progress = gauge("arena_matches_under_way", "Matches in progress.")
        self.unwritten = gauge("arena_unwritten_matches", "Finished matches that are not in the store yet.")
        self.connections = counter("arena_connections", "Connections of bots, by result.", ["result"])
        self.calls = counter("arena_calls", "Calls of the desk service, by result.", ["what", "result"])
        self._matches = counter("arena_matches", "Finished matches.", ["bracket"])
        self.decisions = counter("arena_decisions", "Turns answered by bots.")
        self._faults = counter("arena_faults", "Forfeited seats.", ["kind"])
        self._overhead = histogram(
            "arena_overhead_seconds",
            "Time of a turn besides the bot's own, including the network; mean of a match.",
            buckets=_OVERHEAD_BUCKETS,
        )
        self.wait = histogram(
            "arena_wait_seconds",
            "Time that a turn waits to be sent; the longest of each message.",
            buckets=_OVERHEAD_BUCKETS,
        )
        self.round_trip = histogram(
            "arena_round_trip_seconds",
            "Network round trip, every few seconds for each bot; not charged to the bot.",
            buckets=_ROUND_TRIP_BUCKETS,
        )

    def count(self, bracket: str, outcome: Outcome) -> None:
        turns = sum(outcome.decisions)
        self._matches.labels(bracket).inc()
        for fault in outcome.faults:
            self._faults.labels(fault.fault.value).inc()
        if turns:
            self._overhead.observe(outcome.overhead_ms / 1000 / turns)

    async def page(self, _: Request) -> Response:
        """Answer a request for /metrics."""
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)
