"""/v1/speculation: the default draft model, method and depth of calls."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from app.api.calls import Api
from app.api.replies import JsonReply
from app.api.request_settings import Speculation
from engine.requests import SpeculationSettings


async def show(request: Request) -> Response:
    """Draft model, method and depth in use, and the calls under way."""
    return JsonReply(_state(request.app.state.api))


class SpeculationBody(Speculation, kw_only=True):
    """Change draft model, method, depth, acceptance rule, or whether the text is always the same."""

    draft_model: str | UnsetType | None = UNSET


async def change(request: Request, body: SpeculationBody) -> Response:
    """Set the given defaults, also for calls under way, from their next round on."""
    api: Api = request.app.state.api
    if body.draft_model is not UNSET:
        await api.models.set_draft(None if body.draft_model in (None, "", "none") else body.draft_model)
    api.speculate(body.changed(api.speculation))
    return JsonReply(_state(api))


async def clear(request: Request) -> Response:
    """Drop the draft model; choose method and depth automatically."""
    api: Api = request.app.state.api
    await api.models.set_draft(None)
    api.speculate(SpeculationSettings(same_text=api.speculation.same_text))
    return JsonReply(_state(api))


def _state(api: Api) -> dict[str, Any]:
    pair, settings = api.models.host.pair, api.speculation
    return {
        "object": "speculation",
        "model": api.models.name_of(pair.main) or None,
        "draft_model": api.models.name_of(pair.draft) or None,
        "method": settings.method,
        "depth": settings.depth,
        "acceptance": settings.acceptance,
        "same_text": settings.same_text,
        "calls": [
            {
                "id": call.id,
                "state": call.state,
                "tokens": call.tokens,
                "drafted": call.drafted,
                "accepted": call.accepted,
                "accept_rate": call.accept_rate,
            }
            for call in api.activity.under_way
        ],
    }
