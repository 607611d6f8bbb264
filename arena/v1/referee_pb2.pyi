from arena.v1 import mantis_pb2 as _mantis_pb2
from arena.v1 import tentagram_pb2 as _tentagram_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Game(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GAME_UNSPECIFIED: _ClassVar[Game]
    GAME_MANTIS: _ClassVar[Game]
    GAME_TENTAGRAM: _ClassVar[Game]

class FaultKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_KIND_UNSPECIFIED: _ClassVar[FaultKind]
    FAULT_KIND_TIMEOUT: _ClassVar[FaultKind]
    FAULT_KIND_ILLEGAL: _ClassVar[FaultKind]
    FAULT_KIND_PROTOCOL: _ClassVar[FaultKind]
    FAULT_KIND_CRASH: _ClassVar[FaultKind]
    FAULT_KIND_DISCONNECT: _ClassVar[FaultKind]
    FAULT_KIND_START: _ClassVar[FaultKind]
GAME_UNSPECIFIED: Game
GAME_MANTIS: Game
GAME_TENTAGRAM: Game
FAULT_KIND_UNSPECIFIED: FaultKind
FAULT_KIND_TIMEOUT: FaultKind
FAULT_KIND_ILLEGAL: FaultKind
FAULT_KIND_PROTOCOL: FaultKind
FAULT_KIND_CRASH: FaultKind
FAULT_KIND_DISCONNECT: FaultKind
FAULT_KIND_START: FaultKind

class PlayRequest(_message.Message):
    __slots__ = ("hello", "answers", "resignations")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    RESIGNATIONS_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    answers: Answers
    resignations: _containers.RepeatedCompositeFieldContainer[Resignation]
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., answers: _Optional[_Union[Answers, _Mapping]] = ..., resignations: _Optional[_Iterable[_Union[Resignation, _Mapping]]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("protocol", "token", "name", "version", "games", "matches_at_once", "language", "other_games")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MATCHES_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    OTHER_GAMES_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    token: str
    name: str
    version: str
    games: _containers.RepeatedScalarFieldContainer[Game]
    matches_at_once: int
    language: str
    other_games: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, protocol: _Optional[int] = ..., token: _Optional[str] = ..., name: _Optional[str] = ..., version: _Optional[str] = ..., games: _Optional[_Iterable[_Union[Game, str]]] = ..., matches_at_once: _Optional[int] = ..., language: _Optional[str] = ..., other_games: _Optional[_Iterable[str]] = ...) -> None: ...

class Answers(_message.Message):
    __slots__ = ("match", "turn", "action")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    match: _containers.RepeatedScalarFieldContainer[int]
    turn: _containers.RepeatedScalarFieldContainer[int]
    action: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match: _Optional[_Iterable[int]] = ..., turn: _Optional[_Iterable[int]] = ..., action: _Optional[_Iterable[int]] = ...) -> None: ...

