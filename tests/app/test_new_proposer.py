"""A new proposer needs one file and one entry in `engine.methods`, from which settings, API and window take it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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

# Prints what modules declare when they are imported after the entry was added.
DECLARED = """
import argparse, json
from engine.methods import PROPOSERS, ProposerEntry
PROPOSERS["repeat"] = ProposerEntry("tests.engine.speculation.test_toy_proposer", words="echo", method_words="Echo")
from app.api.bodies import description
from app.api.routes import ENDPOINTS
from app.cli.chat import add_options
from app.settings.declarations import SETTINGS
schemas = description(ENDPOINTS, {})["components"]["schemas"]
parser = argparse.ArgumentParser()
add_options(parser)
print(json.dumps({
    "settings": dict(SETTINGS["method"].choices).get("repeat"),
    "api": "repeat" in schemas["Speculation"]["properties"]["method"]["enum"],
    "cli": parser.parse_args(["--method", "repeat"]).method,
}))
"""


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROPOSERS, "repeat", ENTRY)


def test_settings_api_and_command_line_offer_it() -> None:
    ran = subprocess.run([sys.executable, "-c", DECLARED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == {"settings": "Echo", "api": True, "cli": "repeat"}


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
