"""The names of models that commands understand."""

from __future__ import annotations

import io
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from huggingface_hub import constants

from app.__main__ import main
from app.cli.answers import TextOutput
from app.cli.conversation import TerminalConversation, talk
from app.cli.pair_options import chosen_pair, explained, model_path
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from engine import Engine
from engine.files.paths import resources
from engine.hub.failures import HubError
from tests.engine.model_files.model_folders import model_files, write_folder, write_snapshot
from tests.patience import PATIENCE_S
from tests.tiny_gguf import write_gguf


@pytest.mark.parametrize("command", [["chat"], ["run", "starter"], ["bench"]], ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--draft-ahead", "two, computers", "neither off nor here"),
        *(("--draft-ahead-branches", number, "not a number from 1 to 3") for number in ("0", "4", "-1", "1.5", "all")),
    ],
)
def test_commands_say_how_drafting_ahead_can_be_chosen(
    command: list[str], option: str, value: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*command, f"{option}={value}"])
    assert f"argument {option}: {value!r} is {says}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["bench", "--main", "starter/head"],
        ["chat", "Hello", "--main", "starter/head"],
        ["run", "--max-tokens", "4", "starter/head", "--seed", "1", "Hello"],
        ["serve", "--main", "starter/head"],
    ],
    ids=lambda command: command[0],
)
def test_commands_find_a_part_of_the_starter_by_its_name(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    assert "It is a head, not a model. Choose it as the draft." in " ".join(capsys.readouterr().err.split())


def test_a_chat_finds_a_part_of_the_starter_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("/model starter/head\n"))
    with Engine() as engine:
        assert talk(TerminalConversation(engine, Namespace(), TextOutput()), quiet=True) == 0
    assert "It is a head, not a model. Choose it as the draft." in " ".join(capsys.readouterr().err.split())


def test_names_of_the_lists_are_those_of_folders_and_others_stay(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    snapshot = write_snapshot(tmp_path / "cache", "org/cached", model_files())
    in_app = write_folder(own_home / ".lmstudio/models/org/model", model_files())
    added = write_folder(tmp_path / "mine/added", model_files())
    here = write_folder(tmp_path / "org/cached", model_files()).relative_to(tmp_path)
    SettingsStore(settings_folder() / "settings.json").change(model_folders=(str(added.parent),))
    for name, path in {
        "starter/main": resources() / "starter/main",
        "starter/draft": resources() / "starter/draft",
        "starter/head": resources() / "starter/head",
        "starter": resources() / "starter/main",
        "org/model": in_app,
        "added": added,
        # As everywhere, a folder wins.
        "org/cached": here,
        "org/elsewhere": "org/elsewhere",
    }.items():
        assert model_path(name) == str(path)
    monkeypatch.chdir(own_home)
    assert model_path("org/cached") == str(snapshot)


def test_a_name_that_is_not_here_is_told_with_the_remedy_before_mlx_is_imported() -> None:
    commands = [
        ["run", "{}", "Hello"],
        ["run", "{}", "--temperature", "1", "Hello"],
        ["chat", "Hello", "--draft", "{}"],
        ["bench", "--main", "{}"],
        ["bench", "--also", "{}"],
        ["serve", "--main", "{}"],
        ["doctor", "--main", "{}"],
    ]
    remedies = {"llama3.2:1b": "`tandem models search llama3.2`", "org/llama": "`tandem models download org/llama`"}
    code = (
        "import sys; from app.__main__ import main\n"
        f"for command in {commands}:\n"
        f"    for name in {list(remedies)}:\n"
        "        main([word.format(name) for word in command])\n"
        "        print('mlx.core' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
    assert "True" not in done.stdout.splitlines()
    for name, remedy in remedies.items():
        # `tandem doctor` says it on standard output.
        said = [line for line in (done.stdout + done.stderr).splitlines() if f"{name} is not on this computer" in line]
        assert len(said) == len(commands)
        assert all(remedy in line for line in said)


@pytest.mark.parametrize(
    ("options", "draft"),
    [
        ({}, "starter/draft"),
        ({"main": "Starter"}, "starter/draft"),
        ({"main": "starter/main", "draft": "none"}, None),
        ({"main": "starter/draft"}, None),
    ],
)
def test_the_starter_s_main_has_the_starter_s_draft(options: dict[str, str], draft: str | None) -> None:
    chosen = chosen_pair(Namespace(**{"main": None, "draft": None} | options))
    assert chosen[1] == (None if draft is None else str(resources() / draft))


def test_no_estimate_is_starred_against_the_draft_of_the_starter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "pairs", "Starter"]) == 0
    shown = capsys.readouterr().out
    assert "starter/head" in shown
    assert "*" not in shown


def test_commands_take_a_gguf_file_as_a_chat_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Its template needs no process of its own, which takes seconds to start.
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: True)
    file = write_gguf(tmp_path / "tiny-Q8_0.gguf")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").write_text('{"text": "Hi"}')
    measured = ["--prompts", "prompts", "--repetitions", "1", "--max-tokens", "2", "--ways", "draft, depth 4", "--json"]
    assert main(["models", "pairs", file.name]) == 0
    said = capsys.readouterr()
    assert "(lookup)" in said.out
    assert said.err == "tandem: converting the file\n"
    # The folder that was made is used again, also under the file's name.
    assert main(["models", "pairs", str(file)]) == 0
    assert main(["models", "pairs", "tiny-Q8_0"]) == 0
    assert main(["bench", "--main", file.name, "--draft", str(file), *measured]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert '"models": {"main": "tiny-Q8_0", "draft": "tiny-Q8_0"}' in said.out
    assert main(["models", "remove", file.name, "--yes"]) == 0
    assert main(["models", "remove", file.name, "--yes"]) == 2
    assert "never deletes" in capsys.readouterr().err
    assert file.exists()


def test_a_name_that_never_was_one_is_not_called_gone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rm", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("tandem: nothing is not on this computer. `tandem models list` shows")
    assert main(["rm", "starter"]) == 1
    assert "part of Tandem" in capsys.readouterr().err


def test_sentences_of_the_window_call_a_mac_this_computer_and_name_what_the_terminal_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = explained(HubError("certificate", "org/model"))
    assert said.startswith("The certificate of Hugging Face isn't trusted on this computer.")
    said = explained(HubError("wrong-mirror", endpoint="http://mirror"))
    assert said.startswith("http://mirror does not respond like Hugging Face.")
    assert "HF_ENDPOINT" in said
    for reason in HubError.REASONS:
        assert "settings" not in explained(HubError(reason, "org/model"))
    monkeypatch.setenv("HF_ENDPOINT", "http://mirror")
    assert explained(HubError("offline")).endswith("HF_ENDPOINT is http://mirror.")
