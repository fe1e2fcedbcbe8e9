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

from app.library.model_choices import draft_choices
from app.transcript.tints.token_legend import TokenLegend
from app.transcript.tints.token_view import char_format
from app.widgets import theme
from app.wording.sources import method_name, names_without_drafter
from engine.methods import PROPOSERS, ProposerEntry
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script, ScriptedRound
from tests.app.shown_library import bare
from tests.app.window_parts import names_in

ROOT = Path(__file__).resolve().parents[2]
ENTRY = ProposerEntry("tests.engine.speculation.test_toy_proposer", words="echo", method_words="Echo")

# Prints what modules have of a proposer and settings of requests that are declared before they are imported.
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
    pause: float | None = None

@dataclass(frozen=True)
class Speculating(requests.SpeculationSettings):
    patience: int | None = None
    width: int = 0
    careful: bool = True

@dataclass(frozen=True)
class Values(declarations.SettingsValues):
    echo: float = GENERATION.setting(0.0, title="Echo", most=1.0, terminal="repeat, 0 to 1")
    pause: float = GENERATION.setting(0.0, title="Pause", most=1.0, least_words="Automatic")
    patience: int = SPECULATION.setting(0, title="Patience", most=9, least_words="Automatic")
    width: int = SPECULATION.setting(0, title="Width", choices=((0, "Any"), (8, "Eight")))
    careful: bool = SPECULATION.setting(True, title="Careful")

requests.SamplingSettings, requests.SpeculationSettings, declarations.SettingsValues = Sampling, Speculating, Values
for name in ("echo", "pause", "patience", "width", "careful"):
    declared = Values.__dataclass_fields__[name]
    declarations.SETTINGS[name] = Setting(name, declared.default, **declared.metadata)

from app.api.requests.bodies import body_of, description
from app.api.dialects.chat import ChatBody
from app.api.requests.errors import ApiError
from app.api.routes import ENDPOINTS
from app.cli.chat import add_options
from app.cli.conversation import request
from app.conversations.chat_settings import GenerationSettings, usable
from app.settings.engine_settings import sampling_of, speculation_of

turns = [{"role": "user", "content": "Hello"}]
schemas = description(ENDPOINTS, {})["components"]["schemas"]
CHANGED = {"patience": 3, "width": 8, "careful": False}
body = convert({"echo": 0.5, "pause": 0.5, "speculation": CHANGED, "messages": turns}, ChatBody)
try:
    refused = body_of({"speculation": {"width": 7}, "messages": turns}, ChatBody)
except ApiError as error:
    refused = error.sentence
parser = argparse.ArgumentParser()
add_options(parser)
line = "--echo 0.5 --pause 0.5 --patience 3 --width 8 --no-careful --method repeat"
asked = request(parser.parse_args(line.split()), turns)
values = Values(echo=0.5, pause=0.5, **CHANGED)
own = GenerationSettings().with_overrides(usable({"echo": 0.5, "pause": 0.5, **CHANGED}))

def of(sampling, speculation):
    return [sampling.echo, sampling.pause, speculation.patience, speculation.width, speculation.careful]

print(json.dumps({
    "proposer": {
        "settings": dict(declarations.SETTINGS["method"].choices).get("repeat"),
        "api": "repeat" in schemas["Speculation"]["properties"]["method"]["enum"],
        "cli": asked.speculation.method,
    },
    "settings": {
        "described": [schemas["ChatBody"]["properties"]["echo"]["maximum"],
                      "patience" in schemas["Speculation"]["properties"]],
        "refused": refused,
        "api": of(body.sampling({}), body.speculating(Speculating())),
        "cli": of(asked.sampling, asked.speculation),
        "help": "repeat, 0 to 1" in parser.format_help(),
        "window": of(sampling_of(values, {}), speculation_of(values)),
        "unchanged": of(sampling_of(Values(), {}), speculation_of(Values())),
        "chat": of(own.sampling, own.speculation),
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


@pytest.mark.full
def test_settings_api_and_command_line_offer_it(declared: dict[str, Any]) -> None:
    assert declared["proposer"] == {"settings": "Echo", "api": True, "cli": "repeat"}


def test_a_setting_of_requests_is_a_field_and_a_declaration(declared: dict[str, Any]) -> None:
    """The rows of the settings window and of a chat's sheet are all that are declared, as their own tests hold."""
    ways = {way: [0.5, 0.5, 3, 8, False] for way in ("api", "cli", "window", "chat")}
    assert declared["settings"] == ways | {
        "described": [1, True],
        "refused": "'speculation.width' must be one of 0, 8.",
        "help": True,
        "unchanged": [0.0, None, None, 0, True],
    }


@pytest.mark.usefixtures("_registered")
def test_figures_sentences_and_pickers_know_it() -> None:
    assert method_name("repeat") == "Echo"
    assert names_without_drafter("auto") == "prompt lookup and echo"
    [lookup, _] = draft_choices(bare(), (), "/models/draft", "repeat", (), {})
    assert lookup.loaded


@pytest.mark.full
@pytest.mark.usefixtures("_registered")
def test_the_window_shows_its_tokens(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One two three four five. " * 4, [ScriptedRound(4, 2, "repeat")])]))
    window.ask_and_wait("first")
    assert names_in(window.find(TokenLegend)) == ["main", "echo", "rejected"]
    colours = theme.colours()
    assert char_format("repeat").underlineColor().name() == colours.lookup
    assert char_format("head").underlineColor().name() == colours.draft
