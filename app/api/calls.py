"""One call from its fields to its reply: the model, the answers, and how an endpoint shapes them."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from starlette.requests import Request
from starlette.types import ASGIApp

from app.api import errors
from app.api.activity import Activity, Call
from app.api.answering import MOST_WAITING_S, Answer, Answering, EventStream, Indexed, all_of
from app.api.bodies import Fields, read_object
from app.api.models import ModelDirectory, ModelHost
from app.api.replies import JsonReply
from app.api.request_settings import speculation_of
from app.settings.engine_settings import recommended_of
from engine.requests import ChatRequest, SpeculationSettings
from engine.status import ModelInfo

# Answers of all calls that may be under way: the engine's queue is longer, so that the window finds a place in it.
MOST_ANSWERS = 24
_NOT_A_NAME = re.compile(r"[^\w.+/-]")


class Shape(Protocol):
    """How an endpoint writes its answers, either as events or whole."""

    def write(self, batch: list[Indexed]) -> bytes:
        """The events of a batch as server-sent events."""
        ...

    def finish(self) -> bytes:
        """What follows the last event."""
        ...

    def whole(self, answers: Sequence[Answer]) -> dict[str, Any]:
        """All answers at once."""
        ...


@dataclass(frozen=True)
class Plan:
    """What a call asks of the engine, and how its answers are written.

    `form` is the name of the field with the format that they have to follow.
    """

    requests: Sequence[ChatRequest]
    shape: Shape
    form: str = ""


# The plan of a call for the loaded model and its name.
MakePlan = Callable[[ModelInfo, str], Plan]


class Api:
    """What the endpoints share. Belongs to the server's loop.

    `speculation` holds for calls that do not say otherwise.
    """

    def __init__(self, host: ModelHost, activity: Activity, speculation: SpeculationSettings) -> None:
        self.models = ModelDirectory(host, MOST_WAITING_S)
        self.activity, self.speculation = activity, speculation
        # The calls under way, with their fields.
        self._answering: WeakKeyDictionary[Answering, Fields] = WeakKeyDictionary()

    def recommended(self, info: ModelInfo) -> dict[str, float]:
        """How the model's authors recommend to sample."""
        return recommended_of(info.sampling)

    def speculate(self, speculation: SpeculationSettings) -> None:
        """Use other settings: for calls to come, and for those under way from their next round on."""
        self.speculation = speculation
        for answering, fields in list(self._answering.items()):
            answering.speculate(speculation_of(fields, speculation))

    async def answer(self, request: Request, fields: Fields, make: MakePlan) -> ASGIApp | JsonReply:
        """Answer a call with the plan that `make` has for the loaded model and its name. Raises `ApiError`."""
        streaming = fields.flag("stream")
        lease = await self.models.use(fields.text("model", "") or "")
        passed_on = False
        try:
            draft = fields.text("draft_model")
            if draft not in (None, "", "none"):
                await self.models.set_draft(draft)
            name = self.models.name_of(lease.info)
            plan = make(lease.info, name)
            answering = self._start(request, plan, lease.info, streaming=streaming)
            self._answering[answering] = fields
            await answering.begin(request.receive)
            if streaming:
                passed_on = True
                return EventStream(answering, plan.shape.write, plan.shape.finish, lease.release)
            try:
                answers = await all_of(answering)
            finally:
                answering.close()
            return JsonReply(plan.shape.whole(answers))
        finally:
            if not passed_on:
                lease.release()

    async def prompt_tokens(self, request: Request, fields: Fields, make: MakePlan) -> int:
        """How many tokens the prompt of a call has: its answer is ended as soon as that is known. Raises `ApiError`."""
        lease = await self.models.use(fields.text("model", "") or "")
        try:
            answering = self._start(request, make(lease.info, self.models.name_of(lease.info)), lease.info)
            await answering.begin(request.receive)
            answering.close()
            return answering.prompt_tokens
        finally:
            lease.release()

    def _start(self, request: Request, plan: Plan, main: ModelInfo, *, streaming: bool = False) -> Answering:
        if self.activity.answers + len(plan.requests) > MOST_ANSWERS:
            raise errors.too_busy("Too many answers are under way. Try again in a moment.")
        client = _NOT_A_NAME.sub("", request.headers.get("user-agent", "").split(" ")[0])[:40] or "unnamed"
        draft = self.models.host.pair.draft
        call = Call(
            new_id("call"),
            request.scope["path"],
            self.models.name_of(main),
            client,
            time.time(),
            main.name,
            draft.name if draft is not None else "",
            plan.requests[0].speculation.method,
        )
        self.activity.begin(call, len(plan.requests))
        engine = self.models.host.engine
        return Answering(engine, plan.requests, call.id, self.activity, form=plan.form, streaming=streaming)


async def fields_of(request: Request) -> Fields:
    """The fields of the body. Raises `ApiError`."""
    return Fields(await read_object(request))


def new_id(kind: str) -> str:
    """A name for something in an answer, such as `chatcmpl-…`."""
    return f"{kind}-{secrets.token_hex(12)}"
