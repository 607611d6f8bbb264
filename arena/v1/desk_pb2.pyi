from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Holding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOLDING_UNSPECIFIED: _ClassVar[Holding]
    HOLDING_BEGIN: _ClassVar[Holding]
    HOLDING_RESUME: _ClassVar[Holding]
    HOLDING_FOLLOW: _ClassVar[Holding]
HOLDING_UNSPECIFIED: Holding
HOLDING_BEGIN: Holding
HOLDING_RESUME: Holding
HOLDING_FOLLOW: Holding

class SubmitRequest(_message.Message):
    __slots__ = ("header", "file", "data")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    header: SubmitHeader
    file: SubmitFile
    data: bytes
    def __init__(self, header: _Optional[_Union[SubmitHeader, _Mapping]] = ..., file: _Optional[_Union[SubmitFile, _Mapping]] = ..., data: _Optional[bytes] = ...) -> None: ...

class SubmitHeader(_message.Message):
    __slots__ = ("name", "version", "notes", "program", "content_hash", "files", "size")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    notes: str
    program: str
    content_hash: str
    files: int
    size: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., notes: _Optional[str] = ..., program: _Optional[str] = ..., content_hash: _Optional[str] = ..., files: _Optional[int] = ..., size: _Optional[int] = ...) -> None: ...

class SubmitFile(_message.Message):
    __slots__ = ("path", "executable")
    PATH_FIELD_NUMBER: _ClassVar[int]
    EXECUTABLE_FIELD_NUMBER: _ClassVar[int]
    path: str
    executable: bool
    def __init__(self, path: _Optional[str] = ..., executable: _Optional[bool] = ...) -> None: ...

class SubmitResponse(_message.Message):
    __slots__ = ("doing", "shortcoming", "submitted", "refused")
    DOING_FIELD_NUMBER: _ClassVar[int]
    SHORTCOMING_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    doing: str
    shortcoming: Shortcoming
    submitted: Submitted
    refused: str
    def __init__(self, doing: _Optional[str] = ..., shortcoming: _Optional[_Union[Shortcoming, _Mapping]] = ..., submitted: _Optional[_Union[Submitted, _Mapping]] = ..., refused: _Optional[str] = ...) -> None: ...

class Shortcoming(_message.Message):
    __slots__ = ("what", "detail")
    WHAT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    what: str
    detail: str
    def __init__(self, what: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class Submitted(_message.Message):
    __slots__ = ("name", "version", "games", "is_new")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    IS_NEW_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    games: _containers.RepeatedScalarFieldContainer[str]
    is_new: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., is_new: _Optional[bool] = ...) -> None: ...

class RetireRequest(_message.Message):
    __slots__ = ("bot", "undo")
    BOT_FIELD_NUMBER: _ClassVar[int]
    UNDO_FIELD_NUMBER: _ClassVar[int]
    bot: str
    undo: bool
    def __init__(self, bot: _Optional[str] = ..., undo: _Optional[bool] = ...) -> None: ...

class RetireResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BotsRequest(_message.Message):
    __slots__ = ("every",)
    EVERY_FIELD_NUMBER: _ClassVar[int]
    every: bool
    def __init__(self, every: _Optional[bool] = ...) -> None: ...

class BotsResponse(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: bytes
    def __init__(self, json: _Optional[bytes] = ...) -> None: ...

class LeaderboardRequest(_message.Message):
    __slots__ = ("brackets", "tournament")
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    brackets: _containers.RepeatedScalarFieldContainer[str]
    tournament: str
    def __init__(self, brackets: _Optional[_Iterable[str]] = ..., tournament: _Optional[str] = ...) -> None: ...

class LeaderboardResponse(_message.Message):
    __slots__ = ("json", "highlights")
    JSON_FIELD_NUMBER: _ClassVar[int]
    HIGHLIGHTS_FIELD_NUMBER: _ClassVar[int]
    json: bytes
    highlights: _containers.RepeatedCompositeFieldContainer[Highlight]
    def __init__(self, json: _Optional[bytes] = ..., highlights: _Optional[_Iterable[_Union[Highlight, _Mapping]]] = ...) -> None: ...

class Highlight(_message.Message):
    __slots__ = ("match", "why")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    match: str
    why: str
    def __init__(self, match: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class HistoryRequest(_message.Message):
    __slots__ = ("matches", "tournament", "bot", "bracket", "faults", "lines")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    matches: bool
    tournament: str
    bot: str
    bracket: str
    faults: bool
    lines: int
    def __init__(self, matches: _Optional[bool] = ..., tournament: _Optional[str] = ..., bot: _Optional[str] = ..., bracket: _Optional[str] = ..., faults: _Optional[bool] = ..., lines: _Optional[int] = ...) -> None: ...

class HistoryResponse(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: bytes
    def __init__(self, json: _Optional[bytes] = ...) -> None: ...

class MatchesRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class MatchesResponse(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class ReplaysRequest(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, matches: _Optional[_Iterable[str]] = ...) -> None: ...

class ReplaysResponse(_message.Message):
    __slots__ = ("match", "data", "missing")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    match: str
    data: bytes
    missing: str
    def __init__(self, match: _Optional[str] = ..., data: _Optional[bytes] = ..., missing: _Optional[str] = ...) -> None: ...

class HoldTournamentRequest(_message.Message):
    __slots__ = ("holding", "bots", "options", "columns")
    HOLDING_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    holding: Holding
    bots: _containers.RepeatedScalarFieldContainer[str]
    options: _containers.RepeatedCompositeFieldContainer[TournamentOption]
    columns: int
    def __init__(self, holding: _Optional[_Union[Holding, str]] = ..., bots: _Optional[_Iterable[str]] = ..., options: _Optional[_Iterable[_Union[TournamentOption, _Mapping]]] = ..., columns: _Optional[int] = ...) -> None: ...

class TournamentOption(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class HoldTournamentResponse(_message.Message):
    __slots__ = ("progress", "printed", "ended")
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    PRINTED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    progress: str
    printed: str
    ended: int
    def __init__(self, progress: _Optional[str] = ..., printed: _Optional[str] = ..., ended: _Optional[int] = ...) -> None: ...

class StopTournamentRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StopTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
