"""The gRPC server for all services: TLS, health checks and reflection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.errors import ArenaError
from arena.referee.server import SERVER_OPTIONS
from arena.server.config import ServerConfig


def _options(config: ServerConfig) -> list[tuple[str, int]]:
    return [
        *(option for option in SERVER_OPTIONS if option[0] != "grpc.max_receive_message_length"),
        # More than a bot may send, so that it gets an error message instead of a broken stream.
        ("grpc.max_receive_message_length", 4 * config.max_bot_message),
        ("grpc.max_metadata_size", 8 * 1024),
        ("grpc.keepalive_time_ms", 1_000),  # packets at least this often, so that a loss is noticed soon
        ("grpc.keepalive_timeout_ms", 60_000),  # a lost connection ends by the bot's grace, not by this
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]


class GrpcServer:
    """A server with these services."""

    def __init__(self, config: ServerConfig, services: Mapping[str, grpc.GenericRpcHandler]) -> None:
        self.port = 0
        self._names = tuple(services)
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(options=_options(config))
        self._server.add_generic_rpc_handlers(tuple(services.values()))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    async def open(self, host: str, port: int, credentials: grpc.ServerCredentials | None) -> None:
        """Listen on this address; without credentials there is no TLS."""
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if credentials is None:
                self.port = self._server.add_insecure_port(address)
            else:
                self.port = self._server.add_secure_port(address, credentials)
        except RuntimeError as error:
            why = f"Cannot listen for bots on `{address}`: the port is in use or not permitted."
            raise ArenaError(why, hint="Choose another port, or let the system choose one: `--grpc-port 0`.") from error
        await self._server.start()
        await self.set_health(health_pb2.HealthCheckResponse.SERVING)

    async def close(self) -> None:
        await self._server.stop(grace=1.0)

    async def set_health(self, status: Any) -> None:
        for name in ("", *self._names):
            await self._health.set(name, status)
