"""The games on the wire: what the referee sends of a state, and what a bot reads of it (protos/arena/v1).

Each game has an encoder for the referee's side and a reader for the bot's side, next to each other in one module, so
that the two cannot drift apart. Neither touches the network.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.games.base import AnyState
from arena.v1 import referee_pb2 as pb
from arena.wire import mantis, tentagram
from arena.wire.base import Encoder
from arena.wire.mantis import MantisEncoder
from arena.wire.tentagram import TentagramEncoder

PROTOCOL = 1
"""The version of the protocol that this arena speaks."""

ENCODERS: dict[str, type[Encoder]] = {"mantis": MantisEncoder, "tentagram": TentagramEncoder}

GAME_CODES = {"mantis": pb.GAME_MANTIS, "tentagram": pb.GAME_TENTAGRAM}


CODES: dict[str, Callable[[Any], int]] = {"mantis": mantis.code_of, "tentagram": tentagram.code_of}


def code_of(game: str, action: object) -> int:
    """The number that stands for the action in an answer."""
    return CODES[game](action)


def encoder(game: str, state: AnyState) -> Encoder:
    """The encoder for a match of the game that starts with this state."""
    return ENCODERS[game](state)
