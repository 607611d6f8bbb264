"""Raw streams to the referee, for attackers that do what the SDK would not."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from queue import SimpleQueue

import grpc

from arena.v1 import referee_pb2 as pb

PLAY = "/arena.v1.Referee/Play"
OPTIONS = [("grpc.enable_http_proxy", 0), ("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]


def dial() -> grpc.Channel:
    return grpc.insecure_channel(os.environ["ARENA_ADDRESS"], options=OPTIONS)


def hello(token: str | None = None) -> bytes:
    own = os.environ["ARENA_TOKEN"] if token is None else token
    return pb.PlayRequest(
        hello=pb.Hello(protocol=1, token=own, name="attacker", games=[pb.GAME_MANTIS])
    ).SerializeToString()


def welcomed(token: str | None = None) -> None:
    """Open a stream with this token. Raise if the referee refuses it."""
    outgoing: SimpleQueue[bytes | None] = SimpleQueue()
    outgoing.put(hello(token))

    def messages() -> Iterator[bytes]:
        while (message := outgoing.get()) is not None:
            yield message

    with dial() as channel:
        try:
            for data in channel.stream_stream(PLAY, None, None)(messages(), timeout=60):
                answer = pb.PlayResponse.FromString(data)
                if answer.HasField("welcome"):
                    return
                raise PermissionError(answer.faults[0].detail if answer.faults else "no welcome")
        except grpc.RpcError as error:
            raise PermissionError(str(error.code())) from error
        finally:
            outgoing.put(None)
    raise PermissionError("the stream ended without a word")


def connect() -> socket.socket:
    """A connection without any data."""
    client = socket.socket(socket.AF_UNIX)
    try:
        client.settimeout(20)
        client.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    except OSError:
        client.close()
        raise
    return client


class Raw:
    """A bot that answers with the first legal action. Other attackers derive from it."""

    def __init__(self) -> None:
        self.outgoing: SimpleQueue[bytes | None] = SimpleQueue()

    def messages(self) -> Iterator[bytes]:
        yield hello()
        while (message := self.outgoing.get()) is not None:
            yield message

    def answer(self, turn: int, message: pb.PlayRequest) -> None:
        del turn
        self.outgoing.put(message.SerializeToString())

    def match_over(self, *, forfeited: bool) -> None:
        """Called when the match has ended; the stream stays open."""

    def run(self) -> None:
        turns, seats = 0, dict[int, int]()
        with dial() as channel:
            try:
                for data in channel.stream_stream(PLAY, None, None)(self.messages()):
                    response = pb.PlayResponse.FromString(data)
                    for turn in response.mantis_turns:
                        turns += 1
                        answers = pb.Answers(match=[turn.match], turn=[turn.turn], action=[turn.legal[0]])
                        self.answer(turns, pb.PlayRequest(answers=answers))
                    seats |= {start.match: start.seat for start in response.starts}
                    for match in response.ends:
                        self.match_over(forfeited=seats[match.match] in match.forfeited)
            except grpc.RpcError:
                pass
            self.outgoing.put(None)
