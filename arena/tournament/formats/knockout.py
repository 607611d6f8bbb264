"""Knockout: a beaten bot is out, at once or the second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import ClassVar

from arena.games.base import shuffle
from arena.tournament.formats.base import Field, Format, Pairing, PairingResult, Round, Skill
from arena.tournament.formats.elimination import (
    Contest,
    Cut,
    DecidedBy,
    KnockoutRound,
    Part,
    cut,
    deal_out,
    places_at,
    tree_order,
)


class Knockout(Format):
    """A beaten bot is out. The most exciting format, and the one that says least about the bots that did not win.

    The better half of a pairing advances: of two or three bots the winner, of four the first two. The last ones meet in
    the final, whose winner is the champion. All pairings of a round play the same number of deals. If points do not
    decide which bots advance, the tied ones play as many deals again, up to three times; then the lot decides. If they
    are too few for the game, the whole pairing plays again, and only the tied ones are compared.

    The bots are placed by lot. If they do not fill the tree, the first pairings have fewer seats; if all of a pairing
    advance, it is a bye. If such pairings would be too small for the game, some rounds have full pairings only, and the
    others, in the order of the lot, have a bye.

    With double elimination a beaten bot continues in the lower part and is out when beaten there. The grand final is
    between the better half of the last upper pairing and as many bots from the lower part as there are seats left. If
    its winner has been beaten before, a second final decides.
    """

    name: ClassVar[str] = "knockout"
    summary: ClassVar[str] = "A beaten bot is out, at once or, with double elimination, the second time."

    def __init__(self, field: Field, double: bool = False, deals: int | None = None) -> None:
        """`deals`: of a pairing, None: eight."""
        super().__init__(field)
        self.double = double
        self.deals = deals or 8
        self._order = list(shuffle(range(field.size), f"{field.seed} knockout"))
        self._lots = sorted(range(field.size), key=self._order.__getitem__)
        self._places = places_at(field.seats, field.fewest, double)
        self._branches = field.seats // self._places
        self._met = [Counter[int]() for _ in range(field.size)]
        self._rounds: list[tuple[str, Part, list[Contest]]] = []
        self._playing: list[Contest] = []
        self._deals_played = 0
        self._out: list[int] = []
        """The bots that are out, in that order."""
        self._course = self._double() if double else self._single()

    def next_round(self, skill: Skill) -> Round | None:
        del skill
        return next(self._course, None)

    def record(self, results: Sequence[PairingResult]) -> None:
        for contest, result in zip(self._playing, results, strict=True):
            entrants = result.pairing.entrants
            contest.record(dict(zip(entrants, result.points, strict=True)))
            for entrant in entrants:
                self._met[entrant].update(other for other in entrants if other != entrant)

    @property
    def tree(self) -> tuple[KnockoutRound, ...]:
        """The rounds so far, for drawing."""
        return tuple(
            KnockoutRound(title, part, tuple(contest.drawn() for contest in contests))
            for title, part, contests in self._rounds
        )

    @property
    def champion(self) -> int | None:
        """The winner; None: not decided yet."""
        return self.ranking()[0] if len(self._out) == self.field.size else None

    def ranking(self) -> list[int]:
        """Return all entrants, the best first: by the round in which they were beaten, then by points.

        Bots that are not out come first, in the order of the tree.
        """
        out = set(self._out)
        return [entrant for entrant in self._order if entrant not in out] + self._out[::-1]

    @property
    def pairing_count(self) -> int | None:
        return None  # tie-breaks and second finals

    def least_pairings(self) -> int:
        """Return the number of pairings without tie-breaks and without a second final."""
        trial = Knockout(self.field, self.double, self.deals)
        pairings = 0
        while (drawn := trial.next_round(lambda _: (0.0, 0.0))) is not None:
            pairings += len(drawn.pairings)
            strength = {entrant: -place for place, entrant in enumerate(trial._order)}
            trial.record(
                [
                    PairingResult(pairing, tuple(float(strength[entrant]) for entrant in pairing.entrants))
                    for pairing in drawn.pairings
                ]
            )
        return pairings

    # Single elimination

    def _single(self) -> Iterator[Round]:
        for title, contests in self._tree_rounds(final_places=1):
            final = title == "final"
            yield from self._play(title, Part.FINAL if final else Part.MAIN, contests)
            self._go_out(contests)
            if final:
                self._out += contests[0].advanced

    def _tree_rounds(self, final_places: int) -> Iterator[tuple[str, list[Contest]]]:
        """Return the rounds from the whole field to a single pairing; play each before requesting the next."""
        field, places, branches = self.field, self._places, self._branches
        alive = self._order
        number = 1
        while True:  # until the rest fits into the tree
            pairings = 1
            while pairings * field.seats < len(alive):
                pairings *= branches
            if pairings == 1:
                break
            plan = cut(len(alive), pairings, places, field.fewest, field.seats, field.fewest)
            if plan == Cut(0, pairings, places):
                break
            contests = self._seat(alive, plan)
            yield f"round {number}", contests
            left = {entrant for contest in contests for entrant in contest.advanced}
            alive = [entrant for entrant in alive if entrant in left]
            number += 1
        dealt = deal_out(alive, pairings, self._met)
        seated = [dealt[place] for place in tree_order(pairings, branches)]
        while pairings > 1:
            contests = [self._contest(entrants, places) for entrants in seated]
            yield self._title(pairings, number), contests
            alive = [entrant for contest in contests for entrant in contest.advanced]
            pairings //= branches
            size = len(alive) // pairings
            seated = [alive[start : start + size] for start in range(0, len(alive), size)]
            number += 1
        yield "final", [self._contest(seated[0], final_places)]

    def _title(self, pairings: int, number: int) -> str:
        if pairings == self._branches:
            return "semi-final"
        return "quarter-final" if pairings == 4 and self._branches == 2 else f"round {number}"

    # Double elimination

    def _double(self) -> Iterator[Round]:
        from_below = self.field.seats - self._places
        lower: list[int] = []
        upper: list[int] = []
        lower_rounds = 0
        rounds = self._tree_rounds(final_places=self._places)
        title, contests = next(rounds)
        while contests:
            yield from self._play(f"upper {title}", Part.UPPER, contests)
            upper = [entrant for contest in contests for entrant in contest.advanced]
            lower = self._by_points(contests) + lower
            title, contests = next(rounds, ("", []))
            # The lower part waits for the next beaten bots when it has no more bots than will come.
            coming = sum(len(contest.entrants) - contest.places for contest in contests)
            goal = max(from_below, coming)
            while len(lower) > goal and len(lower) >= self.field.fewest:
                lower_rounds += 1
                final = not contests and len(lower) <= self.field.seats
                below = self._lower_contests(lower, goal)
                yield from self._play("lower final" if final else f"lower round {lower_rounds}", Part.LOWER, below)
                self._go_out(below)
                lower = [entrant for contest in below for entrant in contest.advanced]
        yield from self._grand_final(upper, lower)

    def _lower_contests(self, lower: Sequence[int], goal: int) -> list[Contest]:
        field = self.field
        if len(lower) <= field.seats:
            return [self._contest(lower, goal)]
        pairings = ceil(len(lower) / field.seats)
        return self._seat(lower, cut(len(lower), pairings, self._places, goal, field.seats, field.fewest))

    def _grand_final(self, upper: Sequence[int], lower: Sequence[int]) -> Iterator[Round]:
        contest = self._contest([*upper, *lower], 1)
        yield from self._play("grand final", Part.FINAL, [contest])
        if contest.advanced[0] in lower:
            contest = self._contest(contest.order, 1)
            yield from self._play("second grand final", Part.FINAL, [contest])
        self._go_out([contest])
        self._out += contest.advanced

    # Both

    def _seat(self, order: Sequence[int], plan: Cut) -> list[Contest]:
        """Return the contests of a round; the order has the strongest first."""
        byes = [self._contest([entrant], 1) for entrant in order[: plan.byes]]
        dealt = deal_out(order[plan.byes :], plan.pairings, self._met)
        return byes + [self._contest(entrants, plan.places) for entrants in dealt]

    def _contest(self, entrants: Sequence[int], places: int) -> Contest:
        return Contest(entrants, places, self.field.fewest, self._lots)

    def _play(self, title: str, part: Part, contests: list[Contest]) -> Iterator[Round]:
        """Return the rounds that decide the contests."""
        self._rounds.append((title, part, contests))
        tie_breaks = 0
        while open_contests := [contest for contest in contests if contest.decision is DecidedBy.OPEN]:
            deals = tuple(range(self._deals_played, self._deals_played + self.deals))
            lot = f"{self.field.seed} knockout {self._deals_played}"
            self._deals_played += self.deals
            self._playing = open_contests
            pairings = (
                Pairing(shuffle(contest.to_play, f"{lot} table {number}"), deals)
                for number, contest in enumerate(open_contests)
            )
            yield Round(tuple(pairings), f"{title}, tie-break {tie_breaks}" if tie_breaks else title)
            tie_breaks += 1

    def _go_out(self, contests: Sequence[Contest]) -> None:
        self._out += self._by_points(contests)[::-1]

    def _by_points(self, contests: Sequence[Contest]) -> list[int]:
        """Return the beaten bots, the best first."""
        beaten = [(contest, entrant) for contest in contests for entrant in contest.beaten]
        beaten.sort(key=lambda each: (-each[0].points[each[1]], each[0].order.index(each[1]), self._lots[each[1]]))
        return [entrant for _, entrant in beaten]
