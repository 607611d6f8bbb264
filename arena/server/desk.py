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
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import grpc
from anyio import CapacityLimiter, to_thread
from google.protobuf.message import DecodeError, Message

from arena.errors import ArenaError, BadStore, BadSubmission, NotFound
from arena.server import desk_queries
from arena.server.auth import Authenticator, RequestRefused, bearer_token, peer_address, sentence, store_unavailable
from arena.server.config import ServerConfig
from arena.server.intake import IntakeJob, take_in
from arena.server.log import log_event
from arena.server.metrics import Metrics
from arena.server.rate_limit import RateLimit
from arena.server.tournaments import Hosting
from arena.server.upload import Upload
from arena.store.home import Home
from arena.store.tokens import Scope, Token
from arena.v1 import desk_pb2 as pb

Request = TypeVar("Request", bound=Message)
Code = grpc.StatusCode


class Desk:
    """The service."""

    name = pb.DESCRIPTOR.services_by_name["Desk"].full_name

    def __init__(
        self, authenticator: Authenticator, home: Home, metrics: Metrics, sandbox: str, config: ServerConfig
    ) -> None:
        """`sandbox`: the mode of the sandbox in which bots are built and tried out."""
        self.authenticator = authenticator
        self.home = home
        self.metrics = metrics
        self.sandbox = sandbox
        self.config = config
        self._looks = RateLimit(config.read_burst, config.reads_per_minute)
        self._deeds = RateLimit(config.write_burst, config.writes_per_minute)
        self._readers = CapacityLimiter(config.reader_threads)
        self._submitting: dict[int, asyncio.Task[Any]] = {}
        """What is under way, by token."""
        self._uploads = home.path.resolve() / "uploads"
        shutil.rmtree(self._uploads, ignore_errors=True)  # of a server that was killed
        self._hosting = Hosting(home, self._uploads / "nothing", sandbox)

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server needs to offer this."""
        # Raw bytes everywhere: what is in them is our business.
        looks = {
            "Bots": self._look(pb.BotsRequest, desk_queries.bots),
            "Leaderboard": self._look(pb.LeaderboardRequest, desk_queries.leaderboard),
            "History": self._look(pb.HistoryRequest, desk_queries.history),
            "Matches": self._look(pb.MatchesRequest, desk_queries.matches),
            "Replays": self._look(pb.ReplaysRequest, desk_queries.replays),
        }
        return grpc.method_handlers_generic_handler(
            self.name,
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
        interrupted = asyncio.create_task(self._hosting.stop(max(patience, self.config.min_tournament_shutdown)))
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
        except RequestRefused as refused:
            why = refused
        except BadStore as error:
            why = store_unavailable(error)
        except NotFound as error:
            why = RequestRefused(sentence(error), Code.NOT_FOUND)
        except ArenaError as error:
            why = RequestRefused(sentence(error), Code.INVALID_ARGUMENT)
        else:
            self.metrics.calls.labels(what, "ok").inc()
            return
        self.metrics.calls.labels(what, "refused").inc()
        log_event("desk.refused", what=what, peer=peer_address(context), why=str(why))
        await context.abort(why.code, str(why)[: self.config.max_error])

    async def _admit(self, context: Any, allowance: RateLimit, *scopes: Scope) -> Token:
        token = await self.authenticator.check(bearer_token(context), peer_address(context), *scopes)
        if not allowance.take(token.id):
            raise RequestRefused("Too many requests with this token. Retry in a minute.", Code.RESOURCE_EXHAUSTED)
        return token

    def _look(self, kind: type[Request], answer: Callable[[Any, Request], Sequence[Message]]) -> grpc.RpcMethodHandler:
        """The handler of a call that only reads, and answers in one message or several."""
        what = kind.DESCRIPTOR.name.removesuffix("Request")

        async def look(data: bytes, context: Any) -> AsyncIterator[bytes]:
            parts: Sequence[Message] = ()
            async with self._answering(what, context):
                await self._admit(context, self._looks)
                request = _parsed(kind, data)
                parts = await to_thread.run_sync(answer, self.authenticator.store, request, limiter=self._readers)
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
                self.authenticator.store.bots.retire(request.bot, retired=not request.undo)

            await to_thread.run_sync(retire)
            deed = "brought back" if request.undo else "retired"
            log_event("bot.retired", bot=request.bot, user=token.user, undo=request.undo)
            await self.authenticator.audit(token, deed, request.bot)
        return pb.RetireResponse().SerializeToString()

    async def _hold(self, data: bytes, context: Any) -> AsyncIterator[bytes]:
        held = None
        async with self._answering("HoldTournament", context):
            token = await self._admit(context, self._looks, Scope.ORGANISE)
            request = _parsed(pb.HoldTournamentRequest, data)
            if request.holding == pb.HOLDING_FOLLOW:
                held = self._hosting.followed()
            else:
                held = await self._hosting.hold(self.authenticator.store, request)
                deed = "resumed a tournament" if request.holding == pb.HOLDING_RESUME else "began a tournament"
                words = [*request.bots, *(f"--{option.name} {option.value}".strip() for option in request.options)]
                log_event("tournament.held", user=token.user, what=deed, how=" ".join(words))
                await self.authenticator.audit(token, deed, " ".join(words))
        if held:
            async for line in held.follow():
                yield line.SerializeToString()

    async def _stop(self, data: bytes, context: Any) -> bytes:
        async with self._answering("StopTournament", context):
            token = await self._admit(context, self._looks, Scope.ORGANISE)
            _parsed(pb.StopTournamentRequest, data)
            if not self._hosting.is_holding:
                raise NotFound("no tournament that was begun from elsewhere is being held.")
            log_event("tournament.stopped", user=token.user)
            await self.authenticator.audit(token, "stopped a tournament", "")
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
            raise RequestRefused(
                "A submission with this token is under way: wait for its end.", Code.RESOURCE_EXHAUSTED
            )
        if len(self._submitting) >= self.config.max_submissions:
            why = f"{self.config.max_submissions} submissions are in progress, the maximum. Retry later."
            raise RequestRefused(why, Code.RESOURCE_EXHAUSTED)
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
        raise RequestRefused(
            "The check of this bot was broken off, and nothing has changed: hand it in again.", Code.ABORTED
        )

    async def _receive(self, token: Token, folder: Path, stream: Any) -> Upload:
        """All files, checked. Raises where they are not what was announced, or do not come."""
        upload = None
        try:
            async with asyncio.timeout(self.config.upload_timeout):
                while (
                    data := await asyncio.wait_for(stream.read(), self.config.upload_part_timeout)
                ) is not grpc.aio.EOF:
                    part = _parsed(pb.SubmitRequest, data)
                    if upload is None:
                        await self._check_owner(token, part.header.name)
                        upload = await to_thread.run_sync(self._announced, folder, part)
                        await stream.write(pb.SubmitResponse(doing="sending").SerializeToString())
                    else:
                        await to_thread.run_sync(upload.take, part)
        except TimeoutError:
            raise RequestRefused(
                "The bot's files did not come in time: hand it in again.", Code.DEADLINE_EXCEEDED
            ) from None
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
        await self.authenticator.audit(token, "refused", why)
        raise RequestRefused(why, Code.PERMISSION_DENIED)

    def _announced(self, folder: Path, first: pb.SubmitRequest) -> Upload:
        if not first.HasField("header"):
            raise BadSubmission("a submission begins with a header.")
        header = first.header
        if max(len(header.name), len(header.version)) > self.config.max_submission_name:
            raise BadSubmission("its name or its version is too long.")
        if not header.notes.isprintable() or len(header.notes) > self.config.max_notes:
            raise BadSubmission(f"notes are at most {self.config.max_notes} printable characters.")
        return Upload(
            folder, header, largest=self.config.max_submission_bytes, most_files=self.config.max_submission_files
        )

    async def _tell(self, token: Token, line: dict[str, Any], header: pb.SubmitHeader, stream: Any) -> None:
        """Passes on what the intake tells."""
        if why := line.get("refused"):
            await self._refuse(token, why, stream)
        elif taken := line.get("submitted"):
            label = f"{taken['name']} {taken['version']}"
            log_event("bot.submitted", bot=label, user=token.user, is_new=taken["is_new"])
            await self.authenticator.audit(
                token, "submitted", f"{label}, {header.content_hash}, from {peer_address(stream)}"
            )
            await stream.write(pb.SubmitResponse(submitted=pb.Submitted(**taken)).SerializeToString())
        elif short := line.get("shortcoming"):
            told = pb.Shortcoming(what=short[0], detail=short[1])
            await stream.write(pb.SubmitResponse(shortcoming=told).SerializeToString())
        else:
            await stream.write(pb.SubmitResponse(doing=line["doing"]).SerializeToString())

    async def _refuse(self, token: Token, why: str, stream: Any) -> None:
        log_event("submission.refused", user=token.user, why=why)
        await self.authenticator.audit(token, "submission refused", why)
        await stream.write(pb.SubmitResponse(refused=why).SerializeToString())


def _parsed(kind: type[Request], data: bytes) -> Request:
    try:
        return kind.FromString(data)
    except DecodeError:
        raise RequestRefused("This is no message that is known here.", Code.INVALID_ARGUMENT) from None


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
