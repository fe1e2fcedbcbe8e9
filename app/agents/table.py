"""The local API as other programs reach it, and the programs that can be set up to use it, each as it documents.

Where a program reads a file of its own for a custom endpoint, that file is written and the person's stays untouched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.agents.codex_catalog import CATALOG, kept_catalog
from app.agents.typed_settings import OWN_KEY, claude_desktop, codex_app, home_assistant, jetbrains, n8n, xcode
from app.api import proof
from app.settings.declarations import SettingsValues
from app.system.accounts import others_have_accounts
from engine import starter_pair
from engine.errors import CodedError, ModelNotUsable
from engine.model_files.config import FALLBACK_CONTEXT, context_length, read_config

if TYPE_CHECKING:
    import httpx2

# The variable with the API's key.
KEY_VARIABLE = "TANDEM_API_KEY"
# The API lists the installed models of this computer; a server that lets a person wait longer is busy with itself.
_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Endpoint:
    """The address of the local API without a path. `context` is the model's, in tokens; `key` is "" if none is needed.

    `contexts` has the contexts of the installed models by name, as far as they are known.
    """

    address: str
    context: int = FALLBACK_CONTEXT
    needs_key: bool = False
    key: str = field(default="", repr=False)
    contexts: Mapping[str, int] = field(default_factory=dict)

    @property
    def openai(self) -> str:
        """The base URL of its OpenAI-compatible part."""
        return f"{self.address}/v1"


def declared_endpoint(values: SettingsValues) -> Endpoint:
    """Return where the settings let the API serve, with the context of the pair that the window loads."""
    needs_key = values.api_network or others_have_accounts()
    try:
        context = context_length(read_config(Path(values.main_model or starter_pair()[0])))
    except ModelNotUsable:
        context = None
    return Endpoint(f"http://127.0.0.1:{values.api_port}", context or FALLBACK_CONTEXT, needs_key)


class NotProved(CodedError):
    """What listens at `address` may be another program: it does not prove that it has the API's key."""

    code = "api-not-proved"

    def __init__(self, address: str) -> None:
        super().__init__(
            f"the program that listens at {address} does not prove that it is Tandem with your key, so the key was not "
            f"sent to it: stop that program, choose another port, or set {KEY_VARIABLE} to the key that it serves "
            "with, or to nothing if it asks for none",
            address=address,
        )


def serving_endpoint(expected: Endpoint, key: str, *, key_optional: bool = False) -> Endpoint | None:
    """Return `expected` as the API that answers there describes itself; None if no API of Tandem answers.

    `key` is "" if there is none; the endpoint that is returned may need one then. The key is sent only to a server that
    has proved that it has it. With `key_optional`, a server that cannot prove it is used without a key if it asks for
    none. Raises `NotProved` for any other server that does not prove that it has the key.
    """
    # Not at the top: it takes a tenth of a second, and the window never needs it.
    import httpx2

    try:
        with httpx2.Client(base_url=expected.address, timeout=_TIMEOUT_S, trust_env=False) as client:
            reply = client.get("/v1/speculation")
            closed = reply.status_code == 401
            # Other servers do not say which model is loaded.
            loaded = None if closed else reply.json()["model"]
            if key and not _proves(client, expected.address, key):
                if closed or not key_optional:
                    raise NotProved(expected.address)
                key = ""
            if key:
                client.headers["Authorization"] = f"Bearer {key}"
                loaded = client.get("/v1/speculation").json()["model"]
            elif closed:
                return replace(expected, needs_key=True)
            listed = client.get("/v1/models").json()["data"]
            contexts = {model["id"]: model["context_length"] or 0 for model in listed if "main" in model["kinds"]}
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):
        return None
    context = contexts.get(loaded) or FALLBACK_CONTEXT
    return replace(expected, context=context, needs_key=bool(key), key=key, contexts=contexts)


def _proves(client: httpx2.Client, address: str, key: str) -> bool:
    """Whether the server at `address` proves that it has the key."""
    import httpx2

    place = address.removeprefix("http://")
    asked = proof.question(key, place)
    try:
        return proof.is_answer(client.get(proof.PATH, params=asked).json()["proof"], key, place, asked)
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):
        return False


# Where VS Code keeps a person's own files, below the person's folder.
_VS_CODE_FOLDER = "Library/Application Support/Code" if sys.platform == "darwin" else ".config/Code"
# The name by which the API knows the loaded model, whatever it is.
_MODEL = "tandem"
# What programs that insist on a key are given where the API asks for none.
_NO_KEY = "none"
# Tokens of the smallest window that Claude Code accepts for summing up ahead, 33,000 tokens before its end. In smaller
# contexts its own prompt would soon be beyond that point; there it sums up when the API refuses a prompt.
_LEAST_CLAUDE_WINDOW = 100_000
# Milliseconds for which a program waits for the next event of an answer. Claude Code and Codex otherwise leave after
# 300 s and ask again, although a model here reads a long prompt, or writes a file in one call, for longer.
_PATIENCE_MS = 900_000


