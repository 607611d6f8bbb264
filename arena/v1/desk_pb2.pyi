from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class NoteLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NOTE_LEVEL_UNSPECIFIED: _ClassVar[NoteLevel]
    NOTE_LEVEL_DETAIL: _ClassVar[NoteLevel]
    NOTE_LEVEL_INFO: _ClassVar[NoteLevel]
    NOTE_LEVEL_WARNING: _ClassVar[NoteLevel]

class KnockoutPart(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KNOCKOUT_PART_UNSPECIFIED: _ClassVar[KnockoutPart]
    KNOCKOUT_PART_MAIN: _ClassVar[KnockoutPart]
    KNOCKOUT_PART_UPPER: _ClassVar[KnockoutPart]
    KNOCKOUT_PART_LOWER: _ClassVar[KnockoutPart]
    KNOCKOUT_PART_FINAL: _ClassVar[KnockoutPart]

class KnockoutDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KNOCKOUT_DECISION_UNSPECIFIED: _ClassVar[KnockoutDecision]
    KNOCKOUT_DECISION_OPEN: _ClassVar[KnockoutDecision]
    KNOCKOUT_DECISION_BYE: _ClassVar[KnockoutDecision]
    KNOCKOUT_DECISION_POINTS: _ClassVar[KnockoutDecision]
    KNOCKOUT_DECISION_TIE_BREAK: _ClassVar[KnockoutDecision]
    KNOCKOUT_DECISION_LOT: _ClassVar[KnockoutDecision]
NOTE_LEVEL_UNSPECIFIED: NoteLevel
NOTE_LEVEL_DETAIL: NoteLevel
NOTE_LEVEL_INFO: NoteLevel
NOTE_LEVEL_WARNING: NoteLevel
KNOCKOUT_PART_UNSPECIFIED: KnockoutPart
KNOCKOUT_PART_MAIN: KnockoutPart
KNOCKOUT_PART_UPPER: KnockoutPart
KNOCKOUT_PART_LOWER: KnockoutPart
KNOCKOUT_PART_FINAL: KnockoutPart
KNOCKOUT_DECISION_UNSPECIFIED: KnockoutDecision
KNOCKOUT_DECISION_OPEN: KnockoutDecision
KNOCKOUT_DECISION_BYE: KnockoutDecision
KNOCKOUT_DECISION_POINTS: KnockoutDecision
KNOCKOUT_DECISION_TIE_BREAK: KnockoutDecision
KNOCKOUT_DECISION_LOT: KnockoutDecision

class SubmitRequest(_message.Message):
    __slots__ = ("header", "data")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    header: SubmitHeader
    data: bytes
    def __init__(self, header: _Optional[_Union[SubmitHeader, _Mapping]] = ..., data: _Optional[bytes] = ...) -> None: ...

class SubmitHeader(_message.Message):
    __slots__ = ("name", "version", "notes", "content_hash", "size")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    notes: str
    content_hash: str
    size: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., notes: _Optional[str] = ..., content_hash: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

class SubmitResponse(_message.Message):
    __slots__ = ("result", "activity", "error")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    result: SubmitResult
    activity: Activity
    error: RequestError
    def __init__(self, result: _Optional[_Union[SubmitResult, _Mapping]] = ..., activity: _Optional[_Union[Activity, _Mapping]] = ..., error: _Optional[_Union[RequestError, _Mapping]] = ...) -> None: ...

class SubmitResult(_message.Message):
    __slots__ = ("bot", "version", "games", "is_new", "failed")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    IS_NEW_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    games: _containers.RepeatedScalarFieldContainer[str]
    is_new: bool
    failed: _containers.RepeatedCompositeFieldContainer[CheckResult]
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., is_new: _Optional[bool] = ..., failed: _Optional[_Iterable[_Union[CheckResult, _Mapping]]] = ...) -> None: ...

class CheckResult(_message.Message):
    __slots__ = ("passed", "what", "detail", "required")
    PASSED_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    passed: bool
    what: str
    detail: str
    required: bool
    def __init__(self, passed: _Optional[bool] = ..., what: _Optional[str] = ..., detail: _Optional[str] = ..., required: _Optional[bool] = ...) -> None: ...

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

