"""Where the local API answers, as other programs have to be told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from app.settings.declarations import SettingsValues
from engine import starter_pair
from engine.errors import CodedError, ModelNotUsable
from engine.model_files.config import FALLBACK_CONTEXT, context_length, read_config

# It lists the installed models of this computer; a server that lets a person wait longer is busy with itself.
_PATIENCE_S = 5.0
# The longest list that is read; a thousand models take a fifth.
_MOST_BYTES = 1 << 20


class KeyRefused(CodedError):
    """The local API asks for a key, and the given one is not it."""

    code = "key-refused"

    def __init__(self) -> None:
        super().__init__("the local API asks for its key: set TANDEM_API_KEY to it")


@dataclass(frozen=True)
class Endpoint:
    """The address of the local API without a path. `context` is that of the model, in tokens; `key` is "" for none."""

    address: str
    context: int
    needs_key: bool = False
    key: str = field(default="", repr=False)

    @property
    def openai(self) -> str:
        """The base URL of its OpenAI-compatible part."""
        return f"{self.address}/v1"


def local_address(port: int) -> str:
    """Return the address for programs on this computer."""
    return f"http://127.0.0.1:{port}"


def declared_endpoint(values: SettingsValues, port: int | None = None) -> Endpoint:
    """Return where the settings let the API serve, with the context of the pair that the window loads."""
    needs_key = values.api_asks_key or values.api_network
    folder = Path(values.main_model or starter_pair()[0])
    try:
        context = context_length(read_config(folder))
    except ModelNotUsable:
        context = None
    return Endpoint(local_address(port or values.api_port), context or FALLBACK_CONTEXT, needs_key)


def serving_endpoint(port: int, key: str = "") -> Endpoint | None:
    """Return the local API that answers at that port of this computer, None if none does. Raises `KeyRefused`."""
    address = local_address(port)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with build_opener(ProxyHandler({})).open(
            Request(f"{address}/v1/models", headers=headers), None, _PATIENCE_S
        ) as r:
            [first, *_] = json.loads(r.read(_MOST_BYTES))["data"]
        # Other servers do not say which models are loaded.
        context = int(first["context_length"] or 0) if first["loaded"] else 0
    except HTTPError as error:
        with error:
            if error.code == 401:
                raise KeyRefused from error
        return None
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Endpoint(address, context or FALLBACK_CONTEXT, bool(key), key)
