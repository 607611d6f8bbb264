"""What can be named as a bot, how it would be started, and every sentence for what cannot."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from arena.errors import ArenaError, BadSubmission, BuildFailed
from arena.referee.launch import Launch
from arena.referee.processes.child import BotChild, BotLog
from arena.sandbox import Allowance, Sandbox, SandboxView, Tier, probe
from arena.sandbox.config import MIB
from arena.submissions.build import build
from arena.submissions.config import SubmissionConfig
from arena.submissions.manifest import MANIFEST, Manifest
from arena.submissions.submission import bundled_folder, bundled_names, find_launch, find_submission

PYTHON = 'command = ["python", "bot.py"]\n'


def folder_with(tmp_path: Path, manifest: str, name: str = "bot") -> Path:
    """A bot's folder with this arena.toml."""
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    (folder / MANIFEST).write_text(manifest, encoding="utf-8")
    return folder


def script(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def refusal(named: str | Path) -> str:
    """Why what was named cannot be a bot."""
    with pytest.raises(BadSubmission) as caught:
        find_launch(str(named))
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


# Single files


def test_a_python_file_is_run_by_this_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.touch()
    program = find_launch(str(file))
    assert program == Launch("my_bot", "", tmp_path, (sys.executable, str(file)), file=file)
    assert program.label == "my_bot"


def test_an_executable_script_is_run_by_its_shebang(tmp_path: Path) -> None:
    file = script(tmp_path / "bot.sh", "#!/bin/sh\necho I play\n")
    program = find_launch(str(file))
    assert program.command == (str(file),)
    assert subprocess.check_output(program.command, text=True) == "I play\n"


def test_a_binary_is_run_as_it_is(tmp_path: Path) -> None:
    true = shutil.which("true")
    assert true is not None
    file = Path(shutil.copy(true, tmp_path / "binary"))
    assert find_launch(str(file)) == Launch("binary", "", tmp_path, (str(file),), file=file)


@pytest.mark.parametrize("suffix", [".js", ".mjs", ".cjs"])
def test_a_js_file_is_run_by_node(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = script(tmp_path / "node", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    file = tmp_path / f"bot{suffix}"
    file.touch()
    assert find_launch(str(file)).command == (str(node), str(file))


def test_a_js_file_without_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bot.js"
    file.touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(file) == f"`{file}` needs node, which is not installed."


def test_a_file_is_found_from_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").touch()
    monkeypatch.chdir(tmp_path)
    for named in ("bot.py", "./bot.py"):
        assert find_launch(named).command == (sys.executable, str(tmp_path.resolve() / "bot.py"))


def test_a_file_that_is_not_executable(tmp_path: Path) -> None:
    file = tmp_path / "bot.sh"
    file.write_text("#!/bin/sh\n")
    assert refusal(file) == f"`{file}` is not executable."


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "bot.py") == f"`{tmp_path / 'bot.py'}`: no such file or folder."
    assert refusal("./nowhere") == "`./nowhere`: no such file or folder."


# Folders with arena.toml


def test_a_folder_with_a_complete_manifest(tmp_path: Path) -> None:
    manifest = """
        name = "clever"
        version = "1.2"
        games = ["tentagram", "mantis"]
        command = ["java", "-jar", "bot.jar"]
        build = ["make", "-j2"]
        [env]
        DEPTH = "7"
    """
    folder = folder_with(tmp_path, manifest)
    submission = find_submission(str(folder))
    assert submission.manifest.build == ("make", "-j2")
    assert submission.launch == Launch(
        "clever",
        "1.2",
        folder,
        ("java", "-jar", "bot.jar"),
        games=("tentagram", "mantis"),
        env={"DEPTH": "7"},
    )
    assert submission.label == "clever 1.2"


def test_a_folder_with_only_a_command_has_the_name_of_the_folder(tmp_path: Path) -> None:
    submission = find_submission(str(folder_with(tmp_path, PYTHON, "quiet")))
    assert submission.label == "quiet"
    assert submission.manifest == Manifest(("python", "bot.py"))


@pytest.mark.parametrize("python", ["python", "python3"])
def test_python_means_this_interpreter(python: str, tmp_path: Path) -> None:
    program = find_launch(str(folder_with(tmp_path, f'command = ["{python}", "-u", "bot.py"]')))
    assert program.command == (sys.executable, "-u", "bot.py")


def test_an_executable_in_the_folder_is_found(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, 'command = ["run", "fast"]')
    script(folder / "run", "#!/bin/sh\n")
    assert find_launch(str(folder)).command == (str(folder / "run"), "fast")


@pytest.mark.parametrize("command", ["./bot", "build/bot"])
def test_an_executable_that_is_not_built_yet_is_expected_in_the_folder(command: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f'command = ["{command}"]')
    (found,) = find_launch(str(folder)).command
    assert Path(found) == folder / command


def test_an_absolute_command_stays_what_it_is(tmp_path: Path) -> None:
    assert find_launch(str(folder_with(tmp_path, 'command = ["/bin/sh", "x"]'))).command == ("/bin/sh", "x")


def test_the_folder_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path, PYTHON, "here")
    monkeypatch.chdir(folder)
    assert find_launch(".").name == "here"


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    assert refusal(tmp_path).startswith(f"`{tmp_path}` has no arena.toml, which says how to start the bot.")
    (tmp_path / MANIFEST).mkdir()
    assert "has no arena.toml" in refusal(tmp_path)


BAD_MANIFESTS = [
    ("command = [", "is not valid TOML: "),
    ('name = "a"\nname = "b"\n', "is not valid TOML: "),
    (f'{PYTHON}nam = "x"', "Unknown key `nam`: did you mean `name`?"),
    (f"{PYTHON}colour = 3", "Unknown key `colour`: expected name, version, games, command, build, env or exclude."),
    (f"{PYTHON}name = 3", "Expected `str`, got `int` - at `$.name`."),
    (f'{PYTHON}name = "two\\nlines"', "`name` contains characters that cannot be printed."),
    (f"{PYTHON}version = 1.0", "Expected `str`, got `float` - at `$.version`."),
    (f'{PYTHON}games = "mantis"', "Expected `array`, got `str` - at `$.games`."),
    (f"{PYTHON}games = [1]", "Expected `str`, got `int` - at `$.games[0]`."),
    (f'{PYTHON}games = ["mantiss"]', "Unknown game `mantiss`: did you mean `mantis`?"),
    (f'{PYTHON}games = ["chess"]', "Unknown game `chess`: expected mantis or tentagram."),
    ('command = "python bot.py"', "Expected `array`, got `str` - at `$.command`."),
    ('command = ["python", 3]', "Expected `str`, got `int` - at `$.command[1]`."),
    ("", '`command` is missing, for example `command = ["python", "bot.py"]`.'),
    ("command = []", "`command` is missing"),
    (f'{PYTHON}build = "make"', "Expected `array`, got `str` - at `$.build`."),
    (f"{PYTHON}env = 3", "Expected `object`, got `int` - at `$.env`."),
    (f"{PYTHON}[env]\nDEPTH = 7", "Expected `str`, got `int` - at `$.env[...]`."),
]


@pytest.mark.parametrize(("manifest", "reason"), BAD_MANIFESTS, ids=[reason for _, reason in BAD_MANIFESTS])
def test_a_bad_manifest_is_named_with_what_is_wrong(manifest: str, reason: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, manifest)
    said = refusal(folder)
    assert said.startswith(f"`{folder / MANIFEST}`")
    assert reason in said


def test_a_manifest_that_is_not_utf8(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, PYTHON)
    (folder / MANIFEST).write_bytes(b'name = "\xff"\n')
    assert f"`{folder / MANIFEST}` is not valid TOML: " in refusal(folder)


UNSTARTABLE = {
    "the name of a variable": f'{PYTHON}[env]\n"A=B" = "x"',
    "a variable": f'{PYTHON}[env]\nA = "\\u0000"',
    "the command": 'command = ["python", "\\u0000"]',
    "the build command": f'{PYTHON}build = ["make", "\\u0000"]',
}


@pytest.mark.parametrize("tier", [Tier.NONE, Tier.USER])
@pytest.mark.parametrize("manifest", UNSTARTABLE.values(), ids=UNSTARTABLE)
def test_invalid_commands_and_variables_are_refused(manifest: str, tier: Tier, tmp_path: Path) -> None:
    """The system takes no NUL in a command or a variable, and no = in a variable's name."""

    async def start() -> None:
        submission = find_submission(str(folder_with(tmp_path, manifest)))
        build(submission)
        view = SandboxView(submission.folder, submission.folder)
        BotChild(submission.launch, {}, BotLog(None), lambda: None, Sandbox(tier).cell(view))

    with pytest.raises(ArenaError, match="bot"):
        asyncio.run(start())


# Archives


def zip_of(folder: Path, target: Path, top: str = "") -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, f"{top}{path.relative_to(folder)}")
    return target


