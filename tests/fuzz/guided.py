"""Guided fuzzing: `make fuzz` runs every target for a while, each in a process of its own.

    python -m tests.fuzz.guided [--seconds N] [TARGET ...]    breed inputs, guided by the code that they reach
    python -m tests.fuzz.guided --again TARGET FILE           run one input, to see what is wrong with it

What was bred is kept in .fuzz/TARGET/corpus, so that the next run goes on from there; what broke a property is kept in
.fuzz/TARGET/crashes, and makes the run fail. atheris (libFuzzer) does the breeding.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from hashlib import sha1
from pathlib import Path

HOME = Path(".fuzz")
NAMES = ("stream", "sdk", "replay", "manifest")
MOST_BYTES = 8192
"""The longest input: real ones have up to 5000 bytes."""
HUNG_AFTER = 20
"""Seconds after which an input counts as one that hangs."""
MOST_MEMORY = 2048
"""Megabytes; an input that takes more is a crash, too."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description="Breeds inputs for every target.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"any of {', '.join(NAMES)}; all by default")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--again", nargs=2, metavar=("TARGET", "FILE"), help="run one input")
    parser.add_argument("--breed", choices=NAMES, help=argparse.SUPPRESS)  # what runs in the process of a target
    options = parser.parse_args()
    if options.again:
        name, file = options.again
        run_again(name, Path(file))
        return 0
    if options.breed:
        breed(options.breed, options.targets)
        return 0
    if unknown := set(options.targets) - set(NAMES):
        parser.error(f"no such target: {', '.join(sorted(unknown))}; choose from {', '.join(NAMES)}")
    broken = [name for name in options.targets or NAMES if not holds(name, options.seconds)]
    return 1 if broken else 0


def holds(name: str, seconds: int) -> bool:
    """Runs one target. Whether its property has held."""
    corpus, crashes = HOME / name / "corpus", HOME / name / "crashes"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    print(f"=== {name}: {seconds} s", flush=True)
    command = [sys.executable, "-m", "tests.fuzz.guided", f"--breed={name}"]
    for_libfuzzer = {
        "max_total_time": seconds,
        "max_len": MOST_BYTES,
        "timeout": HUNG_AFTER,
        "rss_limit_mb": MOST_MEMORY,
        "artifact_prefix": f"{crashes}/",
        "print_final_stats": 1,
    }
    arguments = [f"-{key}={value}" for key, value in for_libfuzzer.items()]
    done = subprocess.run([*command, "--", *arguments, str(corpus)], check=False)
    found = sorted(set(crashes.iterdir()) - before)
    for file in found:
        print(f"=== {name}: FAILED. Run it again: {sys.executable} -m tests.fuzz.guided --again {name} {file}")
    if done.returncode and not found:
        print(f"=== {name}: FAILED with exit code {done.returncode}; what it says is above.")
    return not done.returncode and not found


def run_again(name: str, file: Path) -> None:
    """Runs one input without atheris. What is wrong with it comes out as a traceback."""
    from tests.fuzz.targets import TARGETS

    TARGETS[name].check(file.read_bytes())
    print(f"{file}: nothing is wrong with it any more.")


def breed(name: str, arguments: list[str]) -> None:
    """Hands the process over to libFuzzer, which never returns."""
    import atheris

    # The modules must be loaded under atheris's eyes for it to see which of their lines are reached.
    with atheris.instrument_imports(include=["arena", "tomllib", "json"], exclude=["arena.v1"]):
        from tests.fuzz.targets import TARGETS
    target = TARGETS[name]
    for seed in target.seeds():
        (HOME / name / "corpus" / sha1(seed, usedforsecurity=False).hexdigest()).write_bytes(seed)
    atheris.Setup([sys.argv[0], *arguments], target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
