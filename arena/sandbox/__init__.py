"""Where strangers' programs run: tiers of isolation behind one interface."""

from arena.sandbox.allowance import BUILD, Allowance, bytes_shown
from arena.sandbox.bubblewrap import View
from arena.sandbox.cell import Cell, Launch
from arena.sandbox.sandbox import Mode, NoSandbox, Probe, Sandbox, Tier, choose, probe

__all__ = [
    "BUILD",
    "Allowance",
    "Cell",
    "Launch",
    "Mode",
    "NoSandbox",
    "Probe",
    "Sandbox",
    "Tier",
    "View",
    "bytes_shown",
    "choose",
    "probe",
]
