"""The process `arena`: the one place where an error becomes a message and an exit code.

Exit codes: 0 success, 1 a negative answer (a replay does not verify), 2 an error, 130 and 143 interrupted.
"""

from __future__ import annotations

import io
import os
import resource
import sys

from arena import __version__, interrupts
from arena.errors import ArenaError, HostFault, refusal

EXIT_ERROR = 2
FEWEST_FILES = 20
"""With fewer open files not even an error can be printed."""


def run() -> None:
    """Run the command line and exit with its code. An `ArenaError` ends in a message, never in a traceback."""
    _prepare_streams()
    interrupts.install()
    try:
        _check_open_files()
        code = _call(sys.argv[1:])
        sys.stdout.flush()
    except ArenaError as error:
        code = _print_error(str(error), error.hint)
    except BrokenPipeError:
        _forget_output()  # the reader has exited, as in `arena rules mantis | head`
        code = 0
    except OSError as error:
        code = _print_error(refusal(error))
        try:
            sys.stdout.flush()
        except OSError:
            _forget_output()  # standard output was the problem
    except KeyboardInterrupt:
        code = interrupts.EXIT_INTERRUPTED
    sys.exit(code)


def _call(words: list[str]) -> int | None:
    if words == ["--version"]:  # programs ask for it often, and typer takes several times as long to load
        print(f"arena {__version__}")
        return 0
    from arena.cli.app import call

    return call(words)


def _forget_output() -> None:
    """Discard buffered output: writing it again when Python exits would be another error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _check_open_files() -> None:
    """Raise if too few open files are allowed: libraries would crash instead of failing."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= most < FEWEST_FILES:
        raise HostFault(f"Only {most} open files are allowed.", hint="Raise the limit with `ulimit -n`.")


def _prepare_streams() -> None:
    """Replace closed standard streams, and characters that their encoding lacks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _print_error(message: str, hint: str | None = None) -> int:
    """Print `error: …` and, where there is a remedy, `hint: …`; return the exit code."""
    from arena.cli.console import err, harmless_lines

    err.print(f"error: {harmless_lines(message)}", style="bold red", markup=False, soft_wrap=True)
    if hint is not None:
        err.print(f"\nhint: {harmless_lines(hint)}", markup=False, soft_wrap=True)
    return EXIT_ERROR
