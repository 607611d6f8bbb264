"""A bot process: a bot that the referee has started, with its operating system process and its stream."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable

from arena.errors import ArenaError, BotDidNotStart
from arena.games.registry import environment
from arena.protocol.batching import Batching
from arena.protocol.clock import Moment, Spent
from arena.protocol.session import Abandoned, SessionSeat, SessionState
from arena.referee.config import CONFIG, Settings
from arena.referee.launch import Launch
from arena.referee.processes.child import BotChild, BotLog
from arena.referee.processes.descriptors import open_sockets
from arena.referee.stream import BotStream
from arena.replay import FaultKind
from arena.sandbox import Cell

SINGLE_FILE_HINT = (
    "In the sandbox a bot that is a single file sees that file only. If it needs others, make it a folder with an "
    "arena.toml (see arena new), or start it without a sandbox: --sandbox none."
)


class BotProcess(BotStream):
    """A running bot."""

    late_seconds = CONFIG.late_seconds

    def __init__(
        self,
        launch: Launch,
        address: str,
        settings: Settings,
        batching: Batching,
        cell: Cell,
        on_failure: Callable[[BotProcess, FaultKind, str], None],
    ) -> None:
        """`address`: where it connects to. `on_failure` is called when it ends in the middle of its matches."""
        super().__init__(settings.matches_at_once, batching)
        self.launch = launch
        self.cell = cell
        self._on_failure = on_failure
        self.successor: BotProcess | None = None
        """The process that has taken its seats after a failure."""
        self.may_ponder = settings.ponder
        """Otherwise it is frozen when it uses the CPU while others think."""
        self._ponders = False
        self._idle_cpu: float | None = None
        """Its CPU time when it became idle, or later, when it was looked at last."""
        self._idle_cpu_read = 0.0
        self.token = secrets.token_hex(16)
        self.idle_since = time.monotonic()
        self.freed = asyncio.Event()
        """Set when one of its matches has ended."""
        self.stopped = False
        self.is_slow_to_start = False
        """Whether its hello did not come in time, though it was running."""
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._measures_cpu = False
        self._checked_limits = 0.0
        log = settings.logs / launch.log_name if settings.logs else None
        env = {"ARENA_ADDRESS": address, "ARENA_TOKEN": self.token, **environment()}
        try:
            self.child = BotChild(launch, env, BotLog(log, cell.allowance.log), self._on_exit, cell)
        except (ArenaError, OSError):
            self.session.close()
            cell.remove()
            raise

    @property
    def idle(self) -> bool:
        """Whether it is ready and plays no match."""
        return self._ready.done() and not self.matches and not self.stopped

    # Start

    async def wait_until_ready(self, seconds: float) -> None:
        """Wait for the bot's hello. Raise `BotDidNotStart` if it does not come."""
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), seconds)
        except TimeoutError:
            self.is_slow_to_start = True
            raise self._did_not_start(f"did not say hello within {seconds:g} s") from None

    def _did_not_start(self, what: str) -> BotDidNotStart:
        self.dead = True
        log = self.child.log
        misses_a_file = any(sign in log.tail for sign in (b"ModuleNotFoundError", b"No such file", b"ENOENT"))
        hint = f"\n{SINGLE_FILE_HINT}" if self.cell.is_isolated and self.launch.file and misses_a_file else ""
        return BotDidNotStart(f"{self.launch.label} {what}.{log.last_lines()}{hint}")

    def _objection(self) -> str | None:
        if missing := set(self.launch.games) - set(self.games):
            return f"claims in arena.toml to play {' and '.join(sorted(missing))}, but not in its hello"
        return None

    def _refuse(self, what: str) -> None:
        self.dead = True
        if not self._ready.done():
            self._ready.set_exception(self._did_not_start(what))

    def _welcomed(self) -> None:
        self.idle_since = time.monotonic()
        self._measures_cpu = self.cell.cpu_ms() > 0
        self._ready.set_result(None)

    # Matches

    def _now(self) -> Moment:
        return Moment(time.perf_counter(), self.cell.cpu_ms() if self._measures_cpu else None)

    def _before_message(self) -> None:
        self.cell.freeze(False)

    def _after_message(self, answers: int) -> None:
        if answers:
            self._idle_cpu = None
        if self._ponders and self.session.state is SessionState.IDLE:
            self.cell.freeze(True)

    def check_pondering(self) -> None:
        """Freeze the bot if it uses the CPU while it has no turn, and must not."""
        if self.may_ponder or not self._ready.done() or self.session.state is not SessionState.IDLE:
            return
        used, now = self.cell.cpu_ms(), time.monotonic()
        if self._idle_cpu is None or now - self._idle_cpu_read > CONFIG.ponder_interval:
            self._idle_cpu, self._idle_cpu_read = used, now
        elif used - self._idle_cpu > CONFIG.ponder_ms:
            if not self._ponders:
                self._ponders = True
                self.child.log.note("it uses the CPU while others think, so it is frozen until its next turn")
            self._idle_cpu = used
            self.cell.freeze(True, again=True)

    def check_limits(self, now: float) -> None:
        """Log the limits of its cell that the bot has reached."""
        if now - self._checked_limits > self.cell.limits_interval:
            self._checked_limits = now
            if reached := self.cell.check_limits():
                self.child.log.note(f"it {reached}")

    def check_sockets(self) -> None:
        """End a bot that opens too many connections."""
        if (sockets := open_sockets(self.cell)) > CONFIG.max_sockets:
            detail = f"It had {sockets} connections open, the limit is {CONFIG.max_sockets}."
            self.forfeit_all(FaultKind.PROTOCOL, detail)
            self.cut_off()

    # End

    def _exceeded(self, seat: SessionSeat, spent: Spent, why: str) -> None:
        if len(self.session.in_flight) == 1:
            super()._exceeded(seat, spent, why)
        else:  # it may have answers to the first turns ready, so which one takes so long must be found out
            self.fail(FaultKind.TIMEOUT, why)
            self.cut_off()

    def fail(self, kind: FaultKind, detail: str) -> None:
        if not self.dead:
            self.dead = True
            self._on_failure(self, kind, detail)

    def abandon(self, kind: FaultKind) -> Abandoned:
        """Leave the seats of a process that has failed in this way."""
        left = self.session.abandon(self._now())
        if kind is FaultKind.TIMEOUT:  # a bot that can still answer could name any turn
            return left
        match, turn = self.child.turn_mark.read()
        marked = [seat for seat in left.thinking_about if (seat.match_number, seat.turn) == (match, turn)]
        return Abandoned(left.seats, marked or left.thinking_about)

    def cut_off(self) -> None:
        self.cell.kill()

    def _stream_ended(self) -> None:
        # Later, because a crash ends the process too, and is then the fault.
        loop = asyncio.get_running_loop()
        loop.call_later(CONFIG.crash_seconds, self.fail, FaultKind.DISCONNECT, "It closed its stream.")

    def _on_exit(self) -> None:
        why = self.child.exit_reason
        if not self._ready.done():
            excess = self.cell.exceeded_limit()
            how = f"{excess}; {self.child.exit_status}" if excess else self.child.exit_status
            self._refuse(f"ended before it said hello ({how})")
        self.fail(FaultKind.CRASH, why)

    async def stop(self, grace: float | None = None) -> None:
        """End the stream and the process, which has `grace` seconds to exit by itself."""
        self.dead = True
        self.stopped = True
        self.session.close()
        self._closing.set()
        await self.child.stop(grace)
        self._refuse("was ended before it said hello")
        self._ready.exception()  # mark as retrieved
