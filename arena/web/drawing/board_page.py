"""The leaderboard as one self-contained page: no script, font or picture is loaded.

If it shows matches too, the viewer's script and the films are in the page, and its policy allows no other script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from markupsafe import Markup

from arena.games.frames import Film
from arena.reports import words
from arena.reports.board import Board, BoardRow, OverallBoard
from arena.reports.words import NOT_SEPARATED, SIGMA_SIGN
from arena.web import templating
from arena.web.drawing import colours, distributions, plots
from arena.web.drawing.plots import MAX_BOTS
from arena.web.drawing.svg import joined, number, tag
from arena.web.viewer import page
from arena.web.viewer.chances import Chances

FULL_WIDTHS = {"on-desk": 1180.0, "on-tablet": 720.0, "on-phone": 330.0}
"""The widths for which a plot as wide as the page is drawn, by the style class that shows it."""
HALF_WIDTHS = {"on-wide": 560.0, "on-phone": 330.0}
"""The same for a plot in half of a wide page."""


@dataclass(frozen=True, slots=True)
class HighlightMatch:
    """A match that can be viewed in the page."""

    why: str
    """What is interesting about it."""
    film: Film
    chances: Chances | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with its title and explanation."""

    title: str
    about: str
    content: Markup
    full_width: bool = False


def as_html(
    boards: Sequence[Board],
    overall: OverallBoard | None,
    title: str,
    generated: str,
    matches: Sequence[HighlightMatch] = (),
) -> str:
    """Return the whole page. `generated`: when it was made."""
    style = resources.files("arena.web.drawing").joinpath("page.css").read_text("utf-8") + colours.stylesheet()
    # Even if a name were mistaken for markup, a browser would neither run nor load anything.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    script, data = "", ""
    if matches:
        style += page.static("viewer.css")
        script = page.bundle(page.GALLERY)
        policy += f"; script-src {page.csp_hash(script)}"
        data = page.script_safe([{"film": match.film, "chances": match.chances} for match in matches])
    return templating.render(
        "leaderboard_page.html",
        title=title,
        generated=generated,
        policy=policy,
        style=Markup(style),  # noqa: S704, our own file
        script=Markup(script),  # noqa: S704, our own files
        data=Markup(data),  # noqa: S704, escaped for script elements
        overall=overall,
        boards=[(board, notes(board), figures(board)) for board in boards],
        matches=matches,
        sparkline=sparkline,
    )


def sparkline(row: BoardRow, low: float, high: float) -> Markup:
    """Draw the bot's μ over its matches, between low and high."""
    points = words.sampled(row.history, 40)
    if not points:
        return joined(words.NOTHING)
    x = plots.Axis(0, points[-1].matches or 1, 3, 97)
    y = plots.Axis(low, max(high, low + 1), 25, 3)
    path = "L".join(f"{number(x(point.matches))} {number(y(point.mu))}" for point in points)
    label = f"μ from {words.rating(points[0].mu)} to {words.rating(points[-1].mu)} in {points[-1].matches:,} matches"
    end = tag("circle", cx=x(points[-1].matches), cy=y(points[-1].mu), r=2.6)
    shapes = tag("title", label), tag("path", d=f"M{path}"), end
    return tag("svg", *shapes, viewBox="0 0 100 28", role="img", aria_label=label, class_="spark")


def notes(board: Board) -> list[str]:
    """Return the sentences below the standings."""
    sentences = []
    if any(row.separated is False for row in board.rows):
        sentences.append(f"{NOT_SEPARATED} and a dotted line: statistically tied with the next bot (95 %).")
    if len(board.rows) > MAX_BOTS:
        sentences.append(f"The plots show the first {MAX_BOTS} of {len(board.rows)} bots.")
    return sentences


def figures(board: Board) -> list[Figure]:
    """Draw all plots of a board for which there is data."""
    rows = board.rows
    shown = rows[:MAX_BOTS]
    found = []
    if any(row.history for row in shown):
        about = f"Each bot's μ by its number of matches, with a band of ± 2{SIGMA_SIGN}."
        found.append(Figure("Ratings over matches", about, drawn(plots.ratings, rows, FULL_WIDTHS), full_width=True))
    if any(row.strength for row in shown):
        about = f"The dot is the estimate, the line its 95 % interval. {NOT_SEPARATED}: statistically tied neighbours."
        found.append(Figure("Strength by all results", about, drawn(plots.strengths, rows, HALF_WIDTHS)))
    if len(rows) > 1:
        about = "How often the row's bot was placed before the column's, in %; ties count half."
        heat_map = templating.render("parts/heat_map.html", board=board, rows=shown, names=words.labels(shown))
        found.append(Figure("Head to head", about, heat_map))
    if any(any(row.placements) for row in shown):
        about = "The share of matches that each bot finished in each place, in %."
        found.append(Figure("Places", about, drawn(distributions.placements, rows, HALF_WIDTHS)))
    if any(any(row.think_times) for row in shown):
        about = "Matches by their mean think time, in ms per move; the class bounds grow by 1, 2, 5, 10."
        found.append(Figure("Think times", about, tag("div", distributions.think_times(rows), class_="multiples")))
    return found


def drawn(
    plot: Callable[[Sequence[BoardRow], float], Markup], rows: Sequence[BoardRow], widths: Mapping[str, float]
) -> Markup:
    """Draw the plot for several screen widths; the style sheet shows one of them."""
    return joined(*(tag("div", plot(rows, width), class_=screen) for screen, width in widths.items()))
