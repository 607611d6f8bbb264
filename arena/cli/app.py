"""The commands of `arena`. A command is loaded when it is called; the help page of all of them loads none."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from arena import __version__
from arena.errors import UserError

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
    "leaderboard": "results:leaderboard",
    "web": "serve:web",
    "serve": "serve:serve",
    "compare": "compare:compare",
    "history": "results:history",
    "export": "stores:export",
    "new": "bots:new",
    "check": "bots:check",
    "match": "match:match",
    "play": "play:play",
    "log": "bots:show_log",
    "doctor": "doctor:doctor",
    "games": "games:list_games",
    "rules": "games:show_rules",
    "simulate": "games:simulate",
    "cluster": "cluster:app",
    "token": "tokens:app",
    "bot": "connect:app",
    "replay": "replays:app",
    "store": "stores:app",
}
"""The module in `arena.cli` and the function of each command, or the `Typer` of a group of commands."""


def call(words: Sequence[str]) -> int | None:
    """Run the command that the words name and return its exit code. Raise `UserError` if they cannot be parsed."""
    _add_commands(words)
    try:
        code: int | None = app(words, standalone_mode=False)
    except typer.TyperException as error:
        command = " ".join(["arena", *(word for word in words[:1] if word in COMMANDS)])
        message = error.format_message()
        message = message if message.endswith((".", "?")) else f"{message}."
        raise UserError(message, hint=f"Run `{command} --help`.") from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return code


def _add_commands(words: Sequence[str]) -> None:
    """Add the command that the words begin with. If there is none, add all, loading at most the one that is called."""
    called = next((word for word in words if not word.startswith("-")), None)
    for name in words[:1] if called in words[:1] and called in COMMANDS else COMMANDS:
        module, _, what = COMMANDS[name].partition(":")
        if name != called:
            app.command(name, help=_unwrapped(help_texts(module)[what]))(_placeholder)
            continue
        command = getattr(import_module(f"arena.cli.{module}"), what)
        if isinstance(command, typer.Typer):
            for each in command.registered_commands:
                each.help = each.help or _unwrapped(inspect.getdoc(each.callback))
            command.callback(invoke_without_command=True)(_print_help)
            app.add_typer(command, name=name)
        else:
            app.command(name, help=_unwrapped(inspect.getdoc(command)))(command)


@cache
def help_texts(module: str) -> dict[str, str | None]:
    """Return the help texts of a module's functions and groups from its source: loading it takes much longer."""
    source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    texts = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.FunctionDef(name=name):
                texts[name] = ast.get_docstring(statement)
            case ast.Assign([ast.Name(name)], ast.Call(keywords=[ast.keyword("help", ast.Constant(str(text)))])):
                texts[name] = text
    return texts


def _unwrapped(text: str | None) -> str:
    """Return a docstring with one line for each paragraph: typer would keep its line breaks."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text or "")


def _placeholder() -> None:
    """Stand for a command that is listed only."""


def _print_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from arena.cli.console import out

        out.print(context.get_help(), markup=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"arena {__version__}")
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
