"""GET /api/tags, /api/ps, /api/version and POST /api/show: the installed models in the shape of Ollama's API."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from app.api.calls import Api
from app.api.models import changed_at, written_size
from app.api.requests.errors import ApiError, JsonReply
from engine.errors import ModelNotUsable
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_bytes, read_object
from engine.hub.failures import HubError
from engine.hub.remove import plan_removal, remove
from engine.model_files.config import read_config, text_config
from engine.model_files.model import Model
from engine.tokenizers.thinking import may_choose

# The release of Ollama whose API is followed here. Programs refuse one that is older than what they were made for. It
# is raised to Ollama's newest release before each release of ours, together with the list of that one's endpoints in
# the tests, which hold that docs/local-api.md names those that are missing here.
_VERSION = "0.34.2"
# Models stay loaded until another one needs the memory; programs expect a date.
_STAYS = timedelta(days=365)


class ShowBody(Struct, kw_only=True):
    """What is known of a model, in the shape of Ollama's API."""

    model: str | None = None
    # The older spelling.
    name: str | None = None
    verbose: bool | None = None


async def greet(_request: Request) -> Response:
    """Whether the server answers, as programs for Ollama ask."""
    return PlainTextResponse("Tandem is running")


async def version(_request: Request) -> Response:
    """The version of Ollama's API that this one is like."""
    return JsonReply({"version": _VERSION})


async def tags(request: Request) -> Response:
    """The installed models, in the shape of Ollama's API."""
    api: Api = request.app.state.api
    models = await api.models.selectable()
    return JsonReply({"models": await asyncio.to_thread(lambda: [_listed(api, model) for model in models])})


async def running(request: Request) -> Response:
    """The main models at hand, in the shape of Ollama's API."""
    api: Api = request.app.state.api
    expires = (datetime.now(UTC) + _STAYS).isoformat()
    entries = []
    for info in [pair.main for pair in api.models.host.pairs if pair.main is not None]:
        if (model := await api.models.named(api.models.name_of(info))) is not None:
            sizes = {"size": info.bytes, "size_vram": info.bytes, "context_length": info.context_length}
            entries.append({**_entry(model), **sizes, "expires_at": expires})
    return JsonReply({"models": entries})


async def show(request: Request, body: ShowBody) -> Response:
    """One model, in the shape of Ollama's API; the loaded one for a name of a program's own.

    Raises `ApiError` (model_not_found) if there is none.
    """
    api: Api = request.app.state.api
    name = body.model or body.name or ""
    model = await api.models.any_named(name)
    if model is None and not api.models.is_refused_encoder(name):
        model = await api.models.named(api.models.name_of(api.models.host.pair.main))
    if model is None or model not in await api.models.selectable():
        raise ApiError(404, f"model '{name[:100]}' not found.", code="model_not_found")
    entry = await asyncio.to_thread(_listed, api, model)
    known = {
        "general.architecture": model.architecture,
        "general.parameter_count": model.parameters,
        f"{model.architecture}.context_length": model.context,
        f"{model.architecture}.embedding_length": entry["details"].get("embedding_length"),
    }
    about = {"modelfile": "", "license": "", "parameters": "", "template": _template(model.config_path)}
    shared = {name: entry[name] for name in ("capabilities", "details", "modified_at")}
    return JsonReply({**about, **shared, "model_info": {name: value for name, value in known.items() if value}})


async def delete(request: Request, body: ShowBody) -> Response:
    """Delete a model that was downloaded, in the shape of Ollama's API.

    Raises `ApiError`: (model_not_found), (in-use) if this program uses it, or why its files stay.
    """
    # Imported here because no other call needs the Hub.
    from huggingface_hub import constants

    api: Api = request.app.state.api
    name = (body.model or body.name or "")[:100]
    model = await api.models.any_named(name)
    if model is None:
        raise ApiError(404, f"model '{name}' not found.", code="model_not_found")
    if api.models.is_own(model):
        raise ApiError(409, f"'{model.id}' is in use here: choose another model first.", code="in-use")
    await api.models.release(Path(model.path))
    try:
        await asyncio.to_thread(lambda: remove(plan_removal(model, Path(constants.HF_HUB_CACHE))))
    except HubError as error:
        raise ApiError(409, f"'{model.id}' cannot be deleted ({error.reason}).", code=error.reason) from error
    finally:
        api.models.look_again()
    return Response()


def _listed(api: Api, model: Model) -> dict[str, Any]:
    """Return a model as /api/tags lists it. Reads its folder."""
    entry = _entry(model)
    lengths = {"context_length": model.context, "embedding_length": _width(model.config_path)}
    entry["details"] |= {name: length for name, length in lengths.items() if length}
    return entry | {"capabilities": _capabilities(api, model)}


def _capabilities(api: Api, model: Model) -> list[str]:
    """Return what a model is for: as in Ollama, one that has a pooling is for embeddings alone."""
    if api.models.is_for_embeddings(model):
        return ["embedding"]
    able = {"tools": True, "thinking": may_choose(_template(model.config_path)), "vision": model.sees}
    return ["completion", *(name for name, is_able in able.items() if is_able)]


def _width(folder: Path) -> int | None:
    """Return the size of a token's state in the model in a folder, None if its configuration does not say."""
    with suppress(ModelNotUsable):
        config = text_config(read_config(folder))
        width = config.get("hidden_size", config.get("n_embd"))
        return width if type(width) is int else None
    return None


def _entry(model: Model) -> dict[str, Any]:
    """Return a model as /api/ps lists it."""
    modified = changed_at(model).isoformat()
    details = {
        "parent_model": "",
        "format": "safetensors",
        "family": model.architecture,
        "families": [model.architecture],
        "parameter_size": written_size(model) or "",
        "quantization_level": f"{model.bits}-bit" if model.bits is not None else "",
    }
    # Programs tell versions of a model apart by it.
    digest = hashlib.sha256(f"{model.id}\0{model.weight_bytes}\0{modified}".encode()).hexdigest()
    named = {"name": model.id, "model": model.id, "modified_at": modified}
    return {**named, "size": model.weight_bytes, "digest": digest, "details": details}


def _template(folder: Path) -> str:
    """Return the chat template in a model's folder; "" if it has none."""
    template: object = ""
    with suppress(OSError, ValueError):
        return read_bytes(folder / "chat_template.jinja", CONFIG.size).decode()
    with suppress(OSError, UntrustedJsonError):
        template = read_object(folder / "tokenizer_config.json", CONFIG).get("chat_template")
    return template if isinstance(template, str) else ""
