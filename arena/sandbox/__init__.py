"""Where bots run: tiers of isolation behind one interface."""

from arena.sandbox.bubblewrap import SandboxView
from arena.sandbox.cell import Cell
from arena.sandbox.config import BUILD, Allowance, bytes_shown
from arena.sandbox.sandbox import Mode, NoSandbox, Probe, Sandbox, Tier, choose, probe

__all__ = [
    "BUILD",
    "Allowance",
    "Cell",
    "Mode",
    "NoSandbox",
    "Probe",
    "Sandbox",
    "SandboxView",
    "Tier",
    "bytes_shown",
    "choose",
    "probe",
]