class ListBotsRequest(_message.Message):
    __slots__ = ("every",)
    EVERY_FIELD_NUMBER: _ClassVar[int]
    every: bool
    def __init__(self, every: _Optional[bool] = ...) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("bots",)
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[BotSummary]
    def __init__(self, bots: _Optional[_Iterable[_Union[BotSummary, _Mapping]]] = ...) -> None: ...

class BotSummary(_message.Message):
    __slots__ = ("bot", "version", "language", "games", "submitted", "retired", "notes", "ratings", "matches", "faults", "last_match", "last_result")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    RATINGS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    LAST_MATCH_FIELD_NUMBER: _ClassVar[int]
    LAST_RESULT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    language: str
    games: _containers.RepeatedScalarFieldContainer[str]
    submitted: str
    retired: bool
    notes: str
    ratings: _containers.RepeatedCompositeFieldContainer[NamedNumber]
    matches: int
    faults: int
    last_match: str
    last_result: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., language: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., submitted: _Optional[str] = ..., retired: _Optional[bool] = ..., notes: _Optional[str] = ..., ratings: _Optional[_Iterable[_Union[NamedNumber, _Mapping]]] = ..., matches: _Optional[int] = ..., faults: _Optional[int] = ..., last_match: _Optional[str] = ..., last_result: _Optional[str] = ...) -> None: ...