def tar_of(folder: Path, target: Path, top: str = "") -> Path:
    with tarfile.open(target, "w:gz") as archive:
        archive.add(folder, top or ".")
    return target


@pytest.mark.parametrize("top", ["", "some-folder/"])
@pytest.mark.parametrize(("suffix", "make"), [(".zip", zip_of), (".tar.gz", tar_of), (".TGZ", tar_of)])
def test_an_archive_of_a_folder(suffix: str, make: Callable[..., Path], top: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, PYTHON)
    (folder / "data").mkdir()
    (folder / "data" / "numbers").write_text("1 2 3")
    (folder / "bot.py").touch()
    found = find_submission(str(make(folder, tmp_path / f"clever{suffix}", top)))
    assert found.manifest == Manifest(("python", "bot.py"))
    assert found.label == (top.rstrip("/") or "clever")
    assert (found.folder / "data" / "numbers").read_text() == "1 2 3"
    assert not found.folder.is_relative_to(tmp_path)


def test_an_archive_of_a_single_file(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "sharp.py").touch()
    found = find_submission(str(zip_of(tmp_path / "files", tmp_path / "bot.zip")), tmp_path)
    assert (found.label, found.file) == ("sharp", tmp_path / "bot" / "sharp.py")


def test_an_archive_without_a_bot(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    assert "has no arena.toml" in refusal(zip_of(tmp_path / "files", tmp_path / "empty.zip"))
    (tmp_path / "no.tar.gz").write_text("no archive")
    assert refusal(tmp_path / "no.tar.gz").startswith("`no.tar.gz` is not a valid archive of a bot")


# Bundled bots


def test_the_bundled_bots() -> None:
    assert {"random", "greedy", "counter", "searcher", "random_js", "random_cpp"} <= set(bundled_names())
    assert bundled_names() == sorted(bundled_names())


@pytest.mark.parametrize("name", bundled_names())
def test_a_bundled_bot_is_found_by_its_name(name: str) -> None:
    program = find_launch(name)
    assert program.name == name
    assert program.version
    assert program.folder == bundled_folder() / name
    assert set(program.games) == {"mantis", "tentagram"}


def test_a_local_folder_hides_a_bundled_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path, PYTHON, "random")
    monkeypatch.chdir(tmp_path)
    assert find_launch("random").folder == folder.resolve()


