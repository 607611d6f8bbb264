"""`arena doctor`: check what this machine offers, and print how to get what is missing."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from arena.cli.console import err, out
from arena.cli.location import DEFAULT_HOME, HomeOption
from arena.cli.options import AsJson
from arena.sandbox import Mode, Tier, choose
from arena.sandbox.doctor import Finding, Health, findings

MARKS = {
    Health.GOOD: Text("ok", style="green"),
    Health.MISSING: Text("missing", style="yellow"),
    Health.BAD: Text("look", style="bold red"),
}


def doctor(home: HomeOption = DEFAULT_HOME, as_json: AsJson = False) -> None:
    """Check what this machine offers to an arena, and print how to get what is missing.

    Example: arena doctor
    """
    with err.status("checking the machine"):
        found = list(findings(home))
        sandbox, _ = choose(Mode.AUTO)
    if as_json:
        out.print_json(data={"sandbox": sandbox.tier, "findings": [asdict(each) for each in found]})
        return
    table = Table.grid(padding=(0, 2))
    area = ""
    for each in found:
        if each.area != area:
            area = each.area
            table.add_row("", Text(area, style="bold"))
        detail = Text(each.detail)
        if each.remedy:
            detail.append(f"\n{each.remedy}", style="italic")
        table.add_row(MARKS[each.state], f"  {each.what}", detail)
    out.print(table)
    out.print()
    out.print(_summary(sandbox.tier, found), soft_wrap=True)


def _summary(tier: Tier, found: list[Finding]) -> Text:
    where = {
        Tier.STRONG: Text("Bots will run in the strong sandbox: strangers are welcome.", style="green"),
        Tier.USER: Text(
            "Bots will run in the user sandbox. It does not stop bots that take memory by memfd or hog the processor; "
            "for the strong one run as root, with control groups.",
            style="yellow",
        ),
        Tier.NONE: Text("Bots will run without a sandbox: play only with bots that you trust.", style="bold red"),
    }[tier]
    bad = sum(each.state is Health.BAD for each in found)
    return Text.assemble(where, f" {bad} of {len(found)} things need a look." if bad else "")