class NamedNumber(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: float
    def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...

class NamedCount(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: int
    def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...

class NamedText(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class GetLeaderboardRequest(_message.Message):
    __slots__ = ("brackets", "tournament")
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    brackets: _containers.RepeatedScalarFieldContainer[str]
    tournament: str
    def __init__(self, brackets: _Optional[_Iterable[str]] = ..., tournament: _Optional[str] = ...) -> None: ...

class GetLeaderboardResponse(_message.Message):
    __slots__ = ("boards", "highlights")
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    HIGHLIGHTS_FIELD_NUMBER: _ClassVar[int]
    boards: _containers.RepeatedCompositeFieldContainer[Board]
    highlights: _containers.RepeatedCompositeFieldContainer[NamedText]
    def __init__(self, boards: _Optional[_Iterable[_Union[Board, _Mapping]]] = ..., highlights: _Optional[_Iterable[_Union[NamedText, _Mapping]]] = ...) -> None: ...

class Board(_message.Message):
    __slots__ = ("bracket", "tournament", "matches", "rows", "head_to_head_points", "head_to_head_matches", "bots")
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    HEAD_TO_HEAD_POINTS_FIELD_NUMBER: _ClassVar[int]
    HEAD_TO_HEAD_MATCHES_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    bracket: str
    tournament: str
    matches: int
    rows: _containers.RepeatedCompositeFieldContainer[BoardRow]
    head_to_head_points: _containers.RepeatedScalarFieldContainer[float]
    head_to_head_matches: _containers.RepeatedScalarFieldContainer[int]
    bots: int
    def __init__(self, bracket: _Optional[str] = ..., tournament: _Optional[str] = ..., matches: _Optional[int] = ..., rows: _Optional[_Iterable[_Union[BoardRow, _Mapping]]] = ..., head_to_head_points: _Optional[_Iterable[float]] = ..., head_to_head_matches: _Optional[_Iterable[int]] = ..., bots: _Optional[int] = ...) -> None: ...

class BoardRow(_message.Message):
    __slots__ = ("rank", "bot", "version", "language", "mu", "sigma", "strength", "separated", "matches", "wins", "mean_placement", "think_ms", "faults", "placements", "think_times", "history")
    RANK_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    SEPARATED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    MEAN_PLACEMENT_FIELD_NUMBER: _ClassVar[int]
    THINK_MS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    THINK_TIMES_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    rank: int
    bot: str
    version: str
    language: str
    mu: float
    sigma: float
    strength: Strength
    separated: bool
    matches: int
    wins: float
    mean_placement: float
    think_ms: float
    faults: _containers.RepeatedCompositeFieldContainer[NamedCount]
    placements: _containers.RepeatedScalarFieldContainer[int]
    think_times: _containers.RepeatedScalarFieldContainer[int]
    history: _containers.RepeatedCompositeFieldContainer[HistoryPoint]
    def __init__(self, rank: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., language: _Optional[str] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., strength: _Optional[_Union[Strength, _Mapping]] = ..., separated: _Optional[bool] = ..., matches: _Optional[int] = ..., wins: _Optional[float] = ..., mean_placement: _Optional[float] = ..., think_ms: _Optional[float] = ..., faults: _Optional[_Iterable[_Union[NamedCount, _Mapping]]] = ..., placements: _Optional[_Iterable[int]] = ..., think_times: _Optional[_Iterable[int]] = ..., history: _Optional[_Iterable[_Union[HistoryPoint, _Mapping]]] = ...) -> None: ...

class Strength(_message.Message):
    __slots__ = ("elo", "low", "high")
    ELO_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    elo: float
    low: float
    high: float
    def __init__(self, elo: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class HistoryPoint(_message.Message):
    __slots__ = ("matches", "mu", "sigma")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    matches: int
    mu: float
    sigma: float
    def __init__(self, matches: _Optional[int] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ("limit",)
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    limit: int
    def __init__(self, limit: _Optional[int] = ...) -> None: ...

class ListTournamentsResponse(_message.Message):
    __slots__ = ("tournaments",)
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[TournamentSummary]
    def __init__(self, tournaments: _Optional[_Iterable[_Union[TournamentSummary, _Mapping]]] = ...) -> None: ...

class TournamentSummary(_message.Message):
    __slots__ = ("tournament", "name", "format", "brackets", "bots", "matches", "state", "rated", "began", "ended")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    BEGAN_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    name: str
    format: str
    brackets: _containers.RepeatedScalarFieldContainer[str]
    bots: int
    matches: int
    state: str
    rated: bool
    began: str
    ended: str
    def __init__(self, tournament: _Optional[int] = ..., name: _Optional[str] = ..., format: _Optional[str] = ..., brackets: _Optional[_Iterable[str]] = ..., bots: _Optional[int] = ..., matches: _Optional[int] = ..., state: _Optional[str] = ..., rated: _Optional[bool] = ..., began: _Optional[str] = ..., ended: _Optional[str] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("tournament", "bot", "bracket", "only_faults", "limit")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    ONLY_FAULTS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot: str
    bracket: str
    only_faults: bool
    limit: int
    def __init__(self, tournament: _Optional[str] = ..., bot: _Optional[str] = ..., bracket: _Optional[str] = ..., only_faults: _Optional[bool] = ..., limit: _Optional[int] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[MatchSummary]
    def __init__(self, matches: _Optional[_Iterable[_Union[MatchSummary, _Mapping]]] = ...) -> None: ...

class MatchSummary(_message.Message):
    __slots__ = ("match", "tournament", "bracket", "round", "played", "ending", "seats", "overhead_ms", "overloaded", "sandbox")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OVERHEAD_MS_FIELD_NUMBER: _ClassVar[int]
    OVERLOADED_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    match: str
    tournament: int
    bracket: str
    round: str
    played: str
    ending: str
    seats: _containers.RepeatedCompositeFieldContainer[SeatSummary]
    overhead_ms: float
    overloaded: bool
    sandbox: str
    def __init__(self, match: _Optional[str] = ..., tournament: _Optional[int] = ..., bracket: _Optional[str] = ..., round: _Optional[str] = ..., played: _Optional[str] = ..., ending: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[SeatSummary, _Mapping]]] = ..., overhead_ms: _Optional[float] = ..., overloaded: _Optional[bool] = ..., sandbox: _Optional[str] = ...) -> None: ...

class SeatSummary(_message.Message):
    __slots__ = ("bot", "placement", "fault", "detail", "charged_ms", "cpu_ms", "wall_ms")
    BOT_FIELD_NUMBER: _ClassVar[int]
    PLACEMENT_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    CHARGED_MS_FIELD_NUMBER: _ClassVar[int]
    CPU_MS_FIELD_NUMBER: _ClassVar[int]
    WALL_MS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    placement: int
    fault: str
    detail: str
    charged_ms: float
    cpu_ms: float
    wall_ms: float
    def __init__(self, bot: _Optional[str] = ..., placement: _Optional[int] = ..., fault: _Optional[str] = ..., detail: _Optional[str] = ..., charged_ms: _Optional[float] = ..., cpu_ms: _Optional[float] = ..., wall_ms: _Optional[float] = ...) -> None: ...

class ListMatchNamesRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class ListMatchNamesResponse(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class GetReplaysRequest(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, matches: _Optional[_Iterable[str]] = ...) -> None: ...

class GetReplaysResponse(_message.Message):
    __slots__ = ("replays",)
    REPLAYS_FIELD_NUMBER: _ClassVar[int]
    replays: _containers.RepeatedCompositeFieldContainer[MatchReplay]
    def __init__(self, replays: _Optional[_Iterable[_Union[MatchReplay, _Mapping]]] = ...) -> None: ...

class MatchReplay(_message.Message):
    __slots__ = ("match", "data", "missing")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    match: str
    data: bytes
    missing: str
    def __init__(self, match: _Optional[str] = ..., data: _Optional[bytes] = ..., missing: _Optional[str] = ...) -> None: ...

class RunTournamentRequest(_message.Message):
    __slots__ = ("start", "resume", "follow", "forecast")
    START_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    FORECAST_FIELD_NUMBER: _ClassVar[int]
    start: TournamentOptions
    resume: ResumeOptions
    follow: FollowOptions
    forecast: TournamentOptions
    def __init__(self, start: _Optional[_Union[TournamentOptions, _Mapping]] = ..., resume: _Optional[_Union[ResumeOptions, _Mapping]] = ..., follow: _Optional[_Union[FollowOptions, _Mapping]] = ..., forecast: _Optional[_Union[TournamentOptions, _Mapping]] = ...) -> None: ...

class TournamentOptions(_message.Message):
    __slots__ = ("bots", "format", "brackets", "seats", "rounds", "deals", "double", "newcomer", "matches", "seconds", "until_separated", "winners_only", "seed", "name", "jobs", "at_once", "time_per_move", "time_per_match", "time_to_start", "ponder", "wait_per_match")
    BOTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_FIELD_NUMBER: _ClassVar[int]
    NEWCOMER_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_SEPARATED_FIELD_NUMBER: _ClassVar[int]
    WINNERS_ONLY_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    TIME_PER_MOVE_FIELD_NUMBER: _ClassVar[int]
    TIME_PER_MATCH_FIELD_NUMBER: _ClassVar[int]
    TIME_TO_START_FIELD_NUMBER: _ClassVar[int]
    PONDER_FIELD_NUMBER: _ClassVar[int]
    WAIT_PER_MATCH_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedScalarFieldContainer[str]
    format: str
    brackets: _containers.RepeatedScalarFieldContainer[str]
    seats: int
    rounds: int
    deals: int
    double: bool
    newcomer: str
    matches: int
    seconds: float
    until_separated: bool
    winners_only: bool
    seed: str
    name: str
    jobs: int
    at_once: int
    time_per_move: float
    time_per_match: float
    time_to_start: float
    ponder: bool
    wait_per_match: float
    def __init__(self, bots: _Optional[_Iterable[str]] = ..., format: _Optional[str] = ..., brackets: _Optional[_Iterable[str]] = ..., seats: _Optional[int] = ..., rounds: _Optional[int] = ..., deals: _Optional[int] = ..., double: _Optional[bool] = ..., newcomer: _Optional[str] = ..., matches: _Optional[int] = ..., seconds: _Optional[float] = ..., until_separated: _Optional[bool] = ..., winners_only: _Optional[bool] = ..., seed: _Optional[str] = ..., name: _Optional[str] = ..., jobs: _Optional[int] = ..., at_once: _Optional[int] = ..., time_per_move: _Optional[float] = ..., time_per_match: _Optional[float] = ..., time_to_start: _Optional[float] = ..., ponder: _Optional[bool] = ..., wait_per_match: _Optional[float] = ...) -> None: ...

class ResumeOptions(_message.Message):
    __slots__ = ("tournament", "jobs", "at_once")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    jobs: int
    at_once: int
    def __init__(self, tournament: _Optional[str] = ..., jobs: _Optional[int] = ..., at_once: _Optional[int] = ...) -> None: ...

class FollowOptions(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RunTournamentResponse(_message.Message):
    __slots__ = ("note", "activity", "started", "progress", "result", "forecast", "error")
    NOTE_FIELD_NUMBER: _ClassVar[int]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    FORECAST_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    note: Note
    activity: Activity
    started: TournamentStarted
    progress: TournamentProgress
    result: TournamentResult
    forecast: TournamentForecast
    error: RequestError
    def __init__(self, note: _Optional[_Union[Note, _Mapping]] = ..., activity: _Optional[_Union[Activity, _Mapping]] = ..., started: _Optional[_Union[TournamentStarted, _Mapping]] = ..., progress: _Optional[_Union[TournamentProgress, _Mapping]] = ..., result: _Optional[_Union[TournamentResult, _Mapping]] = ..., forecast: _Optional[_Union[TournamentForecast, _Mapping]] = ..., error: _Optional[_Union[RequestError, _Mapping]] = ...) -> None: ...

class Note(_message.Message):
    __slots__ = ("text", "level")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    text: str
    level: NoteLevel
    def __init__(self, text: _Optional[str] = ..., level: _Optional[_Union[NoteLevel, str]] = ...) -> None: ...

class Activity(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class TournamentStarted(_message.Message):
    __slots__ = ("tournament", "name", "format", "brackets", "entrants", "resumed")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    name: str
    format: str
    brackets: _containers.RepeatedScalarFieldContainer[str]
    entrants: _containers.RepeatedScalarFieldContainer[str]
    resumed: bool
    def __init__(self, tournament: _Optional[int] = ..., name: _Optional[str] = ..., format: _Optional[str] = ..., brackets: _Optional[_Iterable[str]] = ..., entrants: _Optional[_Iterable[str]] = ..., resumed: _Optional[bool] = ...) -> None: ...

class TournamentProgress(_message.Message):
    __slots__ = ("tournament", "bracket", "matches", "total", "matches_per_second", "elapsed", "time_limit", "seconds_left", "round", "leaders", "faults", "replayed", "last_host_fault", "workers")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    TIME_LIMIT_FIELD_NUMBER: _ClassVar[int]
    SECONDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    LEADERS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    LAST_HOST_FAULT_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    bracket: str
    matches: int
    total: int
    matches_per_second: float
    elapsed: float
    time_limit: float
    seconds_left: float
    round: str
    leaders: _containers.RepeatedCompositeFieldContainer[Leader]
    faults: _containers.RepeatedCompositeFieldContainer[NamedCount]
    replayed: int
    last_host_fault: str
    workers: _containers.RepeatedCompositeFieldContainer[WorkerSpeed]
    def __init__(self, tournament: _Optional[int] = ..., bracket: _Optional[str] = ..., matches: _Optional[int] = ..., total: _Optional[int] = ..., matches_per_second: _Optional[float] = ..., elapsed: _Optional[float] = ..., time_limit: _Optional[float] = ..., seconds_left: _Optional[float] = ..., round: _Optional[str] = ..., leaders: _Optional[_Iterable[_Union[Leader, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[NamedCount, _Mapping]]] = ..., replayed: _Optional[int] = ..., last_host_fault: _Optional[str] = ..., workers: _Optional[_Iterable[_Union[WorkerSpeed, _Mapping]]] = ...) -> None: ...

class Leader(_message.Message):
    __slots__ = ("bot", "mu", "sigma")
    BOT_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    bot: str
    mu: float
    sigma: float
    def __init__(self, bot: _Optional[str] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ...) -> None: ...

class WorkerSpeed(_message.Message):
    __slots__ = ("worker", "matches_per_second")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    worker: str
    matches_per_second: float
    def __init__(self, worker: _Optional[str] = ..., matches_per_second: _Optional[float] = ...) -> None: ...

class TournamentResult(_message.Message):
    __slots__ = ("tournament", "name", "format", "matches", "finished", "boards", "brackets", "forfeits", "replayed", "last_host_fault")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    BOARDS_FIELD_NUMBER: _ClassVar[int]
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    LAST_HOST_FAULT_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    name: str
    format: str
    matches: int
    finished: bool
    boards: _containers.RepeatedCompositeFieldContainer[Board]
    brackets: _containers.RepeatedCompositeFieldContainer[BracketResult]
    forfeits: _containers.RepeatedCompositeFieldContainer[Forfeit]
    replayed: int
    last_host_fault: str
    def __init__(self, tournament: _Optional[int] = ..., name: _Optional[str] = ..., format: _Optional[str] = ..., matches: _Optional[int] = ..., finished: _Optional[bool] = ..., boards: _Optional[_Iterable[_Union[Board, _Mapping]]] = ..., brackets: _Optional[_Iterable[_Union[BracketResult, _Mapping]]] = ..., forfeits: _Optional[_Iterable[_Union[Forfeit, _Mapping]]] = ..., replayed: _Optional[int] = ..., last_host_fault: _Optional[str] = ...) -> None: ...

class BracketResult(_message.Message):
    __slots__ = ("bracket", "entrants", "rounds", "champion", "ranking")
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    CHAMPION_FIELD_NUMBER: _ClassVar[int]
    RANKING_FIELD_NUMBER: _ClassVar[int]
    bracket: str
    entrants: _containers.RepeatedScalarFieldContainer[str]
    rounds: _containers.RepeatedCompositeFieldContainer[KnockoutRound]
    champion: str
    ranking: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bracket: _Optional[str] = ..., entrants: _Optional[_Iterable[str]] = ..., rounds: _Optional[_Iterable[_Union[KnockoutRound, _Mapping]]] = ..., champion: _Optional[str] = ..., ranking: _Optional[_Iterable[str]] = ...) -> None: ...

class KnockoutRound(_message.Message):
    __slots__ = ("title", "part", "pairings")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    PAIRINGS_FIELD_NUMBER: _ClassVar[int]
    title: str
    part: KnockoutPart
    pairings: _containers.RepeatedCompositeFieldContainer[KnockoutPairing]
    def __init__(self, title: _Optional[str] = ..., part: _Optional[_Union[KnockoutPart, str]] = ..., pairings: _Optional[_Iterable[_Union[KnockoutPairing, _Mapping]]] = ...) -> None: ...

class KnockoutPairing(_message.Message):
    __slots__ = ("entrants", "points", "advanced", "decision")
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    ADVANCED_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    entrants: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[float]
    advanced: _containers.RepeatedScalarFieldContainer[int]
    decision: KnockoutDecision
    def __init__(self, entrants: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[float]] = ..., advanced: _Optional[_Iterable[int]] = ..., decision: _Optional[_Union[KnockoutDecision, str]] = ...) -> None: ...

class Forfeit(_message.Message):
    __slots__ = ("bot", "kind", "detail", "count")
    BOT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    kind: str
    detail: str
    count: int
    def __init__(self, bot: _Optional[str] = ..., kind: _Optional[str] = ..., detail: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class TournamentForecast(_message.Message):
    __slots__ = ("format", "jobs", "seconds", "brackets")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    BRACKETS_FIELD_NUMBER: _ClassVar[int]
    format: str
    jobs: int
    seconds: float
    brackets: _containers.RepeatedCompositeFieldContainer[BracketForecast]
    def __init__(self, format: _Optional[str] = ..., jobs: _Optional[int] = ..., seconds: _Optional[float] = ..., brackets: _Optional[_Iterable[_Union[BracketForecast, _Mapping]]] = ...) -> None: ...

class BracketForecast(_message.Message):
    __slots__ = ("bracket", "bots", "seats", "pairings", "matches", "seconds", "first_pairings", "known")
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    PAIRINGS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    FIRST_PAIRINGS_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    bracket: str
    bots: int
    seats: int
    pairings: int
    matches: int
    seconds: float
    first_pairings: _containers.RepeatedCompositeFieldContainer[NameList]
    known: bool
    def __init__(self, bracket: _Optional[str] = ..., bots: _Optional[int] = ..., seats: _Optional[int] = ..., pairings: _Optional[int] = ..., matches: _Optional[int] = ..., seconds: _Optional[float] = ..., first_pairings: _Optional[_Iterable[_Union[NameList, _Mapping]]] = ..., known: _Optional[bool] = ...) -> None: ...

class NameList(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, items: _Optional[_Iterable[str]] = ...) -> None: ...

class RequestError(_message.Message):
    __slots__ = ("message", "hint")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    message: str
    hint: str
    def __init__(self, message: _Optional[str] = ..., hint: _Optional[str] = ...) -> None: ...

class StopTournamentRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StopTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