class Resignation(_message.Message):
    __slots__ = ("match", "turn", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: int
    turn: int
    reason: str
    def __init__(self, match: _Optional[int] = ..., turn: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "starts", "faults", "mantis_turns", "tentagram_turns", "ends", "game_turns", "rules", "new_matches", "turns", "ended_matches")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    STARTS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    MANTIS_TURNS_FIELD_NUMBER: _ClassVar[int]
    TENTAGRAM_TURNS_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    GAME_TURNS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    NEW_MATCHES_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    ENDED_MATCHES_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    starts: _containers.RepeatedCompositeFieldContainer[MatchStart]
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    mantis_turns: _containers.RepeatedCompositeFieldContainer[_mantis_pb2.MantisTurn]
    tentagram_turns: _containers.RepeatedCompositeFieldContainer[_tentagram_pb2.TentagramTurn]
    ends: _containers.RepeatedCompositeFieldContainer[MatchEnd]
    game_turns: _containers.RepeatedCompositeFieldContainer[GameTurn]
    rules: _containers.RepeatedCompositeFieldContainer[Rules]
    new_matches: Starts
    turns: Turns
    ended_matches: Ends
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., starts: _Optional[_Iterable[_Union[MatchStart, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., mantis_turns: _Optional[_Iterable[_Union[_mantis_pb2.MantisTurn, _Mapping]]] = ..., tentagram_turns: _Optional[_Iterable[_Union[_tentagram_pb2.TentagramTurn, _Mapping]]] = ..., ends: _Optional[_Iterable[_Union[MatchEnd, _Mapping]]] = ..., game_turns: _Optional[_Iterable[_Union[GameTurn, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[Rules, _Mapping]]] = ..., new_matches: _Optional[_Union[Starts, _Mapping]] = ..., turns: _Optional[_Union[Turns, _Mapping]] = ..., ended_matches: _Optional[_Union[Ends, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol", "referee", "matches_at_once", "round_trip_us")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    REFEREE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    ROUND_TRIP_US_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    referee: str
    matches_at_once: int
    round_trip_us: int
    def __init__(self, protocol: _Optional[int] = ..., referee: _Optional[str] = ..., matches_at_once: _Optional[int] = ..., round_trip_us: _Optional[int] = ...) -> None: ...

class Rules(_message.Message):
    __slots__ = ("number", "seats", "ms_per_turn", "ms_per_match", "mantis", "tentagram", "other")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    MS_PER_TURN_FIELD_NUMBER: _ClassVar[int]
    MS_PER_MATCH_FIELD_NUMBER: _ClassVar[int]
    MANTIS_FIELD_NUMBER: _ClassVar[int]
    TENTAGRAM_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    number: int
    seats: int
    ms_per_turn: int
    ms_per_match: int
    mantis: _mantis_pb2.MantisStart
    tentagram: _tentagram_pb2.TentagramStart
    other: GameStart
    def __init__(self, number: _Optional[int] = ..., seats: _Optional[int] = ..., ms_per_turn: _Optional[int] = ..., ms_per_match: _Optional[int] = ..., mantis: _Optional[_Union[_mantis_pb2.MantisStart, _Mapping]] = ..., tentagram: _Optional[_Union[_tentagram_pb2.TentagramStart, _Mapping]] = ..., other: _Optional[_Union[GameStart, _Mapping]] = ...) -> None: ...

class Starts(_message.Message):
    __slots__ = ("match", "rules", "id", "seat", "seed", "setup")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SETUP_FIELD_NUMBER: _ClassVar[int]
    match: _containers.RepeatedScalarFieldContainer[int]
    rules: _containers.RepeatedScalarFieldContainer[int]
    id: _containers.RepeatedScalarFieldContainer[str]
    seat: _containers.RepeatedScalarFieldContainer[int]
    seed: _containers.RepeatedScalarFieldContainer[int]
    setup: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, match: _Optional[_Iterable[int]] = ..., rules: _Optional[_Iterable[int]] = ..., id: _Optional[_Iterable[str]] = ..., seat: _Optional[_Iterable[int]] = ..., seed: _Optional[_Iterable[int]] = ..., setup: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Turns(_message.Message):
    __slots__ = ("match", "turn", "legal", "position", "events", "ms_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: _containers.RepeatedScalarFieldContainer[int]
    turn: _containers.RepeatedScalarFieldContainer[int]
    legal: _containers.RepeatedScalarFieldContainer[bytes]
    position: _containers.RepeatedScalarFieldContainer[bytes]
    events: _containers.RepeatedScalarFieldContainer[bytes]
    ms_left: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match: _Optional[_Iterable[int]] = ..., turn: _Optional[_Iterable[int]] = ..., legal: _Optional[_Iterable[bytes]] = ..., position: _Optional[_Iterable[bytes]] = ..., events: _Optional[_Iterable[bytes]] = ..., ms_left: _Optional[_Iterable[int]] = ...) -> None: ...

class Ends(_message.Message):
    __slots__ = ("match", "placements", "winners", "forfeited", "events", "result")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    WINNERS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    match: _containers.RepeatedScalarFieldContainer[int]
    placements: _containers.RepeatedScalarFieldContainer[bytes]
    winners: _containers.RepeatedScalarFieldContainer[bytes]
    forfeited: _containers.RepeatedScalarFieldContainer[bytes]
    events: _containers.RepeatedScalarFieldContainer[bytes]
    result: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, match: _Optional[_Iterable[int]] = ..., placements: _Optional[_Iterable[bytes]] = ..., winners: _Optional[_Iterable[bytes]] = ..., forfeited: _Optional[_Iterable[bytes]] = ..., events: _Optional[_Iterable[bytes]] = ..., result: _Optional[_Iterable[bytes]] = ...) -> None: ...

class MatchStart(_message.Message):
    __slots__ = ("match", "id", "seats", "seat", "seed", "ms_per_turn", "ms_per_match", "mantis", "tentagram", "other")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    MS_PER_TURN_FIELD_NUMBER: _ClassVar[int]
    MS_PER_MATCH_FIELD_NUMBER: _ClassVar[int]
    MANTIS_FIELD_NUMBER: _ClassVar[int]
    TENTAGRAM_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    match: int
    id: str
    seats: int
    seat: int
    seed: int
    ms_per_turn: int
    ms_per_match: int
    mantis: _mantis_pb2.MantisStart
    tentagram: _tentagram_pb2.TentagramStart
    other: GameStart
    def __init__(self, match: _Optional[int] = ..., id: _Optional[str] = ..., seats: _Optional[int] = ..., seat: _Optional[int] = ..., seed: _Optional[int] = ..., ms_per_turn: _Optional[int] = ..., ms_per_match: _Optional[int] = ..., mantis: _Optional[_Union[_mantis_pb2.MantisStart, _Mapping]] = ..., tentagram: _Optional[_Union[_tentagram_pb2.TentagramStart, _Mapping]] = ..., other: _Optional[_Union[GameStart, _Mapping]] = ...) -> None: ...

class GameStart(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: str
    def __init__(self, game: _Optional[str] = ...) -> None: ...

class GameTurn(_message.Message):
    __slots__ = ("match", "turn", "legal", "view", "ms_left")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MS_LEFT_FIELD_NUMBER: _ClassVar[int]
    match: int
    turn: int
    legal: _containers.RepeatedScalarFieldContainer[int]
    view: str
    ms_left: int
    def __init__(self, match: _Optional[int] = ..., turn: _Optional[int] = ..., legal: _Optional[_Iterable[int]] = ..., view: _Optional[str] = ..., ms_left: _Optional[int] = ...) -> None: ...

class GameEnd(_message.Message):
    __slots__ = ("details",)
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    details: str
    def __init__(self, details: _Optional[str] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("match", "kind", "detail")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    match: int
    kind: FaultKind
    detail: str
    def __init__(self, match: _Optional[int] = ..., kind: _Optional[_Union[FaultKind, str]] = ..., detail: _Optional[str] = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("match", "placements", "winners", "forfeited", "mantis", "tentagram", "other")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    WINNERS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    MANTIS_FIELD_NUMBER: _ClassVar[int]
    TENTAGRAM_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    match: int
    placements: bytes
    winners: bytes
    forfeited: bytes
    mantis: _mantis_pb2.MantisEnd
    tentagram: _tentagram_pb2.TentagramEnd
    other: GameEnd
    def __init__(self, match: _Optional[int] = ..., placements: _Optional[bytes] = ..., winners: _Optional[bytes] = ..., forfeited: _Optional[bytes] = ..., mantis: _Optional[_Union[_mantis_pb2.MantisEnd, _Mapping]] = ..., tentagram: _Optional[_Union[_tentagram_pb2.TentagramEnd, _Mapping]] = ..., other: _Optional[_Union[GameEnd, _Mapping]] = ...) -> None: ...
