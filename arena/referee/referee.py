"""The referee: a gRPC server, the bots' processes, and any number of matches between them at the same time.

    async with Referee(limits) as referee:
        outcome = await referee.play(plan, programs)

Processes live across matches. A bot that sits at one table twice has two processes, because what one seat knows the
other must not. A bot that fails hurts only itself: its seat forfeits, the match goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.errors import ArenaError, BotDidNotStart, HostFault
from arena.referee.connection import HOLD, Traffic
from arena.referee.descriptors import (
    FOR_A_BOT,
    TO_SERVE,
    USUAL_FILES,
    Spare,
    allow_open_files,
    need_descriptors,
    open_files,
)
from arena.referee.guard import Guard
from arena.referee.host import Host
from arena.referee.instance import Instance
from arena.referee.launch import Launch
from arena.referee.match import Limits, Match, MatchPlan, Outcome
from arena.referee.table import Player, Table
from arena.replay import FaultKind
from arena.sandbox import Cell, Sandbox, View
from arena.sandbox.files import anybody_can_read, readable_copy
from arena.v1 import referee_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["Referee"].full_name
MOST_READ = 16 * 1024 * 1024
"""What grpc takes in one message. More than a bot may send, so that the bot can be told instead of cut off."""
HELLO_WITHIN = 10.0
"""Seconds in which whoever opens a stream must say hello."""
TICK = 0.02
"""Seconds between two looks at the clocks."""
HUNG_AFTER = 5.0
"""Seconds after which a bot that is over time, and still silent, is ended."""
LOOK_AT_SOCKETS = 0.25
"""Seconds between two looks at how many connections bots have."""
TRIES_FOR_FILES = 100
"""How often we look whether there are open files for a bot, a tick apart, before the machine is said to have none."""
TRIES_TO_START = 3
"""A bot that failed to start that often in a row is not tried again."""

SERVER_OPTIONS = [
    ("grpc.so_reuseport", 0),  # otherwise a second server takes the same port in silence
    ("grpc.max_receive_message_length", MOST_READ),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_concurrent_streams", 4),  # of each connection: a bot needs one
    ("grpc.server_handshake_timeout_ms", 5000),  # against connections that never become one
    ("grpc.http2.bdp_probe", 0),  # bots may be frozen for a while
]


@dataclass(frozen=True, slots=True)
class Settings:
    """How a referee works, apart from the time limits of its matches."""

    matches_at_once: int = 256
    """How many matches one bot process plays at the same time, at the most."""
    processes: int = 64
    """How many idle bot processes are kept, at the most."""
    idle_seconds: float = 60.0
    """How long an idle process is kept."""
    hold: float = HOLD
    """Seconds for which a bot's turns may be held back until they are worth a message."""
    address: str | None = None
    """Where to listen besides, "host:port" (port 0: any); None: on a unix socket only."""
    sandbox: Sandbox = field(default_factory=Sandbox)
    """Where the bots run."""
    ponder: bool = True
    """Whether bots may use the processor while others think."""
    logs: Path | None = None
    """The folder for the bots' logs; None: they are not kept."""


