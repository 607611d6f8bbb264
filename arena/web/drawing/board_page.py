"""The boards as one page that needs nothing else from anywhere: no script, no font, no picture.

Where it shows matches too, the viewer's script and their films are in the page, and the page allows no other script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import Generic, TypeVar

from arena.games.frames import Film
from arena.reports import words
from arena.reports.board import Board, BoardRow, HeadToHead, OverallBoard, OverallRow
from arena.reports.words import NOT_SEPARATED, NOTHING, SIGMA, typeset
from arena.web.drawing import colours, distributions, plots
from arena.web.drawing.plots import MOST
from arena.web.drawing.svg import Markup, joined, number, tag
from arena.web.viewer import page
from arena.web.viewer.chances import Chances

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""Even if a name were ever taken for markup, a browser would neither run nor load anything."""
AnyRow = TypeVar("AnyRow")
FULL = {"on-desk": 1180.0, "on-tablet": 720.0, "on-phone": 330.0}
"""The widths that a plot as wide as the page is drawn for."""
HALF = {"on-wide": 560.0, "on-phone": 330.0}
"""The same for a plot beside another one, where the screen is not a telephone's."""


@dataclass(frozen=True, slots=True)
class HighlightMatch:
    """A match that can be looked at in the page."""

    why: str
    """What there is to see in it."""
    film: Film
    chances: Chances | None


def as_html(
    boards: Sequence[Board],
    overall: OverallBoard | None,
    title: str,
    generated: str,
    matches: Sequence[HighlightMatch] = (),
) -> str:
    """The whole page. Every text in it is escaped, whoever wrote it. `generated` says when it was made."""
    style = resources.files("arena.web.drawing").joinpath("page.css").read_text("utf-8") + colours.stylesheet()
    policy, script = POLICY, Markup("")
    if matches:
        style += page.static("viewer.css")
        code = page.bundle(page.GALLERY)
        policy = f"{POLICY}; script-src {page.csp_hash(code)}"
        data = page.script_safe([{"film": match.film, "chances": match.chances} for match in matches])
        script = joined(
            tag("script", Markup(data), type="application/json", id="viewer-data"),
            tag("script", Markup(code), type="module"),
        )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    sections = [across_brackets(overall)] if overall else []
    sections += [bracket(board, f"bracket-{index}") for index, board in enumerate(boards, 1)]
    if matches:
        sections.append(_matches(matches))
    body = tag(
        "body",
        distributions.patterns(),
        tag("a", "Skip to the boards", href="#boards", class_="skip"),
        tag("header", tag("h1", title), tag("p", f"Generated {generated}", class_="facts")),
        _navigation(boards, overall, matches),
        tag("main", *sections, id="boards"),
        _footer(),
        script,
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _matches(matches: Sequence[HighlightMatch]) -> Markup:
    """Buttons, and room for the viewer. Without scripts the buttons stay off."""
    buttons = (
        tag("li", tag("button", match.why, type="button", data_film=number, aria_pressed="false", disabled=""))
        for number, match in enumerate(matches)
    )
    return tag(
        "section",
        tag("h2", "Matches", id="matches-title"),
        tag("p", "Choose one to step through it.", class_="facts"),
        tag("ul", *buttons, class_="choose"),
        tag("div", id="viewer", hidden=""),
        id="matches",
        aria_labelledby="matches-title",
    )


def _navigation(boards: Sequence[Board], overall: OverallBoard | None, matches: Sequence[HighlightMatch]) -> Markup:
    links = [tag("a", "Overall", href="#overall")] if overall else []
    links += [tag("a", board.bracket, href=f"#bracket-{index}") for index, board in enumerate(boards, 1)]
    links += [tag("a", "Matches", href="#matches")] if matches else []
    return tag("nav", tag("ul", *(tag("li", link) for link in links)), aria_label="Boards")


def _footer() -> Markup:
    terms = (
        ("Rating", f"μ \u2212 3{SIGMA} by TrueSkill: a strength that the bot almost certainly has, or exceeds."),
        (
            "Refit",
            "Maximum likelihood on all results at once, whatever their order, in Elo points around the field's mean.",
        ),
        ("95 % interval", "Of the refit, by a bootstrap over deal blocks."),
        (NOT_SEPARATED, "Not told apart from the next row at 95 %: the order of the two may be luck."),
        ("Wins", "Share of matches won; a win that n seats share counts 1/n."),
        ("Faults", "Matches lost by a fault, by kind."),
    )
    listed = (joined(tag("dt", term), tag("dd", meaning)) for term, meaning in terms)
    return tag("footer", tag("h2", "How to read this"), tag("dl", *listed))


@dataclass(frozen=True, slots=True)
class Column(Generic[AnyRow]):
    """A column of a table: its heading, the style of its cells, and what stands in them."""

    heading: str
    style: str
    content: Callable[[AnyRow], str]

    def cell(self, row: AnyRow) -> Markup:
        if self.style == "bot":
            return tag("th", tag("bdi", self.content(row)), scope="row", class_="bot")
        return tag("td", self.content(row), class_=self.style or None)


def _table(label: str, columns: Sequence[Column[AnyRow]], rows: Sequence[AnyRow], style: str) -> Markup:
    """A table that scrolls sideways where the screen is narrow."""
    heads = (tag("th", column.heading, scope="col", class_=column.style or None) for column in columns)
    lines = (tag("tr", *(column.cell(row) for column in columns)) for row in rows)
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *lines), class_=style)
    return _scrolling(label, table)