@dataclass(frozen=True)
class App:
    """One program and its configuration.

    `content` is all of `file`, or an object whose members are added to it if that is `shared` with other settings, or
    lines of variables for a program without a file. `file` is below the person's folder; the variable `folder_variable`
    moves its first folder. The program reads the API's key from `key_variable`. `start` is the command that uses the
    file, "" for a program with a list of models. `run` turns the content into a command for one run, with its
    variables; None for a program that is no command. `command` is its name in a terminal, "" if it has none.
    `first_prompt` is about how many tokens its first request has, and `beside` the name of a file in Tandem's own
    folder that `content` has written. `waits_longer` says that the content makes it wait longer for an answer than it
    does of itself. A program that is `typed_into` has settings that only a person should change, and `content` says
    what to type where. `place` is where it is installed: an app, or a folder of its own below the person's.
    """

    name: str
    content: Callable[[Endpoint], str]
    file: str = ""
    shared: bool = False
    key_variable: str = KEY_VARIABLE
    folder_variable: str = ""
    start: str = ""
    run: Callable[[str], tuple[Sequence[str], Mapping[str, str]]] | None = None
    command: str = ""
    first_prompt: int = 0
    beside: str = ""
    waits_longer: bool = False
    typed_into: bool = False
    place: str = ""

    def models_with_room(self, endpoint: Endpoint) -> list[str]:
        """Return the installed models that hold its first request, those with the shortest contexts first."""
        fitting = [(context, name) for name, context in endpoint.contexts.items() if context > self.first_prompt]
        return [name for _, name in sorted(fitting)]

    @property
    def id(self) -> str:
        return self.name.lower().replace(" ", "-")


