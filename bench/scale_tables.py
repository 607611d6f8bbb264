"""The tables of docs/scale.md, from what was measured. The document has them between markers, and a test compares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil

from bench.scale_model import (
    CORES,
    DAY,
    MOST_MATCHES,
    REPLICATES,
    RESOURCES,
    SERIES,
    SIZES,
    Model,
    Size,
    in_order,
)

UNITS = {
    "play_cpu": ("a match of four `random` bots, 64 at once: processor time, bots included", "s"),
    "alone_cpu": ("the same one at a time, the referee alone", "s"),
    "start_cpu": ("the start of a bot in Python", "s"),
    "start_memory": ("a bot in Python that runs", "B"),
    "wire_messages": ("messages of a match, both ways, 64 at once", ""),
    "wire_bytes": ("bytes in them", "B"),
    "alone_messages": ("messages of a match, one at a time", ""),
    "alone_bytes": ("bytes in them", "B"),
    "replay_bytes": ("a replay, compressed", "B"),
    "report_bytes": ("a worker's report besides the replay", "B"),
    "rate_2": ("rating a table of 2", "s"),
    "rate_4": ("rating a table of 4", "s"),
    "rate_6": ("rating a table of 6", "s"),
    "bytes_matches": ("stored for a match, without replay and seats", "B"),
    "bytes_seats": ("stored for a seat", "B"),
    "bytes_blocks": ("stored for a block", "B"),
    "bytes_standings": ("stored for a standing", "B"),
    "bytes_seat_tallies": ("stored for a bot's results on one seat", "B"),
    "bytes_surprises": ("stored for a bot's surprising matches", "B"),
    "bytes_rating_points": ("stored for a point of a rating's history", "B"),
    "bytes_head_to_head": ("stored for a pair that met, one way", "B"),
    "bot_memory": ("the conductor's memory for a bot", "B"),
    "pair_memory": ("the conductor's memory for a pair, one way", "B"),
    "resume_memory": ("the conductor's memory for a match on record, when it resumes", "B"),
    "sparse_apart": ("the sparse refit from the refit, in Elo points, the farthest bot (a trial)", ""),
    "likeness_one": ("rank correlation of ratings and planted skills, one ladder (a trial)", "share"),
    "likeness_shards": ("the same in shards (a trial)", "share"),
}
"""What each single cost is called, and its unit."""

DEALS = 25
"""In a meeting, where bots are not to be started for each deal anew."""


def amount(kind: str, value: float) -> str:
    """A need in words: two digits, and a unit that suits."""
    match kind:
        case "core":
            return _scaled(value, ((3600, "core-h"), (1, "core-s")))
        case "time" | "s":
            steps = ((31557600, "years"), (86400, "d"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs"))
            return _scaled(value, steps)
        case "bytes" | "B":
            return _scaled(value, ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")))
        case "share":
            return f"{value:.3f}"
        case "times":
            return f"{_digits(value)} x"
    return _digits(value)


def _scaled(value: float, steps: Sequence[tuple[float, str]]) -> str:
    size, unit = next((step for step in steps if value >= step[0]), steps[-1])
    return f"{_digits(value / size)} {unit}"


def _digits(value: float) -> str:
    """Two digits that count, and no power of ten: 0.0042, 4.2, 42, 4,200."""
    rounded = float(f"{value:.1e}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:.2g}"  # 1e-07 where it is next to nothing


def power(number: int) -> str:
    """10^4 for 10,000, and two digits for what is between the powers."""
    return f"10^{len(str(number)) - 1}" if str(number).strip("0") == "1" else _digits(number)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    lines = [head, ["---" if place < left else "---:" for place in range(len(head))], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def unit_table(model: Model) -> str:
    rows = [(what, amount(unit, model.units[name])) for name, (what, unit) in UNITS.items()]
    return _table(("what", "measured"), rows)


def law_table(model: Model) -> str:
    rows = []
    for name, series in SERIES.items():
        law, points = model.laws[name], model.series[name]
        check = points[-1]
        predicted = law(check.size)
        rows.append(
            (
                series.what,
                ", ".join(f"{point.size:,.0f}" for point in points[:-1]),
                f"{law} {series.unit}".strip(),
                f"{check.size:,.0f}",
                amount(series.unit, predicted),
                amount(series.unit, check.value),
                f"{predicted / check.value:.2f}",
            )
        )
    head = ("to …", "fitted at n", "law", "checked at n", "predicted", "measured", "predicted / measured")
    return _table(head, rows)


def need_table(model: Model) -> str:
    rows = []
    for resource in RESOURCES:
        cells = []
        for size in SIZES:
            need = resource.need(model, size)
            cell = amount(resource.kind, need)
            cells.append(f"**{cell}**" if need > resource.budget else cell)
        rows.append((resource.name, amount(resource.kind, resource.budget), *cells))
    heads = [f"{power(size.bots)} bots, {power(size.matches)} matches" for size in SIZES]
    return _table(("need", "budget", *heads), rows)


def first_table(model: Model) -> str:
    """At each power of ten, what does not suffice any more that did at the one before."""
    rows = []
    for before, size in pairwise([Size(0, 0), *SIZES]):
        new = [resource for where, resource in in_order(model) if before.matches < where.matches <= size.matches]
        names = "; ".join(f"**{each.name}**" if not place else each.name for place, each in enumerate(new))
        rows.append((power(size.bots), power(size.matches), names or "nothing new"))
    return _table(("bots", "matches", "does not suffice from here on, the first one first"), rows, left=3)


def order_table(model: Model) -> str:
    largest = Size.of(MOST_MATCHES)
    rows = []
    for where, resource in in_order(model):
        need = resource.need(model, largest)
        rows.append(
            (
                resource.name,
                _digits(where.bots),
                _digits(where.matches),
                amount(resource.kind, need),
                _digits(need / resource.budget),
                resource.instead,
            )
        )
    last = f"need at {power(largest.bots)} bots, {power(largest.matches)} matches"
    return _table(("need", "over budget from bots", "matches", last, "times the budget", "what replaces it"), rows)


def replaced_table(model: Model) -> str:
    """What the largest field would need if everything that gives way were replaced as proposed."""
    size = Size.of(MOST_MATCHES)
    day = CORES * DAY
    starting = model.starting(size) / DEALS
    refitting = (REPLICATES + 1) * model.laws["sparse_refit"](size.bots)
    rows = [
        ("conductors, each with a shard", _up(model.conducting(size) / DAY)),
        (f"machines of {CORES} cores that play", _up((model.playing(size) + starting) / day)),
        (f"of that, starting bots, with {DEALS} deals in a meeting", amount("core", starting)),
        ("machines more, where all bots are remote and answer one by one", _up(model.serving(size) / day)),
        ("sparse refit, divided among the replicates", amount("core", refitting)),
        ("matches, seats, blocks in PostgreSQL", amount("bytes", model.stored_matches(size))),
        (
            "standings, histories, pairs that met",
            amount("bytes", model.stored_standings(size) + model.stored_pairs(size)),
        ),
        ("replays in an object store", amount("bytes", model.stored_replays(size))),
        ("network, all bots remote, in a day", f"{_digits(8e-6 * model.wire(size) / DAY)} Mbit/s"),
    ]
    return _table(("what", f"for {power(size.bots)} bots, {power(size.matches)} matches"), rows)


def _up(value: float) -> str:
    return f"{ceil(value):,}"


TABLES = {
    "units": unit_table,
    "laws": law_table,
    "needs": need_table,
    "first": first_table,
    "order": order_table,
    "replaced": replaced_table,
}


def tables(model: Model) -> dict[str, str]:
    return {name: table(model) for name, table in TABLES.items()}


def filled_in(document: str, made: Mapping[str, str]) -> str:
    """The document with the tables between their markers, in the place of what was there."""
    for name, table in made.items():
        between = re.compile(rf"(<!-- {name}: [^>]* -->\n\n).*?(\n\n<!-- end of {name} -->)", re.DOTALL)
        document, count = between.subn(lambda found, table=table: found[1] + table + found[2], document)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"the document must have one place for the table {name}, and has {count}.")
    return document