@dataclass(slots=True, eq=False)
class Slot:
    """A place for one process of a program, which is started when it is needed and again when it has died."""

    program: Launch
    index: int
    """0 for the first seat that the program has at a table, 1 for the second, and so on."""
    instance: Instance | None = None
    failures: int = 0
    last_failure: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Referee:
    """Runs matches between bot processes."""

    def __init__(self, limits: Limits | None = None, settings: Settings | None = None) -> None:
        self.limits = limits or Limits()
        self.settings = settings or Settings()
        self.address = ""
        self.folder = Path()
        """Where the socket is, as long as the referee works."""
        self.instances: dict[str, Instance] = {}
        """All processes that run or are being ended, by token."""
        self.under_way: dict[str, Match] = {}
        """The matches that are being played, by name, the latest one last: for whoever wants to look on."""
        self.traffic = Traffic(self.settings.hold)
        self.faults: Counter[FaultKind] = Counter()
        self._slots: dict[tuple[Launch, int], Slot] = {}
        self._background: set[asyncio.Task[None]] = set()
        self.host = Host()
        self._copies: dict[Launch, Path] = {}
        self._looked_at_sockets = 0.0
        self._spare = Spare()

    async def __aenter__(self) -> Self:
        allow_open_files()
        need_descriptors(TO_SERVE, "the referee")
        self.folder = Path(tempfile.mkdtemp(prefix="arena-"))
        # Only we may enter the folder; a bot in a sandbox is shown what is inside, and must be able to use it.
        socket = self.folder / "socket" / "referee"
        socket.parent.mkdir(mode=0o755)
        self._server = grpc.aio.server(options=SERVER_OPTIONS)
        handler = grpc.stream_stream_rpc_method_handler(self._play)  # raw bytes: what is in them is our business
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
        await self._add_standard_services()
        self._server.add_insecure_port(f"unix:{socket}")
        socket.chmod(0o666)
        self.address = self.settings.sandbox.address(socket)
        if self.settings.address is not None:
            host = self.settings.address.rpartition(":")[0]
            try:
                address = f"{host}:{self._server.add_insecure_port(self.settings.address)}"
            except RuntimeError as error:
                raise ArenaError(f"cannot listen on {self.settings.address}: is it free, and is it ours?") from error
            if not self.settings.sandbox.is_boxed:  # in a sandbox there is no network
                self.address = address
        await self._server.start()
        self._guard = Guard(self.folder)
        self._clock = asyncio.create_task(self._watch())
        return self

    async def _add_standard_services(self) -> None:
        servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, self._server)
        for name in ("", SERVICE):
            await servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clock.cancel()
        await asyncio.gather(*(instance.stop() for instance in self.instances.values()))
        await asyncio.gather(*self._background, return_exceptions=True)
        self._guard.dismiss()
        await self._server.stop(grace=0.2)
        self._spare.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Matches

    async def play(
        self,
        plan: MatchPlan,
        contestants: Sequence[Launch | Player | None],
        limits: Limits | None = None,
        watch: Callable[[Match], None] | None = None,
        match: Match | None = None,
    ) -> Outcome:
        """Plays one match between these, in seat order. Call it as often at once as you like.

        A contestant is a program, or a player who is here already: a person at the terminal, for instance. `limits`:
        for this match only. `watch` is called whenever something has happened at the table. `match`: one that has
        begun before and goes on, with None for a seat that is lost. Raises HostFault where the machine lacks what it
        takes to start a bot: then nobody has lost.
        """
        match = match or Match(plan, limits or self.limits)
        over = asyncio.get_running_loop().create_future()
        # A match that was given up may still come to its end, when its players leave.
        table = Table(match, finished=lambda: None if over.done() else over.set_result(None), watch=watch)
        programs = {seat: program for seat, program in enumerate(contestants) if isinstance(program, Launch)}
        instances = dict(zip(programs, await self._gather_players(list(programs.values())), strict=True))
        try:
            players: list[Player | None] = []
            for seat, contestant in enumerate(contestants):
                if isinstance(contestant, Launch):
                    instance, why_not = instances[seat]
                    if instance and plan.game not in instance.games:
                        why_not = f"{contestant.label} does not play {plan.game}."
                    elif instance and instance.dead:  # in another match, while this one waited for its other players
                        why_not = f"{contestant.label} ended before the match began."
                    players.append(instance.connection if instance and not why_not else None)
                    if why_not:
                        match.forfeit(seat, FaultKind.START, why_not)
                else:
                    players.append(contestant)
            began = time.monotonic()
            self.under_way[plan.id] = match
            table.seat_players(players)
            table.go_on()
            await over
            took = time.monotonic() - began
        finally:
            self.under_way.pop(plan.id, None)
            for instance, _ in instances.values():
                if instance:
                    self._release(instance)
        outcome = replace(
            match.outcome(),
            overhead_ms=max(0.0, 1000 * took - sum(match.wall_ms)),
            overloaded=self.host.overloaded_since(began),
        )
        self.faults.update(fault.fault for fault in outcome.faults)
        return outcome

    async def _gather_players(self, programs: Sequence[Launch]) -> list[tuple[Instance | None, str]]:
        """A process for each seat, or why there is none."""
        occurrences: Counter[Launch] = Counter()
        slots: list[Slot] = []
        for program in programs:
            slots.append(self._slot(program, occurrences[program]))
            occurrences[program] += 1
        # All matches take their processes in the same order, so that none waits for another in a circle.
        found: dict[Slot, tuple[Instance | None, str]] = {}
        for slot in sorted(slots, key=lambda slot: (slot.program.label, slot.program.command, slot.index)):
            try:
                found[slot] = await self._acquire(slot), ""
            except HostFault:
                for instance, _ in found.values():
                    if instance:
                        self._release(instance)
                raise
            except ArenaError as error:
                found[slot] = None, str(error)
        return [found[slot] for slot in slots]

    def _slot(self, program: Launch, index: int) -> Slot:
        return self._slots.setdefault((program, index), Slot(program, index))

    # Processes

    async def start(self, program: Launch) -> Instance:
        """A process of the program, ready to play. Raises where it does not come to play."""
        async with self.lent(program) as instance:
            return instance

    @contextlib.asynccontextmanager
    async def lent(self, program: Launch) -> AsyncIterator[Instance]:
        """A process of the program for something beside matches, kept for as long as it is needed."""
        instance = await self._acquire(self._slot(program, 0))
        try:
            yield instance
        finally:
            self._release(instance)

    async def _acquire(self, slot: Slot) -> Instance:
        """The slot's process, with room for one more match, which is taken."""
        async with slot.lock:
            while True:
                if slot.instance is None or slot.instance.dead:
                    slot.instance = await self._launch(slot)
                instance = slot.instance
                if instance.matches < instance.capacity:
                    instance.matches += 1
                    return instance
                instance.freed.clear()
                await instance.freed.wait()

    async def _launch(self, slot: Slot) -> Instance:
        if slot.failures >= TRIES_TO_START:
            raise BotDidNotStart(slot.last_failure)
        self._evict()
        program, settings = slot.program, self.settings
        log = settings.logs / program.log_name if settings.logs else None
        expected = sum(not instance.hello.token for instance in self.instances.values())
        await self._need_descriptors(FOR_A_BOT + expected, program.label)
        try:
            instance = Instance(
                program, self.address, log, settings.matches_at_once, self.traffic, self._cell_for(program)
            )
            instance.may_ponder = settings.ponder
            self.instances[instance.token] = instance
            await instance.wait_until_ready(self.limits.start)
        except HostFault:
            raise
        except ArenaError as error:
            need_descriptors(1, program.label)  # it could not be let in, which is no failure of its own
            slot.failures += 1
            slot.last_failure = str(error)
            raise
        slot.failures = 0
        return instance

    def _cell_for(self, program: Launch) -> Cell:
        sandbox = self.settings.sandbox
        view = View(program.folder, program.file or program.folder, socket=self.folder / "socket")
        try:
            if sandbox.is_boxed:
                view = replace(view, source=self._readable(program))
            return sandbox.cell(view)
        except OSError as error:
            raise HostFault(f"{program.label} was not started: no sandbox: {error.strerror or error}.") from error

    def _readable(self, program: Launch) -> Path:
        """The bot's files, or a copy if a stranger may not read them: that is what a bot runs as, where we are root."""
        source = program.file or program.folder
        if program not in self._copies:
            hidden = os.geteuid() == 0 and not anybody_can_read(source)
            target = self.folder / f"copy-{len(self._copies)}"
            if hidden and target.exists():  # what is left of a copy that failed
                shutil.rmtree(target)
            self._copies[program] = readable_copy(source, target) if hidden else source
        return self._copies[program]

    def _release(self, instance: Instance) -> None:
        instance.matches -= 1
        instance.idle_since = time.monotonic()
        instance.freed.set()

    def _evict(self) -> None:
        """Makes room for one more process, if idle ones take it."""
        idle = [instance for instance in self.instances.values() if instance.idle]
        idle.sort(key=lambda instance: instance.idle_since)
        for instance in idle[: max(0, len(self.instances) - self.settings.processes + 1)]:
            self._retire(instance)

    def _retire(self, instance: Instance) -> None:
        """Ends a process in the background."""
        if instance.stopped:
            return
        instance.dead = True
        instance.stopped = True

        async def stop() -> None:
            await instance.stop()
            self.instances.pop(instance.token, None)

        task = asyncio.create_task(stop())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _watch(self) -> None:
        """Looks at the clocks, and ends processes that are dead or have been idle for long."""
        while True:
            await asyncio.sleep(TICK)
            self.host.look(TICK)
            idle_before = time.monotonic() - self.settings.idle_seconds
            now = time.monotonic()
            if now - self._looked_at_sockets > LOOK_AT_SOCKETS:
                self._looked_at_sockets = now
                self._end_whoever_floods_us()
            for instance in list(self.instances.values()):
                if instance.dead:
                    self._retire(instance)
                    with contextlib.suppress(OSError):
                        instance.check_limits(now)  # until it is gone it may still take what it can get
                    continue
                with contextlib.suppress(OSError):  # for want of open files, say: then at the next tick
                    instance.check_time(HUNG_AFTER)
                    instance.check_pondering()
                    instance.check_limits(now)
                if instance.idle and instance.idle_since < idle_before:
                    self._retire(instance)

    def _end_whoever_floods_us(self) -> None:
        """Looks at the bots' connections, which takes its time, where there are more than there should be."""
        with self._spare.lent():
            if open_files() > USUAL_FILES + FOR_A_BOT * len(self.instances):
                for instance in list(self.instances.values()):
                    instance.check_sockets()

    async def _need_descriptors(self, count: int, who: str) -> None:
        """Raises HostFault unless so many files may be opened, also after those who flood us are ended."""
        for _ in range(TRIES_FOR_FILES):
            try:
                return need_descriptors(count, who)
            except HostFault:
                self._end_whoever_floods_us()
                await asyncio.sleep(TICK)
        return need_descriptors(count, who)

    # The service

    async def _play(self, _: Any, stream: Any) -> None:
        """Referee.Play: the first message says who it is, the rest is between the bot and its matches."""
        try:
            first = await asyncio.wait_for(stream.read(), HELLO_WITHIN)
        except TimeoutError:
            return
        if first is grpc.aio.EOF:
            return
        try:
            message = pb.PlayRequest.FromString(first)
        except DecodeError:
            message = pb.PlayRequest()
        instance = self.instances.get(message.hello.token)
        if not message.HasField("hello") or instance is None or instance.hello.token:
            fault = pb.Fault(
                kind=pb.FAULT_KIND_START,
                detail="The first message must be a hello with the token from ARENA_TOKEN, said once.",
            )
            await stream.write(pb.PlayResponse(faults=[fault]).SerializeToString())
            return
        await instance.serve(message.hello, stream)
