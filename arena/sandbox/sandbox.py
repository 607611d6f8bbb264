"""The tiers of the sandbox, and which of them work on this machine, tested by starting a program in each."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path

from arena.errors import HostFault
from arena.sandbox.bubblewrap import SOCKETS, SandboxView, find_bubblewrap
from arena.sandbox.cell import Cell, StrongCell, UserCell
from arena.sandbox.cgroups import describe, find_hierarchies
from arena.sandbox.config import CONFIG, Allowance
from arena.sandbox.seccomp import filter_program

PROBE = "import arena, os, sys; sys.exit(0 if os.getpid() < 10 and not os.path.exists('/etc/passwd') else 3)"
"""A program that checks that it is isolated and can import the arena."""


class Tier(StrEnum):
    """The strength of the isolation, the strongest first."""

    STRONG = "strong"
    USER = "user"
    NONE = "none"


class Mode(StrEnum):
    """What the organiser asks for."""

    AUTO = "auto"
    """The strongest tier that works on this machine."""
    STRICT = "strict"
    """The strong tier, or an error."""
    NONE = "none"


class NoSandbox(HostFault):
    """Raised when the requested sandbox does not work on this machine."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of testing a tier."""

    tier: Tier
    works: bool
    detail: str
    """What the tier uses, or why it does not work."""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A tier with the resource limits of bots; plain values that can be sent to workers."""

    tier: Tier = Tier.NONE
    allowance: Allowance = field(default_factory=Allowance)

    @property
    def is_isolated(self) -> bool:
        return self.tier is not Tier.NONE

    def cell(self, view: SandboxView, allowance: Allowance | None = None) -> Cell:
        """Return a new cell for one bot. Raise `OSError` if the machine lacks resources."""
        kind = {Tier.NONE: Cell, Tier.USER: UserCell, Tier.STRONG: StrongCell}[self.tier]
        return kind(view, allowance or self.allowance)

    def address(self, socket: Path) -> str:
        """Return the address of the referee's socket as the bot sees it."""
        return f"unix:{SOCKETS / socket.name if self.is_isolated else socket}"


@cache
def probe(tier: Tier) -> Probe:
    """Start a program in this tier and return whether it is isolated."""
    if tier is Tier.NONE:
        return Probe(tier, True, "bots run with your permissions")
    if find_bubblewrap() is None:
        return Probe(tier, False, "bubblewrap is not installed", "run `apt-get install bubblewrap`")
    if filter_program() is None:
        return Probe(tier, False, f"no filter of system calls for {platform.machine()}", "use x86_64 or aarch64")
    for tool in ("prlimit", "setpriv"):
        if shutil.which(tool, path="/usr/bin") is None:
            return Probe(tier, False, f"{tool} is not installed", "run `apt-get install util-linux`")
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as folder:
        view = SandboxView(Path("/"), Path(folder))
        try:
            cell = Sandbox(tier).cell(view)
        except OSError as error:
            remedy = "run as root, on a machine or in a container with writable control groups"
            return Probe(tier, False, f"no control group: {error.strerror or error}", remedy)
        return _try(tier, cell)


def _try(tier: Tier, cell: Cell) -> Probe:
    try:
        with cell.released(CONFIG.removal_timeout):
            process = cell.start([sys.executable, "-c", PROBE], {}, subprocess.PIPE)
            output, _ = process.communicate(timeout=CONFIG.probe_timeout)
    except OSError as error:
        return Probe(tier, False, f"cannot start a program: {error}", "see SECURITY.md")
    except subprocess.TimeoutExpired as error:
        return Probe(tier, False, f"a test program failed: {error}", "see SECURITY.md")
    if process.returncode:
        said = (output.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        remedy = "see SECURITY.md"
        if "namespace" in said or "Permission" in said or "permitted" in said:
            remedy = "run `sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000`"
        return Probe(tier, False, f"a test program failed: {said}", remedy)
    version = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S607
    return Probe(tier, True, f"{describe(find_hierarchies())}, {version}" if tier is Tier.STRONG else version)


def choose(mode: Mode, allowance: Allowance | None = None) -> tuple[Sandbox, Probe]:
    """Return the sandbox for a mode. Raise `NoSandbox` if it must be strong and the strong tier does not work."""
    allowed = allowance or Allowance()
    if mode is Mode.NONE:
        return Sandbox(Tier.NONE, allowed), probe(Tier.NONE)
    strong = probe(Tier.STRONG)
    if strong.works:
        return Sandbox(Tier.STRONG, allowed), strong
    if mode is Mode.STRICT:
        raise NoSandbox(
            f"The strong sandbox does not work on this machine: {strong.detail}.", hint=f"Remedy: {strong.remedy}."
        )
    user = probe(Tier.USER)
    if user.works:
        return Sandbox(Tier.USER, allowed), user
    return Sandbox(Tier.NONE, allowed), Probe(Tier.NONE, True, f"no sandbox: {user.detail}", user.remedy)
