"""The desk: what people do over the network besides playing. See protos/arena/v1/desk.proto.

Whoever only looks gets what the pages show to everybody, and waits for others who look: reading is done in few threads,
so that matches go on. What changes something is written into the audit log. A bot belongs to the user whose
name it bears; others may not hand in or retire it, but for an organiser, who may retire any.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import grpc
from anyio import CapacityLimiter, to_thread
from google.protobuf.message import DecodeError, Message

from arena.errors import ArenaError, BadStore, BadSubmission, NotFound
from arena.server import looking
from arena.server.admission import Allowance
from arena.server.gate import Gate, Refused, bearer, peer_of, sentence
from arena.server.hosting import Hosting
from arena.server.intake import IntakeJob, take_in
from arena.server.metrics import Metrics
from arena.server.upload import Upload
from arena.store.home import Home
from arena.store.tokens import Scope, Token
from arena.v1 import desk_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["Desk"].full_name
READERS = 2
"""So many look at the same time; others wait."""
NEXT_PART_WITHIN = 30.0
"""Seconds in which something more of a submission must arrive."""
ARRIVES_WITHIN = 600.0
"""Seconds in which all of it must."""
LEAST_PATIENCE = 5.0
"""Seconds that a tournament has at least to be interrupted in order."""
LONGEST_SENTENCE = 2000
LONGEST_NAME = 100
"""The owner included."""
LONGEST_NOTES = 200
Request = TypeVar("Request", bound=Message)
Code = grpc.StatusCode


@dataclass(frozen=True, slots=True)
class DeskRules:
    """How much people may do."""

    looks_at_once: int = 60
    """With a token within moments; then so many a minute."""
    looks_a_minute: int = 120
    deeds_at_once: int = 10
    """The same for what changes something."""
    deeds_a_minute: int = 2
    submissions: int = 4
    """So many are under way at the same time, one for each token."""
    largest: int = 64 * 2**20
    """The bytes of the files of a bot."""
    most_files: int = 5000


class Desk:
    """The service."""

    def __init__(self, gate: Gate, home: Home, metrics: Metrics, sandbox: str, rules: DeskRules) -> None:
        """`sandbox`: the mode of the sandbox in which bots are built and tried out."""
        self.gate = gate
        self.home = home
        self.metrics = metrics
        self.sandbox = sandbox
        self.rules = rules
        self._looks = Allowance(rules.looks_at_once, rules.looks_a_minute)
        self._deeds = Allowance(rules.deeds_at_once, rules.deeds_a_minute)
        self._readers = CapacityLimiter(READERS)
        self._submitting: dict[int, asyncio.Task[Any]] = {}
        """What is under way, by token."""
        self._uploads = home.path.resolve() / "uploads"
        shutil.rmtree(self._uploads, ignore_errors=True)  # of a server that was killed
        self._hosting = Hosting(home, self._uploads / "nothing", sandbox)

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server needs to offer this."""
        # Raw bytes everywhere: what is in them is our business.
        looks = {
            "Bots": self._look(pb.BotsRequest, looking.bots),
            "Leaderboard": self._look(pb.LeaderboardRequest, looking.leaderboard),
            "History": self._look(pb.HistoryRequest, looking.history),
            "Matches": self._look(pb.MatchesRequest, looking.matches),
            "Replays": self._look(pb.ReplaysRequest, looking.replays),
        }
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Submit": grpc.stream_stream_rpc_method_handler(self._submit),
                "Retire": grpc.unary_unary_rpc_method_handler(self._retire),
                "HoldTournament": grpc.unary_stream_rpc_method_handler(self._hold),
                "StopTournament": grpc.unary_unary_rpc_method_handler(self._stop),
                **looks,
            },
        )

    async def drain(self, patience: float) -> None:
        """Interrupts a tournament in order, and lets submissions under way end, within so many seconds.

        Then these are broken off, and change nothing.
        """
        interrupted = asyncio.create_task(self._hosting.stop(max(patience, LEAST_PATIENCE)))
        if self._submitting:
            await asyncio.wait(self._submitting.values(), timeout=patience)
        for task in list(self._submitting.values()):
            task.cancel()
        await asyncio.gather(*self._submitting.values(), return_exceptions=True)
        await interrupted

    # What all calls share

    @asynccontextmanager
    async def _answering(self, what: str, context: Any) -> AsyncIterator[None]:
        """Whatever goes wrong is told in a sentence."""
        try:
            yield
        except Refused as refused:
            why = refused
        except BadStore as error:
            why = self.gate.no_store(error)
        except NotFound as error:
            why = Refused(sentence(error), Code.NOT_FOUND)
        except ArenaError as error:
            why = Refused(sentence(error), Code.INVALID_ARGUMENT)
        else:
            self.metrics.calls.labels(what, "ok").inc()
            return
        self.metrics.calls.labels(what, "refused").inc()
        self.gate.journal.tell("desk.refused", what=what, peer=peer_of(context), why=str(why))
        await context.abort(why.code, str(why)[:LONGEST_SENTENCE])

    async def _admit(self, context: Any, allowance: Allowance, *scopes: Scope) -> Token:
        token = await self.gate.admit(bearer(context), peer_of(context), *scopes)
        if not allowance.take(token.id):
            raise Refused("You have asked for too much within a short time: wait a minute.", Code.RESOURCE_EXHAUSTED)
        return token

    def _look(self, kind: type[Request], answer: Callable[[Any, Request], Sequence[Message]]) -> grpc.RpcMethodHandler:
        """The handler of a call that only reads, and answers in one message or several."""
        what = kind.DESCRIPTOR.name.removesuffix("Request")

        async def look(data: bytes, context: Any) -> AsyncIterator[bytes]:
            parts: Sequence[Message] = ()
            async with self._answering(what, context):
                await self._admit(context, self._looks)
                request = _parsed(kind, data)
                parts = await to_thread.run_sync(answer, self.gate.store, request, limiter=self._readers)
            for part in parts:
                yield part.SerializeToString()

        return grpc.unary_stream_rpc_method_handler(look)

    # What changes something

    async def _retire(self, data: bytes, context: Any) -> bytes:
        async with self._answering("Retire", context):
            token = await self._admit(context, self._deeds, Scope.SUBMIT, Scope.ORGANISE)
            request = _parsed(pb.RetireRequest, data)
            if not request.bot.startswith(f"{token.user}/") and Scope.ORGANISE not in token.scopes:
                whose = f"{request.bot!r} is not yours, {token.user}: yours are called {token.user}/…"
                await self._deny(token, f"{whose}; to retire another takes a token for organise.")

            def retire() -> None:
                self.gate.store.bots.retire(request.bot, retired=not request.undo)

            await to_thread.run_sync(retire)
            deed = "brought back" if request.undo else "retired"
            self.gate.journal.tell("bot.retired", bot=request.bot, user=token.user, undo=request.undo)
            await self.gate.note(token, deed, request.bot)
        return pb.RetireResponse().SerializeToString()

    async def _hold(self, data: bytes, context: Any) -> AsyncIterator[bytes]:
        held = None
        async with self._answering("HoldTournament", context):
            token = await self._admit(context, self._looks, Scope.ORGANISE)
            request = _parsed(pb.HoldTournamentRequest, data)
            if request.holding == pb.HOLDING_FOLLOW:
                held = self._hosting.followed()
            else:
                held = await self._hosting.hold(self.gate.store, request)
                deed = "resumed a tournament" if request.holding == pb.HOLDING_RESUME else "began a tournament"
                words = [*request.bots, *(f"--{option.name} {option.value}".strip() for option in request.options)]
                self.gate.journal.tell("tournament.held", user=token.user, what=deed, how=" ".join(words))
                await self.gate.note(token, deed, " ".join(words))
        if held:
            async for line in held.follow():
                yield line.SerializeToString()

    async def _stop(self, data: bytes, context: Any) -> bytes:
        async with self._answering("StopTournament", context):
            token = await self._admit(context, self._looks, Scope.ORGANISE)
            _parsed(pb.StopTournamentRequest, data)
            if not self._hosting.is_holding:
                raise NotFound("no tournament that was begun from elsewhere is being held.")
            self.gate.journal.tell("tournament.stopped", user=token.user)
            await self.gate.note(token, "stopped a tournament", "")
            await self._hosting.stop()
        return pb.StopTournamentResponse().SerializeToString()

    async def _submit(self, _: Any, stream: Any) -> None:
        async with self._answering("Submit", stream):
            token = await self._admit(stream, self._deeds, Scope.SUBMIT)
            with self._place_for(token):
                folder = self._uploads / secrets.token_hex(8)
                try:
                    await self._receive_and_take_in(token, folder, stream)
                except BadSubmission as error:
                    await self._refuse(token, str(error), stream)
                finally:
                    await asyncio.shield(to_thread.run_sync(_remove, folder))

    @contextmanager
    def _place_for(self, token: Token) -> Iterator[None]:
        """One submission of a token at a time, and not too many in all."""
        if token.id in self._submitting:
            raise Refused("A submission with this token is under way: wait for its end.", Code.RESOURCE_EXHAUSTED)
        if len(self._submitting) >= self.rules.submissions:
            why = f"{self.rules.submissions} submissions are under way, which is as many as there may be: come later."
            raise Refused(why, Code.RESOURCE_EXHAUSTED)
        task = asyncio.current_task()
        assert task is not None, "a call runs in a task"
        self._submitting[token.id] = task
        try:
            yield
        finally:
            del self._submitting[token.id]

    async def _receive_and_take_in(self, token: Token, folder: Path, stream: Any) -> None:
        upload = await self._receive(token, folder, stream)
        header = upload.header
        job = IntakeJob(
            home=str(self.home.path.resolve()),
            store=self.home.store,
            files=str(folder),
            program=header.program,
            name=header.name if "/" in header.name else f"{token.user}/{header.name}",
            version=header.version or None,
            notes=header.notes,
            sandbox=self.sandbox,
        )
        async with aclosing(take_in(job)) as lines:
            async for line in lines:
                await self._tell(token, line, header, stream)
                if "submitted" in line or "refused" in line:
                    return
        raise Refused("The check of this bot was broken off, and nothing has changed: hand it in again.", Code.ABORTED)

    async def _receive(self, token: Token, folder: Path, stream: Any) -> Upload:
        """All files, checked. Raises where they are not what was announced, or do not come."""
        upload = None
        try:
            async with asyncio.timeout(ARRIVES_WITHIN):
                while (data := await asyncio.wait_for(stream.read(), NEXT_PART_WITHIN)) is not grpc.aio.EOF:
                    part = _parsed(pb.SubmitRequest, data)
                    if upload is None:
                        await self._check_owner(token, part.header.name)
                        upload = await to_thread.run_sync(self._announced, folder, part)
                        await stream.write(pb.SubmitResponse(doing="sending").SerializeToString())
                    else:
                        await to_thread.run_sync(upload.take, part)
        except TimeoutError:
            raise Refused("The bot's files did not come in time: hand it in again.", Code.DEADLINE_EXCEEDED) from None
        if upload is None:
            raise BadSubmission("nothing has come.")
        await to_thread.run_sync(upload.finish)
        return upload

    async def _check_owner(self, token: Token, name: str) -> None:
        """Raises where the bot is somebody else's: it bears its owner's name before a slash."""
        owner, slash, own = name.partition("/")
        if slash and (owner != token.user or "/" in own):
            whose = f"{name!r} is not yours, {token.user}: what you hand in is called {token.user}/…"
            await self._deny(token, f"{whose}; name it without a slash.")

    async def _deny(self, token: Token, why: str) -> NoReturn:
        await self.gate.note(token, "refused", why)
        raise Refused(why, Code.PERMISSION_DENIED)

    def _announced(self, folder: Path, first: pb.SubmitRequest) -> Upload:
        if not first.HasField("header"):
            raise BadSubmission("a submission begins with a header.")
        header = first.header
        if max(len(header.name), len(header.version)) > LONGEST_NAME:
            raise BadSubmission("its name or its version is too long.")
        if not header.notes.isprintable() or len(header.notes) > LONGEST_NOTES:
            raise BadSubmission(f"notes are at most {LONGEST_NOTES} printable characters.")
        return Upload(folder, header, largest=self.rules.largest, most_files=self.rules.most_files)

    async def _tell(self, token: Token, line: dict[str, Any], header: pb.SubmitHeader, stream: Any) -> None:
        """Passes on what the intake tells."""
        if why := line.get("refused"):
            await self._refuse(token, why, stream)
        elif taken := line.get("submitted"):
            label = f"{taken['name']} {taken['version']}"
            self.gate.journal.tell("bot.submitted", bot=label, user=token.user, is_new=taken["is_new"])
            await self.gate.note(token, "submitted", f"{label}, {header.content_hash}, from {peer_of(stream)}")
            await stream.write(pb.SubmitResponse(submitted=pb.Submitted(**taken)).SerializeToString())
        elif short := line.get("shortcoming"):
            told = pb.Shortcoming(what=short[0], detail=short[1])
            await stream.write(pb.SubmitResponse(shortcoming=told).SerializeToString())
        else:
            await stream.write(pb.SubmitResponse(doing=line["doing"]).SerializeToString())

    async def _refuse(self, token: Token, why: str, stream: Any) -> None:
        self.gate.journal.tell("submission.refused", user=token.user, why=why)
        await self.gate.note(token, "submission refused", why)
        await stream.write(pb.SubmitResponse(refused=why).SerializeToString())


def _parsed(kind: type[Request], data: bytes) -> Request:
    try:
        return kind.FromString(data)
    except DecodeError:
        raise Refused("This is no message that is known here.", Code.INVALID_ARGUMENT) from None


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
