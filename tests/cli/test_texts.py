"""The main help pages and the answers to typical mistakes, word for word.

After changing a text on purpose: `pytest tests/cli/test_texts.py --inline-snapshot=fix`, and read the difference.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.support.cli import arena, said


def help_page(*command: str) -> str:
    done = arena(*command, "--help", columns=100)
    assert (done.returncode, done.stderr) == (0, "")
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def mistake(folder: Path, *arguments: str) -> str:
    """Return what a command prints that must fail, in this folder."""
    done = arena(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    return "\n".join(said(done)).replace(str(folder), "FOLDER")


def test_help_of_arena() -> None:
    assert help_page() == snapshot("""\
Usage: python -m arena [OPTIONS] COMMAND [ARGS]...

 A tournament arena for bots that play imperfect-information card games: Mantis and Tentagram.

╭─ Options ────────────────────────────────────────────────────────────────────────────────────────╮
│ --version          <bool>  Print the version and exit.                                           │
│ --help     -h      <bool>  Show this message and exit.                                           │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Commands ───────────────────────────────────────────────────────────────────────────────────────╮
│ submit       Submit a bot: copy, build, check and register it. From then on it takes part in     │
│              tournaments.                                                                        │
│ bots         List the submitted bots with their ratings and results.                             │
│ retire       Take a bot out of future tournaments. Its versions, matches and ratings stay.       │
│ tournament   Play a tournament between bots, rate them, and show the leaderboard.                │
│ leaderboard  Show the leaderboard: ratings with their uncertainty, results, and head-to-head     │
│              shares.                                                                             │
│ web          Show the arena in the browser: leaderboards, bots, matches, live tournaments, and   │
│              matches against bots.                                                               │
│ serve        Serve the arena to a network: web pages, a ladder for bots that connect with a      │
│              token, and remote commands.                                                         │
│ compare      Test whether NEW is stronger than OLD, with given error rates, and stop as soon as  │
│              the answer is known.                                                                │
│ history      List tournaments, or matches with --matches or an option that selects matches.      │
│ export       Export the store: one line for each row, with names instead of numbers.             │
│ new          Create a folder with a working bot, with comments and a test.                       │
│ check        Check a bot: start it, play full games in every bracket it claims, and verify rules │
│              and time limits.                                                                    │
│ match        Play games between bots and print their results. Every bot runs in its own process. │
│ play         Play against bots yourself, in the terminal.                                        │
│ log          Show the output of a bot in its matches: standard output and standard error.        │
│ doctor       Check what this machine offers to an arena, and print how to get what is missing.   │
│ games        List the games, their options and their numbers of seats.                           │
│ rules        Show the rules of a game.                                                           │
│ simulate     Play random games and print who won, how long they were and how they ended.         │
│ cluster      Play tournaments on several machines with Dask: see docs/cluster.md.                │
│ token        Create and revoke the tokens of a server's users.                                   │
│ bot          Connect a bot on this machine to a server.                                          │
│ replay       Show, verify and export replays.                                                    │
│ store        Copy the store between a home and PostgreSQL.                                       │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯

 Start with: arena tournament, arena leaderboard, arena new my_bot, arena submit my_bot\
""")


def test_help_of_tournament() -> None:
    assert help_page("tournament") == snapshot("""\
Usage: python -m arena tournament [OPTIONS] [BOT]...

 Play a tournament between bots, rate them, and show the leaderboard.

 Ctrl-C interrupts it: all matches played so far are stored, and --resume continues it. With
 --server it is played there, and continues when you disconnect.

 Example: arena tournament --format swiss --bracket mantis/icons

