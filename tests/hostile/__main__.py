"""`make hostile`: run every attack in every tier, print the results, and write the table in SECURITY.md."""

from __future__ import annotations

import sys

from arena.sandbox import Tier, probe
from tests.hostile import table
from tests.hostile.attacks import BOTS, Attack, Result
from tests.hostile.folders import FOLDERS, measure_folder
from tests.hostile.measure import Evidence, measure


def main() -> int:
    attacks = (*BOTS, *FOLDERS)
    measured: dict[tuple[str, Tier], Result] = {}
    surprises = []
    for tier in Tier:
        if not (found := probe(tier)).works:
            print(f"The tier {tier} is not to be had here, so nothing is written: {found.detail}.", file=sys.stderr)
            return 2
        for evidence in _all(tier):
            measured[evidence.attack.name, tier] = evidence.result
            if wrong := evidence.wrong():
                surprises.append(f"{evidence.attack.name}, {tier}: {wrong}")
        for attack in attacks:
            measured.setdefault((attack.name, tier), Result.NOT_RUN)
    for attack in attacks:
        print(f"{attack.name:22}" + "".join(f"{measured[attack.name, tier]:14}" for tier in Tier))
    print(*surprises, sep="\n")
    table.write(attacks, measured)
    return 1 if surprises else 0


def _all(tier: Tier) -> list[Evidence]:
    folders: list[Attack] = [attack for attack in FOLDERS if attack.expected(tier) is not Result.NOT_RUN]
    return [*measure(tier, BOTS).values(), *(measure_folder(tier, attack) for attack in folders)]


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("usage: python -m tests.hostile (it takes no arguments)")
    sys.exit(main())
