"""Make the record of a played match, as it is stored, from its outcome."""

from __future__ import annotations

from arena.records import MatchRecord, SeatRecord, now
from arena.referee import Outcome
from arena.tournament.planner import PlannedMatch


def make_record(match: PlannedMatch, outcome: Outcome, sandbox: str) -> MatchRecord:
    """Return the record of a match that was played."""
    result = outcome.result
    faults = {fault.seat: fault for fault in outcome.faults}
    seats = tuple(
        SeatRecord(
            version_id=version,
            placement=result.placements[seat],
            won=1 / len(result.winners) if seat in result.winners else 0.0,
            think_ms=outcome.think_ms[seat],
            decisions=outcome.decisions[seat],
            fault=faults[seat].fault.value if seat in faults else None,
            detail=faults[seat].detail if seat in faults else None,
            wall_ms=outcome.wall_ms[seat],
            cpu_ms=outcome.cpu_ms[seat],
        )
        for seat, version in enumerate(match.versions)
    )
    return MatchRecord(
        block=match.block,
        rotation=match.rotation,
        name=match.plan.id,
        seed=match.plan.seed,
        ending=result.ending.value,
        seats=seats,
        replay=outcome.moves,
        played=now(),
        reruns=match.reruns,
        sandbox=sandbox,
        overhead_ms=outcome.overhead_ms,
        overloaded=outcome.overloaded,
    )