╭─ Arguments ──────────────────────────────────────────────────────────────────────────────────────╮
│   BOT      <list[str]>  Submitted or bundled bots, name@version for an old version, or paths.    │
│                         Default: all submitted bots, or the bundled ones if there are none. With │
│                         --resume: the tournament's number or name.                               │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────────────────────────╮
│ --format                   <str>                    round-robin, swiss, knockout, ladder or      │
│                                                     gauntlet.                                    │
│                                                     [default: round-robin]                       │
│ --bracket                  <list[str]>              A game with its options, such as             │
│                                                     mantis/icons; may be given several times.    │
│                                                     Default: mantis and tentagram.               │
│ --seats                    <int range> [x>=2]       Seats in a match. Default: 4.                │
│ --rounds                   <int range> [x>=1]       Round robin, gauntlet: deals of each         │
│                                                     pairing. Swiss: rounds.                      │
│ --deals                    <int range> [x>=1]       Swiss, knockout, ladder: deals of each       │
│                                                     pairing.                                     │
│ --double                   <bool>                   Knockout: a bot is out after its second      │
│                                                     defeat.                                      │
│ --newcomer                 <str>                    Gauntlet: the bot that meets all others.     │
│                                                     Default: the first.                          │
│ --matches                  <int range> [x>=1]       Stop after this number of matches in a       │
│                                                     bracket.                                     │
│ --time                     TIME                     Stop after this time, such as 10m.           │
│ --until-separated          95%                      Stop when every bot is separated from the    │
│                                                     next one in the ranking at this confidence   │
│                                                     level.                                       │
│ --rate                     <str>                    What is rated: placements or wins.           │
│                                                     [default: placements]                        │
│ --seed                     <str>                    Any text. The same seed gives the same       │
│                                                     cards. Default: a random one.                │
│ --name                     <str>                    The tournament's name.                       │
│ --jobs                     <int range> [1<=x<=256]  Worker processes. Default: one for each      │
│                                                     core.                                        │
│ --tls-ca                   FILE                     Certificate of the cluster's certificate     │
│                                                     authority.                                   │
│ --tls-cert                 FILE                     Certificate of this machine.                 │
│ --tls-key                  FILE                     Key of that certificate.                     │
│ --dry-run                  <bool>                   Print the schedule and the expected          │
│                                                     duration; play nothing.                      │
│ --resume                   <bool>                   Continue an interrupted tournament.          │
│ --follow                   <bool>                   With --server: show the progress of its      │
│                                                     tournament.                                  │
│ --stop                     <bool>                   With --server: interrupt its tournament.     │
│ --help             -h      <bool>                   Show this message and exit.                  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Where matches are played ───────────────────────────────────────────────────────────────────────╮
│ --at-once        <int range> [1<=x<=1024]  Matches at the same time in each worker, at most.     │
│                                            Default: 256, up to 1024 with many bots.              │
│ --cluster        ADDRESS                   Play on the workers of this cluster, such as          │
│                                            tcp://head:8786.                                      │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ How bots are run ───────────────────────────────────────────────────────────────────────────────╮
│ --time-per-move         TIME        A time such as 500ms, 2s or 1m, or none. [default: 1s]       │
│ --time-to-start         TIME        A time such as 500ms, 2s or 1m, or none. [default: 10s]      │
│ --sandbox               <str>       auto: the best this machine has; strict: the strong tier or  │
│                                     an error; none: for bots you trust.                          │
│                                     [env var: ARENA_SANDBOX]                                     │
│                                     [default: auto]                                              │
│ --limit                 NAME=VALUE  What each bot may use: memory=512MiB, processes=128, cpus=1, │
│                                     files=256, disk=64MiB, log=1MiB; may be given several times. │
│ --time-per-match        TIME        A time such as 500ms, 2s or 1m, or none. [default: none]     │
│ --wait-per-match        TIME        How long a bot may keep a match waiting in all, besides five │
│                                     times the CPU time that it uses. Default: ten times          │
│                                     --time-per-move.                                             │
│ --ponder                on|off      Whether bots may use the CPU while others think. Default:    │
│                                     off if time is limited and there are more bots than cores.   │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Where the arena is ─────────────────────────────────────────────────────────────────────────────╮
│ --home              DIR        The folder with the arena's bots, matches and logs.               │
│                                [env var: ARENA_HOME]                                             │
│                                [default: .arena]                                                 │
│ --store             URL        Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE.      │
│                                Default: SQLite in the home.                                      │
│                                [env var: ARENA_STORE]                                            │
│ --ca                FILE       The server's certificate, if it is self-signed.                   │
│ --token-file        FILE       A file with your token for the server. Default: the variable      │
│                                ARENA_SERVER_TOKEN.                                               │
│ --insecure          <bool>     Connect without TLS, to a server on this machine only.            │
│ --server            HOST:PORT  Use the arena of this server.                                     │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯\
""")


def test_help_of_submit() -> None:
    assert help_page("submit") == snapshot("""\
