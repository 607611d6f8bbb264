"""The bots in JavaScript and C++: built and played for real. They know nothing of the arena but the .proto files."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from arena.referee import Launch, Referee
from arena.submissions.build import build
from arena.submissions.submission import bundled_folder, find_launch, find_submission
from tests.support.referees import RANDOM, check_outcome, play, run

needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed: apt-get install nodejs npm")
needs_cpp = pytest.mark.skipif(
    not (shutil.which("cmake") and shutil.which("grpc_cpp_plugin") and Path("/usr/include/grpcpp/grpcpp.h").exists()),
    reason="not installed: apt-get install cmake g++ libgrpc++-dev protobuf-compiler-grpc",
)


def play_both_games(program: Launch) -> None:
    async def job(referee: Referee) -> None:
        tables = [
            play(referee, program, RANDOM, number=1),
            play(referee, RANDOM, program, program, RANDOM, number=2, options={"edition": "icons"}),
            play(referee, program, RANDOM, program, number=3, options={"edition": "grab"}),
            play(referee, program, RANDOM, RANDOM, game="tentagram", number=4),
            play(referee, RANDOM, program, program, game="tentagram", number=5, options={"placement": "strict"}),
        ]
        for outcome in await asyncio.gather(*tables):
            check_outcome(outcome)
            assert outcome.faults == ()

    run(job)


@needs_npm
def test_the_bot_in_javascript_plays_both_games() -> None:
    bot = find_submission("random_js")
    build(bot)
    play_both_games(bot.launch)


@needs_cpp
@pytest.mark.timeout(600)
def test_the_bot_in_cpp_plays_both_games_and_so_does_its_bare_binary() -> None:
    bot = find_submission("random_cpp")
    build(bot)
    play_both_games(bot.launch)
    binary = find_launch(str(bundled_folder() / "random_cpp" / "build" / "random_cpp"))
    assert binary.command == (str(bundled_folder() / "random_cpp" / "build" / "random_cpp"),)
    play_both_games(binary)