def test_an_unknown_name_gets_a_suggestion_or_the_choice() -> None:
    assert refusal("greddy") == "Unknown bot `greddy`: did you mean `greedy`?"
    said = refusal("zzz")
    assert said.startswith("Unknown bot `zzz`: expected counter, greedy, random")


# Building


def built(folder: Path) -> str:
    """How the build of this folder's bot failed."""
    with pytest.raises(BuildFailed) as caught:
        build(find_submission(str(folder)))
    return str(caught.value)


def test_a_bot_without_a_build_command_is_not_built(tmp_path: Path) -> None:
    build(find_submission(str(folder_with(tmp_path, PYTHON))))


def test_the_build_runs_in_the_folder_with_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_OUTSIDE", "outside")
    command = 'echo "$FROM_OUTSIDE $FROM_MANIFEST" > made; cat >> made'
    manifest = f"""{PYTHON}build = ["sh", "-c", '{command}']\n[env]\nFROM_MANIFEST = "inside"\n"""
    folder = folder_with(tmp_path, manifest)
    build(find_submission(str(folder)))
    assert (folder / "made").read_text() == "outside inside\n"


def test_a_build_with_python_and_with_an_executable_of_the_folder(tmp_path: Path) -> None:
    python = """build = ["python", "-c", "import sys; open('made', 'w').write(sys.executable)"]\n"""
    folder = folder_with(tmp_path, PYTHON + python)
    build(find_submission(str(folder)))
    assert (folder / "made").read_text() == sys.executable
    folder = folder_with(tmp_path, f'{PYTHON}build = ["make.sh"]\n')
    script(folder / "make.sh", "#!/bin/sh\necho by script > made\n")
    build(find_submission(str(folder)))
    assert (folder / "made").read_text() == "by script\n"