def _scrolling(label: str, table: Markup) -> Markup:
    """With a place in the tab order, so that it can be scrolled by keyboard too."""
    return tag("div", table, class_="scroll", role="region", aria_label=label, tabindex=0)


def across_brackets(overall: OverallBoard, address: Callable[[OverallRow], str] | None = None) -> Markup:
    """The board across brackets. `address`: where more is told about a bot."""
    highest = max([value for row in overall.rows for value in row.by_bracket.values()] + [1.0])
    columns: list[Column[OverallRow]] = [
        Column("#", "number", lambda row: str(row.rank)),
        Column("bot", "bot", lambda row: tag("a", row.bot, href=address(row)) if address else row.bot),
        Column("rating", "number rating", lambda row: typeset(words.rating(row.conservative))),
        Column("version", "version", lambda row: row.version),
        *(Column(name, "number", partial(_share_of, highest, name)) for name in overall.brackets),
        Column("matches", "number", lambda row: f"{row.matches:,}"),
    ]
    bots = words.counted(len(overall.rows), "bot", "bots")
    brackets = words.counted(len(overall.brackets), "bracket", "brackets")
    note = "The rating is the mean over all brackets; a bracket that a bot does not play counts as a newcomer's 0."
    return tag(
        "section",
        tag("h2", "Overall", id="overall-title"),
        tag("p", f"{bots} in {brackets}", class_="facts"),
        _table("Overall board", columns, overall.rows, "board overall"),
        tag("p", note, class_="note"),
        id="overall",
        aria_labelledby="overall-title",
    )


def _share_of(highest: float, bracket: str, row: OverallRow) -> str:
    """The rating in a bracket, on a bar as long as it is high."""
    value = row.by_bracket.get(bracket)
    if value is None:
        return NOTHING
    width = number(100 * max(value, 0.0) / highest)
    return tag("span", typeset(words.rating(value)), class_="bar", style=f"--share:{width}%")


def bracket(board: Board, id_: str) -> Markup:
    """All about one bracket: its standings and the plots."""
    intro = [tag("h2", board.bracket, id=f"{id_}-title"), tag("p", words.heading(board), class_="facts")]
    intro.append(tag("p", words.verdict(board), class_="verdict"))
    if board.rows:
        intro += [standings(board), *notes(board), tag("div", *figures(board), class_="figures")]
    return tag("section", *intro, id=id_, aria_labelledby=f"{id_}-title")


def standings(board: Board) -> Markup:
    low, high = words.history_range(board.rows)
    columns: list[Column[BoardRow]] = [
        Column("#", "number", _rank),
        Column("bot", "bot", lambda row: row.bot),
        Column("rating", "number rating", lambda row: typeset(words.rating(row.conservative))),
        Column("history", "", lambda row: _sparkline(row, low, high)),
        Column("version", "version", lambda row: row.version),
        Column("language", "version", lambda row: row.language),
        Column(f"μ ± {SIGMA}", "number", lambda row: typeset(words.spread(row.mu, row.sigma))),
        Column("refit", "number", lambda row: typeset(words.elo(row.strength.elo)) if row.strength else NOTHING),
        Column(
            "95 % interval", "number", lambda row: typeset(words.interval(row.strength)) if row.strength else NOTHING
        ),
        Column("matches", "number", lambda row: f"{row.matches:,}"),
        Column("wins", "number", lambda row: words.percent(words.win_share(row))),
        Column("place", "number", words.placement),
        Column("ms/move", "number", lambda row: words.milliseconds(row.think_ms)),
        Column("faults", "", _faults),
    ]
    return _table(f"Standings of {board.bracket}", columns, board.rows, "board")


def _rank(row: BoardRow) -> str:
    if row.separated is not False:
        return str(row.rank)
    about = "not told apart from the next row at 95 %"
    mark = tag("abbr", NOT_SEPARATED, title=about, aria_hidden="true", class_="mark")
    return joined(mark, str(row.rank), tag("span", f", {about}", class_="unseen"))