Usage: python -m arena submit [OPTIONS] {PATH}

 Submit a bot: copy, build, check and register it. From then on it takes part in tournaments.

 With --server it is submitted there, with your name before its own: anna/my_bot.

 Example: arena submit ./my_bot.py --notes "counts cards now"

╭─ Arguments ──────────────────────────────────────────────────────────────────────────────────────╮
│ *    PATH      <str>  A file, a folder with arena.toml, a .zip or .tar.gz. [required]            │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────────────────────────╮
│ --name                   <str>   The bot's name. Default: the one in arena.toml, or the file's.  │
│ --version                <str>   Default: the one in arena.toml, or the next number.             │
│ --notes                  <str>   What is new in this version.                                    │
│ --build-network          <bool>  Allow the build to use the network.                             │
│ --help           -h      <bool>  Show this message and exit.                                     │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ How bots are run ───────────────────────────────────────────────────────────────────────────────╮
│ --time-per-move        TIME        A time such as 500ms, 2s or 1m, or none. [default: 1s]        │
│ --time-to-start        TIME        A time such as 500ms, 2s or 1m, or none. [default: 10s]       │
│ --sandbox              <str>       auto: the best this machine has; strict: the strong tier or   │
│                                    an error; none: for bots you trust.                           │
│                                    [env var: ARENA_SANDBOX]                                      │
│                                    [default: auto]                                               │
│ --limit                NAME=VALUE  What each bot may use: memory=512MiB, processes=128, cpus=1,  │
│                                    files=256, disk=64MiB, log=1MiB; may be given several times.  │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Where the arena is ─────────────────────────────────────────────────────────────────────────────╮
│ --home              DIR        The folder with the arena's bots, matches and logs.               │
│                                [env var: ARENA_HOME]                                             │
│                                [default: .arena]                                                 │
│ --store             URL        Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE.      │
│                                Default: SQLite in the home.                                      │
│                                [env var: ARENA_STORE]                                            │
│ --ca                FILE       The server's certificate, if it is self-signed.                   │
│ --token-file        FILE       A file with your token for the server. Default: the variable      │
│                                ARENA_SERVER_TOKEN.                                               │
│ --insecure          <bool>     Connect without TLS, to a server on this machine only.            │
│ --server            HOST:PORT  Use the arena of this server.                                     │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯\
""")


def test_help_of_leaderboard() -> None:
    assert help_page("leaderboard") == snapshot("""\
Usage: python -m arena leaderboard [OPTIONS]

 Show the leaderboard: ratings with their uncertainty, results, and head-to-head shares.

 Example: arena leaderboard --bracket mantis --html board.html

╭─ Options ────────────────────────────────────────────────────────────────────────────────────────╮
│ --bracket             <list[str]>  A bracket; may be given several times. Default: all.          │
│ --tournament          <str>        A tournament's number or name. Default: all.                  │
│ --json                <bool>       Print JSON instead of a table.                                │
│ --csv                 <bool>       Print CSV.                                                    │
│ --md                  <bool>       Print Markdown.                                               │
│ --html                FILE         Write a page with plots to FILE.                              │
│ --help        -h      <bool>       Show this message and exit.                                   │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Where the arena is ─────────────────────────────────────────────────────────────────────────────╮
│ --home              DIR        The folder with the arena's bots, matches and logs.               │
│                                [env var: ARENA_HOME]                                             │
│                                [default: .arena]                                                 │
│ --store             URL        Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE.      │
│                                Default: SQLite in the home.                                      │
│                                [env var: ARENA_STORE]                                            │
│ --ca                FILE       The server's certificate, if it is self-signed.                   │
│ --token-file        FILE       A file with your token for the server. Default: the variable      │
│                                ARENA_SERVER_TOKEN.                                               │
│ --insecure          <bool>     Connect without TLS, to a server on this machine only.            │
│ --server            HOST:PORT  Use the arena of this server.                                     │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯\
""")


def test_help_of_match() -> None:
    assert help_page("match") == snapshot("""\
Usage: python -m arena match [OPTIONS] {GAME} {BOT}...

 Play games between bots and print their results. Every bot runs in its own process.

 Example: arena match mantis random ./my_bot.py --games 200 --time-per-move 1s --replays replays

