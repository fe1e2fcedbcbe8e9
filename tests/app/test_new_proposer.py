"""A new proposer is one file and one entry in `engine.methods`, a setting of requests one field and one declaration.

Settings, API, terminal, chats and window take them from there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.chat.token_legend import TokenLegend
from app.chat.token_view import char_format
from app.library.model_choices import draft_choices
from app.widgets import theme
from app.wording.figures import depth_texts
from app.wording.sources import method_name, names_without_drafter
from engine.methods import PROPOSERS, ProposerEntry
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script, ScriptedRound
from tests.app.shown_library import bare
from tests.app.window_parts import names_in

ROOT = Path(__file__).resolve().parents[2]
ENTRY = ProposerEntry("tests.engine.speculation.test_toy_proposer", words="echo", method_words="Echo")

# Prints what modules have of a proposer and two settings of requests that are declared before they are imported.
DECLARED = """
import argparse, json
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, convert

from engine.methods import PROPOSERS, ProposerEntry
PROPOSERS["repeat"] = ProposerEntry("tests.engine.speculation.test_toy_proposer", words="echo", method_words="Echo")

from app.settings import declarations
from app.settings.setting import GENERATION, SPECULATION, Setting
from engine import requests

@dataclass(frozen=True)
class Sampling(requests.SamplingSettings):
    echo: Annotated[float, Meta(ge=0, le=1)] = 0.0

@dataclass(frozen=True)
class Speculating(requests.SpeculationSettings):
    patience: int | None = None

@dataclass(frozen=True)
class Values(declarations.SettingsValues):
    echo: float = GENERATION.setting(0.0, title="Echo", most=1.0, terminal="repeat, 0 to 1")
    patience: int = SPECULATION.setting(0, title="Patience", most=9, least_words="Automatic")

requests.SamplingSettings, requests.SpeculationSettings, declarations.SettingsValues = Sampling, Speculating, Values
for name in ("echo", "patience"):
    declared = Values.__dataclass_fields__[name]
    declarations.SETTINGS[name] = Setting(name, declared.default, **declared.metadata)

from app.api.bodies import description
from app.api.chat import ChatBody
from app.api.routes import ENDPOINTS
from app.cli.chat import add_options
from app.cli.conversation import request
from app.conversations.chat_settings import GenerationSettings, usable
from app.settings.engine_settings import sampling_of, speculation_of

turns = [{"role": "user", "content": "Hello"}]
schemas = description(ENDPOINTS, {})["components"]["schemas"]
body = convert({"echo": 0.5, "speculation": {"patience": 3}, "messages": turns}, ChatBody)
parser = argparse.ArgumentParser()
add_options(parser)
asked = request(parser.parse_args(["--echo", "0.5", "--patience", "3", "--method", "repeat"]), turns)
values, own = Values(echo=0.5, patience=3), GenerationSettings().with_own(usable({"echo": 0.5, "patience": 3}))
print(json.dumps({
    "proposer": {
        "settings": dict(declarations.SETTINGS["method"].choices).get("repeat"),
        "api": "repeat" in schemas["Speculation"]["properties"]["method"]["enum"],
        "cli": asked.speculation.method,
    },
    "settings": {
        "described": [schemas["ChatBody"]["properties"]["echo"]["maximum"],
                      "patience" in schemas["Speculation"]["properties"]],
        "api": [body.sampling({}).echo, body.speculating(Speculating()).patience],
        "cli": [asked.sampling.echo, asked.speculation.patience],
        "help": "repeat, 0 to 1" in parser.format_help(),
        "window": [sampling_of(values, {}).echo, speculation_of(values).patience, speculation_of(Values()).patience],
        "chat": [own.sampling.echo, own.speculation.patience],
    },
}))
"""


@pytest.fixture(scope="module")
def declared() -> dict[str, Any]:
    ran = subprocess.run([sys.executable, "-c", DECLARED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout))


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROPOSERS, "repeat", ENTRY)


def test_settings_api_and_command_line_offer_it(declared: dict[str, Any]) -> None:
    assert declared["proposer"] == {"settings": "Echo", "api": True, "cli": "repeat"}


def test_a_setting_of_requests_is_a_field_and_a_declaration(declared: dict[str, Any]) -> None:
    """The rows of the settings window and of a chat's sheet are all that are declared, as their own tests hold."""
    assert declared["settings"] == {
        "described": [1, True],
        "api": [0.5, 3],
        "cli": [0.5, 3],
        "help": True,
        "window": [0.5, 3, None],
        "chat": [0.5, 3],
    }


@pytest.mark.usefixtures("_registered")
def test_figures_sentences_and_pickers_know_it() -> None:
    assert method_name("repeat") == "Echo"
    assert names_without_drafter("auto") == "prompt lookup, echo"
    assert "drafted (echo)" in depth_texts()
    [lookup, _] = draft_choices(bare(), (), "/models/draft", "repeat", (), {})
    assert lookup.loaded


@pytest.mark.usefixtures("_registered")
def test_the_window_shows_its_tokens(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One two three four five.", [ScriptedRound(4, 2, "repeat")])]))
    window.ask_and_wait("first")
    assert names_in(window.find(TokenLegend)) == ["main", "echo", "rejected"]
    colours = theme.colours()
    assert char_format("repeat").underlineColor().name() == colours.lookup
    assert char_format("head").underlineColor().name() == colours.draft
