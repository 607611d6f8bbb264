"""`arena play`: play against bots in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
import threading
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from arena import interrupts, replay
from arena.cli.console import harmless, out, print_note, shown
from arena.cli.groups import grouped
from arena.cli.location import HomeLocation
from arena.cli.match import Bots
from arena.cli.options import GameName, GameOptions, Seed, TimeLimit, seconds, with_game_options
from arena.cli.replays import result_text
from arena.cli.sandboxes import LimitOption, SandboxMode, sandbox_for
from arena.errors import BadActionText, IllegalAction, UserError
from arena.games.base import AnyGame
from arena.games.registry import codec_of, find_game, painter_of, words_of
from arena.protocol.clock import NO_TIME
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.referee.seats import Player, Seat
from arena.replay import Fault
from arena.replay.view import file_name
from arena.submissions.build import build
from arena.submissions.submission import find_submission
from arena.v1 import referee_pb2 as pb

HELP = "Type an action or its number; [bold]odds[/] for the card odds, [bold]table[/], [bold]rules[/], [bold]quit[/]."
YOU = "you"


class Person:
    """The person at the terminal as a player. Turns wait in a queue until the person answers."""

    def __init__(self) -> None:
        self.turns: asyncio.Queue[Seat] = asyncio.Queue()

    def start_match(self, seat: Seat) -> None:
        """The person sees it on the screen."""

    def ask(self, seat: Seat) -> None:
        self.turns.put_nowait(seat)

    def report_fault(self, seat: Seat, fault: Fault) -> None:
        """A person at the terminal commits none."""

    def end_match(self, seat: Seat, end: pb.MatchEnd) -> None:
        """The result is printed at the end."""


class Keyboard:
    """Typed lines, read in a thread that does not delay the exit: Ctrl-C ends the game at once.

    The thread reads the descriptor itself; a thread that sits in Python's own input() would hold up the program's end.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        rest = b""
        while data := os.read(sys.stdin.fileno(), 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._put(line.decode("utf-8", errors="replace"))
        if rest:
            self._put(rest.decode("utf-8", errors="replace"))
        self._put(None)

    def _put(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the game is over and its loop closed
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    async def line(self) -> str | None:
        """Return the next line; None at the end of the input."""
        return await self._lines.get()


class MatchScreen:
    """One match on the screen."""

    keyboard: Keyboard

    def __init__(self, game: AnyGame, names: Sequence[str], seat: int) -> None:
        self.game = game
        self.names = [harmless(name) for name in names]
        self.seat = seat
        self.painter = painter_of(game.name)
        self.shown = 0
        """The number of events that were printed."""

    def tell(self, state: Any) -> None:
        """Print the events since the last call."""
        for event in state.history[self.shown :]:
            out.print(self.painter.describe(event, state, self.names, seen_by=self.seat))
        self.shown = len(state.history)

    def draw(self, state: Any) -> None:
        out.print()
        out.print(self.painter.draw(state, self.names, seen_by=self.seat))

    async def decide(self, seat: Seat) -> int:
        """Show the state of the game and ask until there is a legal answer."""
        state = seat.match.state
        self.tell(state)
        self.draw(state)
        legal = state.legal()
        choices = "  ".join(f"[bold]{number}[/] {action}" for number, action in enumerate(legal, start=1))
        out.print(f"Your turn: {choices}", highlight=False)
        while True:
            out.print("> ", end="")
            line = await self.keyboard.line()
            if line is None:
                raise typer.Abort
            text = line.strip()
            if text.isdecimal() and len(text) <= len(str(len(legal))) and 1 <= int(text) <= len(legal):
                return codec_of(self.game.name).codes[legal[int(text) - 1]]
            if not self._obey(text, state) and (action := self._legal_action(text, state)):
                return codec_of(self.game.name).codes[action]

    def _obey(self, text: str, state: Any) -> bool:
        """Carry out a command that is not an action; return whether it was one."""
        match text:
            case "q" | "quit":
                raise typer.Abort
            case "" | "?" | "help":
                out.print(HELP)
            case "table":
                self.draw(state)
            case "rules":
                out.print(f"In another terminal: arena rules {self.game.name}", highlight=False)
            case "odds":
                self._print_odds(state)
            case _:
                return False
        return True

    def _legal_action(self, text: str, state: Any) -> object | None:
        """Return the action that the text stands for; None, with a message, if it is not a legal one."""
        try:
            action: object = self.game.parse_action(text)
            state.clone().apply(action)
        except (BadActionText, IllegalAction) as error:
            out.print(str(error), markup=False, highlight=False)
            return None
        return action

    def _print_odds(self, state: Any) -> None:
        """Print the odds that follow from everything the person has seen."""
        for line in words_of(self.game.name).odds(state.view(self.seat)):
            out.print(line, highlight=False)


@grouped
@with_game_options
def play(
    game: GameName,
    bots: Bots,
    location: HomeLocation,
    options: GameOptions,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    seed: Seed = None,
    time_per_move: TimeLimit = "5s",
    sandbox: SandboxMode = "auto",
    limit: LimitOption = None,
) -> None:
    """Play against bots yourself, in the terminal.

    Example: arena play mantis greedy counter --edition icons
    """
    rules = find_game(game)
    options = rules.complete(options)
    rules.check_seats(len(bots) + 1, **options)
    if seat > len(bots):
        raise UserError(f"Invalid `--seat {seat}`: expected a number from 0 to {len(bots)}.")
    limits = Limits(turn=seconds(time_per_move))
    settings = Settings(logs=location.place.writable_logs(print_note), sandbox=sandbox_for(sandbox, limit))
    submissions = [find_submission(bot) for bot in bots]
    for submission in dict.fromkeys(submissions):
        build(submission)
    programs = [submission.launch for submission in submissions]
    labels = distinct([program.label for program in programs])
    labels.insert(seat, YOU)
    chosen_seed = seed if seed is not None else secrets.token_hex(8)
    plan = MatchPlan(f"{rules.name}-{chosen_seed}-play", rules.name, options, chosen_seed, tuple(labels))
    screen = MatchScreen(rules, labels, seat)
    person = Person()
    contestants: list[Launch | Player] = [*programs[:seat], person, *programs[seat:]]

    async def run() -> Outcome:
        screen.keyboard = Keyboard()
        async with Referee(limits, settings) as referee:
            match = asyncio.create_task(referee.play(plan, contestants))
            while not match.done():
                turn = asyncio.create_task(person.turns.get())
                await asyncio.wait([match, turn], return_when=asyncio.FIRST_COMPLETED)
                if turn.done():
                    seat = turn.result()
                    seat.answer(await screen.decide(seat), NO_TIME)
                else:
                    turn.cancel()
            return match.result()

    out.print(HELP)
    outcome = interrupts.run(run())
    _farewell(screen, outcome)
    file = location.home.resolve() / "replays" / f"{file_name(plan.id)}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    replay.write(outcome.replay, file)
    out.print(f"The replay: [bold]arena replay show {shown(str(file))}[/]", soft_wrap=True)


def _farewell(screen: MatchScreen, outcome: Outcome) -> None:
    *_, last = replay.follow(outcome.replay)
    screen.tell(last.state)
    out.print()
    out.print(screen.painter.draw(last.state, screen.names))
    for fault in outcome.faults:
        out.print(f"Seat {fault.seat} forfeited ({fault.fault.value}): {fault.detail}", markup=False)
    out.print(result_text(outcome.result, screen.names))
    won = screen.seat in outcome.result.winners
    out.print(Text("You won!" if won else "You did not win.", style="bold"))
