"""The model of docs/scale.md: its laws, its arithmetic, the tournament without bots that it rests on, its tables."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from arena.rating.bradley_terry import refit
from arena.rating.standings import Standing
from arena.referee import Limits, MatchPlan, Referee, Settings
from arena.store.home import Home
from arena.submissions.submission import find_launch
from bench import scale
from bench.scale_instead import ladder_pairs, likeness, sharded_ladder, sparse_fit
from bench.scale_laws import CONSTANT, CUBE, LINEAR, LOG, SORTING, SQUARE, Point, Term, fit, fit_power
from bench.scale_model import RESOURCES, SERIES, SIZES, Size, breaks_at, in_order, points_of_a_history
from bench.scale_rehearsal import Workers, bytes_of_replays, bytes_of_tables, rehearse
from bench.scale_tables import TABLES, UNITS, amount, filled_in, power, tables


def test_the_document_has_the_tables_of_the_stored_measurement() -> None:
    document = scale.DOCUMENT.read_text(encoding="utf-8")
    assert filled_in(document, tables(scale.stored_model())) == document, "run python -m bench.scale --stored"


def test_another_measurement_makes_another_document() -> None:
    document = scale.DOCUMENT.read_text(encoding="utf-8")
    model = scale.stored_model()
    other = replace(model, units={**model.units, "play_cpu": 10 * model.units["play_cpu"]})
    assert filled_in(document, tables(other)) != document


def test_a_document_without_a_place_for_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="one place for the table units, and has 0"):
        filled_in("nothing here", {"units": "a table"})


def test_all_that_is_stored_is_shown_and_the_other_way_round() -> None:
    stored = json.loads(scale.MEASURED.read_text(encoding="utf-8"))
    assert stored["units"].keys() == UNITS.keys()
    assert stored["series"].keys() == SERIES.keys()
    assert all(len(points) == 4 for points in stored["series"].values())
    assert len(TABLES) == scale.DOCUMENT.read_text(encoding="utf-8").count("<!-- end of ")


def test_every_probe_works_and_finds_all_that_the_model_needs() -> None:
    found = scale.measure(quick=True)
    assert found.units.keys() == UNITS.keys()
    assert found.series.keys() == SERIES.keys()
    assert all(value > 0 for name, value in found.units.items() if name != "sparse_apart")
    assert all(point.value > 0 for points in found.series.values() for point in points)
    assert json.loads(scale.as_json(found))["series"]["draw"][0][0] == found.series["draw"][0].size


# Laws


@pytest.mark.parametrize("terms", [(CONSTANT, LINEAR), (LINEAR, SORTING), (LINEAR, SQUARE, CUBE), (CONSTANT, LOG)])
def test_a_law_is_found_again(terms: tuple[Term, ...]) -> None:
    def truth(size: float) -> float:
        return sum((number + 2) * term(size) for number, term in enumerate(terms))

    law = fit([Point(size, truth(size)) for size in (10, 50, 200, 900)], terms)
    assert law(100_000) == pytest.approx(truth(100_000), rel=1e-3)


def test_no_cost_is_negative() -> None:
    law = fit([Point(10, 5.0), Point(20, 4.9), Point(40, 5.1)], (CONSTANT, LINEAR, SQUARE))
    assert all(factor >= 0 for factor, _ in law.parts)


def test_a_power_is_found_again() -> None:
    assert fit_power([Point(size, 3 * size**0.7) for size in (2, 8, 30)])(1000) == pytest.approx(3 * 1000**0.7)


# Arithmetic


def test_sizes_are_the_powers_of_ten_up_to_a_million_bots_and_a_billion_matches() -> None:
    assert SIZES[0] == Size(10**2, 10**4)
    assert SIZES[-2:] == [Size(10**6, 10**8), Size(10**6, 10**9)]
    assert [power(size.matches) for size in SIZES] == ["10^4", "10^5", "10^6", "10^7", "10^8", "10^9"]


def test_what_gives_way_does_so_exactly_where_it_is_said() -> None:
    model = scale.stored_model()
    broken = in_order(model)
    assert broken
    assert all(one.matches <= other.matches for (one, _), (other, _) in pairwise(broken))
    for where, resource in broken:
        assert resource.need(model, where) > resource.budget * 0.99
        assert resource.need(model, Size.of(where.matches * 0.9)) <= resource.budget
    for resource in RESOURCES:
        if breaks_at(model, resource) is None:
            assert all(resource.need(model, size) <= resource.budget for size in SIZES)


def test_the_store_is_the_sum_of_its_parts() -> None:
    model = scale.stored_model()
    parts = [resource for resource in RESOURCES if resource.name.startswith("store: ")]
    (whole,) = [resource for resource in RESOURCES if resource.name == "store"]
    for size in SIZES:
        assert whole.need(model, size) == pytest.approx(sum(part.need(model, size) for part in parts))


def test_amounts_are_told_with_two_digits_and_a_unit() -> None:
    told = [amount("time", 0.00042), amount("time", 5400), amount("bytes", 2.34e12), amount("core", 36_000_000)]
    assert told == ["420 µs", "1.5 h", "2.3 TB", "10,000 core-h"]
    assert amount("times", 333.3) == "330 x"


def test_a_history_has_as_many_points_as_the_standings_make() -> None:
    assert points_of_a_history(15) == 15
    assert points_of_a_history(63) == 15 + 16 + 16
    assert Standing(matches=64).worth_a_point
    assert not Standing(matches=65).worth_a_point


# The tournament without bots


def test_a_rehearsal_writes_what_a_tournament_writes(tmp_path: Path) -> None:
    done = rehearse(tmp_path, 20, 3)
    assert done.matches == 60
    assert all(done.seconds[step] > 0 for step in ("draw", "hand out", "take", "fold", "write"))
    rows = {table: count for table, (_, count) in bytes_of_tables(tmp_path).items()}
    assert rows["matches"] == 60
    assert rows["seats"] == 240
    assert rows["blocks"] == 15
    assert rows["standings"] == 2 * 20
    assert rows["head_to_head"] == 2 * len(done.standings.head_to_head) == 2 * 20 * done.opponents
    assert rows["rating_points"] == 2 * 20 * points_of_a_history(12)
    size = sum(size for size, _ in bytes_of_tables(tmp_path).values())
    with closing(sqlite3.connect(Home(tmp_path).database)) as database:
        assert database.execute("PRAGMA page_size").fetchone()[0] * 10 < size
        assert bytes_of_replays(tmp_path) < size
        played, folded = database.execute("SELECT played, folded FROM brackets").fetchone()
    assert (played, folded) == (60, 15)


def test_in_a_field_of_a_hundred_bots_some_are_still_running() -> None:
    done = rehearse(None, 100, 8)
    assert f"{done.starts / done.matches:.2f} starts a match" in scale.DOCUMENT.read_text(encoding="utf-8")


def test_a_worker_starts_again_whom_it_could_not_keep() -> None:
    workers = Workers(1)
    for block in range(32):  # two rounds of 64 bots: all are kept
        workers.play(block, range(4 * (block % 16), 4 * (block % 16) + 4))
    assert workers.starts == 64
    workers.play(32, (64, 65, 66, 67))  # in the place of those who played longest ago
    workers.play(33, (0, 1, 60, 61))
    assert workers.starts == 64 + 4 + 2


def test_a_referee_starts_no_fewer_bots_than_the_model_says() -> None:
    """It may start more: while a bot is being ended, its place is not free."""
    tables = [(0, 1), (2, 3), (0, 1), (4, 5), (0, 1), (2, 3)]
    random = find_launch("random")
    programs = [replace(random, name=f"bot{number}") for number in range(6)]
    model = Workers(1, kept=4)
    tokens: set[str] = set()

    async def play() -> None:
        async with Referee(Limits(start=60.0), Settings(processes=4)) as referee:
            for number, table in enumerate(tables):
                seated = [programs[bot] for bot in table]
                labels = tuple(program.label for program in seated)
                await referee.play(MatchPlan(f"{number}", "mantis", {}, "seed", labels), seated)
                tokens.update(referee.instances)
                model.play(number, table)

    asyncio.run(play())
    assert model.starts == 8
    assert len(tokens) >= model.starts


# What could replace


def test_the_sparse_refit_finds_what_the_refit_finds() -> None:
    pairs = ladder_pairs(60)
    assert sparse_fit(60, pairs) == pytest.approx(refit(60, pairs, replicates=0).strength, abs=1e-4)


def test_shards_may_be_played_in_any_order_and_rank_nearly_as_well() -> None:
    whole = sharded_ladder(48, 12, 1, regroup=12)
    shards = sharded_ladder(48, 12, 3, regroup=4)
    assert shards == sharded_ladder(48, 12, 3, regroup=4, backwards=True)
    assert shards != whole
    assert likeness(*shards) > likeness(*whole) - 0.05 > 0.8