╭─ Arguments ──────────────────────────────────────────────────────────────────────────────────────╮
│ *    GAME      <str>        mantis or tentagram. [required]                                      │
│ *    BOT       <list[str]>  A file, a folder with arena.toml, a .zip or .tar.gz, or a bundled    │
│                             bot.                                                                 │
│                             [required]                                                           │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────────────────────────╮
│ --edition                       <str>                         Mantis: classic, icons or grab.    │
│                                                               Default: classic.                  │
│ --placement                     <str>                         Tentagram: strict or free.         │
│                                                               Default: strict.                   │
│ --games                         <int range> [1<=x<=10000000]  Number of games. [default: 100]    │
│ --seed                          <str>                         Any text. The same seed gives the  │
│                                                               same cards. Default: a random one. │
│ --rotate         --no-rotate    <bool>                        Play each deal once for every      │
│                                                               rotation of the seats.             │
│                                                               [default: rotate]                  │
│ --replays                       DIR                           Write one replay file for each     │
│                                                               game to DIR.                       │
│ --at-once                       <int range> [1<=x<=1024]      Games played at the same time.     │
│                                                               [default: 256]                     │
│ --listen                        HOST:PORT                     Where bots connect. Default: a     │
│                                                               Unix socket.                       │
│ --json                          <bool>                        Print JSON instead of a table.     │
│ --help       -h                 <bool>                        Show this message and exit.        │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ How bots are run ───────────────────────────────────────────────────────────────────────────────╮
│ --time-per-move         TIME        A time such as 500ms, 2s or 1m, or none. [default: 1s]       │
│ --time-to-start         TIME        A time such as 500ms, 2s or 1m, or none. [default: 10s]      │
│ --sandbox               <str>       auto: the best this machine has; strict: the strong tier or  │
│                                     an error; none: for bots you trust.                          │
│                                     [env var: ARENA_SANDBOX]                                     │
│                                     [default: auto]                                              │
│ --limit                 NAME=VALUE  What each bot may use: memory=512MiB, processes=128, cpus=1, │
│                                     files=256, disk=64MiB, log=1MiB; may be given several times. │
│ --time-per-match        TIME        A time such as 500ms, 2s or 1m, or none. [default: none]     │
│ --wait-per-match        TIME        How long a bot may keep a match waiting in all, besides five │
│                                     times the CPU time that it uses. Default: ten times          │
│                                     --time-per-move.                                             │
│ --ponder                on|off      Whether bots may use the CPU while others think. Default:    │
│                                     off if time is limited and there are more bots than cores.   │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Where the arena is ─────────────────────────────────────────────────────────────────────────────╮
│ --home         DIR  The folder with the arena's bots, matches and logs. [env var: ARENA_HOME]    │
│                     [default: .arena]                                                            │
│ --store        URL  Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE. Default: SQLite │
│                     in the home.                                                                 │
│                     [env var: ARENA_STORE]                                                       │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯\
""")


def test_help_of_compare() -> None:
    assert help_page("compare") == snapshot("""\
Usage: python -m arena compare [OPTIONS] {OLD} {NEW}

 Test whether NEW is stronger than OLD, with given error rates, and stop as soon as the answer is
 known.

 The matches are stored but not rated. Exit code 0: it is stronger; 1: it is not, or the test is
 undecided.

 Example: arena compare my_bot@1 my_bot@2 --bracket mantis

