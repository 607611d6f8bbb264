"""`arena play`: play against bots in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sys
import threading
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.text import Text

from arena import interrupts, replay
from arena.cli.console import harmless, harmless_lines, out, print_note, shown
from arena.cli.location import HomeLocation
from arena.cli.match import Bots
from arena.cli.options import (
    GameName,
    GameOptions,
    ResourceLimits,
    SandboxMode,
    Seed,
    TimeLimit,
    grouped,
    sandbox_for,
    seconds,
)
from arena.cli.replays import result_text
from arena.errors import BadActionText, IllegalAction, UserError
from arena.games.base import AnyGame
from arena.games.registry import codec_of, find_game, painter_of, words_of
from arena.protocol.clock import NO_TIME
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.referee.seats import Player, Seat
from arena.submissions.build import build
from arena.submissions.submission import find_submission

HELP = "Type an action or its number; [bold]odds[/] for the card odds, [bold]table[/], [bold]rules[/], [bold]quit[/]."


class TerminalPlayer:
    """The person at the terminal. Turns wait in a queue until the person answers."""

    def __init__(self, game: AnyGame, names: Sequence[str], seat: int) -> None:
        self.game = game
        self.names = [harmless(name) for name in names]
        self.seat = seat
        self.painter = painter_of(game.name)
        self.events_printed = 0
        self.turns: asyncio.Queue[Seat] = asyncio.Queue()

    def start_match(self, seat: Seat) -> None:
        """The person sees it on the screen."""

    def ask(self, seat: Seat) -> None:
        self.turns.put_nowait(seat)

    def report_fault(self, seat: Seat, fault: replay.Fault) -> None:
        """A person at the terminal commits none."""

    def end_match(self, seat: Seat) -> None:
        """The result is printed at the end."""

    async def play(self, match: asyncio.Task[Outcome]) -> Outcome:
        """Answer the turns of the match until it is over."""
        lines = _typed_lines()
        while not match.done():
            turn = asyncio.create_task(self.turns.get())
            await asyncio.wait([match, turn], return_when=asyncio.FIRST_COMPLETED)
            if turn.done():
                seat = turn.result()
                action = await self._decide(seat.match.state, lines)
                seat.answer(codec_of(self.game.name).codes.code_of[action], NO_TIME)
            else:
                turn.cancel()
        return match.result()

    def print_events(self, state: Any) -> None:
        """Print the events since the last call."""
        for event in state.history[self.events_printed :]:
            out.print(self.painter.describe(event, state, self.names, seen_by=self.seat))
        self.events_printed = len(state.history)

    def _draw(self, state: Any) -> None:
        out.print()
        out.print(self.painter.draw(state, self.names, seen_by=self.seat))

    async def _decide(self, state: Any, lines: asyncio.Queue[bytes | None]) -> object:
        """Show the state of the game and ask until there is a legal answer."""
        self.print_events(state)
        self._draw(state)
        legal = state.legal()
        choices = "  ".join(f"[bold]{number}[/] {action}" for number, action in enumerate(legal, start=1))
        out.print(f"Your turn: {choices}")
        while True:
            out.print("> ", end="")
            line = await lines.get()
            if line is None:
                raise typer.Abort
            text = line.decode("utf-8", errors="replace").strip()
            if text.isdecimal() and len(text) <= len(str(len(legal))) and 1 <= int(text) <= len(legal):
                action: object = legal[int(text) - 1]
                return action
            if not self._obey(text, state) and (action := self._legal_action(text, state)):
                return action

    def _obey(self, text: str, state: Any) -> bool:
        """Carry out a command that is not an action; return whether it was one."""
        match text:
            case "q" | "quit":
                raise typer.Abort
            case "" | "?" | "help":
                out.print(HELP)
            case "table":
                self._draw(state)
            case "rules":
                out.print(f"In another terminal: arena rules {self.game.name}")
            case "odds":  # they follow from everything the person has seen
                for line in words_of(self.game.name).odds(state.view(self.seat)):
                    out.print(line)
            case _:
                return False
        return True

    def _legal_action(self, text: str, state: Any) -> object | None:
        """Return the action that the text stands for; None, with a message, if it is not a legal one."""
        try:
            action: object = self.game.parse_action(text)
            state.clone().apply(action)
        except (BadActionText, IllegalAction) as error:
            out.print(str(error), markup=False)
            return None
        return action


def _typed_lines() -> asyncio.Queue[bytes | None]:
    """Return a queue that gets each typed line, and None at the end of the input.

    A daemon thread reads the descriptor itself: a thread inside Python's `input()` would delay the exit after Ctrl-C.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(line: bytes | None) -> None:
        with contextlib.suppress(RuntimeError):  # the game is over and its loop closed
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as typed:
            for line in typed:
                put(line)
        put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


@grouped
def play(
    game: GameName,
    bots: Bots,
    location: HomeLocation,
    options: GameOptions,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    seed: Seed = None,
    time_per_move: TimeLimit = "5s",
    sandbox: SandboxMode = "auto",
    limit: ResourceLimits = None,
) -> None:
    """Play against bots yourself, in the terminal.

    Example: arena play mantis greedy counter --edition icons
    """
    rules = find_game(game)
    chosen = rules.complete(options.given)
    rules.check_seats(len(bots) + 1, **chosen)
    if seat > len(bots):
        raise UserError(f"Invalid `--seat {seat}`: expected a number from 0 to {len(bots)}.")
    limits = Limits(turn=seconds(time_per_move))
    logs = location.arena.home.writable_logs(print_note)
    settings = Settings(logs=logs, sandbox=sandbox_for(sandbox, limit))
    submissions = [find_submission(bot) for bot in bots]
    for submission in dict.fromkeys(submissions):
        build(submission)
    labels = distinct([submission.launch.label for submission in submissions])
    labels.insert(seat, "you")
    if seed is None:
        seed = secrets.token_hex(8)
    plan = MatchPlan(f"{rules.name}-play", rules.name, chosen, seed, tuple(labels))
    person = TerminalPlayer(rules, labels, seat)
    players: list[Launch | Player] = [submission.launch for submission in submissions]
    players.insert(seat, person)

    async def run() -> Outcome:
        async with Referee(limits, settings) as referee:
            return await person.play(asyncio.create_task(referee.play(plan, players)))

    out.print(HELP)
    outcome = interrupts.run(run())
    _print_end(person, outcome)
    file = replay.write(outcome.replay, location.home.resolve() / "replays", f"{rules.name}-{seed}-play")
    out.print(f"The replay: [bold]arena replay show {shown(file)}[/]", soft_wrap=True)


def _print_end(person: TerminalPlayer, outcome: Outcome) -> None:
    *_, last = replay.follow(outcome.replay)
    person.print_events(last.state)
    out.print()
    out.print(person.painter.draw(last.state, person.names))
    for fault in outcome.faults:
        out.print(f"Seat {fault.seat} forfeited ({fault.fault.value}): {harmless_lines(fault.detail)}", markup=False)
    out.print(result_text(outcome.result, person.names))
    won = person.seat in outcome.result.winners
    out.print(Text("You won!" if won else "You did not win.", style="bold"))
