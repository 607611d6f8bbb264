"""What a caller asks the arena to do: frozen values that can be pickled and sent to another process.

Each is a `Request` of the type of its result and of the events that it reports, so that `Arena.run` is typed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from arena.errors import UserError, choices
from arena.events import Note, NoteLevel
from arena.sandbox import Allowance, Mode, Probe, Sandbox, Tier, choose, probe

if TYPE_CHECKING:  # Ruff does not look for names in the strings below
    from arena.events import Activity  # noqa: F401
    from arena.referee.match import Limits
    from arena.submissions.check import CheckReport, CheckResult  # noqa: F401
    from arena.submissions.submit import SubmitResult  # noqa: F401
    from arena.tournament.comparison import ComparisonEvent, ComparisonResult  # noqa: F401
    from arena.tournament.outcome import TournamentEvent, TournamentForecast, TournamentResult  # noqa: F401
    from arena.tournament.series import MatchProgress, MatchResult  # noqa: F401

ResultT = TypeVar("ResultT")
EventT = TypeVar("EventT")


class Request(Generic[ResultT, EventT]):
    """What `Arena.run` carries out."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRunOptions:
    """How bots are run: their time limits, their sandbox, and what they may use of the machine."""

    time_per_move: float | None = 1.0
    """Seconds. None: no limit."""
    time_per_match: float | None = None
    wait_per_match: float | None = None
    """Seconds for which a bot may keep a match waiting, besides five times the CPU time that it uses. None: ten times
    `time_per_move`."""
    time_to_start: float = 10.0
    ponder: bool | None = None
    """Whether bots may use the CPU while others think. None: unless time is limited and bots outnumber cores."""
    sandbox: str = Mode.AUTO
    """`auto`: the best tier that works here; `strict`: the strong tier or an error; `none`: for bots you trust."""
    allowance: Allowance = field(default_factory=Allowance)
    """Memory, processes and other resources of each bot."""

    @property
    def limits(self) -> Limits:
        from arena.referee.match import Limits  # loads gRPC

        return Limits(self.time_to_start, self.time_per_move, self.time_per_match, self.wait_per_match)

    def may_ponder(self, bots: int, cores: int | None = None) -> bool:
        """Return whether bots may use the CPU while others think, with this number of bots on these cores."""
        if self.ponder is not None:
            return self.ponder
        timed = self.time_per_move is not None or self.time_per_match is not None
        return not (timed and bots > (cores or len(os.sched_getaffinity(0))))

    def choose_sandbox(self, notify: Callable[[Note], None]) -> Sandbox:
        """Return the sandbox to use and report which one it is. Raise `NoSandbox` if `strict` is not possible."""
        check_sandbox_mode(self.sandbox)
        sandbox, found = choose(Mode(self.sandbox), self.allowance)
        notify(sandbox_note(found, chosen=self.sandbox == Mode.NONE))
        return sandbox


def check_sandbox_mode(mode: str) -> None:
    """Raise if there is no such mode."""
    if mode not in list(Mode):
        raise UserError(f"Unknown sandbox `{mode}`: expected {choices([*Mode])}.")


def check_sandbox(sandbox: Sandbox, notify: Callable[[Note], None]) -> None:
    """Raise if the sandbox that a tournament was started in does not work on this machine."""
    found = probe(sandbox.tier)
    if not found.works:
        raise UserError(
            f"The tournament was started in the `{sandbox.tier}` sandbox, which does not work here: {found.detail}.",
            hint=f"A tournament keeps its sandbox to the end. To get it to work: {found.remedy}.",
        )
    notify(sandbox_note(found, chosen=True))


