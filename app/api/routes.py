"""The ASGI application: the endpoints, and errors in the shape of each."""

from __future__ import annotations

import logging
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api import proof
from app.api.calls import Api, answer
from app.api.cors import AllowedOrigins
from app.api.dialects import embeddings, lm_studio, ollama_models, speculation
from app.api.dialects.anthropic_messages import CountBody, MessageBody, count_tokens
from app.api.dialects.chat import ChatBody
from app.api.dialects.completions import CompletionBody
from app.api.dialects.lm_studio_chat import LmStudioChatBody
from app.api.dialects.lm_studio_chat import chat as chat_of_lm_studio
from app.api.dialects.ollama import OllamaChatBody, OllamaGenerateBody, answer_or_load
from app.api.dialects.responses import ResponseBody, respond
from app.api.dialects.speculation import SpeculationBody
from app.api.guard import ApiSettings, Guard
from app.api.models import listed
from app.api.queued_answers import ClientGone
from app.api.requests.bodies import ApiRoute, description
from app.api.requests.errors import ApiError, JsonReply, error_reply, unexpected
from engine.model_files.model import Model

log = logging.getLogger(__name__)


async def health(_request: Request) -> Response:
    """Whether the server answers."""
    return JsonReply({"status": "ok"})


async def prove(request: Request) -> Response:
    """Prove to a client that proves the same that this server has the key.

    Raises `ApiError` (invalid_api_key) if the client has not, or there is none.
    """
    key = request.app.state.key
    server = request.scope["server"]
    given = proof.answer(key, proof.address_of(*server), request.query_params) if key and server else None
    if given is None:
        raise ApiError(401, "There is no key here, or not this one.", code="invalid_api_key")
    return JsonReply({"proof": given})


async def list_models(request: Request) -> Response:
    """The installed models, and which are loaded."""
    api: Api = request.app.state.api
    usable = [*await api.models.chat_model_first(), *await api.models.encoders()]
    models = [_described(api, model) for model in usable]
    # Anthropic's clients look for further pages.
    ends = {"first_id": models[0]["id"], "last_id": models[-1]["id"]} if models else {}
    return JsonReply({"object": "list", "data": models, "has_more": False, **ends})


async def list_for_lm_studio(request: Request) -> Response:
    """The installed models, as programs for LM Studio ask."""
    api: Api = request.app.state.api
    models = [_described_for_lm_studio(api, model) for model in await api.models.selectable()]
    return JsonReply({"object": "list", "data": models})


def _described(api: Api, model: Model) -> dict[str, Any]:
    return listed(model, loaded=model.id in api.models.loaded_names)


def _described_for_lm_studio(api: Api, model: Model) -> dict[str, Any]:
    kind = "vlm" if model.sees else "llm"
    if api.models.is_for_embeddings(model):
        kind = "embeddings"
    return _described(api, model) | {"type": kind}


async def show_model(request: Request) -> Response:
    """One installed model, and whether it is loaded.

    Raises `ApiError` (model_not_found) for an unknown name.
    """
    api: Api = request.app.state.api
    name = request.path_params["name"]
    if (model := await api.models.any_named(name)) is None:
        raise ApiError(404, "There is no installed model of that name.", param="model", code="model_not_found")
    describe = _described_for_lm_studio if request.url.path.startswith("/api/") else _described
    return JsonReply(describe(api, model) | api.models.progress_of(model.id))


async def openapi(request: Request) -> Response:
    api: Api = request.app.state.api
    kinds = {name: model.kinds for name, model in (await api.models.installed()).items()}
    return JsonReply(description(ENDPOINTS, kinds))


