"""The service Desk: what people do on the server besides playing. See protos/arena/v1/desk.proto.

Requests that read return what the web pages show to everyone. They run in few threads, so that matches are not slowed
down. Requests that change something are written to the audit log. A bot belongs to the user whose name is the first
part of its name: only that user may submit or retire it, and an organiser may retire every bot.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, TypeVar

import grpc
from anyio import CapacityLimiter, to_thread
from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from arena.api import Arena
from arena.client.messages import HINT_METADATA, to_event, to_message
from arena.errors import ArenaError, BadSubmission, NotFound, UserError
from arena.events import Activity
from arena.requests import SubmitRequest, UploadTerms
from arena.server.auth import Authenticator, RequestRefused, bearer_token, peer_address, refuse
from arena.server.config import ServerConfig
from arena.server.log import log_event
from arena.server.metrics import Metrics
from arena.server.rate_limit import RateLimit
from arena.server.tournaments import Tournaments
from arena.server.upload import Upload
from arena.server.worker_process import RequestError, WorkerProcess
from arena.store.tokens import Scope, Token
from arena.submissions.submit import SubmitResult
from arena.v1 import desk_pb2 as pb

Request = TypeVar("Request", bound=Message)
Answer = Callable[[Token, Request], Awaitable[Message]]
Code = grpc.StatusCode
MAX_ROWS = 10_000
MAX_REPLAYS = 100


class Desk:
    """Handlers for all calls of the service."""

    name = pb.DESCRIPTOR.services_by_name["Desk"].full_name

    def __init__(
        self, authenticator: Authenticator, arena: Arena, metrics: Metrics, sandbox: str, config: ServerConfig
    ) -> None:
        """`sandbox` is the sandbox mode for submitted bots."""
        self.authenticator = authenticator
        self.arena = arena
        self.metrics = metrics
        self.sandbox = sandbox
        self.config = config
        self._reads = RateLimit(config.read_burst, config.reads_per_minute)
        self._writes = RateLimit(config.write_burst, config.writes_per_minute)
        self._readers = CapacityLimiter(config.reader_threads)
        self._submitting: dict[int, asyncio.Task[Any]] = {}
        """Submissions in progress, by token."""
        self._uploads = arena.home.path.resolve() / "uploads"
        shutil.rmtree(self._uploads, ignore_errors=True)  # left by a server that was killed
        self._empty = self._uploads / "empty"
        self._tournaments = Tournaments(arena, self._empty, sandbox)

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler for a gRPC server. It works on raw bytes, because invalid messages need an answer."""
        return grpc.method_handlers_generic_handler(
            self.name,
            {
                "Submit": grpc.stream_stream_rpc_method_handler(self._submit),
                "Retire": self._unary(pb.RetireRequest, self._retire, self._writes, Scope.SUBMIT, Scope.ORGANISE),
                "ListBots": self._query(pb.ListBotsRequest, _bots),
                "GetLeaderboard": self._query(pb.GetLeaderboardRequest, _leaderboard),
                "ListTournaments": self._query(pb.ListTournamentsRequest, _list_tournaments),
                "ListMatches": self._query(pb.ListMatchesRequest, _matches),
                "ListMatchNames": self._query(pb.ListMatchNamesRequest, _match_names),
                "GetReplays": self._query(pb.GetReplaysRequest, _replays),
                "RunTournament": grpc.unary_stream_rpc_method_handler(self._run_tournament),
                "StopTournament": self._unary(pb.StopTournamentRequest, self._stop, self._reads, Scope.ORGANISE),
            },
        )

    async def drain(self, timeout: float) -> None:
        """Stop a running tournament in order and wait for submissions; then cancel them, which changes nothing."""
        stopping = asyncio.create_task(self._tournaments.stop(max(timeout, self.config.min_tournament_shutdown)))
        if self._submitting:
            await asyncio.wait(self._submitting.values(), timeout=timeout)
        for task in list(self._submitting.values()):
            task.cancel()
        await asyncio.gather(*self._submitting.values(), return_exceptions=True)
        await stopping

    # What all calls share

    @asynccontextmanager
    async def _answering(self, call: str, context: Any) -> AsyncIterator[None]:
        """Turn errors into the status of the call."""
        try:
            yield
        except ArenaError as error:
            why = refuse(error)
        else:
            self.metrics.calls.labels(call, "ok").inc()
            return
        self.metrics.calls.labels(call, "refused").inc()
        log_event("desk.refused", what=call, peer=peer_address(context), why=why.text)
        hint = ((HINT_METADATA, why.hint[: self.config.max_error].encode()),) if why.hint else ()
        await context.abort(why.code, str(why)[: self.config.max_error], hint)

    async def _check(self, context: Any, limit: RateLimit, *scopes: Scope) -> Token:
        """Return the caller's token. Raise if it does not permit the call, or by the rate limit."""
        token = await self.authenticator.check(bearer_token(context), peer_address(context), *scopes)
        if not limit.take(token.id):
            raise RequestRefused("Too many requests with this token. Retry in a minute.", Code.RESOURCE_EXHAUSTED)
        return token

    def _unary(
        self, kind: type[Request], answer: Answer[Request], limit: RateLimit, *scopes: Scope
    ) -> grpc.RpcMethodHandler:
        """Return the handler of a call with one request and one response."""
        call = kind.DESCRIPTOR.name.removesuffix("Request")

        async def handle(data: bytes, context: Any) -> bytes:
            async with self._answering(call, context):
                token = await self._check(context, limit, *scopes)
                return (await answer(token, _parsed(kind, data))).SerializeToString()

        return grpc.unary_unary_rpc_method_handler(handle)

    def _query(self, kind: type[Request], answer: Callable[[Arena, Request], Message]) -> grpc.RpcMethodHandler:
        """Return the handler of a call that only reads."""

        async def query(_: Token, request: Request) -> Message:
            return await to_thread.run_sync(answer, self.arena, request, limiter=self._readers)

        return self._unary(kind, query, self._reads)

    async def _deny(self, token: Token, bot: str, hint: str) -> NoReturn:
        why = f"`{bot}` is not your bot: the names of your bots start with `{token.user}/`."
        await self.authenticator.audit(token, "refused", f"{why} {hint}")
        raise RequestRefused(why, Code.PERMISSION_DENIED, hint=hint)

    # Bots

    async def _retire(self, token: Token, request: pb.RetireRequest) -> pb.RetireResponse:
        if not request.bot.startswith(f"{token.user}/") and Scope.ORGANISE not in token.scopes:
            await self._deny(token, request.bot, "Retiring other bots needs the scope organise.")
        await to_thread.run_sync(partial(self.arena.retire, request.bot, undo=request.undo))
        log_event("bot.retired", bot=request.bot, user=token.user, undo=request.undo)
        await self.authenticator.audit(token, "brought back" if request.undo else "retired", request.bot)
        return pb.RetireResponse()

    async def _submit(self, _: Any, stream: Any) -> None:
        async with self._answering("Submit", stream):
            token = await self._check(stream, self._writes, Scope.SUBMIT)
            with self._place_for(token):
                folder = self._uploads / secrets.token_hex(8)
                try:
                    upload = await self._receive(token, folder, stream)
                    await self._carry_out(token, upload, stream)
                except BadSubmission as error:
                    await self._report(token, RequestError(str(error), error.hint or ""), stream)
                finally:
                    await asyncio.shield(to_thread.run_sync(partial(shutil.rmtree, folder, ignore_errors=True)))

    @contextmanager
    def _place_for(self, token: Token) -> Iterator[None]:
        """Limit submissions to one per token, and to a few in all."""
        if token.id in self._submitting:
            why = "Another submission with this token is in progress. Retry when it has ended."
            raise RequestRefused(why, Code.RESOURCE_EXHAUSTED)
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

    async def _receive(self, token: Token, folder: Path, stream: Any) -> Upload:
        """Return the archive. Raise if it is not as announced, or does not arrive in time."""
        upload = None
        try:
            async with asyncio.timeout(self.config.upload_timeout):
                while True:
                    data = await asyncio.wait_for(stream.read(), self.config.upload_part_timeout)
                    if data is grpc.aio.EOF:
                        break
                    part = _parsed(pb.SubmitRequest, data)
                    if upload is None:
                        await self._check_owner(token, part.header.name)
                        upload = await to_thread.run_sync(Upload, folder, part, self.config)
                        await stream.write(pb.SubmitResponse(activity=pb.Activity(text="sending")).SerializeToString())
                    else:
                        await to_thread.run_sync(upload.add, part)
        except TimeoutError:
            why = "The bot's files did not arrive in time. Retry."
            raise RequestRefused(why, Code.DEADLINE_EXCEEDED) from None
        if upload is None:
            raise BadSubmission("The submission is empty.")
        upload.check_complete()
        return upload

    async def _check_owner(self, token: Token, name: str) -> None:
        """Raise if the name has another user's before the slash."""
        owner, slash, own = name.partition("/")
        if slash and (owner != token.user or "/" in own):
            await self._deny(token, name, "Choose a name without a slash.")

    async def _carry_out(self, token: Token, upload: Upload, stream: Any) -> None:
        header, config = upload.header, self.config
        request = SubmitRequest(
            path=str(upload.archive),
            name=header.name if "/" in header.name else f"{token.user}/{header.name}",
            version=header.version or None,
            notes=header.notes,
            sandbox=self.sandbox,
            upload=UploadTerms(header.content_hash, config.max_submission_bytes, config.max_submission_files),
        )
        worker = WorkerProcess(self.arena.home, self._empty, request)
        try:
            async for event in worker.events():
                if isinstance(event, SubmitResult):
                    log_event("bot.submitted", bot=event.label, user=token.user, is_new=event.is_new)
                    detail = f"{event.label}, {header.content_hash}, from {peer_address(stream)}"
                    await self.authenticator.audit(token, "submitted", detail)
                if isinstance(event, Activity | SubmitResult | RequestError):
                    await self._report(token, event, stream)
        finally:
            await asyncio.shield(worker.stop(config.submission_shutdown))

    async def _report(self, token: Token, event: Activity | SubmitResult | RequestError, stream: Any) -> None:
        """Send an event of a submission to the client."""
        if isinstance(event, RequestError):
            log_event("submission.refused", user=token.user, why=event.message)
            await self.authenticator.audit(token, "submission refused", event.message)
        await stream.write(to_event(event, pb.SubmitResponse()).SerializeToString())

    # Tournaments

    async def _run_tournament(self, data: bytes, context: Any) -> AsyncIterator[bytes]:
        async with self._answering("RunTournament", context):
            token = await self._check(context, self._reads, Scope.ORGANISE)
            request = _parsed(pb.RunTournamentRequest, data)
            process = await self._tournaments.run(request)
            action = request.WhichOneof("action")
            if action in ("start", "resume"):
                options = text_format.MessageToString(getattr(request, action), as_one_line=True, as_utf8=True)
                log_event("tournament.started", user=token.user, action=action, options=options)
                deed = "resumed a tournament" if action == "resume" else "started a tournament"
                await self.authenticator.audit(token, deed, options)
        async for event in process.events():
            yield to_event(event, pb.RunTournamentResponse()).SerializeToString()

    async def _stop(self, token: Token, _: pb.StopTournamentRequest) -> pb.StopTournamentResponse:
        if not self._tournaments.is_running:
            raise NotFound("No tournament is running.")
        log_event("tournament.stopped", user=token.user)
        await self.authenticator.audit(token, "stopped a tournament", "")
        await self._tournaments.stop(self.config.tournament_shutdown)
        return pb.StopTournamentResponse()


