"""Boards as JSON, CSV and Markdown.

The JSON format is `arena.leaderboard/1`. Keys may be added, none is renamed or removed:

    format      "arena.leaderboard/1"
    think_ms_bounds   upper bounds of the classes of think_times, in ms per move; one more class is open
    brackets    a list of: bracket, tournament (null: all tournaments), matches, rows, head_to_head
      rows        a list, best first, of: rank, bot, version, language, rating (mu - 3 sigma), mu, sigma,
                  refit (the strength: null, or strength, low, high, in Elo with the 95 % interval),
                  separated (from the next row at 95 %; null: not known), matches, wins, win_share, mean_placement,
                  ms_per_move, faults (by kind), placements (how often first, second, …),
                  think_times (matches in each class), history (a list of matches, mu, sigma)
      head_to_head   a list of lists in the order of the rows: points, matches, share; null on the diagonal
    overall     null, or: brackets, rows (rank, bot, version, rating, by_bracket, matches); the rating is standardised

A number that is unknown or not finite is null.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from arena.games.base import Json
from arena.rating.standings import THINK_MS_BOUNDS, Meetings
from arena.replay import FaultKind
from arena.reports import words
from arena.reports.board import Board, BoardRow, OverallBoard, Strength
from arena.reports.words import NOT_SEPARATED, NOTHING, SIGMA_SIGN

LEADERBOARD_FORMAT = "arena.leaderboard/1"
CSV_FIELDS = (  # in the order of `Board.to_dicts`
    *("bracket", "tournament", "rank", "bot", "version", "language", "rating", "mu", "sigma"),
    *("refit", "refit_low", "refit_high", "separated", "matches", "wins", "win_share", "mean_placement"),
    *("ms_per_move", "faults"),
)


def as_json(boards: Sequence[Board], overall: OverallBoard | None) -> dict[str, Json]:
    """Return the boards with the keys documented above."""
    return {
        "format": LEADERBOARD_FORMAT,
        "think_ms_bounds": list(THINK_MS_BOUNDS),
        "brackets": [
            {
                "bracket": board.bracket,
                "tournament": board.tournament,
                "matches": board.matches,
                "rows": [_row(row) for row in board.rows],
                "head_to_head": [[_meeting(meeting) for meeting in line] for line in board.head_to_head],
            }
            for board in boards
        ],
        "overall": None if overall is None else _overall(overall),
    }


def _row(row: BoardRow) -> Json:
    made: dict[str, Json] = {}
    for key, value in row.to_dict().items():
        if key == "strength":
            made["refit"] = None if row.strength is None else _strength(row.strength)
        elif key not in ("strength_low", "strength_high"):
            made[key] = _finite(value)
    return made | {
        "faults": dict(words.by_frequency(row.faults)),
        "placements": list(row.placements),
        "think_times": list(row.think_times),
        "history": [asdict(point) for point in row.history],
    }


def _strength(strength: Strength) -> Json:
    return {"strength": _finite(strength.elo), "low": _finite(strength.low), "high": _finite(strength.high)}


def _meeting(meeting: Meetings | None) -> Json:
    return None if meeting is None else {"points": meeting.points, "matches": meeting.matches, "share": meeting.share}


def _overall(overall: OverallBoard) -> Json:
    rows = [
        {"rating" if key == "conservative" else key: value for key, value in asdict(row).items()}
        for row in overall.rows
    ]
    return {"brackets": list(overall.brackets), "rows": rows}


def _finite(value: str | float | bool | None) -> Json:
    """Return None for infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_csv(boards: Sequence[Board]) -> str:
    """Return one line per row of each bracket: CSV_FIELDS, then the faults of each kind."""
    known = [kind.value for kind in FaultKind]
    found = {kind for board in boards for row in board.rows for kind in row.faults}
    kinds = known + sorted(found.difference(known))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*CSV_FIELDS, *(f"faults_{words.harmless(kind)}" for kind in kinds)])
    for board in boards:
        for row, values in zip(board.rows, board.to_dicts(), strict=True):
            writer.writerow([*map(_cell, values.values()), *(row.faults.get(kind, 0) for kind in kinds)])
    return text.getvalue()


