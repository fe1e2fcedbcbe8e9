"""The `tandem` command: usage, exit codes, shell completion, and no import of Qt for terminal commands."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import app.__main__ as command
from app.agents.table import APPS
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac always has a display")
def test_without_a_display_one_sentence_offers_the_terminal() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("QT_QPA_PLATFORM", "DISPLAY")}
    tandem = [sys.executable, "-m", "app"]
    done = subprocess.run(tandem, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "tandem chat" in done.stderr


def test_terminal_commands_never_import_qt() -> None:
    code = "import sys, app.__main__ as m; m._parser(['chat']); sys.exit('PySide6' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=PATIENCE_S).returncode == 0


def test_a_command_that_crashes_leaves_no_core_with_chats_in_it() -> None:
    code = (
        "import resource as r, app.__main__ as m; m._run = lambda _: r.getrlimit(r.RLIMIT_CORE)[0]; print(m.main([]))"
    )
    command = ["/bin/sh", "-c", 'ulimit -c $(ulimit -Hc) && exec "$@"', "sh", sys.executable, "-c", code]
    assert subprocess.check_output(command, cwd=ROOT, timeout=PATIENCE_S) == b"0\n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--help"], 0, ("--self-test", "chat")),
        (["--lang", "klingon"], 2, ("klingon",)),
        (["--screenshot", "somewhere"], 2, ("--self-test",)),
    ],
)
def test_help_and_bad_usage_have_their_own_exit_codes(
    arguments: list[str], code: int, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(arguments)
    said = capsys.readouterr()
    assert stop.value.code == code
    assert all(word in (said.err if code else said.out) for word in words)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("", []),
        ("chat", ["Hi"]),
        ("run", ["starter"]),
        ("bench", []),
        ("serve", []),
        ("models list", []),
        ("models search", ["name"]),
        ("models download", ["name"]),
        ("models remove", ["name"]),
        ("models pairs", ["name"]),
        ("cluster check", ["--hosts", "file"]),
        ("cluster download", ["--hosts", "file"]),
        ("cluster run", ["--hosts", "file"]),
    ],
)
def test_an_unknown_option_shows_the_usage_of_its_own_command(
    words: str, values: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main([*words.split(), *values, "--nope"])
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert err.startswith(" ".join(["usage: tandem", *words.split(), "[-h]"]))
    assert "unrecognized arguments: --nope" in err


COMMANDS = (
    "chat", "run", "bench",
    "models", "models list", "models search", "models download", "models remove", "models pairs",
    "serve", "cluster", "cluster check", "cluster download", "cluster run",
    "doctor", "ps",
)  # fmt: skip


def help_of(words: str, capsys: pytest.CaptureFixture[str], option: str = "--help") -> str:
    with pytest.raises(SystemExit) as stop:
        command.main([*words.split(), option])
    assert stop.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS)
def test_the_help_of_every_command_ends_with_examples_that_it_takes(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage, examples = help_of(words, capsys).split("\nexamples", 1)
    assert "guess" not in usage + examples
    for module in command.COMMANDS.values():
        monkeypatch.setattr(f"{module}.run", lambda _: 0)
    asked = [line[line.index("tandem ") :] for line in examples.splitlines() if "tandem " in line]
    assert asked
    for example in asked:
        arguments = shlex.split(example.partition(" > ")[0])[1:]
        assert arguments[: len(words.split())] == words.split()
        assert command.main(arguments) == 0


def test_a_command_of_actions_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["cluster"]) == 0
    assert capsys.readouterr().out == help_of("cluster", capsys)


def test_the_help_of_bench_lists_what_is_rarely_used_last(capsys: pytest.CaptureFixture[str]) -> None:
    usual, _, rare = help_of("bench", capsys).partition("rarely used:")
    usual, rare = (re.findall(r"^ +(?:-h, )?(--[\w-]+)", part, re.MULTILINE) for part in (usual, rare))
    assert len(usual) <= 12
    assert {"--main", "--draft", "--against", "--json"} <= set(usual)
    assert {"--also", "--synthetic", "--ways", "--method", "--temperature"} <= set(rare)


def test_a_command_asks_for_an_update_that_the_installed_mlx_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "needs_newer_macos", lambda: True)
    command.main(["models", "list"])
    assert "tandem: Update to macOS 26.2 or newer" in capsys.readouterr().err


def test_what_nobody_expected_ends_in_a_sentence_and_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path
) -> None:
    def fail(_options: object) -> int:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(command, "_window", fail)
    assert command.main([]) == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "division by zero" in said
    reports = list(own_home.rglob("last-error.txt"))
    assert "ZeroDivisionError" in reports[0].read_text()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["list", "--json"], ["models", "list", "--json"]),
        (["ls"], ["models", "list"]),
        (["pull", "org/name"], ["models", "download", "org/name"]),
        (["rm", "org/name"], ["models", "remove", "org/name"]),
        (["chat", "list"], ["chat", "list"]),
    ],
)
def test_the_words_of_ollama_are_understood(
    typed: list[str], meant: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(command, "_run", lambda arguments: seen.append(arguments) or 0)
    command.main(typed)
    assert seen == [meant]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["lst"], "there is no command 'lst'. Did you mean list?"),
        (["chart", "list"], "there is no command 'chart'. Did you mean chat?"),
        (["frobnicate"], "Commands: chat, run, bench"),
    ],
)
def test_what_is_no_command_is_answered_with_what_is(
    typed: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(typed)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_the_help_names_the_short_forms(capsys: pytest.CaptureFixture[str]) -> None:
    shown = help_of("", capsys)
    assert all(
        re.search(rf"^  {name} +{' '.join(words)}$", shown, re.MULTILINE) for name, words in command.ALIASES.items()
    )


def test_connect_without_a_name_shows_the_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["connect"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in APPS)


def test_connect_with_another_name_says_the_names_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["connect", "nobody"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("tandem: there is no program 'nobody' here. Programs: claude-code, ")
    assert said.count("\n") == 1


def test_models_without_an_action_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["models"]) == 0
    assert "starter/main" in capsys.readouterr().out
