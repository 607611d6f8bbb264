"""Measures what grows with the field, and says what a field of a million bots would need, and what gives way first.

What is measured is kept in bench/scale_measured.json, and docs/scale.md has the tables that follow from it:

    python -m bench.scale               # measure, print, write both
    python -m bench.scale --quick       # small sizes, to see that everything works; writes nothing
    python -m bench.scale --stored      # print the tables from what is stored; writes the document

How it is measured is said in bench/scale_probes.py, what follows from it in bench/scale_model.py.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console

from bench import scale_instead as instead
from bench import scale_probes as probes
from bench.scale_laws import Point
from bench.scale_model import Model
from bench.scale_tables import filled_in, tables

MEASURED = Path(__file__).with_name("scale_measured.json")
DOCUMENT = Path(__file__).parent.parent / "docs" / "scale.md"
DIGITS = 4

out = Console(highlight=False, width=200)


def measure(*, quick: bool = False, keep: Callable[[probes.Found], object] = lambda _: None) -> probes.Found:
    """All probes, one after the other. Quick ones show that everything works, and tell nothing about large sizes.

    `keep` is handed what there is after each step, because somebody may lose patience.
    """
    found = probes.Found()

    def sizes(*wanted: int) -> list[int]:
        return [16, 32][: len(wanted)] if quick else list(wanted)

    steps: list[Callable[[], None]] = [
        lambda: probes.measure_play(found, 40 if quick else 1000),
        lambda: probes.measure_folds(found, 100 if quick else 2000),
        lambda: probes.measure_design(found, sizes(100, 200, 400, 800)),
        lambda: probes.measure_swiss(found, sizes(300, 1000, 3000, 10_000)),
        lambda: probes.measure_tables(found, sizes(100, 300, 1000, 10_000)),
        lambda: probes.measure_refit(found, sizes(100, 200, 400, 800), sizes(600, 700, 800, 1200)),
        lambda: probes.measure_ladders(found, sizes(100, 200, 400, 1200), 2 if quick else 8),
        lambda: probes.measure_starts(found, sizes(200, 300, 400, 800), 4),
        lambda: probes.measure_opponents(found, sizes(500)[0], (2, 3, 4, 5) if quick else (4, 8, 16, 32)),
        lambda: probes.measure_told_apart(found, sizes(60, 90, 120, 180), 2 if quick else 25),
        lambda: probes.measure_boards(found, sizes(500, 1000, 2000, 5000), sizes(250, 500, 1000, 2000)),
        lambda: instead.measure_sparse_refit(found, sizes(400)[0], sizes(1000, 3000, 10_000, 30_000)),
        lambda: instead.measure_shards(found, *((32, 5, 2) if quick else (800, 20, 8))),
    ]
    for number, step in enumerate(steps, start=1):
        began = perf_counter()
        step()
        keep(found)
        out.print(f"{number} of {len(steps)} measured, {perf_counter() - began:.1f} s")
    return found


def stored_model(path: Path = MEASURED) -> Model:
    """The model of what was measured last."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    series = {name: [Point(*point) for point in points] for name, points in stored["series"].items()}
    return Model(stored["units"], series)


def as_json(found: probes.Found) -> str:
    """What was measured, where and when, with as many digits as it is worth."""

    def short(value: float) -> float:
        return float(f"{value:.{DIGITS}g}")

    content = {
        "machine": {
            "cores": len(os.sched_getaffinity(0)),
            "processor": platform.machine(),
            "python": platform.python_version(),
            "day": datetime.now(UTC).date().isoformat(),
            "load before": short(os.getloadavg()[0]),
        },
        "units": {name: short(value) for name, value in found.units.items()},
        "series": {name: [[size, short(value)] for size, value in points] for name, points in found.series.items()},
    }
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, to see that it works; writes nothing.")] = False,
    stored: Annotated[bool, typer.Option("--stored", help="Measure nothing: the tables from what is stored.")] = False,
) -> None:
    """Measure what grows with the field, and say what gives way first."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    if quick:
        found = measure(quick=True)
        model = Model(found.units, found.series)
    else:
        if not stored:
            measure(keep=lambda found: MEASURED.write_text(as_json(found), encoding="utf-8"))
        model = stored_model()
    made = tables(model)
    for name, table in made.items():
        out.print(f"\n{name}\n\n{table}", markup=False, soft_wrap=True)
    if not quick:
        DOCUMENT.write_text(filled_in(DOCUMENT.read_text(encoding="utf-8"), made), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