def sandbox_note(found: Probe, *, chosen: bool) -> Note:
    """Return the sentence that says where bots run. `chosen`: the user asked for this tier."""
    if found.tier is not Tier.NONE:
        return Note(f"sandbox: {found.tier} ({found.detail})", NoteLevel.DETAIL)
    why = "" if chosen else f" ({found.detail}; {found.remedy})"
    text = f"sandbox: none{why}: bots run with your rights, so play only with bots that you trust."
    return Note(text, NoteLevel.WARNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAddress:
    """A Dask scheduler and the certificates to reach it; all None: the cluster is not encrypted."""

    address: str
    """`tcp://HOST:PORT` or, with certificates, `tls://HOST:PORT`."""
    ca: str | None = None
    """The certificate of the authority that has signed all others in the cluster."""
    cert: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRequest(BotRunOptions, Request["TournamentResult", "TournamentEvent"]):
    """A tournament to play. None: the format's default."""

    bots: tuple[str, ...] = ()
    """Names, `name@version`, or paths. Empty: the latest version of every submitted bot, or the bundled bots."""
    format: str = "round-robin"
    brackets: tuple[str, ...] = ()
    """Such as `mantis/icons`. Empty: every game with its default options."""
    seats: int | None = None
    rounds: int | None = None
    """Round robin, gauntlet: deals of each pairing. Swiss: rounds."""
    deals: int | None = None
    """Swiss, knockout, ladder: deals of each pairing."""
    double: bool = False
    """Knockout: a bot is eliminated by its second defeat."""
    newcomer: str | None = None
    """Gauntlet: the bot that meets all others. None: the first."""
    matches: int | None = None
    """Stop after this number of matches in each bracket."""
    seconds: float | None = None
    """Stop after this time, divided among the brackets."""
    until_separated: bool = False
    """Stop when every bot is separated from the next one in the ranking at 95 %."""
    winners_only: bool = False
    """Rate wins instead of placements."""
    seed: str | None = None
    """None: a random one."""
    name: str = ""
    jobs: int | None = None
    """Worker processes. None: one for each core."""
    at_once: int | None = None
    """The largest number of matches that each worker plays at once. None: 256, more with many bots."""
    cluster: ClusterAddress | None = None
    """Where to play. None: on this machine."""


@dataclass(frozen=True, slots=True)
class ForecastRequest(Request["TournamentForecast", "TournamentEvent"]):
    """The schedule and the expected duration of a tournament, which is not played."""

    tournament: TournamentRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequest(Request["TournamentResult", "TournamentEvent"]):
    """An interrupted tournament to continue. It keeps the options that it was started with."""

    tournament: str | None = None
    """A number or a name. None: the latest that was interrupted."""
    jobs: int | None = None
    at_once: int | None = None
    cluster: ClusterAddress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest(BotRunOptions, Request["ComparisonResult", "ComparisonEvent"]):
    """A question: is `new` stronger than `old`? Matches are played until a sequential test has decided."""

    old: str
    new: str
    """Names, `name@version`, or paths."""
    bracket: str = "mantis"
    seats: int | None = None
    """Taken by old and new alternately. None: 2, or 4 where the game needs more."""
    elo: float = 20.0
    """The gain in Elo points that matters."""
    alpha: float = 0.05
    """The probability of a positive answer if there is no gain."""
    beta: float = 0.05
    """The probability of a negative answer if there is such a gain."""
    max_deals: int = 50_000
    """Stop undecided after this number of deals."""
    seed: str | None = None
    jobs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRequest(BotRunOptions, Request["MatchResult", "Note | MatchProgress"]):
    """A series of matches between bots that need not be submitted. Nothing is stored."""

    game: str
    bots: tuple[str, ...]
    """Paths, or names of bundled bots."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The game's options."""
    games: int = 100
    seed: str | None = None
    rotate: bool = True
    """Play each deal once for every rotation of the seats."""
    replays: str | None = None
    """A folder for replay files."""
    at_once: int = 256
    """Games played at the same time."""
    listen: str | None = None
    """HOST:PORT to talk to the bots over TCP. None: a Unix socket."""


@dataclass(frozen=True, slots=True)
class UploadTerms:
    """What a server requires of a bot that was uploaded."""

    content_hash: str
    """The content hash that the files must have."""
    most_bytes: int
    most_files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitRequest(BotRunOptions, Request["SubmitResult", "Activity | Note | CheckResult"]):
    """A bot to submit."""

    path: str
    """A file, a folder, an archive, or the name of a bundled bot."""
    name: str | None = None
    """None: the name in the manifest, or of the file."""
    version: str | None = None
    """None: the version in the manifest, or the next number."""
    notes: str = ""
    build_network: bool = False
    """Whether its build may use the network."""
    upload: UploadTerms | None = None
    """Set for a bot that a server received: messages do not contain its path, and there must be a sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(BotRunOptions, Request["CheckReport", "Activity | Note | CheckResult"]):
    """A bot to check without submitting it."""

    bot: str
    games: int = 20
    """Games in each bracket."""