╭─ Arguments ──────────────────────────────────────────────────────────────────────────────────────╮
│ *    OLD      <str>  A bot: a name, my_bot@1, or a path. [required]                              │
│ *    NEW      <str>  Another bot or version. [required]                                          │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────────────────────────╮
│ --bracket          <str>                          The game and its options. [default: mantis]    │
│ --seats            <int range> [x>=2]             Seats, taken by OLD and NEW alternately.       │
│                                                   Default: mantis 2, tentagram 4.                │
│ --elo              <float range> [1<=x<=500]      The gain in Elo points that matters.           │
│                                                   [default: 20.0]                                │
│ --alpha            <float range> [0.001<=x<=0.4]  Probability of a positive answer if there is   │
│                                                   no gain.                                       │
│                                                   [default: 0.05]                                │
│ --beta             <float range> [0.001<=x<=0.4]  Probability of a negative answer if there is   │
│                                                   such a gain.                                   │
│                                                   [default: 0.05]                                │
│ --most             <int range> [10<=x<=10000000]  Stop undecided after this number of deals.     │
│                                                   [default: 50000]                               │
│ --jobs             <int range> [1<=x<=256]        Worker processes. Default: one for each core.  │
│ --seed             <str>                          Any text. The same seed gives the same cards.  │
│                                                   Default: a random one.                         │
│ --json             <bool>                         Print JSON instead of a table.                 │
│ --help     -h      <bool>                         Show this message and exit.                    │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ How bots are run ───────────────────────────────────────────────────────────────────────────────╮
│ --time-per-move         TIME        A time such as 500ms, 2s or 1m, or none. [default: 1s]       │
│ --time-to-start         TIME        A time such as 500ms, 2s or 1m, or none. [default: 10s]      │
│ --sandbox               <str>       auto: the best this machine has; strict: the strong tier or  │
│                                     an error; none: for bots you trust.                          │
│                                     [env var: ARENA_SANDBOX]                                     │
│                                     [default: auto]                                              │
│ --limit                 NAME=VALUE  What each bot may use: memory=512MiB, processes=128, cpus=1, │
│                                     files=256, disk=64MiB, log=1MiB; may be given several times. │
│ --time-per-match        TIME        A time such as 500ms, 2s or 1m, or none. [default: none]     │
│ --wait-per-match        TIME        How long a bot may keep a match waiting in all, besides five │
│                                     times the CPU time that it uses. Default: ten times          │
│                                     --time-per-move.                                             │
│ --ponder                on|off      Whether bots may use the CPU while others think. Default:    │
│                                     off if time is limited and there are more bots than cores.   │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
╭─ Where the arena is ─────────────────────────────────────────────────────────────────────────────╮
│ --home         DIR  The folder with the arena's bots, matches and logs. [env var: ARENA_HOME]    │
│                     [default: .arena]                                                            │
│ --store        URL  Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE. Default: SQLite │
│                     in the home.                                                                 │
│                     [env var: ARENA_STORE]                                                       │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯\
""")


FIELD = ("random", "greedy", "counter")
PLAN = ("tournament", "--dry-run")
MISTAKES = {
    "unknown command": (
        ("tournamnet",),
        snapshot("""\
error: No such command 'tournamnet'. Did you mean 'tournament'?

hint: Run `arena --help`.\
"""),
    ),
    "unknown option": (
        ("tournament", "--round", "3"),
        snapshot("""\
error: No such option: --round (Possible options: --dry-run, --ponder, --rounds).

hint: Run `arena tournament --help`.\
"""),
    ),
    "unknown game": (
        ("match", "chess", "random", "random"),
        snapshot("error: Unknown game `chess`: expected mantis or tentagram."),
    ),
    "misspelt game": (("rules", "mantiss"), snapshot("error: Unknown game `mantiss`: did you mean `mantis`?")),
    "unknown edition": (
        ("match", "mantis", "random", "random", "--edition", "icon"),
        snapshot("error: Unknown mantis edition `icon`: did you mean `icons`?"),
    ),
    "option of another game": (
        ("match", "tentagram", *FIELD, "--edition", "icons"),
        snapshot("error: Unknown tentagram option `edition`: expected placement."),
    ),
    "too few seats": (
        ("match", "mantis", "random"),
        snapshot("error: `mantis classic` cannot be played with 1 seat: expected 2 to 6."),
    ),
    "too many seats": (
        (*PLAN, *FIELD, "--bracket", "mantis", "--seats", "9"),
        snapshot("error: `mantis classic` cannot be played with 9 seats: expected 2 to 6."),
    ),
    "unknown bot in a match": (
        ("match", "mantis", "random", "gready"),
        snapshot("""\
error: Unknown bot `gready`: did you mean `greedy`?

hint: Name your own bot by its path: `./my_bot.py`.\
"""),
    ),
    "unknown bot in a tournament": (
        (*PLAN, "random", "my_bot"),
        snapshot("""\
error: Unknown bot `my_bot`: expected counter, greedy, random, random_cpp, random_js or searcher.

hint: Run `arena bots` for a list, or submit your bot with `arena submit PATH`.\
"""),
    ),
    "misspelt bot in a tournament": (
        (*PLAN, "random", "gready"),
        snapshot("""\
error: Unknown bot `gready`: did you mean `greedy`?

hint: Run `arena bots` for a list, or submit your bot with `arena submit PATH`.\
"""),
    ),
    "unknown version": (
        (*PLAN, "random@7", "greedy"),
        snapshot("""\
