"""A bot's build step: the command in its arena.toml, run in its folder, in the same sandbox as the bot itself."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from typing import IO

from arena.errors import BuildFailed, HostFault
from arena.referee.launch import last_lines
from arena.sandbox import BUILD, Cell, Sandbox, View, bytes_shown
from arena.sandbox.files import free_space, hand_over, let_anybody_read, size_of
from arena.submissions.submission import Submission, protos_folder, resolve_command

LONGEST = 600.0
"""Seconds that a build may take."""
LOOK = 0.5
"""Seconds between two looks at how much it has written."""
END_OF_OUTPUT = 65536
FOR_DOWNLOADS = re.compile(
    r"(npm_config_|pip_|uv_|cargo_|goproxy|gonosumdb|gosumdb|https?_proxy|no_proxy|ssl_cert_).*", re.IGNORECASE
)
SECRET = re.compile(r"auth|token|passw|secret|key", re.IGNORECASE)
NO_NETWORK = (
    "In the sandbox a build has no network: put what it needs into the folder, or allow it: arena submit "
    "--build-network"
)


def build(submission: Submission, sandbox: Sandbox | None = None, *, network: bool = False) -> None:
    """Runs the bot's build command, if it has one. Raises BuildFailed with the last lines of its output.

    The command finds the protocol's .proto files in the folder that ARENA_PROTOS names. In a sandbox the folder must be
    a copy of ours, because it is given to the user that builds, and back.
    """
    if not submission.manifest.build:
        return
    sandbox = sandbox or Sandbox()
    also = (protos_folder(),)
    view = View(submission.folder, submission.folder, writable=True, also=also, network=network)
    try:
        cell = sandbox.cell(view, BUILD)
    except OSError as error:
        raise HostFault(f"{submission.label} was not built: no sandbox: {error.strerror or error}.") from error
    try:
        if cell.uid is not None:
            hand_over(submission.folder, cell.uid)
        with tempfile.TemporaryFile() as output:
            returncode = _run(submission, cell, output, network)
            output.seek(max(0, output.seek(0, os.SEEK_END) - END_OF_OUTPUT))
            said = last_lines(output.read().decode("utf-8", errors="replace"))
    finally:
        cell.kill()
        while not cell.remove():
            time.sleep(0.005)
        if cell.uid is not None:
            hand_over(submission.folder, os.geteuid())
            let_anybody_read(submission.folder)
    if returncode:
        excess = cell.why_ended()
        hint = f"\n{NO_NETWORK}" if cell.is_boxed and not network else ""
        raise BuildFailed(
            f"{submission.label}: the build ended with exit code {returncode}{f'; it {excess}' if excess else ''}."
            f"{said}{hint}"
        )


def _run(submission: Submission, cell: Cell, output: IO[bytes], network: bool) -> int:
    env = {"ARENA_PROTOS": str(protos_folder()), **(_downloads() if network else {}), **submission.manifest.env}
    try:
        process = cell.start(resolve_command(submission.manifest.build, submission.folder), env, output)
    except (OSError, ValueError) as error:  # ValueError: a NUL, or what cannot be the name of a variable
        why = getattr(error, "strerror", None) or error
        command = submission.manifest.build[0]
        raise BuildFailed(f"{submission.label}: the build command {command!r} cannot be run: {why}.") from error
    try:
        return _watched(submission, cell, process, output)
    finally:
        if process.poll() is None:
            cell.kill()
            process.wait()
        cell.left()


def _watched(submission: Submission, cell: Cell, process: subprocess.Popen[bytes], output: IO[bytes]) -> int:
    """Waits for its end, but not for ever, and not while it fills the disk. Returns its exit code."""
    deadline = time.monotonic() + LONGEST
    room = free_space(submission.folder)
    while True:
        try:
            return process.wait(LOOK)
        except subprocess.TimeoutExpired:
            cell.look()
        if time.monotonic() > deadline:
            raise BuildFailed(f"{submission.label}: the build took more than {LONGEST:g} s.")
        # Not only what is to be seen: files may be open that have no name any more.
        written = max(size_of(submission.folder), room - free_space(submission.folder))
        if cell.is_boxed and written + os.fstat(output.fileno()).st_size > BUILD.disk:
            raise BuildFailed(f"{submission.label}: the build wrote more than {bytes_shown(BUILD.disk)}.")


def _downloads() -> dict[str, str]:
    """Which settings of our environment a build needs to load packages. Passwords stay here."""
    return {
        name: value
        for name, value in os.environ.items()
        if FOR_DOWNLOADS.fullmatch(name) and not SECRET.search(name) and "@" not in value
    }