def _cell(value: str | float | bool | None) -> str | float | None:
    """Return the content of a cell, such that no spreadsheet reads it as a formula. None is an empty cell."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    text = words.harmless(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")) else text


def as_markdown(boards: Sequence[Board], overall: OverallBoard | None) -> str:
    """Return the boards as Markdown tables."""
    parts = [_overall_in_markdown(overall)] if overall else []
    return "\n\n".join([*parts, *map(_board_in_markdown, boards)]) + "\n"


def _overall_in_markdown(overall: OverallBoard) -> str:
    heading = ["#", "bot", "version", "rating", "brackets", *map(_escaped, overall.brackets), "matches"]
    lines = [
        [str(row.rank), _escaped(row.bot), _escaped(row.version), f"**{words.rating(row.conservative)}**"]
        + [words.brackets_played(row, overall)]
        + [words.rating(row.by_bracket[name]) if name in row.by_bracket else NOTHING for name in overall.brackets]
        + [f"{row.matches:,}"]
        for row in overall.rows
    ]
    return f"## Overall\n\n{_pipes(heading, lines, left=(1, 2))}"


def _board_in_markdown(board: Board) -> str:
    parts = [f"## {_escaped(board.bracket)}", _escaped(words.heading(board)) + ".", _escaped(words.verdict(board))]
    if not board.rows:
        return "\n\n".join([parts[0], parts[2]])
    heading = ["#", "bot", "version", "language", "rating", f"μ ± {SIGMA_SIGN}", "strength", "95 %"]
    heading += ["matches", "wins", "place", "ms/move", "faults"]
    lines = [
        [f"{row.rank} {NOT_SEPARATED}" if row.separated is False else str(row.rank)]
        + [_escaped(row.bot), _escaped(row.version), _escaped(row.language)]
        + [f"**{words.rating(row.conservative)}**", words.spread(row.mu, row.sigma)]
        + ([words.elo(row.strength.elo), words.interval(row.strength)] if row.strength else [NOTHING, NOTHING])
        + [f"{row.matches:,}", words.percent(row.win_share), words.placement(row)]
        + [words.milliseconds(row.think_ms), _escaped(words.faults(row.faults))]
        for row in board.rows
    ]
    parts.append(_pipes(heading, lines, left=(1, 2, 3, 12)))
    if any(row.separated is False for row in board.rows):
        parts.append(f"{NOT_SEPARATED} statistically tied with the next bot (95 %).")
    if len(board.rows) > 1:
        parts.append("How often the row's bot was placed before the column's, in %, ties half:")
        numbers = [str(number) for number in range(1, len(board.rows) + 1)]
        names = map(_escaped, words.labels(board.rows))
        matrix = [
            [number, name, *map(_percent, line)]
            for number, name, line in zip(numbers, names, board.head_to_head, strict=True)
        ]
        parts.append(_pipes(["#", "bot", *numbers], matrix, left=(1,)))
    return "\n\n".join(parts)


def _percent(meeting: Meetings | None) -> str:
    if meeting is None:
        return ""
    return NOTHING if meeting.share is None else f"{100 * meeting.share:.0f}"


def _pipes(heading: Sequence[str], lines: Iterable[Sequence[str]], left: Sequence[int]) -> str:
    rule = ["---" if index in left else "---:" for index in range(len(heading))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heading, rule, *lines])


def _escaped(text: str) -> str:
    """Escape the text, so that Markdown shows it unchanged."""
    escaped = re.sub(r"([\\`*|<>\[\]()#~!&$@:{}^])", r"\\\1", words.harmless(text))
    escaped = re.sub(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])", r"\\_", escaped)
    return re.sub(r"\bwww\.", r"www\\.", escaped, flags=re.IGNORECASE)
