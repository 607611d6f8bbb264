"""Dealers of bench/peers.py: two-seat games of about 30 random moves, each bot in its own process.

`python bench/peer_games.py DEALER GAMES` plays the games on all cores, one dealer with its two bots pinned to each, and
prints the number of decisions. It runs in the virtual environment of the peer, so it imports nothing else.

All bots are reached in the same way, by a pipe; a turn and its answer are one message each. A peer's own way to reach
other processes, such as HTTP, would cost it more.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

MOVES = 30
OPEN_SPIEL_GAME = "hex(board_size=6)"
KAGGLE_GAME = ("connectx", {"rows": 6, "columns": 6, "inarow": 5})
processes = get_context("fork")


class BotProcess:
    """A bot in its own process. It is sent turns and answers with actions."""

    def __init__(self, run: Callable[[Connection], None]) -> None:
        self.pipe, theirs = processes.Pipe()
        self.process = processes.Process(target=run, args=(theirs,), daemon=True)
        self.process.start()

    def ask(self, turn: Any) -> Any:
        self.pipe.send(turn)
        return self.pipe.recv()

    def close(self) -> None:
        self.pipe.send(None)
        self.process.join()


# The raw pipe: no rules, eight bytes there and back


def answer_bytes(pipe: Connection) -> None:
    descriptor = pipe.fileno()
    while (data := os.read(descriptor, 8)) != b"end":
        os.write(descriptor, data)


def deal_bytes(games: int) -> int:
    bots = [BotProcess(answer_bytes) for _ in range(2)]
    pipes, data = [bot.pipe.fileno() for bot in bots], bytes(8)
    for _ in range(games):
        for move in range(MOVES):
            os.write(pipes[move % 2], data)
            os.read(pipes[move % 2], 8)
    for bot, pipe in zip(bots, pipes, strict=True):
        os.write(pipe, b"end")
        bot.process.join()
    return games * MOVES


# OpenSpiel: the bot is told the actions since its last turn and keeps a state of its own


def answer_open_spiel(pipe: Connection) -> None:
    import pyspiel

    game = pyspiel.load_game(OPEN_SPIEL_GAME)
    state = game.new_initial_state()
    while (turn := pipe.recv()) is not None:
        first, actions = turn
        if first:
            state = game.new_initial_state()
        for action in actions:
            state.apply_action(action)
        pipe.send(random.choice(state.legal_actions()))


def deal_open_spiel(games: int) -> int:
    import pyspiel

    bots = [BotProcess(answer_open_spiel) for _ in range(2)]
    game, decisions = pyspiel.load_game(OPEN_SPIEL_GAME), 0
    for _ in range(games):
        state, known = game.new_initial_state(), [0, 0]
        while not state.is_terminal():
            seat, history = state.current_player(), state.history()
            action = bots[seat].ask((known[seat] == 0, history[known[seat] :]))
            known[seat] = len(history)
            state.apply_action(action)
            decisions += 1
    for bot in bots:
        bot.close()
    return decisions


# kaggle-environments: the bot is sent the board


def answer_kaggle(pipe: Connection) -> None:
    while (board := pipe.recv()) is not None:
        columns = KAGGLE_GAME[1]["columns"]
        pipe.send(random.choice([column for column in range(columns) if board[column] == 0]))


def deal_kaggle(games: int) -> int:
    import kaggle_environments

    bots = [BotProcess(answer_kaggle) for _ in range(2)]
    decisions = 0

    def agent(bot: BotProcess) -> Callable[[Any], int]:
        def act(observation: Any) -> int:
            nonlocal decisions
            decisions += 1
            return int(bot.ask(list(observation.board)))

        return act

    environment = kaggle_environments.make(*KAGGLE_GAME)
    for _ in range(games):
        environment.reset()
        environment.run([agent(bot) for bot in bots])
    for bot in bots:
        bot.close()
    return decisions


DEALERS = {"pipe": deal_bytes, "open_spiel": deal_open_spiel, "kaggle-environments": deal_kaggle}


def deal_on(core: int, dealer: str, games: int, result: Connection) -> None:
    os.sched_setaffinity(0, {core})
    random.seed(core)
    result.send(DEALERS[dealer](games))


def main() -> None:
    dealer, games = sys.argv[1], int(sys.argv[2])
    cores = sorted(os.sched_getaffinity(0))
    ours, theirs = processes.Pipe(duplex=False)
    dealers = [processes.Process(target=deal_on, args=(core, dealer, games // len(cores), theirs)) for core in cores]
    for process in dealers:
        process.start()
    decisions = sum(ours.recv() for _ in dealers)
    for process in dealers:
        process.join()
    print(decisions)


if __name__ == "__main__":
    main()
