"""The programs that can be set up to use the local API, each by its documented configuration.

Where a program reads a file of its own for a custom endpoint, that file is written and the person's stays untouched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.agents.endpoint import Endpoint

# The name by which the API knows the loaded model, whatever it is.
_MODEL = "tandem"
# What programs that insist on a key are given where the API asks for none.
_NO_KEY = "none"


@dataclass(frozen=True)
class Member:
    """A value in a JSON file that holds other settings, too: `value` at the keys of `path`."""

    path: Sequence[str]
    value: Mapping[str, Any]


@dataclass(frozen=True)
class App:
    """One program and its configuration.

    `file` is inside `folder`, which the variable `folder_variable` moves; "" for a program without a file. `content`
    is all of that file, or what is set in it. The program reads the API's key from `key_variable`. `start` is the
    command that uses the file, "" for a program with a list of models. `variables` are all that a program without a
    file needs. `run` is a command for one run, with its variables; None for a program that is no command.
    """

    id: str
    name: str
    key_variable: str
    content: Callable[[Endpoint], str | Member] | None = None
    folder: str = ""
    file: str = ""
    folder_variable: str = ""
    start: str = ""
    variables: Callable[[Endpoint], Mapping[str, str]] = lambda _endpoint: {}
    run: Callable[[Endpoint], tuple[Sequence[str], Mapping[str, str]]] | None = None


def _claude_settings(endpoint: Endpoint) -> dict[str, Any]:
    names = ("ANTHROPIC_MODEL", *(f"ANTHROPIC_DEFAULT_{kind}_MODEL" for kind in ("OPUS", "SONNET", "HAIKU")))
    key = {} if endpoint.needs_key else {"ANTHROPIC_AUTH_TOKEN": _NO_KEY}
    return {"env": {"ANTHROPIC_BASE_URL": endpoint.address, **key, **dict.fromkeys(names, _MODEL)}}


def _codex_values(endpoint: Endpoint) -> dict[str, str | int]:
    provider = f"model_providers.{_MODEL}"
    key = {f"{provider}.env_key": "TANDEM_API_KEY"} if endpoint.needs_key else {}
    return {
        "model": _MODEL,
        "model_provider": _MODEL,
        "model_context_window": endpoint.context,
        # These tools run at OpenAI's, or are no functions.
        "web_search": "disabled",
        "agents.enabled": False,
        f"{provider}.name": "Tandem",
        f"{provider}.base_url": endpoint.openai,
        f"{provider}.wire_api": "responses",
        **key,
    }


def _assigned(values: Mapping[str, Any], sign: str) -> list[str]:
    # JSON's strings and numbers are also TOML's and YAML's.
    return [f"{key}{sign}{json.dumps(value)}" for key, value in values.items()]


def _opencode_provider(endpoint: Endpoint) -> dict[str, Any]:
    key = {"apiKey": "{env:TANDEM_API_KEY}"} if endpoint.needs_key else {}
    # opencode wants both; half of the context is the most that an answer can be without crowding out the question.
    limit = {"context": endpoint.context, "output": endpoint.context // 2}
    return {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Tandem",
        "options": {"baseURL": endpoint.openai, **key},
        "models": {_MODEL: {"name": "Tandem", "limit": limit}},
    }


def _opencode_run(endpoint: Endpoint) -> tuple[Sequence[str], Mapping[str, str]]:
    config = {"model": f"{_MODEL}/{_MODEL}", "provider": {_MODEL: _opencode_provider(endpoint)}}
    return ("opencode",), {"OPENCODE_CONFIG_CONTENT": json.dumps(config)}


def _aider_values(endpoint: Endpoint) -> dict[str, str]:
    key = {} if endpoint.needs_key else {"OPENAI_API_KEY": _NO_KEY}
    return {"AIDER_MODEL": f"openai/{_MODEL}", "OPENAI_API_BASE": endpoint.openai, **key}


def _continue_block(endpoint: Endpoint) -> str:
    key = {"apiKey": "${{ secrets.TANDEM_API_KEY }}"} if endpoint.needs_key else {}
    model = {"name": "Tandem", "provider": "openai", "model": _MODEL, "apiBase": endpoint.openai, **key}
    options = f"    defaultCompletionOptions:\n      contextLength: {endpoint.context}\n"
    fields = "\n    ".join(_assigned(model, ": "))
    return f"name: Tandem\nversion: 1.0.0\nschema: v1\nmodels:\n  - {fields}\n{options}"


def _open_webui_variables(endpoint: Endpoint) -> dict[str, str]:
    return {"OPENAI_API_BASE_URL": endpoint.openai, "OPENAI_API_KEY": endpoint.key or _NO_KEY}


_APPS = (
    App(
        "claude-code",
        "Claude Code",
        "ANTHROPIC_AUTH_TOKEN",
        lambda endpoint: json.dumps(_claude_settings(endpoint), indent=2) + "\n",
        folder=".claude",
        file="tandem.json",
        folder_variable="CLAUDE_CONFIG_DIR",
        start="claude --settings {file}",
        run=lambda endpoint: (("claude", "--settings", json.dumps(_claude_settings(endpoint))), {}),
    ),
    App(
        "codex",
        "Codex",
        "TANDEM_API_KEY",
        lambda endpoint: "\n".join([*_assigned(_codex_values(endpoint), " = "), ""]),
        folder=".codex",
        file="tandem.config.toml",
        folder_variable="CODEX_HOME",
        start="codex --profile tandem",
        run=lambda endpoint: (
            ("codex", *(part for one in _assigned(_codex_values(endpoint), "=") for part in ("-c", one))),
            {},
        ),
    ),
    App(
        "opencode",
        "opencode",
        "TANDEM_API_KEY",
        lambda endpoint: Member(("provider", _MODEL), _opencode_provider(endpoint)),
        folder=".config",
        file="opencode/opencode.json",
        folder_variable="XDG_CONFIG_HOME",
        start=f"opencode --model {_MODEL}/{_MODEL}",
        run=_opencode_run,
    ),
    App(
        "aider",
        "aider",
        "OPENAI_API_KEY",
        lambda endpoint: "\n".join([*(f"{name}={value}" for name, value in _aider_values(endpoint).items()), ""]),
        file=".aider.tandem.env",
        start="aider --env-file {file}",
        run=lambda endpoint: (
            ("aider", "--model", f"openai/{_MODEL}", "--openai-api-base", endpoint.openai),
            {"OPENAI_API_KEY": _NO_KEY},
        ),
    ),
    App(
        "zed",
        "Zed",
        "TANDEM_API_KEY",
        lambda endpoint: Member(
            ("language_models", "openai_compatible", "Tandem"),
            {
                "api_url": endpoint.openai,
                "available_models": [{"name": _MODEL, "display_name": "Tandem", "max_tokens": endpoint.context}],
            },
        ),
        folder=".config/zed",
        file="settings.json",
    ),
    App(
        "continue",
        "Continue",
        "TANDEM_API_KEY",
        _continue_block,
        folder=".continue",
        file="models/tandem.yaml",
        folder_variable="CONTINUE_GLOBAL_DIR",
    ),
    App(
        "open-webui",
        "Open WebUI",
        "OPENAI_API_KEY",
        variables=_open_webui_variables,
        run=lambda endpoint: (("open-webui", "serve"), _open_webui_variables(endpoint)),
    ),
)
APPS = {app.id: app for app in _APPS}
