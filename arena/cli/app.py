"""The `arena` command: its sub-commands, and the one place where an error becomes a message and an exit code.

Exit codes: 0 success, 1 a negative answer (a replay does not verify), 2 an error, 130 and 143 interrupted.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import resource
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from arena import __version__, interrupts
from arena.cli.console import err, harmless_lines, out
from arena.errors import ArenaError, HostFault, refusal

EXIT_USAGE = 2
FEWEST_FILES = 20
"""With fewer open files not even an error can be printed."""

app = typer.Typer(
    name="arena",
    help="A tournament arena for bots that play imperfect-information card games: Mantis and Tentagram.",
    epilog="Start with: arena tournament, arena leaderboard, arena new my_bot, arena submit my_bot",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = {
    "submit": "bots:submit",
    "bots": "bots:list_bots",
    "retire": "bots:retire",
    "tournament": "tournament:tournament",
    "cluster": "cluster:app",
    "leaderboard": "results:leaderboard",
    "web": "serve:web",
    "serve": "serve:serve",
    "token": "tokens:app",
    "bot": "connect:app",
    "compare": "compare:compare",
    "history": "results:history",
    "replay": "replays:app",
    "export": "stores:export",
    "store": "stores:app",
    "new": "bots:new",
    "check": "bots:check",
    "match": "match:match",
    "play": "play:play",
    "log": "bots:show_log",
    "doctor": "doctor:doctor",
    "games": "games:list_games",
    "rules": "games:show_rules",
    "simulate": "games:simulate",
}
"""The module in `arena.cli` and the function of each command."""


def add_commands(words: Sequence[str]) -> None:
    """Add the command that the words begin with, or all of them: loading all takes longer than most of them run."""
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        module, _, what = COMMANDS[name].partition(":")
        command = getattr(import_module(f"arena.cli.{module}"), what)
        if isinstance(command, typer.Typer):
            for each in command.registered_commands:
                each.help = each.help or _help(each.callback)
            command.callback(invoke_without_command=True)(_print_help)
            app.add_typer(command, name=name)
        else:
            app.command(name, help=_help(command))(command)


def _help(command: object) -> str:
    """Return a command's docstring, one line for each paragraph: typer would keep its line breaks."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(command) or "")


def _print_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        out.print(context.get_help(), markup=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"arena {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    del version  # handled by its callback
    _print_help(context)


def run() -> None:
    """Run the command line and exit with its code. An `ArenaError` ends in a message, never in a traceback."""
    _prepare_streams()
    interrupts.install()
    try:
        _check_open_files()
        add_commands(sys.argv[1:])
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        command = " ".join(["arena", *(word for word in sys.argv[1:2] if word in COMMANDS)])
        message = error.format_message()
        message = message if message.endswith((".", "?")) else f"{message}."
        code = _print_error(message, hint=f"Run `{command} --help`.")
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
    except (KeyboardInterrupt, typer.Abort):
        code = interrupts.EXIT_INTERRUPTED
    sys.exit(code)


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
    err.print(f"error: {harmless_lines(message)}", style="bold red", markup=False, soft_wrap=True)
    if hint is not None:
        err.print(f"\nhint: {harmless_lines(hint)}", markup=False, soft_wrap=True)
    return EXIT_USAGE
