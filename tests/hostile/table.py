"""The table of attacks in SECURITY.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arena.sandbox import Tier
from tests.hostile.attacks import Attack, Result

FILE = Path(__file__).parents[2] / "SECURITY.md"
BEGIN, END = "<!-- attacks -->", "<!-- /attacks -->"

Measured = Mapping[tuple[str, Tier], Result]


def rendered(attacks: Sequence[Attack], measured: Measured) -> str:
    """Return the table as between its marks."""
    lines = ["| attack | what it does | strong | user | none |", "|---|---|---|---|---|"]
    for attack in attacks:
        results = " | ".join(measured[attack.name, tier] for tier in Tier)
        lines.append(f"| {attack.name} | {attack.promise} | {results} |")
    return "\n".join(lines)


def write(attacks: Sequence[Attack], measured: Measured) -> None:
    text = FILE.read_text(encoding="utf-8") if FILE.exists() else f"# Security\n\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    FILE.write_text(f"{before}{BEGIN}\n{rendered(attacks, measured)}\n{END}{after}", encoding="utf-8")


def listed() -> list[tuple[str, ...]]:
    """Return the rows of the table in the file: name, description, and the result in each tier."""
    text = FILE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in text.strip().splitlines()]
    return rows[2:]
