"""Whatever a bot in Python is sent: it answers, or says that it cannot read it.

The bytes are messages of the referee, each behind its length in two bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Iterator

from google.protobuf.message import DecodeError

from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram
from arena.bot.session import BotSession
from arena.games.codec import Unreadable
from arena.v1 import referee_pb2 as pb
from tests.fuzz.targets.desk import Desk, honest_answers


class Curious(Bot):
    """Looks at everything that it is shown, so that everything is decoded."""

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        assert turn.view.legal == turn.legal
        return turn.legal[0] if turn.legal else mantis.SCORE

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        assert turn.hand
        return turn.legal[0] if turn.legal else tentagram.LAY[tentagram.TABLE_CARDS[0]]


def check(data: bytes) -> None:
    asyncio.run(_converse(data))


async def _converse(data: bytes) -> None:
    session = BotSession(Curious())
    sent: list[pb.PlayRequest] = []

    async def write(message: pb.PlayRequest) -> None:
        sent.append(message)

    with contextlib.redirect_stderr(io.StringIO()):
        for part in messages(data):
            try:
                message = pb.PlayResponse.FromString(part)
            except DecodeError:
                return  # grpc ends the stream
            try:
                await session.handle(message, write)
            except Unreadable:
                return
            assert sum(len(request.answers.match) for request in sent) == len(message.turns.match)
            sent.clear()


def messages(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        length = int.from_bytes(data[place : place + 2])
        yield data[place + 2 : place + 2 + length]
        place += 2 + length


def framed(messages: list[bytes]) -> bytes:
    return b"".join(len(message).to_bytes(2) + message for message in messages)


def seeds() -> list[bytes]:
    """The attacker's side of a desk at which it plays honestly, and parts of it."""
    desk = Desk()
    for bot in desk.bots:
        bot.welcome(pb.Welcome(protocol=2, matches_at_once=256))
    heard = []
    while len(desk.over) < len(desk.tables):
        desk.attacker.release()
        if message := desk.take():
            heard.append(message.SerializeToString())
            desk.send(honest_answers(message).SerializeToString())
        desk.play_honestly()
    heard.append(desk.attacker.take_all().SerializeToString())
    fault = pb.PlayResponse(faults=[pb.Fault(match=1, kind=pb.FAULT_KIND_ILLEGAL, detail="No.")]).SerializeToString()
    return [framed(heard), framed(heard[:3]), framed([*heard[:2], fault]), framed([*heard[:2], *heard[-2:]])]
