"""The referee's gRPC server: accepts the bots' streams and passes each to the bot process with its token."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.errors import HostFault
from arena.referee.config import CONFIG, Settings
from arena.referee.processes.process import BotProcess
from arena.v1 import referee_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["Referee"].full_name
SERVER_OPTIONS = [
    ("grpc.so_reuseport", 0),  # otherwise a second server silently binds the same port
    ("grpc.max_receive_message_length", CONFIG.max_receive),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_concurrent_streams", 4),  # per connection; a bot needs one
    ("grpc.server_handshake_timeout_ms", 5000),  # against half-open connections
    ("grpc.http2.bdp_probe", 0),  # bots may be frozen for a while
]


class RefereeServer:
    """Serves `Referee.Play` on a unix socket in the referee's folder, and on TCP if the settings say so."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        # Only we may enter the folder; sandboxed bots are shown the socket's folder and must be able to use the socket.
        socket = folder / "socket" / "referee"
        socket.parent.mkdir(mode=0o755)
        self._processes: Mapping[str, BotProcess] = {}
        self._server = grpc.aio.server(options=SERVER_OPTIONS)
        self._server.add_insecure_port(f"unix:{socket}")
        socket.chmod(0o666)
        self.address = settings.sandbox.address(socket)
        """Where the bots connect to."""
        if settings.address is not None:
            host = settings.address.rpartition(":")[0]
            try:
                address = f"{host}:{self._server.add_insecure_port(settings.address)}"
            except RuntimeError as error:
                raise HostFault(f"Cannot listen on `{settings.address}`: the port is in use or forbidden.") from error
            if not settings.sandbox.is_isolated:  # a sandbox has no network
                self.address = address

    async def start(self, processes: Mapping[str, BotProcess]) -> None:
        """Accept the streams of these processes, by token."""
        self._processes = processes
        handler = grpc.stream_stream_rpc_method_handler(self._play)  # serialised messages: BotStream parses them
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
        servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, self._server)
        for name in ("", SERVICE):
            await servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(grace=0.2)

    async def _play(self, _: Any, stream: Any) -> None:
        """Referee.Play: the first message is the hello, with the token of a process that has no stream yet."""
        try:
            first = await asyncio.wait_for(stream.read(), CONFIG.hello_seconds)
        except TimeoutError:
            return
        if first is grpc.aio.EOF:
            return
        try:
            message = pb.PlayRequest.FromString(first)
        except DecodeError:
            message = pb.PlayRequest()
        process = self._processes.get(message.hello.token)
        if not message.HasField("hello") or process is None or process.hello.token:
            fault = pb.Fault(
                kind=pb.FAULT_KIND_START,
                detail="The first message must be a hello with the token from ARENA_TOKEN, said once.",
            )
            await stream.write(pb.PlayResponse(faults=[fault]).SerializeToString())
            return
        await process.serve(message.hello, stream)
