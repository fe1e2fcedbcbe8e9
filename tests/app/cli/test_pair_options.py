"""The names of models that commands understand."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from huggingface_hub import constants

from app.__main__ import main
from app.cli.answers import TextOutput
from app.cli.conversation import TerminalConversation, talk
from app.cli.pair_options import model_path
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from engine import Engine
from engine.files.paths import resources
from tests.engine.model_files.model_folders import model_files, write_folder, write_snapshot


@pytest.mark.parametrize(
    "command",
    [
        ["bench", "--main", "starter/head"],
        ["chat", "Hello", "--main", "starter/head"],
        ["serve", "--main", "starter/head"],
    ],
    ids=lambda command: command[0],
)
def test_commands_find_a_part_of_the_starter_by_its_name(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 1
    assert "is a head: it drafts" in " ".join(capsys.readouterr().err.split())


def test_a_chat_finds_a_part_of_the_starter_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("/model starter/head\n"))
    with Engine() as engine:
        assert talk(TerminalConversation(engine, Namespace(), TextOutput()), quiet=True) == 0
    assert "is a head: it drafts" in " ".join(capsys.readouterr().err.split())


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
        "org/model": in_app,
        "added": added,
        # As everywhere, a folder wins.
        "org/cached": here,
        "org/elsewhere": "org/elsewhere",
    }.items():
        assert model_path(name) == str(path)
    monkeypatch.chdir(own_home)
    assert model_path("org/cached") == str(snapshot)
