"""The service Desk: what people do on the server besides playing. See protos/arena/v1/desk.proto.

Requests that read return what the web pages show to everyone. They run in few threads, so that matches are not slowed
down. Requests that change something are written to the audit log. A bot belongs to the user whose name is the first
part of its name: only that user may submit or retire it, and an organiser may retire every bot.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import grpc
from anyio import CapacityLimiter, to_thread
from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from arena.errors import ArenaError, BadStore, BadSubmission, NotFound
from arena.server import desk_queries
from arena.server.auth import Authenticator, RequestRefused, bearer_token, peer_address, sentence, store_unavailable
from arena.server.config import ServerConfig
from arena.server.log import log_event
from arena.server.metrics import Metrics
from arena.server.rate_limit import RateLimit
from arena.server.submission_worker import SubmissionJob, run_submission
from arena.server.tournaments import Tournaments
from arena.server.upload import Upload
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope, Token
from arena.v1 import desk_pb2 as pb

Request = TypeVar("Request", bound=Message)
Code = grpc.StatusCode


class Desk:
    """Handlers for all calls of the service."""

    name = pb.DESCRIPTOR.services_by_name["Desk"].full_name

    def __init__(
        self, authenticator: Authenticator, home: Home, metrics: Metrics, sandbox: str, config: ServerConfig
    ) -> None:
        """`sandbox` is the sandbox mode for submitted bots."""
        self.authenticator = authenticator
        self.home = home
        self.metrics = metrics
        self.sandbox = sandbox
        self.config = config
        self._reads = RateLimit(config.read_burst, config.reads_per_minute)
        self._writes = RateLimit(config.write_burst, config.writes_per_minute)
        self._readers = CapacityLimiter(config.reader_threads)
        self._submitting: dict[int, asyncio.Task[Any]] = {}
        """Submissions in progress, by token."""
        self._uploads = home.path.resolve() / "uploads"
        shutil.rmtree(self._uploads, ignore_errors=True)  # left by a server that was killed
        self._tournaments = Tournaments(home, self._uploads / "empty", sandbox, config)

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler for a gRPC server. It works on raw bytes, because invalid messages need an answer."""
        return grpc.method_handlers_generic_handler(
            self.name,
            {
                "Submit": grpc.stream_stream_rpc_method_handler(self._submit),
                "Retire": grpc.unary_unary_rpc_method_handler(self._retire),
                "ListBots": self._query(pb.ListBotsRequest, desk_queries.bots),
                "GetLeaderboard": self._query(pb.GetLeaderboardRequest, desk_queries.leaderboard),
                "ListTournaments": self._query(pb.ListTournamentsRequest, desk_queries.tournaments),
                "ListMatches": self._query(pb.ListMatchesRequest, desk_queries.matches),
                "ListMatchNames": self._query(pb.ListMatchNamesRequest, desk_queries.match_names),
                "GetReplays": self._query(pb.GetReplaysRequest, desk_queries.replays),
                "RunTournament": grpc.unary_stream_rpc_method_handler(self._run_tournament),
                "StopTournament": grpc.unary_unary_rpc_method_handler(self._stop),
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
        except RequestRefused as refused:
            why = refused
        except BadStore as error:
            why = store_unavailable(error)
        except NotFound as error:
            why = RequestRefused(sentence(error), Code.NOT_FOUND)
        except ArenaError as error:
            why = RequestRefused(sentence(error), Code.INVALID_ARGUMENT)
        else:
            self.metrics.calls.labels(call, "ok").inc()
            return
        self.metrics.calls.labels(call, "refused").inc()
        log_event("desk.refused", what=call, peer=peer_address(context), why=str(why))
        await context.abort(why.code, str(why)[: self.config.max_error])

    async def _check(self, context: Any, limit: RateLimit, *scopes: Scope) -> Token:
        """Return the caller's token. Raise `RequestRefused` if it does not permit the call, or by the rate limit."""
        token = await self.authenticator.check(bearer_token(context), peer_address(context), *scopes)
        if not limit.take(token.id):
            raise RequestRefused("Too many requests with this token. Retry in a minute.", Code.RESOURCE_EXHAUSTED)
        return token

    def _query(self, kind: type[Request], answer: Callable[[Store, Request], Message]) -> grpc.RpcMethodHandler:
        """Return the handler of a call that only reads."""
        call = kind.DESCRIPTOR.name.removesuffix("Request")

        async def query(data: bytes, context: Any) -> bytes:
            async with self._answering(call, context):
                await self._check(context, self._reads)
                request = _parsed(kind, data)

                def run() -> bytes:
                    return answer(self.authenticator.store, request).SerializeToString()

                return await to_thread.run_sync(run, limiter=self._readers)

        return grpc.unary_unary_rpc_method_handler(query)

    async def _deny(self, token: Token, why: str) -> NoReturn:
        await self.authenticator.audit(token, "refused", why)
        raise RequestRefused(why, Code.PERMISSION_DENIED)

    # Bots

    async def _retire(self, data: bytes, context: Any) -> bytes:
        async with self._answering("Retire", context):
            token = await self._check(context, self._writes, Scope.SUBMIT, Scope.ORGANISE)
            request = _parsed(pb.RetireRequest, data)
            if not request.bot.startswith(f"{token.user}/") and Scope.ORGANISE not in token.scopes:
                why = f"`{request.bot}` is not your bot: the names of your bots start with `{token.user}/`."
                await self._deny(token, f"{why} Retiring other bots needs the scope organise.")

            def retire() -> None:
                self.authenticator.store.bots.retire(request.bot, retired=not request.undo)

            await to_thread.run_sync(retire)
            log_event("bot.retired", bot=request.bot, user=token.user, undo=request.undo)
            await self.authenticator.audit(token, "brought back" if request.undo else "retired", request.bot)
        return pb.RetireResponse().SerializeToString()

    async def _submit(self, _: Any, stream: Any) -> None:
        async with self._answering("Submit", stream):
            token = await self._check(stream, self._writes, Scope.SUBMIT)
            with self._place_for(token):
                folder = self._uploads / secrets.token_hex(8)
                try:
                    await self._receive_and_submit(token, folder, stream)
                except BadSubmission as error:
                    await self._refuse(token, str(error), stream)
                finally:
                    await asyncio.shield(to_thread.run_sync(_remove, folder))

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

    async def _receive_and_submit(self, token: Token, folder: Path, stream: Any) -> None:
        upload = await self._receive(token, folder, stream)
        header = upload.header
        job = SubmissionJob(
            home=str(self.home.path.resolve()),
            store=self.home.store,
            archive=str(upload.archive),
            content_hash=header.content_hash,
            name=header.name if "/" in header.name else f"{token.user}/{header.name}",
            version=header.version or None,
            notes=header.notes,
            sandbox=self.sandbox,
            most_bytes=self.config.max_submission_bytes,
            most_files=self.config.max_submission_files,
        )
        async with aclosing(run_submission(job, self.config)) as messages:
            async for message in messages:
                await self._report(token, message, header, stream)
                if message.WhichOneof("event") in ("submitted", "refused"):
                    return
        raise RequestRefused("The check of this bot was aborted, and nothing has changed. Retry.", Code.ABORTED)

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
                        upload = await to_thread.run_sync(self._start_upload, folder, part)
                        await stream.write(pb.SubmitResponse(doing="sending").SerializeToString())
                    else:
                        await to_thread.run_sync(upload.add, part)
        except TimeoutError:
            why = "The bot's files did not arrive in time. Retry."
            raise RequestRefused(why, Code.DEADLINE_EXCEEDED) from None
        if upload is None:
            raise BadSubmission("The submission is empty.")
        await to_thread.run_sync(upload.finish)
        return upload

    async def _check_owner(self, token: Token, name: str) -> None:
        """Raise if the name has another user's before the slash."""
        owner, slash, own = name.partition("/")
        if slash and (owner != token.user or "/" in own):
            why = f"`{name}` is not your bot: the names of your bots start with `{token.user}/`."
            await self._deny(token, f"{why} Choose a name without a slash.")

    def _start_upload(self, folder: Path, first: pb.SubmitRequest) -> Upload:
        if not first.HasField("header"):
            raise BadSubmission("A submission must start with a header.")
        header, config = first.header, self.config
        if max(len(header.name), len(header.version)) > config.max_submission_name:
            raise BadSubmission(f"The name or the version has more than {config.max_submission_name} characters.")
        if not header.notes.isprintable() or len(header.notes) > config.max_notes:
            raise BadSubmission(f"The notes must have at most {config.max_notes} printable characters.")
        return Upload(folder, header, config.max_submission_bytes)

    async def _report(self, token: Token, message: pb.SubmitResponse, header: pb.SubmitHeader, stream: Any) -> None:
        """Send what the submission process reports to the client."""
        if message.HasField("refused"):
            await self._refuse(token, message.refused, stream)
            return
        if message.HasField("submitted"):
            bot = message.submitted
            label = f"{bot.name} {bot.version}"
            log_event("bot.submitted", bot=label, user=token.user, is_new=bot.is_new)
            detail = f"{label}, {header.content_hash}, from {peer_address(stream)}"
            await self.authenticator.audit(token, "submitted", detail)
        await stream.write(message.SerializeToString())

    async def _refuse(self, token: Token, why: str, stream: Any) -> None:
        log_event("submission.refused", user=token.user, why=why)
        await self.authenticator.audit(token, "submission refused", why)
        await stream.write(pb.SubmitResponse(refused=why).SerializeToString())

    # Tournaments

    async def _run_tournament(self, data: bytes, context: Any) -> AsyncIterator[bytes]:
        async with self._answering("RunTournament", context):
            token = await self._check(context, self._reads, Scope.ORGANISE)
            request = _parsed(pb.RunTournamentRequest, data)
            process = await self._tournaments.run(self.authenticator.store, request)
            action = request.WhichOneof("action")
            if action in ("start", "resume"):
                options = text_format.MessageToString(getattr(request, action), as_one_line=True, as_utf8=True)
                log_event("tournament.started", user=token.user, action=action, options=options)
                deed = "resumed a tournament" if action == "resume" else "started a tournament"
                await self.authenticator.audit(token, deed, options)
        async for event in process.follow():
            yield event.SerializeToString()

    async def _stop(self, data: bytes, context: Any) -> bytes:
        async with self._answering("StopTournament", context):
            token = await self._check(context, self._reads, Scope.ORGANISE)
            _parsed(pb.StopTournamentRequest, data)
            if not self._tournaments.is_running:
                raise NotFound("No tournament is running.")
            log_event("tournament.stopped", user=token.user)
            await self.authenticator.audit(token, "stopped a tournament", "")
            await self._tournaments.stop()
        return pb.StopTournamentResponse().SerializeToString()


def _parsed(kind: type[Request], data: bytes) -> Request:
    try:
        return kind.FromString(data)
    except DecodeError:
        raise RequestRefused(f"Not a valid {kind.DESCRIPTOR.name}.", Code.INVALID_ARGUMENT) from None


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
