"""A bot's build: the build command of its arena.toml, run in its folder, in the same sandbox as the bot itself."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from typing import IO

from arena.errors import BuildFailed, HostFault
from arena.referee.launch import last_lines
from arena.sandbox import BUILD, Cell, Sandbox, SandboxView, bytes_shown
from arena.sandbox.files import change_owner, free_space, make_readable, size_of
from arena.submissions.config import CONFIG
from arena.submissions.submission import Submission, protos_folder, resolve_command

FOR_DOWNLOADS = re.compile(
    r"(npm_config_|pip_|uv_|cargo_|goproxy|gonosumdb|gosumdb|https?_proxy|no_proxy|ssl_cert_).*", re.IGNORECASE
)
SECRET = re.compile(r"auth|token|passw|secret|key", re.IGNORECASE)


def build(submission: Submission, sandbox: Sandbox | None = None, *, network: bool = False) -> None:
    """Run the bot's build command, if it has one. Raise `BuildFailed` with the last lines of its output.

    The environment variable ARENA_PROTOS names the folder of the protocol's .proto files. In a sandbox the bot's folder
    must be a copy that belongs to the arena, because its owner changes during the build.
    """
    if not submission.manifest.build:
        return
    sandbox = sandbox or Sandbox()
    view = SandboxView(submission.folder, submission.folder, writable=True, also=(protos_folder(),), network=network)
    try:
        cell = sandbox.cell(view, BUILD)
    except OSError as error:
        raise HostFault(f"{submission.label} was not built: no sandbox: {error.strerror or error}.") from error
    env = {"ARENA_PROTOS": str(protos_folder()), **(_downloads() if network else {}), **submission.manifest.env}
    try:
        if cell.uid is not None:
            change_owner(submission.folder, cell.uid)
        with tempfile.TemporaryFile() as output:
            with cell.released():
                try:
                    process = cell.start(resolve_command(submission.manifest.build, submission.folder), env, output)
                except (OSError, ValueError) as error:  # ValueError: a NUL, or an invalid name of a variable
                    command, why = submission.manifest.build[0], getattr(error, "strerror", None) or error
                    raise BuildFailed(
                        f"{submission.label}: the build command `{command}` cannot be run: {why}."
                    ) from error
                returncode = _wait(submission, cell, process, output)
            output.seek(max(0, output.seek(0, os.SEEK_END) - CONFIG.build_output))
            printed = last_lines(output.read().decode("utf-8", errors="replace"))
    finally:
        if cell.uid is not None:
            change_owner(submission.folder, os.geteuid())
            make_readable(submission.folder)
    if returncode:
        excess = cell.exceeded_limit()
        no_network = "Builds have no network. Put what it needs into the folder, or use `arena submit --build-network`."
        why = f"exit code {returncode}{f'; it {excess}' if excess else ''}"
        raise BuildFailed(
            f"{submission.label}: the build ended with {why}.{printed}",
            hint=no_network if cell.is_isolated and not network else None,
        )


def _wait(submission: Submission, cell: Cell, process: subprocess.Popen[bytes], output: IO[bytes]) -> int:
    """Return the exit code of the build. Raise `BuildFailed` if it takes too long or fills the disk."""
    deadline = time.monotonic() + CONFIG.build_seconds
    free = free_space(submission.folder)
    while True:
        try:
            return process.wait(CONFIG.build_poll)
        except subprocess.TimeoutExpired:
            cell.check_limits()
        if time.monotonic() > deadline:
            raise BuildFailed(f"{submission.label}: the build took more than {CONFIG.build_seconds:g} s.")
        # Free space as well, because deleted files that are still open have no size in the folder.
        written = max(size_of(submission.folder), free - free_space(submission.folder))
        if cell.is_isolated and written + os.fstat(output.fileno()).st_size > BUILD.disk:
            raise BuildFailed(f"{submission.label}: the build wrote more than {bytes_shown(BUILD.disk)}.")


def _downloads() -> dict[str, str]:
    """Return the environment variables that package managers need for downloads, without any that may be secret."""
    return {
        name: value
        for name, value in os.environ.items()
        if FOR_DOWNLOADS.fullmatch(name) and not SECRET.search(name) and "@" not in value
    }
