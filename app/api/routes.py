"""The ASGI application: the endpoints, and errors in the shape of each."""

from __future__ import annotations

import logging

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api import speculation
from app.api.answering import ClientGone
from app.api.anthropic_messages import count_tokens, messages
from app.api.calls import Api
from app.api.chat import chat_completions
from app.api.completions import completions
from app.api.errors import ApiError
from app.api.guard import AccessRules, Guard
from app.api.models import listed
from app.api.openapi import openapi
from app.api.replies import JsonReply, error_reply
from app.api.responses import responses

log = logging.getLogger(__name__)


def application(api: Api, rules: AccessRules) -> ASGIApp:
    """The endpoints of `api` for those whom `rules` allow."""
    routes = [
        Route("/health", health),
        Route("/openapi.json", openapi),
        Route("/v1/models", list_models),
        Route("/v1/models/{name:path}", show_model),
        Route("/v1/chat/completions", chat_completions, methods=["POST"]),
        Route("/v1/completions", completions, methods=["POST"]),
        Route("/v1/responses", responses, methods=["POST"]),
        Route("/v1/messages", messages, methods=["POST"]),
        Route("/v1/messages/count_tokens", count_tokens, methods=["POST"]),
        Route("/v1/speculation", speculation.show),
        Route("/v1/speculation", speculation.change, methods=["PUT"]),
        Route("/v1/speculation", speculation.clear, methods=["DELETE"]),
        Route("/v1/speculation/events", speculation.events),
    ]
    handlers = {
        ApiError: _api_error,
        ClientGone: _client_gone,
        HTTPException: _http_error,
        Exception: _unexpected,
    }
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.state.api = api
    return Guard(_Logged(app), rules)


async def health(request: Request) -> Response:
    del request
    return JsonReply({"status": "ok"})


async def list_models(request: Request) -> Response:
    api: Api = request.app.state.api
    models = await api.models.chat_model_first()
    loaded = api.models.loaded_names
    return JsonReply({"object": "list", "data": [listed(m, loaded=m.id in loaded) for m in models]})


async def show_model(request: Request) -> Response:
    api: Api = request.app.state.api
    model = (await api.models.installed()).get(request.path_params["name"])
    if model is None:
        raise ApiError(404, "There is no installed model of that name.", param="model", code="model_not_found")
    return JsonReply(listed(model, loaded=model.id in api.models.loaded_names, **api.models.progress_of(model.id)))


class _Logged:
    """Logs what nobody expects; the client has been answered with a sentence by then."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception:
            log.exception("a call to %s failed", scope["path"])


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error_reply(error, request.url.path)


async def _client_gone(request: Request, error: Exception) -> Response:
    """Nobody reads it; the server only wants the call to be answered."""
    del request, error
    return Response(status_code=499)


async def _unexpected(request: Request, error: Exception) -> Response:
    del error
    sentence = "Something unexpected happened; the program's log has the details."
    return error_reply(ApiError(500, sentence, code="internal"), request.url.path)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = {404: "There is no such endpoint.", 405: "The endpoint does not know this method."}
    return error_reply(ApiError(error.status_code, sentence.get(error.status_code, error.detail)), request.url.path)
