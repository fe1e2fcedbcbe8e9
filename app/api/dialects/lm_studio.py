"""GET /api/v1/models and POST /api/v1/models/load and /unload, in the shape of LM Studio's API."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from app.api.calls import Api
from app.api.models import written_size
from app.api.requests.errors import ApiError, JsonReply
from engine.model_files.model import Model
from engine.status import ModelInfo


class LoadBody(Struct):
    """Load a model, in the shape of LM Studio's API. Tandem chooses the context by the memory."""

    model: str


class UnloadBody(Struct):
    """Unload a model, in the shape of LM Studio's API."""

    instance_id: str


async def list_models(request: Request) -> Response:
    """The installed models, in the shape of LM Studio's API."""
    api: Api = request.app.state.api
    loaded = {api.models.name_of(pair.main): pair.main for pair in api.models.host.pairs if pair.main is not None}
    models = [_listed(api, model, loaded.get(model.id)) for model in await api.models.selectable()]
    return JsonReply({"models": models})


async def load(request: Request, body: LoadBody) -> Response:
    """Load a model. Raises `ApiError`."""
    api: Api = request.app.state.api
    began = time.perf_counter()
    await _main_model(api, body.model)
    pair = await api.models.use(body.model)
    took = time.perf_counter() - began
    loaded = {"type": "llm", "instance_id": api.models.name_of(pair.main), "status": "loaded"}
    return JsonReply({**loaded, "load_time_seconds": took})


async def unload(request: Request, body: UnloadBody) -> Response:
    """Unload a model that a program has loaded. Raises `ApiError`: (model_not_found), (in-use) for the host's own."""
    api: Api = request.app.state.api
    model = await _main_model(api, body.instance_id)
    if api.models.is_own(model):
        raise ApiError(409, f"{model.id!r} is in use here: choose another model there first.", code="in-use")
    await api.models.release(Path(model.path))
    return JsonReply({"instance_id": body.instance_id})


async def _main_model(api: Api, name: str) -> Model:
    """Return the installed model of that name that can answer. Raises `ApiError` (model_not_found)."""
    model = await api.models.named(name)
    if model is None or "main" not in model.kinds:
        sentence = f"No installed model named {name[:100]!r} can answer; GET /api/v1/models lists what there is."
        raise ApiError(404, sentence, param="model", code="model_not_found")
    return model


def _listed(api: Api, model: Model, info: ModelInfo | None) -> dict[str, Any]:
    """Return a model as the list has it; `info` is the information on the loaded model, if it is loaded."""
    publisher, _, name = model.id.rpartition("/")
    instances = [] if info is None else [{"id": model.id, "config": {"context_length": info.context_length}}]
    quantisation = {"name": f"{model.bits}bit", "bits_per_weight": model.bits} if model.bits else None
    entry = {
        "type": "embedding",
        "publisher": publisher or "local",
        "key": model.id,
        "display_name": name,
        "quantization": quantisation,
        "size_bytes": model.weight_bytes,
        "params_string": written_size(model),
        "loaded_instances": instances,
        "max_context_length": model.context or 0,
        "format": "gguf" if model.is_gguf_file else "mlx",
    }
    if api.models.is_for_embeddings(model):
        return entry
    capabilities = {"vision": model.sees, "trained_for_tool_use": True}
    of_llm = {"type": "llm", "architecture": model.architecture, "capabilities": capabilities, "description": None}
    return entry | of_llm