ENDPOINTS = (
    ApiRoute("GET", "/health", health),
    ApiRoute("GET", "/v1/models", list_models),
    ApiRoute("POST", "/v1/chat/completions", answer, ChatBody),
    ApiRoute("POST", "/v1/completions", answer, CompletionBody),
    ApiRoute("POST", "/v1/responses", respond, ResponseBody),
    ApiRoute("POST", "/v1/messages", answer, MessageBody),
    ApiRoute("POST", "/v1/messages/count_tokens", count_tokens, CountBody),
    ApiRoute("GET", "/", ollama_models.greet),
    ApiRoute("POST", "/api/chat", answer_or_load, OllamaChatBody),
    ApiRoute("POST", "/api/generate", answer_or_load, OllamaGenerateBody),
    ApiRoute("GET", "/api/tags", ollama_models.tags),
    ApiRoute("GET", "/api/ps", ollama_models.running),
    ApiRoute("GET", "/api/version", ollama_models.version),
    ApiRoute("POST", "/api/show", ollama_models.show, ollama_models.ShowBody),
    ApiRoute("DELETE", "/api/delete", ollama_models.delete, ollama_models.ShowBody),
    ApiRoute("POST", "/api/embed", embeddings.embed_for_ollama, embeddings.EmbeddingsBody),
    ApiRoute("POST", "/api/embeddings", embeddings.embed_one_for_ollama, embeddings.OllamaEmbeddingsBody),
    ApiRoute("GET", "/api/v0/models", list_for_lm_studio),
    ApiRoute("GET", "/api/v1/models", lm_studio.list_models),
    ApiRoute("POST", "/api/v1/chat", chat_of_lm_studio, LmStudioChatBody),
    ApiRoute("POST", "/api/v1/models/load", lm_studio.load, lm_studio.LoadBody),
    ApiRoute("POST", "/api/v1/models/unload", lm_studio.unload, lm_studio.UnloadBody),
    ApiRoute("POST", "/v1/embeddings", embeddings.embed, embeddings.EmbeddingsBody),
    ApiRoute("GET", "/v1/speculation", speculation.show),
    ApiRoute("PUT", "/v1/speculation", speculation.change, SpeculationBody),
    ApiRoute("DELETE", "/v1/speculation", speculation.clear),
    ApiRoute("GET", "/v1/speculation/events", speculation.events),
)


def application(api: Api, settings: ApiSettings) -> ASGIApp:
    """Return the application that serves the endpoints of `api` to the callers that `settings` allow."""
    routes = [
        *ENDPOINTS,
        Route("/openapi.json", openapi),
        Route(proof.PATH, prove),
        Route("/v1/models/{name:path}", show_model),
        Route("/api/v0/models/{name:path}", show_model),
    ]
    handlers = {ApiError: _api_error, ClientGone: _client_gone, HTTPException: _http_error, Exception: _unexpected}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.api = api
    app.state.key = settings.key
    methods = sorted({method for route in routes for method in route.methods or ()})
    return _without_last_slash(AllowedOrigins(Guard(app, settings), settings, methods))


def _without_last_slash(app: ASGIApp) -> ASGIApp:
    """Return an application that answers for "/v1/models/" as `app` does for "/v1/models".

    Starlette would lead on to that address, and not every program sends its body a second time.
    """

    async def answer_without(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # In place, because the guard marks this scope for the server.
            scope["path"] = scope["path"].rstrip("/") or "/"
        await app(scope, receive, send)

    return answer_without


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error_reply(error, request.url.path)


async def _client_gone(_request: Request, _error: Exception) -> Response:
    """Return the reply that the server requires, although the client is gone."""
    return Response(status_code=499)


async def _unexpected(request: Request, error: Exception) -> Response:
    log.error("a call to %s failed", request.url.path, exc_info=error)
    return error_reply(unexpected(), request.url.path)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    meant = _meant(request.url.path)
    hint = f" Did you mean {request.url.replace(path=meant, query='')}?" if meant else ""
    sentence = {404: f"There is no such endpoint.{hint}", 405: "The endpoint does not know this method."}
    return error_reply(ApiError(error.status_code, sentence.get(error.status_code, error.detail)), request.url.path)


def _meant(path: str) -> str:
    """Return the endpoint with which a path ends, whatever its slashes and the `/v1` before it; "" if there is none."""
    bare = "/".join(("", *filter(None, path.split("/"))))
    paths = [route.path for route in ENDPOINTS if route.path != "/" and bare.endswith(route.path.removeprefix("/v1"))]
    return max(paths, key=len, default="")