def _claude_code(endpoint: Endpoint) -> str:
    names = ("ANTHROPIC_MODEL", *(f"ANTHROPIC_DEFAULT_{kind}_MODEL" for kind in ("OPUS", "SONNET", "HAIKU")))
    key = {} if endpoint.needs_key else {"ANTHROPIC_AUTH_TOKEN": _NO_KEY}
    context = {"CLAUDE_CODE_MAX_CONTEXT_TOKENS": str(endpoint.context)}
    if endpoint.context >= _LEAST_CLAUDE_WINDOW:
        context["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = str(endpoint.context)
    variables = {"ANTHROPIC_BASE_URL": endpoint.address, **key, **dict.fromkeys(names, _MODEL), **context}
    return _json({"env": {**variables, "CLAUDE_STREAM_IDLE_TIMEOUT_MS": str(_PATIENCE_MS)}})


def _codex(endpoint: Endpoint) -> str:
    provider = f"model_providers.{_MODEL}"
    values: dict[str, str | int] = {
        "model": _MODEL,
        "model_provider": _MODEL,
        "model_context_window": endpoint.context,
        f"{provider}.name": "Tandem",
        f"{provider}.base_url": endpoint.openai,
        f"{provider}.wire_api": "responses",
        f"{provider}.stream_idle_timeout_ms": _PATIENCE_MS,
    }
    if endpoint.needs_key:
        values[f"{provider}.env_key"] = KEY_VARIABLE
    if (catalog := kept_catalog(_MODEL)) is not None:
        values["model_catalog_json"] = str(catalog)
    # Of the window, Codex uses nine tenths before it sums up. JSON's strings and numbers are also TOML's.
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def _opencode(endpoint: Endpoint) -> str:
    key = {"apiKey": "{env:TANDEM_API_KEY}"} if endpoint.needs_key else {}
    # opencode wants both, and sums the conversation up as soon as less than `output` is left of the context.
    limit = {"context": endpoint.context, "output": endpoint.context // 4}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Tandem",
        # Otherwise the whole answer has to end within five minutes.
        "options": {"baseURL": endpoint.openai, **key, "timeout": False},
        "models": {_MODEL: {"name": "Tandem", "limit": limit}},
    }
    # opencode would write the schema's address into the file.
    schema = "https://opencode.ai/config.json"
    return _json({"$schema": schema, "model": f"{_MODEL}/{_MODEL}", "provider": {_MODEL: provider}})


def _aider(endpoint: Endpoint) -> str:
    key = "" if endpoint.needs_key else f"OPENAI_API_KEY={_NO_KEY}\n"
    return f"AIDER_MODEL=openai/{_MODEL}\nOPENAI_API_BASE={endpoint.openai}\n{key}"


def _zed(endpoint: Endpoint) -> str:
    model = {"name": _MODEL, "display_name": "Tandem", "max_tokens": endpoint.context}
    provider = {"api_url": endpoint.openai, "available_models": [model]}
    return _json({"language_models": {"openai_compatible": {"Tandem": provider}}})


def _continue(endpoint: Endpoint) -> str:
    # Without `capabilities`, Continue goes by the names of OpenAI's own models.
    key = "\n    apiKey: ${{ secrets.TANDEM_API_KEY }}" if endpoint.needs_key else ""
    return f"""\
name: Tandem
version: 1.0.0
schema: v1
models:
  - name: Tandem
    provider: openai
    model: {_MODEL}
    apiBase: {endpoint.openai}{key}
    capabilities:
      - tool_use
    defaultCompletionOptions:
      contextLength: {endpoint.context}
"""


def _open_webui(endpoint: Endpoint) -> str:
    key = "" if endpoint.needs_key else f"OPENAI_API_KEY={_NO_KEY}\n"
    return f"OPENAI_API_BASE_URL={endpoint.openai}\n{key}"


def _vs_code(endpoint: Endpoint) -> str:
    # A key stays out of the file: VS Code keeps it apart after "Chat: Manage Language Models".
    key = {} if endpoint.needs_key else {"apiKey": _NO_KEY}
    answer = endpoint.context // 4
    model = {
        "id": _MODEL,
        "name": "Tandem",
        "url": f"{endpoint.openai}/chat/completions",
        "toolCalling": True,
        "vision": False,
        "maxInputTokens": endpoint.context - answer,
        "maxOutputTokens": answer,
    }
    provider = {"name": "Tandem", "vendor": "customendpoint", **key, "apiType": "chat-completions", "models": [model]}
    return _json([provider])


def _typed(write: Callable[[str, str], str]) -> Callable[[Endpoint], str]:
    """Return the content of a program that a person types into, by what writes its lines."""
    return lambda endpoint: write(endpoint.address, OWN_KEY if endpoint.needs_key else _NO_KEY)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _variables(content: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in content.splitlines())


_APPS = (
    App(
        "Claude Code",
        _claude_code,
        ".claude/tandem.json",
        key_variable="ANTHROPIC_AUTH_TOKEN",
        start="claude --settings {file}",
        run=lambda content: (("claude", "--settings", content), {}),
        command="claude",
        # As with version 2.1 of this and 0.169, 1.18 and 0.86 of the programs below.
        first_prompt=22_905,
        waits_longer=True,
    ),
    App(
        "Codex",
        _codex,
        ".codex/tandem.config.toml",
        folder_variable="CODEX_HOME",
        start="codex --profile tandem",
        run=lambda content: (("codex", *(part for line in content.splitlines() for part in ("-c", line))), {}),
        command="codex",
        first_prompt=5_400,
        beside=CATALOG,
        waits_longer=True,
    ),
    App(
        "opencode",
        _opencode,
        ".config/opencode/tandem.json",
        start="OPENCODE_CONFIG={file} opencode",
        run=lambda content: (("opencode",), {"OPENCODE_CONFIG_CONTENT": content}),
        command="opencode",
        first_prompt=7_384,
        waits_longer=True,
    ),
    App(
        "aider",
        _aider,
        ".aider.tandem.env",
        key_variable="OPENAI_API_KEY",
        start="aider --env-file {file}",
        run=lambda content: (("aider",), _variables(content)),
        command="aider",
        first_prompt=729,
    ),
    App("Zed", _zed, ".config/zed/settings.json", shared=True, command="zed"),
    App("Continue", _continue, ".continue/models/tandem.yaml", folder_variable="CONTINUE_GLOBAL_DIR"),
    App(
        "Open WebUI",
        _open_webui,
        key_variable="OPENAI_API_KEY",
        # After its first start, it prefers its stored settings to these variables.
        run=lambda content: (("open-webui", "serve"), {**_variables(content), "ENABLE_PERSISTENT_CONFIG": "False"}),
        command="open-webui",
    ),
    App(
        "VS Code",
        _vs_code,
        f"{_VS_CODE_FOLDER}/User/chatLanguageModels.json",
        key_variable="",
        command="code",
    ),
    App("Claude Desktop", _typed(claude_desktop), key_variable="", typed_into=True, place="/Applications/Claude.app"),
    App(
        "Codex App",
        _typed(codex_app),
        key_variable="",
        typed_into=True,
        place="/Applications/Codex.app",
        first_prompt=5_400,
    ),
    App("Xcode", _typed(xcode), key_variable="", typed_into=True, place="/Applications/Xcode.app"),
    App(
        "JetBrains", _typed(jetbrains), key_variable="", typed_into=True, place="Library/Application Support/JetBrains"
    ),
    App("n8n", _typed(n8n), key_variable="", typed_into=True, command="n8n"),
    App("Home Assistant", _typed(home_assistant), key_variable="", typed_into=True),
)
APPS = {app.id: app for app in _APPS}
