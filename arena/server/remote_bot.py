"""A bot that connects to the server over the network.

It is charged wall-clock time, because its processor time is unknown, minus the network's round trip and the time in
which the network fails (link.py has the rules). When its stream breaks it may reconnect and take its seats again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from arena.protocol.batching import Batching
from arena.protocol.session import SessionSeat
from arena.referee.stream import BotStream
from arena.replay import FaultKind
from arena.server.config import ServerConfig
from arena.server.link import Link, LinkEvent, LinkState
from arena.server.metrics import Metrics
from arena.server.tcp_info import TcpProbe, TcpStatus
from arena.store.bots import BotVersion
from arena.store.tokens import Token
from arena.v1 import referee_pb2 as pb


class RemoteBot(BotStream):
    """The stream of a remote bot."""

    def __init__(
        self,
        token: Token,
        version: BotVersion,
        entrant: int,
        config: ServerConfig,
        batching: Batching,
        joined: Callable[[RemoteBot], None],
        metrics: Metrics,
        probe: TcpProbe,
        said_hello: float,
    ) -> None:
        """`entrant` is its number in the ladder. `joined` is called when its hello is accepted.

        `said_hello` is when its hello arrived: the time that the server takes to accept it is not an absence.
        """
        super().__init__(config.matches_per_bot, batching)
        self.session.wake = self._wake
        self.max_message = config.max_bot_message
        self.config = config
        self.metrics = metrics
        self.joined = joined
        self.token = token
        self.version = version
        self.entrant = entrant
        self.playing: set[str] = set()
        """The matches in which it has a seat, or is about to get one."""
        self.link = Link(config, said_hello, config.grace)
        self._seats: list[SessionSeat] = []
        """Its seats when the stream broke."""
        self._probe = probe
        self._last_probe = 0.0
        self._last_message = said_hello
        self._oldest_turn: float | None = None
        """When the first of the turns that wait to be sent was added."""
        self.probe()

    @property
    def is_connected(self) -> bool:
        return self.link.is_connected and not self.dead

    @property
    def is_disconnected(self) -> bool:
        """Whether its stream has ended. It may reconnect unless it is dead."""
        return self.link.state is LinkState.DISCONNECTED

    @property
    def has_capacity(self) -> bool:
        return self.is_connected and len(self.playing) < self.capacity

    def _welcomed(self) -> None:
        self.joined(self)

    def _wake(self) -> None:
        if self._oldest_turn is None and self.session.waiting:
            self._oldest_turn = time.perf_counter()
        self._something_to_send.set()

    def _before_message(self) -> None:
        if self._oldest_turn is not None:
            self.metrics.wait.observe(time.perf_counter() - self._oldest_turn)
            self._oldest_turn = None

    def _after_message(self, answers: int) -> None:
        self.metrics.decisions.inc(answers)

    # The link

    @property
    def round_trip_ms(self) -> float:
        return round(1000 * self.session.round_trip, 3)

    def probe(self) -> None:
        """Read the TCP statistics, at long intervals while the bot sends messages."""
        now = time.monotonic()
        is_silent = now - self._last_message >= self.config.silent_after
        if now - self._last_probe > (0.0 if is_silent else self.config.probe_interval):
            self._last_probe = now
            self.update_link(self._probe.status())
            self.metrics.round_trip.observe(self.session.round_trip)

    def update_link(self, status: TcpStatus) -> None:
        """Apply the TCP statistics to the link and to the clocks."""
        if self.is_disconnected:
            return
        self.session.round_trip = status.round_trip or self.session.round_trip
        if status.lost:
            self._link_event(LinkEvent.PACKETS_LOST, status.silent)
        elif not self.link.is_connected:
            self._link_event(LinkEvent.PACKETS_ARRIVE, status.without_data)

    def _link_event(self, event: LinkEvent, silence: float = 0.0) -> None:
        now = time.monotonic()
        before, self.link = self.link, self.link.after(event, now, silence)
        if self.link.is_connected and not before.is_connected:  # no clock has run meanwhile
            absence = before.absence(now)
            self.session.shift_clocks(absence)
            if self._writing_since is not None:
                self._writing_since += absence

    def _handle(self, message: pb.PlayRequest) -> None:
        self._last_message = time.monotonic()
        if not self.link.is_connected:
            self._link_event(LinkEvent.MESSAGE)
        super()._handle(message)

    def _clock_note(self) -> str:
        return f" The network round trip of {self.round_trip_ms:g} ms is not charged."

    # Absence and reconnect

    def _stream_ended(self) -> None:
        if not self.dead:
            self._seats = self._leave_seats()
            self._link_event(LinkEvent.STREAM_ENDED)

    def _leave_seats(self) -> list[SessionSeat]:
        return self.session.abandon(self._now().later(-self.link.absence(time.monotonic()))).seats

    def check_time(self) -> None:
        if self.link.is_connected:
            super().check_time()
        elif self.link.is_expired(time.monotonic()) or (self.is_disconnected and not self.playing):
            self.remove(f"Its connection broke, and it did not reconnect within {self.link.grace_left:.1f} s.")

    def take_over(self, before: RemoteBot) -> None:
        """Take the seats, and the remaining grace, of an earlier connection of the same bot."""
        seats = before._seats if before.is_disconnected else before._leave_seats()
        self.link = before.link.reconnected(self.link.since)
        self.playing = before.playing
        self.session.take_over(before.session, (seat for seat in seats if seat.game in self.games))
        for seat in seats:
            if seat.game not in self.games and seat.match_number in before.session.seats:
                seat.forfeit(FaultKind.DISCONNECT, "It reconnected as a bot that does not play this game.")

    # The end

    def remove(self, why: str) -> None:
        """End the stream and forfeit its matches."""
        self.forfeit_all(FaultKind.DISCONNECT, why)
        self.leave()

    def leave(self) -> None:
        """End the stream in order."""
        self.dead = True
        self.session.close()
        self._closing.set()
