"""The attacks, and the expected result of each in each tier of the sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from arena.sandbox import Tier


class Result(StrEnum):
    """The result of an attack."""

    BLOCKED = "blocked"
    """It was refused."""
    CONTAINED = "contained"
    """It was possible up to a limit, and hurt only the attacker."""
    NOT_BLOCKED = "not blocked"
    NOT_RUN = "not run"
    """It would hurt the machine, or prove nothing."""


BLOCKED, CONTAINED, NOT_BLOCKED, NOT_RUN = Result


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack and its expected results."""

    name: str
    promise: str
    """What it does, for the table."""
    strong: Result
    user: Result
    none: Result = NOT_RUN
    program: str = ""
    """The program; empty: the name of the attack. Attacks by submitted folders have none."""
    way: str = ""
    """How two bots collude."""
    touches: tuple[str, ...] = ()
    """The targets of the test that it attacks: see stage.py."""
    fault: str = ""
    """What its fault contains, if it forfeits; empty: it must not forfeit."""
    forfeits: tuple[Tier, ...] = ()
    """The tiers in which it must forfeit."""
    alone: bool = False
    """Whether it is measured alone, because it uses much of the machine."""
    newcomers: bool = False
    """Whether other bots must be able to start during the attack."""
    slowly: bool = False
    """Whether its opponent is slow."""
    hurried: bool = False
    """Whether turns are short."""

    def expected(self, tier: Tier) -> Result:
        return {Tier.STRONG: self.strong, Tier.USER: self.user, Tier.NONE: self.none}[tier]

    @property
    def file(self) -> str:
        return f"{self.program or self.name.replace('-', '_')}.py"


MEMORY = r"It was killed at 96 MiB of memory\."
BOXED = (Tier.STRONG, Tier.USER)

