"""Worker processes of the server: a pickled job on standard input, messages on standard output, each after its length.

A worker's standard input stays open for as long as the server wants it to work.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import IO, Any, TypeVar

from google.protobuf.message import Message

from arena import interrupts
from arena.errors import HostFault, refusal
from arena.games.registry import environment as games_environment

M = TypeVar("M", bound=Message)
_LENGTH = struct.Struct("<I")


# In the server


def start_worker(module: str) -> subprocess.Popen[bytes]:
    """Start `python -m MODULE`. A fork of the server itself would not do, because gRPC does not survive it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    environment |= games_environment()
    try:
        return subprocess.Popen(  # noqa: S603, our own module
            (sys.executable, "-m", module),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers in order
        )
    except OSError as error:
        raise HostFault(f"The server cannot start a process: {refusal(error)} Retry later.") from error


def send_job(process: subprocess.Popen[bytes], job: object) -> None:
    assert process.stdin is not None
    pickle.dump(job, process.stdin)
    process.stdin.flush()


def read_messages(process: subprocess.Popen[bytes], kind: type[M]) -> Iterator[M]:
    """Iterate over a worker's messages until it closes its output."""
    assert process.stdout is not None
    while len(header := process.stdout.read(_LENGTH.size)) == _LENGTH.size:
        (size,) = _LENGTH.unpack(header)
        data = process.stdout.read(size)
        if len(data) < size:
            return
        yield kind.FromString(data)


# In the worker


def run_job(run: Callable[[Any, Callable[[Message], None]], None]) -> None:
    """Call `run` with the job and a function that sends a message; then end the process."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else is printed must not get between the messages
    exit_code = 1
    try:
        run(pickle.load(sys.stdin.buffer), lambda message: _write(output, message))  # noqa: S301, from our own server
        exit_code = 0
    except SystemExit:
        exit_code = interrupts.EXIT_TERMINATED
    except Exception:  # noqa: BLE001, a bug; the trace goes to the server's log
        traceback.print_exc()
    finally:
        interrupts.ignore_all()
        sys.stderr.flush()
        os._exit(exit_code)  # without the usual clean-up, in which gRPC complains


def when_input_closes(callback: Callable[[], None]) -> None:
    """Call this from another thread when the server closes our standard input, or has ended."""

    def wait() -> None:
        sys.stdin.buffer.read()
        callback()

    threading.Thread(target=wait, daemon=True).start()


def _write(output: IO[bytes], message: Message) -> None:
    data = message.SerializeToString()
    output.write(_LENGTH.pack(len(data)) + data)
    output.flush()