def _faults(row: BoardRow) -> str:
    kinds = [tag("li", f"{count:,} {kind}") for kind, count in words.by_frequency(row.faults)]
    return tag("ul", *kinds, class_="faults") if kinds else NOTHING


def _sparkline(row: BoardRow, low: float, high: float) -> Markup:
    points = words.sampled(row.history, 40)
    if not points:
        return joined(NOTHING)
    x = plots.Scale(0, points[-1].matches or 1, 3, 97)
    y = plots.Scale(low, max(high, low + 1), 25, 3)
    path = "L".join(f"{number(x(point.matches))} {number(y(point.mu))}" for point in points)
    said = f"μ from {words.rating(points[0].mu)} to {words.rating(points[-1].mu)} in {points[-1].matches:,} matches"
    end = tag("circle", cx=x(points[-1].matches), cy=y(points[-1].mu), r=2.6)
    shapes = tag("title", said), tag("path", d=f"M{path}"), end
    return tag("svg", *shapes, viewBox="0 0 100 28", role="img", aria_label=said, class_="spark")


def notes(board: Board) -> list[Markup]:
    said = []
    if any(row.separated is False for row in board.rows):
        said.append(f"{NOT_SEPARATED} and a dotted line: not told apart from the next row at 95 %.")
    if any(row.history for row in board.rows):
        said.append("History: μ over the bot's matches, one scale for all.")
    if len(board.rows) > MOST:
        said.append(f"The plots show the first {MOST} of {len(board.rows)} bots.")
    return [tag("p", " ".join(said), class_="note")] if said else []


def figures(board: Board) -> list[Markup]:
    rows = board.rows
    shown = []
    if any(row.history for row in rows[:MOST]):
        about = f"Each bot's μ after so many of its matches. Its strength lies most likely in the band of ± 2{SIGMA}."
        shown.append(_figure("Ratings over matches", about, drawn(plots.ratings, rows, FULL), "full"))
    if any(row.strength for row in rows[:MOST]):
        about = f"The dot is the estimate, the line its 95 % interval. {NOT_SEPARATED}: two neighbours not told apart."
        shown.append(_figure("Strength by all results at once", about, drawn(plots.strengths, rows, HALF)))
    if len(rows) > 1:
        about = "How often the row's bot was placed before the column's, in %, ties half."
        shown.append(_figure("Head to head", about, _heat_map(board)))
    if any(any(row.placements) for row in rows[:MOST]):
        about = "The share of matches that each bot ended at each place, in %."
        shown.append(_figure("Places", about, drawn(distributions.placements, rows, HALF)))
    if any(any(row.think_times) for row in rows[:MOST]):
        about = "Matches by their mean think time, in ms a move; the classes grow by steps of 1, 2, 5, 10."
        shown.append(_figure("Think times", about, tag("div", distributions.think_times(rows), class_="multiples")))
    return shown


def drawn(
    plot: Callable[[Sequence[BoardRow], float], Markup], rows: Sequence[BoardRow], widths: Mapping[str, float]
) -> Markup:
    """The plot for several kinds of screens; the style sheet shows one of them."""
    return joined(*(tag("div", plot(rows, width), class_=screen) for screen, width in widths.items()))


def _figure(title: str, about: str, content: Markup, class_: str | None = None) -> Markup:
    return tag("figure", tag("figcaption", tag("h3", title), tag("p", about)), content, class_=class_)


def _heat_map(board: Board) -> Markup:
    """Numbers in cells that are the darker the more; the columns are numbered like the rows."""
    rows = board.rows[:MOST]
    names = words.labels(rows)
    heads = [
        tag("th", tag("abbr", str(row.rank), title=name), scope="col") for row, name in zip(rows, names, strict=True)
    ]
    lines = [
        tag("tr", tag("th", f"{row.rank} ", tag("bdi", name), scope="row"), *map(_meeting, line[:MOST]))
        for row, name, line in zip(rows, names, board.head_to_head[:MOST], strict=True)
    ]
    corner = tag("td", "")
    table = tag("table", tag("thead", tag("tr", corner, *heads)), tag("tbody", *lines), class_="heat")
    region = _scrolling(f"Head to head in {board.bracket}", table)
    steps = (tag("li", f"{percent}", class_=colours.step_of(percent / 100)) for percent in range(0, 101, 20))
    return joined(region, tag("ul", *steps, class_="scale", aria_label="Scale of the cells, in %"))


def _meeting(meeting: HeadToHead | None) -> Markup:
    if meeting is None:
        return tag("td", class_="self")
    if meeting.share is None:
        return tag("td", NOTHING, title="never met")
    about = f"{meeting.points:,g} of {words.counted(meeting.matches, 'match', 'matches')}"
    return tag("td", f"{100 * meeting.share:.0f}", class_=colours.step_of(meeting.share), title=about)
