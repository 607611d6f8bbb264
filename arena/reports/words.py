"""Texts for names and numbers, the same on every kind of board.

Authors choose bot names: a name is shown only after `harmless`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:  # every command prints with `harmless`, few of them boards
    from arena.reports.board import Board, BoardRow, HistoryPoint, OverallBoard, OverallRow, Strength

NOTHING = "\u2013"
"""Shown if there is no value."""
SIGMA_SIGN = "\u03c3"
NOT_SEPARATED = "≈"
"""Marks a row that is statistically tied with the next one."""
SPARKS = "▁▂▃▄▅▆▇█"


def harmless(text: str) -> str:
    """The text without what could do more to a terminal or a page than be read: controls, turns of direction."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def cut(text: str, longest: int) -> str:
    """Shorten the text to `longest` columns of a fixed-width font, with an ellipsis."""
    if cell_len(text) <= longest:
        return text
    kept = ""
    for letter in text:
        if cell_len(kept + letter) >= longest:
            break
        kept += letter
    return f"{kept}…"


def labels(rows: Sequence[BoardRow]) -> list[str]:
    """Return short names of the bots, with the version only if a bot has several rows."""
    several = {bot for bot, count in Counter(row.bot for row in rows).items() if count > 1}
    return [harmless(f"{row.bot} {row.version}" if row.bot in several else row.bot) for row in rows]


def counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def rating(value: float) -> str:
    return _unsigned_zero(f"{value:.1f}")


def spread(mu: float, sigma: float) -> str:
    return f"{rating(mu)} ± {sigma:.1f}"


def elo(value: float) -> str:
    return _unsigned_zero(f"{value:+.0f}")


def interval(strength: Strength) -> str:
    return f"{elo(strength.low)} to {elo(strength.high)}"


def _unsigned_zero(number: str) -> str:
    return number if any(digit in number for digit in "123456789") or "inf" in number else number.lstrip("+-")


def percent(share: float | None) -> str:
    return NOTHING if share is None else f"{share:.1%}"


def placement(row: BoardRow) -> str:
    return f"{row.mean_placement:.2f}" if row.matches else NOTHING


def milliseconds(value: float | None) -> str:
    """Return milliseconds with at least two digits."""
    if value is None:
        return NOTHING
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def faults(kinds: Mapping[str, int]) -> str:
    """Return for example `2 timeout, 1 crash`, most frequent first."""
    return ", ".join(f"{count:,} {harmless(kind)}" for kind, count in by_frequency(kinds)) or NOTHING


def faults_in_short(kinds: Mapping[str, int]) -> str:
    """Return for example `2 timeout +1`: the most frequent kind, and the number of others."""
    first, *others = by_frequency(kinds) or [("", 0)]
    rest = f" +{sum(count for _, count in others):,}" if others else ""
    return f"{first[1]:,} {harmless(first[0])}{rest}" if first[1] else NOTHING


def faults_in_all(kinds: Mapping[str, int]) -> str:
    return f"{sum(kinds.values()):,}" if any(kinds.values()) else NOTHING


def by_frequency(kinds: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((kind, count) for kind, count in kinds.items() if count), key=lambda item: (-item[1], item[0]))


def heading(board: Board) -> str:
    """Return matches, bots and tournament of the board in one line."""
    played = counted(board.matches, "match", "matches")
    bots = counted(len(board.rows) if board.bots is None else board.bots, "bot", "bots")
    where = "all tournaments" if board.tournament is None else f"tournament {harmless(board.tournament)}"
    return f"{played}, {bots}, {where}"


def verdict(board: Board) -> str:
    """Return a sentence about the leader and how certain the lead is."""
    if not board.rows:
        return "No matches in this bracket yet."
    first = board.rows[0]
    if first.rank > 1:
        return ""
    leader = f"{harmless(first.bot)} {harmless(first.version)}"
    if len(board.rows) == 1:
        return f"{leader} is the only bot, with a rating of {rating(first.conservative)}."
    second = harmless(f"{board.rows[1].bot} {board.rows[1].version}")
    lead = f"{leader} leads with a rating of {rating(first.conservative)}"
    if first.separated is None:
        return f"{lead}, before {second}."
    if first.separated:
        return f"{lead} and is separated from {second} (95 %)."
    return f"{lead}, statistically tied with {second} (95 %)."


def history_range(rows: Sequence[BoardRow]) -> tuple[float, float]:
    """Return the lowest and the highest μ in the histories."""
    levels = [point.mu for row in rows for point in row.history] or [0.0]
    return min(levels), max(levels)


def band_range(rows: Sequence[BoardRow]) -> tuple[float, float]:
    """Return the range of two standard deviations around μ, over all rows."""
    ends = [row.mu + side * row.sigma for row in rows for side in (-2, 2)]
    return min(ends, default=0.0), max(ends, default=1.0)


def sparkline(row: BoardRow, low: float, high: float, width: int) -> str:
    """Return the bot's μ over its matches, between low and high, in at most `width` characters."""
    steps = len(SPARKS) - 1
    levels = (point.mu for point in sampled(row.history, width))
    return "".join(
        SPARKS[round((level - low) / (high - low) * steps) if high > low else steps // 2] for level in levels
    )


def sampled(history: Sequence[HistoryPoint], most: int) -> list[HistoryPoint]:
    """Return at most `most` points, spread evenly over the matches, with the first and the last one.

    A history has more points at its beginning than a plot has room for.
    """
    if not history:
        return []
    first, last = history[0].matches, history[-1].matches
    marks = (first + (last - first) * number / (most - 1) for number in range(most))
    chosen = (bisect_right(history, mark, key=lambda point: point.matches) - 1 for mark in marks)
    return [history[index] for index in dict.fromkeys(chosen)]


def typeset(text: str) -> str:
    """Replace hyphens by the typographic minus sign."""
    return text.replace("-", "\u2212")


def brackets_played(row: OverallRow, overall: OverallBoard) -> str:
    """Return in how many of the brackets a bot has a rating: `1 of 2`."""
    return f"{len(row.by_bracket)} of {len(overall.brackets)}"