BOTS = (
    # Files
    Attack("read-home", "reads a home, /etc/passwd", BLOCKED, BLOCKED, NOT_BLOCKED),
    Attack("read-other-bots", "reads other bots' files and logs", BLOCKED, BLOCKED, NOT_BLOCKED),
    Attack("read-referee", "reads the referee's folder, replaces its socket", BLOCKED, BLOCKED, NOT_BLOCKED),
    Attack("write-outside", "writes outside its /tmp", BLOCKED, BLOCKED, NOT_BLOCKED, touches=("file",)),
    Attack("fill-disk", "fills /tmp, /dev/shm and all else it may write to", CONTAINED, CONTAINED, alone=True),
    Attack("grow-file", "makes a file of 1 TiB", BLOCKED, BLOCKED),
    # Resources
    Attack("fork-bomb", "starts 2,000 processes", CONTAINED, CONTAINED, alone=True, newcomers=True),
    Attack("thread-bomb", "starts 2,000 threads", CONTAINED, CONTAINED, alone=True),
    Attack(
        "memory-one", "takes 1.5 GiB in one process", CONTAINED, CONTAINED, fault=MEMORY, forfeits=BOXED, alone=True
    ),
    Attack("memory-many", "takes 1.5 GiB in 30 processes", CONTAINED, CONTAINED, fault=MEMORY, alone=True),
    Attack(
        "memory-memfd",
        "takes 0.5 GiB in files in memory (memfd_create)",
        CONTAINED,
        NOT_BLOCKED,
        fault=MEMORY,
        forfeits=(Tier.STRONG,),
        alone=True,
    ),
    Attack(
        "memory-after-fault",
        "forfeits, then takes 1.5 GiB while the others play on",
        CONTAINED,
        CONTAINED,
        fault=r"It sent bytes that are not a PlayRequest\.",
        forfeits=BOXED,
        alone=True,
        slowly=True,
    ),
    Attack("cpu-hog", "keeps six processes busy while others think", CONTAINED, NOT_BLOCKED, alone=True),
    Attack("fd-flood", "opens 5,000 files", CONTAINED, CONTAINED),
    Attack("stderr-flood", "prints 100 MB", CONTAINED, CONTAINED, CONTAINED),
    Attack("raise-limits", "raises its limits and its priority", BLOCKED, BLOCKED),
    # Processes
    Attack("outlive", "leaves a process behind that has cut all ties", CONTAINED, CONTAINED, NOT_BLOCKED),
    Attack("ignore-sigterm", "ignores SIGTERM, with its children", CONTAINED, CONTAINED, CONTAINED),
    Attack("signal-others", "signals the referee and others", BLOCKED, BLOCKED, NOT_BLOCKED, touches=("signal",)),
    Attack("kill-the-box", "attacks the first process of its sandbox", BLOCKED, BLOCKED),
    Attack("ptrace", "traces others, reads their memory", BLOCKED, BLOCKED, NOT_BLOCKED),
    Attack("proc-others", "reads others' environment, memory, files in /proc", BLOCKED, BLOCKED, NOT_BLOCKED),
    # The kernel
    Attack("namespaces", "makes or enters namespaces", BLOCKED, BLOCKED),
    Attack("io-uring", "goes past the filter by io_uring", BLOCKED, BLOCKED),
    Attack("keyctl", "keeps things in the kernel's keyrings", BLOCKED, BLOCKED),
    Attack("mounts", "remounts /proc, /, /usr", BLOCKED, BLOCKED),
    Attack("chroot", "breaks out of its root", BLOCKED, BLOCKED),
    Attack("proc-sys", "changes /proc/sys, opens /proc/kcore, sysrq", BLOCKED, BLOCKED),
    Attack("devices", "makes devices, opens disks and /dev/kmsg", BLOCKED, BLOCKED),
    Attack("setuid", "becomes root by a setuid program", BLOCKED, BLOCKED),
    # Communication
    Attack("loopback", "reaches servers on this machine", BLOCKED, BLOCKED, NOT_BLOCKED, touches=("tcp", "udp")),
    Attack(
        "unix-sockets",
        "reaches unix sockets of others",
        BLOCKED,
        BLOCKED,
        NOT_BLOCKED,
        touches=("abstract", "socket"),
    ),
    Attack("collude-file", "two pass a token in a file", BLOCKED, BLOCKED, NOT_BLOCKED, "collude", "file"),
    Attack("collude-socket", "two meet at a socket", BLOCKED, BLOCKED, NOT_BLOCKED, "collude", "socket"),
    Attack("collude-sysv", "two share SysV memory", BLOCKED, BLOCKED, NOT_BLOCKED, "collude", "sysv"),
    Attack("collude-lock", "two signal by locks on a system file", BLOCKED, BLOCKED, NOT_BLOCKED, "collude", "lock"),
    Attack("collude-watch", "two signal by watching a system file", BLOCKED, BLOCKED, NOT_BLOCKED, "collude", "watch"),
    # The referee
    Attack("second-stream", "opens a second stream with its token", BLOCKED, BLOCKED, BLOCKED),
    Attack("steal-token", "plays with a token found or guessed", BLOCKED, BLOCKED),
    Attack(
        "half-open",
        "keeps 1,400 silent connections to the referee",
        CONTAINED,
        CONTAINED,
        fault=r"connections",
        alone=True,
        newcomers=True,
    ),
    Attack("many-streams", "keeps 4,000 streams to the referee", CONTAINED, CONTAINED, alone=True, newcomers=True),
    Attack("large-messages", "makes the referee keep 1.2 GiB", CONTAINED, CONTAINED, alone=True, newcomers=True),
    Attack("empty-messages", "sends 5,000 empty messages", CONTAINED, CONTAINED, CONTAINED, fault=r"empty", alone=True),
    Attack(
        "reset-clock",
        "thinks for ever behind empty messages",
        CONTAINED,
        CONTAINED,
        CONTAINED,
        fault=r"limit 2 s",
        forfeits=tuple(Tier),
        alone=True,
        hurried=True,
    ),
)
