"""`arena new`: a bot that works, to start from."""

from __future__ import annotations

import keyword
import re
import shutil
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import out, shown
from arena.errors import HostFault, UserError, refusal, unknown
from arena.submissions.submission import bundled_folder

PLACEHOLDER = "my_bot"
EXAMPLES = {"javascript": "random_js", "cpp": "random_cpp"}
"""For other languages the starter is the bundled example."""
LANGUAGES = ("python", *EXAMPLES)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the bot and of its folder.")],
    lang: Annotated[str, typer.Option(help="python, javascript or cpp.")] = "python",
) -> None:
    """Create a folder with a working bot, with comments and a test.

    Example: arena new my_bot --lang python
    """
    if lang not in LANGUAGES:
        raise UserError(unknown("language", lang, LANGUAGES))
    folder = Path(name)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", folder.name):
        raise UserError(f"Invalid bot name `{folder.name}`: expected at most 40 letters, digits, - and _.")
    if folder.exists():
        raise UserError(f"{folder} already exists.", hint="Choose another name, or remove it first.")
    try:
        _copy_starter(folder, lang)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, shutil.Error):  # with one error for each file
            raise HostFault(f"Cannot write {folder}: {error.args[0][0][2]}.") from error
        raise HostFault(refusal(error, error.filename or folder)) from error
    path = folder if folder.is_absolute() else f"./{folder}"
    out.print(f"{shown(str(folder))} contains a working bot. Next:", highlight=False)
    for command, what in (
        (f"arena check {folder}", "check that it starts, plays every game and keeps the time limits"),
        (f"arena match mantis {path} random --games 200", "play it against another bot"),
        (f"arena log {folder.name}", "show its output"),
    ):
        out.print(f"  [bold]{shown(command)}[/]  {what}", highlight=False, soft_wrap=True)


def _copy_starter(folder: Path, lang: str) -> None:
    if lang == "python":
        with resources.as_file(resources.files("arena.cli") / "starters" / lang) as starter:
            shutil.copytree(starter, folder, ignore=shutil.ignore_patterns("__pycache__"))
        _rename(folder, PLACEHOLDER)
    else:
        example = bundled_folder() / EXAMPLES[lang]
        ignore = shutil.ignore_patterns("node_modules", "build", "protos")
        shutil.copytree(example, folder, ignore=ignore)
        shutil.copytree(bundled_folder().parent / "protos", folder / "protos")
        _rename(folder, EXAMPLES[lang])


def _rename(folder: Path, placeholder: str) -> None:
    """Replace the placeholder in the starter's files by the bot's name."""
    class_name = "".join(word[:1].upper() + word[1:] for word in re.split("[-_]", folder.name))
    if keyword.iskeyword(class_name):
        class_name += "Bot"
    names = {placeholder: folder.name, "MyBot": class_name}
    for file in folder.glob("*"):
        if file.is_file() and file.suffix in (".py", ".toml", ".js", ".json", ".cc", ".sh", ".txt"):
            text = file.read_text(encoding="utf-8")
            text = re.sub("|".join(names), lambda found: names[found[0]], text)
            file.write_text(text, encoding="utf-8")