def _parsed(kind: type[Request], data: bytes) -> Request:
    try:
        return kind.FromString(data)
    except DecodeError:
        raise RequestRefused(f"Not a valid {kind.DESCRIPTOR.name}.", Code.INVALID_ARGUMENT) from None


# Queries: they wait for the disk


def _bots(arena: Arena, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
    return to_message(SimpleNamespace(bots=arena.bots(every=request.every)), pb.ListBotsResponse())


def _leaderboard(arena: Arena, request: pb.GetLeaderboardRequest) -> pb.GetLeaderboardResponse:
    found = arena.leaderboard(request.brackets, tournament=request.tournament or None, highlights=True)
    return to_message(found, pb.GetLeaderboardResponse())


def _list_tournaments(arena: Arena, request: pb.ListTournamentsRequest) -> pb.ListTournamentsResponse:
    found = arena.tournaments(_limit(request.limit))
    return to_message(SimpleNamespace(tournaments=found), pb.ListTournamentsResponse())


def _matches(arena: Arena, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
    found = arena.matches(
        tournament=request.tournament or None,
        bot=request.bot or None,
        bracket=request.bracket or None,
        only_faults=request.only_faults,
        limit=_limit(request.limit),
    )
    return to_message(SimpleNamespace(matches=found), pb.ListMatchesResponse())


def _match_names(arena: Arena, request: pb.ListMatchNamesRequest) -> pb.ListMatchNamesResponse:
    return pb.ListMatchNamesResponse(names=arena.match_names(request.tournament))


def _replays(arena: Arena, request: pb.GetReplaysRequest) -> pb.GetReplaysResponse:
    if len(request.matches) > MAX_REPLAYS:
        raise UserError(f"Too many replays: {len(request.matches)} in one request, expected at most {MAX_REPLAYS}.")
    response = pb.GetReplaysResponse()
    for name, found in zip(request.matches, arena.replays(request.matches), strict=True):
        if isinstance(found, NotFound):
            response.replays.add(match=name, missing=str(found))
        else:
            response.replays.add(match=name, data=found)
    return response


def _limit(limit: int) -> int:
    if not 1 <= limit <= MAX_ROWS:
        raise UserError(f"Invalid limit `{limit}`: expected 1 to {MAX_ROWS:,} rows.")
    return limit
