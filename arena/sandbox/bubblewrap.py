"""How a bot is started in its own namespaces by bubblewrap.

The bot sees the system's programs and libraries, the Python that runs the arena, its own files and the referee's
socket, all read-only, and an empty /tmp of limited size. It has no network, sees only its own processes, and runs under
a filter of system calls.

With root there is no user namespace, because only real root can bind folders that other users may not enter (a home, a
temporary folder). The bot gets a user id of its own and no capabilities as the last step before its program starts.
Without root the user namespace makes the other namespaces possible.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.sandbox.config import Allowance
from arena.sandbox.seccomp import filter_program

SOCKETS = Path("/run/arena")
"""The folder of the referee's socket, as the bot sees it."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = ("alternatives", "ld.so.cache", "localtime", "nsswitch.conf")
"""The entries of /etc that programs need, besides those of Java."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
RUNTIMES = ("node", "java", "deno", "bun", "ruby", "julia", "php", "perl", "lua", "dotnet", "go")
"""Language runtimes that need the files installed with them."""
NETWORK_SETTINGS = ("ssl", "resolv.conf", "hosts", "ca-certificates.conf")
"""Further entries of /etc for a program with network access."""


@dataclass(frozen=True, slots=True)
class SandboxView:
    """What a program in a sandbox sees of the machine, besides the system's programs."""

    folder: Path
    """The working directory."""
    files: Path
    """The program's own files: the folder, or a single file in it."""
    source: Path | None = None
    """The real place of these files, if it is not the same."""
    writable: bool = False
    socket: Path | None = None
    """The folder of the referee's socket."""
    also: tuple[Path, ...] = ()
    """Other paths that it may read."""
    network: bool = False


def find_bubblewrap() -> str | None:
    return shutil.which("bwrap")


def _options(view: SandboxView, command: Sequence[str], allowance: Allowance) -> Iterator[str]:
    """Yield the options of bubblewrap, without the command. Later mounts hide earlier ones."""
    yield from ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
    yield from ("--die-with-parent", "--new-session", "--hostname", "arena")
    if not view.network:
        yield "--unshare-net"
    if os.geteuid() != 0:
        yield "--unshare-user"
    yield from _system()
    if view.network:
        yield from _settings(*NETWORK_SETTINGS)
    for path in ("/tmp", "/dev/shm"):  # noqa: S108, inside the sandbox
        yield from ("--perms", "1777", "--size", str(allowance.disk), "--tmpfs", path)
    for runtime in (*_python_and_arena(), *_runtime_of(command), *view.also):
        yield from _bind(runtime, runtime)
    if view.socket:
        yield from _bind(view.socket, SOCKETS)
    yield from _bind(view.source or view.files, view.files, writable=view.writable)
    # Without root the bot owns both, and their memory is not limited.
    yield from ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(view.folder))


@cache
def _system() -> tuple[str, ...]:
    """Return the options for the system's programs and settings, /proc and /dev."""
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
    for parent in reversed(target.parents[:-1]):  # bubblewrap itself would create them readable only by its own user
        yield from ("--dir", str(parent))
    yield from ("--bind" if writable else "--ro-bind", str(source), str(target))


@cache
def _python_and_arena() -> tuple[Path, ...]:
    """Return the folders of the Python that runs the arena and bots in Python, and of the package `arena`."""
    interpreter = Path(sys.executable).resolve().parents[1]
    return tuple(_outside_system([Path(sys.base_prefix), interpreter, Path(sys.prefix), Path(__file__).parents[1]]))


def _runtime_of(command: Sequence[str]) -> Iterator[Path]:
    """Yield where the bot's language runtime is installed, if not in a usual place.

    The bot's author chooses the command, so only known runtimes on the organiser's PATH count. Of a runtime in a home,
    or in a folder with other software, only the program itself is visible.
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
    """Return the homes of all users, and other folders that contain more than one installation."""
    homes = {Path.home(), *(Path(each.pw_dir) for each in pwd.getpwall())}
    return (*homes, *(home / ".local" for home in homes), Path("/opt"), Path("/usr"))


def _outside_system(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the paths that are neither below /usr nor below another one."""
    seen: list[Path] = []
    for path in paths:
        if not any(path.is_relative_to(place) for place in (Path("/usr"), *seen)):
            seen.append(path)
            yield path


def bubblewrap_command(
    view: SandboxView,
    command: Sequence[str],
    env: Mapping[str, str],
    files: list[int],
    allowance: Allowance,
    uid: int | None,
    *,
    count: bool,
) -> list[str]:
    """Return the command line that runs a command in bubblewrap, as this user. Append its descriptors to `files`.

    `count`: also limit the number of processes of the user. Raise `OSError`, or `ValueError` if the command or the
    environment is invalid.
    """
    bubblewrap, program = find_bubblewrap(), filter_program(allow_locks=view.writable)
    assert bubblewrap is not None, "found when the tier was chosen"
    assert program is not None, "found when the tier was chosen"
    settings = list(_options(view, command, allowance))
    if any("\0" in word for word in (*settings, *command)):
        # bubblewrap reads them separated by NULs: a bot could add options of its own.
        raise ValueError("the command contains a NUL")
    variables_file = _in_memory(_environment(env), files)
    settings += ["--seccomp", str(_in_memory(program, files))]
    settings_file = _in_memory("".join(f"{each}\0" for each in settings).encode(errors="surrogateescape"), files)
    limits = [f"--nofile={allowance.files}", f"--fsize={allowance.disk}", "--core=0"]
    if count:
        limits.append(f"--nproc={allowance.processes}")
    inner = ["/usr/bin/prlimit", *limits, "--"]
    if uid is not None:
        inner += ["/usr/bin/setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs"]
        inner += ["--bounding-set=-all", "--inh-caps=-all", "--"]
    inner += ["/bin/sh", "-c", '. "$0"; exec "$@"', f"/dev/fd/{variables_file}"]
    return [bubblewrap, "--args", str(settings_file), "--", *inner, *command]


def _environment(env: Mapping[str, str]) -> bytes:
    """Return the environment as a shell script. Raise `ValueError` if a name or value is invalid.

    It is set after all privileges are dropped, because of variables such as LD_PRELOAD. It is passed in a file, because
    it contains the bot's token and command lines are public.
    """
    inside = {"PATH": PATH, "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", **env}  # noqa: S108
    for name, value in inside.items():
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) or "\0" in value:
            raise ValueError(f"invalid environment variable `{name}`")
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in inside.items()]
    return "".join(lines).encode(errors="surrogateescape")


def _in_memory(data: bytes, files: list[int]) -> int:
    """Append to `files` and return the descriptor of a file in memory, for a child process to read from its start."""
    file = os.memfd_create("arena")
    files.append(file)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file
