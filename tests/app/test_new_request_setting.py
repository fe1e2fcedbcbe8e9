"""A setting of requests is one field of the engine's and one declaration; API, terminal, chats and window have it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Declares one setting of each kind before the modules that follow the declarations, and prints what these have of it.
DECLARED = """
import argparse, json
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, convert

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
    echo: float = GENERATION.setting(0.0, title="Echo", help="Repeats.", most=1.0, step=0.1, terminal="repeat, 0 to 1")
    patience: int = SPECULATION.setting(0, title="Patience", help="Waits.", most=9, least_words="Automatic")

requests.SamplingSettings, requests.SpeculationSettings, declarations.SettingsValues = Sampling, Speculating, Values
for name in ("echo", "patience"):
    declared = Values.__dataclass_fields__[name]
    declarations.SETTINGS[name] = Setting(name, declared.default, **declared.metadata)

from app.api.chat import ChatBody
from app.api.bodies import description
from app.api.routes import ENDPOINTS
from app.cli.chat import add_options
from app.cli.conversation import request
from app.conversations.chat_settings import GenerationSettings, usable
from app.settings.engine_settings import sampling_of, speculation_of

TURNS = [{"role": "user", "content": "Hello"}]
schemas = description(ENDPOINTS, {})["components"]["schemas"]
body = convert({"echo": 0.5, "speculation": {"patience": 3}, "messages": TURNS}, ChatBody)
parser = argparse.ArgumentParser()
add_options(parser)
asked = request(parser.parse_args(["--echo", "0.5", "--patience", "3"]), TURNS)
values, own = Values(echo=0.5, patience=3), GenerationSettings().with_own(usable({"echo": 0.5, "patience": 3}))
print(json.dumps({
    "described": [schemas["ChatBody"]["properties"]["echo"]["maximum"],
                  "patience" in schemas["Speculation"]["properties"]],
    "api": [body.sampling({}).echo, body.speculating(Speculating()).patience],
    "cli": [asked.sampling.echo, asked.speculation.patience],
    "help": "repeat, 0 to 1" in parser.format_help(),
    "window": [sampling_of(values, {}).echo, speculation_of(values).patience, speculation_of(Values()).patience],
    "chat": [own.sampling.echo, own.speculation.patience],
}))
"""


def test_one_declaration_reaches_api_terminal_chats_and_window() -> None:
    """The rows of the settings window and of a chat's sheet are all that are declared, as their own tests hold."""
    ran = subprocess.run([sys.executable, "-c", DECLARED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "described": [1, True],
        "api": [0.5, 3],
        "cli": [0.5, 3],
        "help": True,
        "window": [0.5, 3, None],
        "chat": [0.5, 3],
    }
