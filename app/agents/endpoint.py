"""Where the local API answers, as other programs have to be told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from app.settings.declarations import SettingsValues
from app.system.accounts import others_have_accounts
from engine import starter_pair
from engine.errors import ModelNotUsable
from engine.model_files.config import FALLBACK_CONTEXT, context_length, read_config

# The API lists the installed models of this computer; a server that lets a person wait longer is busy with itself.
_PATIENCE_S = 5.0


@dataclass(frozen=True)
class Endpoint:
    """The address of the local API without a path. `context` is that of the model, in tokens; `key` is "" for none."""

    address: str
    context: int = FALLBACK_CONTEXT
    needs_key: bool = False
    key: str = field(default="", repr=False)

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


def serving_endpoint(expected: Endpoint, key: str) -> Endpoint | None:
    """Return `expected` as the API that answers there describes itself, without a key if it refuses this one.

    Returns None if no API of Tandem answers.
    """
    # Not at the top: it takes a tenth of a second, and the window never needs it.
    import httpx2

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx2.Client(base_url=expected.openai, headers=headers, timeout=_PATIENCE_S, trust_env=False) as client:
            # Other servers do not say which model is loaded.
            reply = client.get("speculation")
            if reply.status_code == 401:
                return replace(expected, needs_key=True)
            loaded = reply.json()["model"]
            context = {one["id"]: one["context_length"] for one in client.get("models").json()["data"]}.get(loaded)
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):
        return None
    return replace(expected, context=context or FALLBACK_CONTEXT, needs_key=bool(key), key=key)