error: Unknown bot `random@7`: did you mean `random`?

hint: Run `arena bots` for a list, or submit your bot with `arena submit PATH`.\
"""),
    ),
    "a bot named twice": ((*PLAN, "random", "random"), snapshot("error: `random 1.0` is named twice.")),
    "too few bots": (
        (*PLAN, "random", "greedy", "--bracket", "tentagram"),
        snapshot("""\
error: `tentagram` needs at least 3 bots, and 2 bots would play it.

hint: Enter more bots, such as the bundled `random`, `greedy` and `counter`, or choose another `--bracket`.\
"""),
    ),
    "unknown format": (
        (*PLAN, *FIELD, "--format", "lottery"),
        snapshot("error: Unknown format `lottery`: expected round-robin, swiss, knockout, ladder or gauntlet."),
    ),
    "option of another format": (
        (*PLAN, *FIELD, "--deals", "2"),
        snapshot("error: The option `deals` applies only to swiss, knockout or ladder tournaments."),
    ),
    "ladder without a stop rule": (
        (*PLAN, *FIELD, "--format", "ladder"),
        snapshot("""\
error: A ladder needs a stop rule.

hint: Add `--matches 500`, `--time 10m` or `--until-separated 95%`.\
"""),
    ),
    "unknown bracket": (
        (*PLAN, *FIELD, "--bracket", "mantis/iconz"),
        snapshot("error: Unknown bracket `mantis/iconz`: expected mantis, mantis/icons or mantis/grab."),
    ),
    "bad time": (
        (*PLAN, *FIELD, "--time", "soon"),
        snapshot("error: Invalid time `soon`: expected a time such as 500ms, 2s or 1m, or none."),
    ),
    "bad confidence level": (
        (*PLAN, *FIELD, "--until-separated", "99%"),
        snapshot("error: `--until-separated 99%` is not supported: expected `95%`."),
    ),
    "resume in an empty home": (
        ("tournament", "--resume"),
        snapshot("""\
error: There is no arena in `.arena`.

hint: Run `arena tournament` without `--resume`.\
"""),
    ),
    "resume with other options": (
        ("tournament", "--resume", "1", "--seed", "1"),
        snapshot(
            "error: `--seed` cannot be combined with `--resume`: a tournament keeps the options it was started with."
        ),
    ),
    "follow without a server": (
        ("tournament", "--follow"),
        snapshot("error: `--follow` applies only with `--server HOST:PORT`."),
    ),
    "leaderboard of an empty home": (
        ("leaderboard",),
        snapshot("""\
error: There is no arena in `.arena`.

hint: Run `arena submit PATH` or `arena tournament` to create one.\
"""),
    ),
    "two output formats": (
        ("leaderboard", "--json", "--csv"),
        snapshot("error: `--json`, `--csv`, `--md` and `--html` cannot be combined."),
    ),
    "log of an empty home": (
        ("log", "random"),
        snapshot("""\
error: No log in `FOLDER/.arena/logs` yet.

hint: Bots write one when they play: run `arena match`.\
"""),
    ),
    "retire in an empty home": (
        ("retire", "my_bot"),
        snapshot("""\
error: There is no arena in `.arena`.

hint: Run `arena submit PATH` or `arena tournament` to create one.\
"""),
    ),
    "submit a missing file": (("submit", "./nowhere.py"), snapshot("error: `./nowhere.py`: no such file or folder.")),
    "submit a file that is not an archive": (
        ("submit", "bad.zip"),
        snapshot("error: `bad.zip` is not a valid archive of a bot: it is not a zip file, or is truncated."),
    ),
    "submit a folder without a manifest": (
        ("submit", "empty"),
        snapshot("""\
error: `FOLDER/empty` has no arena.toml, which says how to start the bot.

hint: Run `arena new my_bot` for an example.\
"""),
    ),
    "compare one bot": (
        ("compare", "random"),
        snapshot("""\
error: Missing argument 'NEW'.

hint: Run `arena compare --help`.\
"""),
    ),
    "missing replay": (
        ("replay", "show", "nowhere.jsonl"),
        snapshot("error: `nowhere.jsonl`: No such file or directory."),
    ),
}


@pytest.mark.parametrize(("arguments", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistake(arguments: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_text("not an archive")
    (tmp_path / "empty").mkdir()
    assert mistake(tmp_path, *arguments) == expected
