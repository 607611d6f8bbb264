"""How a bot is started inside namespaces of its own, by bubblewrap.

The bot sees the system's programs and libraries, the Python that runs the arena, its own files, and the referee's
socket, all read-only, and an empty /tmp of limited size. It has no network, sees no processes but its own, and runs
under a filter of system calls.

As root we do not let bubblewrap make a user namespace, because then root alone can bind folders that others may not
enter (a home, a temporary folder); the bot is given a user id that nobody else has, and no rights, as the last step
before its program starts. Without root the user namespace is what makes the rest possible.
"""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.sandbox.allowance import Allowance
from arena.sandbox.seccomp import filter_program

SOCKETS = Path("/run/arena")
"""Where the bot finds the referee's socket."""
FIRST_UID, UIDS = 0x60000000, 0x10000000
"""User ids far above those that a machine gives to people and services. Each start draws one."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = ("alternatives", "ld.so.cache", "localtime", "nsswitch.conf")
"""The little of /etc that programs need; besides these what Java keeps there."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
RUNTIMES = ("node", "java", "deno", "bun", "ruby", "julia", "php", "perl", "lua", "dotnet", "go")
"""Programs that run others and need what is installed with them."""
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
"""What the shell takes for the name of a variable."""
NETWORK_SETTINGS = ("ssl", "resolv.conf", "hosts", "ca-certificates.conf")
"""What a program with network needs of /etc besides."""


@dataclass(frozen=True, slots=True)
class SandboxView:
    """What a boxed program sees of the machine, besides the system's own programs."""

    folder: Path
    """Where it is started."""
    files: Path
    """What is its own: the folder, or a single file in it."""
    source: Path | None = None
    """Where these files really are, if not where the program finds them."""
    writable: bool = False
    socket: Path | None = None
    """The folder with the referee's socket."""
    also: tuple[Path, ...] = ()
    """What else it may read."""
    network: bool = False


def find_bubblewrap() -> str | None:
    return shutil.which("bwrap")


def options(view: SandboxView, command: Sequence[str], allowance: Allowance) -> Iterator[str]:
    """What bubblewrap is told, apart from the command. Later mounts hide earlier ones."""
    yield from ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    yield from ("--die-with-parent", "--new-session", "--hostname", "arena")
    if not view.network:
        yield "--unshare-net"
    if os.geteuid() != 0:
        yield "--unshare-user"
    yield from _system()
    if view.network:
        yield from _settings(*NETWORK_SETTINGS)
    for path in ("/tmp", "/dev/shm"):  # noqa: S108, the bot's own
        yield from ("--perms", "1777", "--size", str(allowance.disk), "--tmpfs", path)
    for runtime in (*_python_and_arena(), *_runtime_of(command), *view.also):
        yield from _bind(runtime, runtime)
    if view.socket:
        yield from _bind(view.socket, SOCKETS)
    yield from _bind(view.source or view.files, view.files, writable=view.writable)
    # Without root the bot owns what bubblewrap has made for it, and both are in memory that nobody limits.
    yield from ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(view.folder))


@cache
def _system() -> tuple[str, ...]:
    """The system's own programs, its few settings, its view of processes and devices."""
    found = []
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            found += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            found += ["--ro-bind", str(path), str(path)]
    java = [path.name for path in Path("/etc").glob("java-*")]
    return (*found, "--dir", "/etc", *_settings(*SETTINGS, *java), "--proc", "/proc", "--dev", "/dev")


def _settings(*names: str) -> Iterator[str]:
    for name in names:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def _bind(source: Path, target: Path, *, writable: bool = False) -> Iterator[str]:
    for parent in reversed(target.parents[:-1]):  # bubblewrap would make them for its own eyes only
        yield from ("--dir", str(parent))
    yield from ("--bind" if writable else "--ro-bind", str(source), str(target))


@cache
def _python_and_arena() -> tuple[Path, ...]:
    """The Python that runs the arena, which runs bots in Python too, and the package that they import."""
    interpreter = Path(sys.executable).resolve().parents[1]
    return tuple(_outside_system([Path(sys.base_prefix), interpreter, Path(sys.prefix), Path(__file__).parents[1]]))


def _runtime_of(command: Sequence[str]) -> Iterator[Path]:
    """Where the program is installed that runs the bot, if that is an unusual place.

    The command is the bot's author's, so it opens no doors: only known runtimes that are on the organiser's own PATH
    count, and where one lies in a home, or in a place for many programs, only the program itself is shown.
    """
    name = Path(command[0]).name
    installed = shutil.which(name)
    if name not in RUNTIMES or installed is None or command[0] not in (name, installed):
        return
    program = Path(installed).resolve()
    prefix = program.parents[1]
    whole = program.parent.name == "bin" and not any(home.is_relative_to(prefix) for home in _homes())
    for path in _outside_system([prefix if whole else program]):
        if not any(path.is_relative_to(shown) for shown in _python_and_arena()):
            yield path


@cache
def _homes() -> tuple[Path, ...]:
    """Everybody's home, and what else people have in such a place besides one program's installation."""
    homes = {Path.home(), *(Path(each.pw_dir) for each in pwd.getpwall())}
    return (*homes, *(home / ".local" for home in homes), Path("/opt"), Path("/usr"))


def _outside_system(paths: Sequence[Path]) -> Iterator[Path]:
    """Those that are not there anyway, each once."""
    seen: list[Path] = []
    for path in paths:
        if not any(path.is_relative_to(place) for place in (Path("/usr"), *seen)):
            seen.append(path)
            yield path


def inner_command(
    command: Sequence[str], environment: int, allowance: Allowance, uid: int | None, *, count: bool
) -> list[str]:
    """The command with limits for each process, without rights, and with the environment from an open file.

    `count`: with a limit for the number of processes, too.
    """
    limits = [f"--nofile={allowance.files}", f"--fsize={allowance.disk}", "--core=0"]
    if count:
        limits.append(f"--nproc={allowance.processes}")
    limited = ["/usr/bin/prlimit", *limits, "--"]
    if uid is not None:
        limited += ["/usr/bin/setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs"]
        limited += ["--bounding-set=-all", "--inh-caps=-all", "--"]
    return [*limited, "/bin/sh", "-c", '. "$0"; exec "$@"', f"/dev/fd/{environment}", *command]


def environment(env: Mapping[str, str]) -> bytes:
    """The environment as a script for the shell. Raises ValueError where a name is none.

    It is set as the last step, when the rights are given up: LD_PRELOAD is a variable, too. And it is handed over
    in a file, not in a command: the bot's token is in it, and the list of processes is for everybody.
    """
    inside = {"PATH": PATH, "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", **env}  # noqa: S108
    for name, value in inside.items():
        if not NAME.fullmatch(name) or "\0" in value:
            raise ValueError(f"{name!r} cannot be a variable of the environment, or its value has a NUL")
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in inside.items()]
    return "".join(lines).encode(errors="surrogateescape")


def draw_uid() -> int | None:
    """A user id for one start; None where we cannot give it away."""
    return FIRST_UID + secrets.randbelow(UIDS) if os.geteuid() == 0 else None


def in_memory(data: bytes) -> int:
    """A file that exists in memory only, to be read from its beginning by a child process."""
    file = os.memfd_create("arena")
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def seccomp_program(view: SandboxView) -> bytes:
    """The filter of system calls. A build, which has files to write, may lock them."""
    program = filter_program(allow_locks=view.writable)
    assert program is not None, "without a filter for this machine no tier is chosen that has one"
    return program