def test_a_build_that_fails_shows_its_exit_code_and_last_lines(tmp_path: Path) -> None:
    command = 'for i in $(seq 50); do echo "line $i"; done; echo broken >&2; exit 7'
    folder = folder_with(tmp_path, f"""version = "2"\n{PYTHON}build = ["sh", "-c", '{command}']\n""")
    first, *rest = built(folder).splitlines()
    assert first == "bot 2: the build ended with exit code 7."
    assert rest == [f"    | line {number}" for number in range(40, 51)] + ["    | broken"]


def test_a_build_that_fails_in_silence(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f'{PYTHON}build = ["false"]\n')
    assert built(folder) == "bot: the build ended with exit code 1."


def test_a_build_that_prints_no_text(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f"""{PYTHON}build = ["sh", "-c", 'printf "\\\\377\\\\n"; exit 1']\n""")
    assert built(folder).splitlines()[1] == "    | \N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("command", ["no-such-compiler", "./configure"])
def test_a_build_command_that_is_not_there(command: str, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, f'{PYTHON}build = ["{command}"]\n')
    said = built(folder)
    assert said.startswith(f"bot: the build command `{command}` cannot be run: ")
    assert os.strerror(2) in said


@pytest.mark.parametrize("tier", [tier for tier in Tier if probe(tier).works])
def test_a_build_that_takes_too_long(tier: Tier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.submissions.build.CONFIG", SubmissionConfig(build_seconds=1.0))
    folder = folder_with(tmp_path, f'{PYTHON}build = ["sleep", "314.25"]\n')
    with pytest.raises(BuildFailed, match=r"bot: the build took more than 1 s\."):
        build(find_submission(str(folder)), Sandbox(tier))
    assert not [process for process in psutil.process_iter(["cmdline"]) if "314.25" in (process.info["cmdline"] or [])]


@pytest.mark.parametrize("tier", [tier for tier in Tier if probe(tier).works])
def test_a_build_in_every_tier(tier: Tier, tmp_path: Path) -> None:
    """It writes into its folder, finds the protocol, and what it makes is ours afterwards and can be read by all."""
    script_file = "set -e; umask 077; ls $ARENA_PROTOS/arena > found; mkdir made; cp found made/; chmod 700 made/found"
    folder = folder_with(tmp_path, f'{PYTHON}build = ["sh", "-c", "{script_file}"]\n')
    build(find_submission(str(folder)), Sandbox(tier))
    assert (folder / "made" / "found").read_text() == "v1\n"
    assert (folder / "made" / "found").stat().st_uid == os.geteuid()
    if tier is not Tier.NONE and os.geteuid() == 0:
        assert (folder / "made" / "found").stat().st_mode & 0o777 == 0o755


def test_a_build_in_a_sandbox_has_no_network_and_says_so(tmp_path: Path) -> None:
    if not probe(Tier.USER).works:
        pytest.skip(probe(Tier.USER).detail)
    fetch = "import socket; socket.create_connection(('127.0.0.1', 9), 5)"
    folder = folder_with(tmp_path, f'{PYTHON}build = ["python", "-c", "{fetch}"]\n')
    with pytest.raises(BuildFailed) as caught:
        build(find_submission(str(folder)), Sandbox(Tier.USER))
    assert "Builds have no network." in (caught.value.hint or "")


def test_a_build_that_fills_the_disk_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not probe(Tier.USER).works:
        pytest.skip(probe(Tier.USER).detail)
    monkeypatch.setattr("arena.submissions.build.BUILD", Allowance(disk=8 * MIB))
    fill = "for n in 1 2 3 4 5 6 7 8; do head -c 4000000 /dev/zero > $n; done; sleep 60"
    folder = folder_with(tmp_path, f'{PYTHON}build = ["sh", "-c", "{fill}"]\n')
    with pytest.raises(BuildFailed, match="wrote more than 8 MiB"):
        build(find_submission(str(folder)), Sandbox(Tier.USER))
