"""One call from its body to its reply: the model, the answers, and the writer of the reply."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.types import ASGIApp

from app.api.activity import Activity, ApiCall
from app.api.answering import MOST_WAITING_S, Answering, CompleteAnswer, all_of
from app.api.engine_host import EngineHost
from app.api.guard import is_loopback
from app.api.kept_answers import KeptAnswers, RepeatableAnswers
from app.api.kept_chats import KeptChats
from app.api.kept_items import KeptItems
from app.api.models import ModelDirectory
from app.api.queued_answers import QueuedAnswers
from app.api.requests import errors
from app.api.requests.callers import USER_HEADERS, UserSettings
from app.api.requests.conversation import as_plain_texts
from app.api.requests.errors import ApiError, JsonReply
from app.api.requests.kept_thoughts import KeptThoughts
from app.api.requests.request_settings import MOST_CHOICES
from app.api.requests.tool_use import RequestTools
from app.api.response_writers import EventStream, ResponseWriter, new_id
from app.settings.engine_settings import recommended_of
from engine.errors import EngineError
from engine.grammars.grammar import Grammar
from engine.requests import ChatRequest, SpeculationSettings
from engine.status import LoadedPair, ModelInfo

# The most answers under way. The engine's queue is longer, so that the window finds a place in it.
MOST_ANSWERS = 24
_NOT_IN_CLIENT_NAME = re.compile(r"[^\w.+/-]")


@dataclass(frozen=True)
class PreparedCall:
    """The requests of a call to the engine, and what writes their answers.

    `format_field` names the field of the body that holds the format of the answers.
    """

    requests: Sequence[ChatRequest]
    writer: ResponseWriter
    format_field: str = ""


class AnswerRequestBody(UserSettings, kw_only=True):
    """The body of a request for answers."""

    @property
    def unloads(self) -> bool:
        """Whether the model is not to stay loaded afterwards, unless it is the host's own."""
        return False

    def prepare(self, api: Api, info: ModelInfo, name: str) -> PreparedCall:
        """Prepare the requests for the loaded model, which clients call `name`. Raises `ApiError`.

        There are `answer_count` of them for each of the `contents`.
        """
        tools = self.tools_for(info.tool_format)
        grammar, field = self.constrained(*self.answer_format())
        requests = [
            request
            for content in self.contents()
            for request in self._requests_for(api, info, tools, grammar, field, **content)
        ]
        return PreparedCall(requests, self.writer_for(name, tools, len(requests)), field)

    @property
    def answer_count(self) -> int:
        """How many answers a content gets."""
        return 1

    def tools_for(self, form: str) -> RequestTools:  # noqa: ARG002
        """Return the tools that the model, which writes calls in this `form`, may call. Raises `ApiError`."""
        return RequestTools()

    def answer_format(self) -> tuple[Grammar | None, str]:
        """Return the grammar that the endpoint's own field asks for, if any, and that field. Raises `ApiError`."""
        return None, ""

    def contents(self) -> list[dict[str, Any]]:
        """Return what is to be answered, each as the fields of a `ChatRequest`. Raises `ApiError`."""
        raise NotImplementedError

    def writer_for(self, name: str, tools: RequestTools, count: int) -> ResponseWriter:
        """Return what writes `count` answers of the model that clients call `name`."""
        raise NotImplementedError

    def _requests_for(
        self,
        api: Api,
        info: ModelInfo,
        tools: RequestTools,
        answer: Grammar | None,
        param: str,
        **content: Any,
    ) -> list[ChatRequest]:
        """Return the requests for all answers to `content`. Raises `ApiError`.

        An answer without calls has the format `answer`, for which the field `param` asks.
        """
        recommended = recommended_of(info.sampling)
        grammar = tools.grammar(answer, param)
        budget = self.thinking_budget
        common: dict[str, Any] = {"max_tokens": self.most_tokens(), "tools": tools.tools, "grammar": grammar, **content}
        level = self.reasoning_effort or "auto"
        given = (self.chat_template_kwargs or {}).items()
        given_options = {key: value for key, value in given if isinstance(value, str | bool | int)}
        common["template_options"] = info.thinking.options(level, budget) | given_options
        if (limit := info.thinking.budget(level, budget)) is not None:
            recommended = {**recommended, "thinking_budget": limit}
        stop = self.stops + tools.stop(grammar)
        speculation = self.speculating(api.speculation)
        try:
            return [
                ChatRequest(sampling=self.sampling(recommended, index), speculation=speculation, stop=stop, **common)
                for index in range(self.answer_count)
            ]
        except EngineError as error:
            raise errors.of_engine(error) from error


class _StreamOptions(Struct):
    include_usage: bool | None = None


class SeveralAnswers(AnswerRequestBody, kw_only=True):
    """The body of a request for one or several answers."""

    n: Annotated[int, Meta(ge=1, le=MOST_CHOICES)] | None = None
    stream_options: _StreamOptions | None = None

    @property
    def answer_count(self) -> int:
        return self.n or 1

    @property
    def with_usage(self) -> bool:
        """Whether a stream ends with the figures of all answers."""
        return self.stream_options is not None and bool(self.stream_options.include_usage)


class Api:
    """The state that the endpoints share, used on the server's loop only.

    `speculation` is the default for calls; `chats` are the chats that the server keeps, and `items` the items of
    answers that it keeps.
    """

    def __init__(self, host: EngineHost, activity: Activity, speculation: SpeculationSettings) -> None:
        self.models = ModelDirectory(host, MOST_WAITING_S)
        self.activity = activity
        self.speculation = speculation
        self._thoughts = KeptThoughts()
        self._kept_answers = KeptAnswers()
        self.chats = KeptChats()
        self.items = KeptItems()
        self._unloading: asyncio.Task[None] | None = None
        self._bodies: WeakKeyDictionary[QueuedAnswers, AnswerRequestBody] = WeakKeyDictionary()

    def speculate(self, speculation: SpeculationSettings) -> None:
        """Change the default, also for calls under way, from their next round on."""
        self.speculation = speculation
        for answers, body in list(self._bodies.items()):
            answers.speculate(body.speculating(speculation))

    async def answer(self, request: Request, body: AnswerRequestBody) -> ASGIApp | JsonReply:
        """Answer a call. Raises `ApiError`."""
        asked = time.perf_counter()
        draft = None if body.draft_model in (None, "", "none") else body.draft_model
        pair = await self.models.use(body.model or "", draft)
        load_s = time.perf_counter() - asked
        prepared, answering = await self._begun(request, body, pair, may_be_retry=True)
        prepared.writer.load_s = load_s
        prepared.writer.format_field = answering.format_field
        skipped: dict[str, str] = request.state.skipped
        ended = partial(self._ended, self.caller_of(request, body), body, pair, prepared)
        if body.stream:
            return EventStream(answering, prepared.writer, skipped, ended)
        with closing(answering):
            whole = prepared.writer.whole(await all_of(answering))
            ended()
            return JsonReply(whole, headers=skipped)

    def _ended(self, caller: str, body: AnswerRequestBody, pair: LoadedPair, prepared: PreparedCall) -> None:
        """Keep the thoughts of the answers, and unload their model if the client wants that and nobody else uses it."""
        assert pair.main is not None
        if body.unloads and sum(call.main == pair.main.name for call in self.activity.under_way) < 2:
            self._unloading = asyncio.create_task(self.models.release(pair.main.path))
        for request, parts in zip(prepared.requests, prepared.writer.answers, strict=False):
            self._thoughts.keep(caller, request.messages, parts)

    async def answers(
        self, request: Request, body: AnswerRequestBody, requests: Sequence[ChatRequest]
    ) -> tuple[ModelInfo, list[CompleteAnswer]]:
        """Return the model that `body` asks for, and its answers to `requests`. Raises `ApiError`."""
        pair = await self.models.use(body.model or "")
        answering = self._start(request, body, pair, requests)
        await answering.begin(request.receive)
        with closing(answering):
            assert pair.main is not None
            return pair.main, await all_of(answering)

    async def prompt_tokens(self, request: Request, body: AnswerRequestBody) -> int:
        """Return the length of a call's prompt in tokens, and cancel its answer. Raises `ApiError`."""
        _, answering = await self._begun(request, body, await self.models.use(body.model or ""))
        answering.close()
        return answering.prompt_tokens

    def caller_of(self, request: Request, body: AnswerRequestBody) -> str:
        """Return a name for whoever makes this call; see `UserSettings.caller`."""
        address = "" if request.client is None or is_loopback(request.client.host) else request.client.host
        return body.caller(address, *(request.headers.get(header, "") for header in USER_HEADERS))

    async def _begun(
        self, request: Request, body: AnswerRequestBody, pair: LoadedPair, *, may_be_retry: bool = False
    ) -> tuple[PreparedCall, Answering]:
        """Start the answers of a call, from plain texts if the model's template refuses the conversation.

        With `may_be_retry` the call gets answers that were kept for the same request of its caller, if there are any.
        """
        assert pair.main is not None
        prepared = body.prepare(self, pair.main, self.models.name_of(pair.main))
        answering = self._start(
            request, body, pair, prepared.requests, prepared.format_field, may_be_retry=may_be_retry
        )
        try:
            await answering.begin(request.receive)
        except ApiError as error:
            messages = prepared.requests[0].messages
            if error.code != "template_failed" or (plain := as_plain_texts(messages)) == list(messages):
                raise
            requests = [replace(refused, messages=plain) for refused in prepared.requests]
            prepared = replace(prepared, requests=requests)
            answering = self._start(request, body, pair, prepared.requests, prepared.format_field)
            await answering.begin(request.receive)
        return prepared, answering

    def _start(
        self,
        request: Request,
        body: AnswerRequestBody,
        pair: LoadedPair,
        requests: Sequence[ChatRequest],
        format_field: str = "",
        *,
        may_be_retry: bool = False,
    ) -> Answering:
        main = pair.main
        draft = pair.draft
        assert main is not None
        if self.activity.answers + len(requests) > MOST_ANSWERS:
            raise errors.too_busy("Too many answers are under way. Try again in a moment.")
        client = _NOT_IN_CLIENT_NAME.sub("", request.headers.get("user-agent", "").split(" ")[0])[:40] or "unnamed"
        call = ApiCall(
            new_id("call"),
            request.scope["path"],
            self.models.name_of(main),
            client,
            time.time(),
            main.name,
            draft.name if draft is not None else "",
            requests[0].speculation.method,
        )
        self.activity.begin(call, len(requests))
        host = self.models.host
        # Those of the host's own models are answered by what the host loads meanwhile.
        named = None if main == host.pair.main else str(main.path)
        caller = self.caller_of(request, body)
        given = partial(self._thoughts.given_to, caller)
        complete = [replace(asked, main=named, messages=given(asked.messages), caller=caller) for asked in requests]
        answers = self._answers_to(complete, call.id, may_be_retry=may_be_retry)
        self._bodies[answers] = body
        return Answering(answers, self.activity, format_field=format_field)

    def _answers_to(self, requests: Sequence[ChatRequest], call_id: str, *, may_be_retry: bool) -> QueuedAnswers:
        """Return the answers to `requests`: kept ones if there are any and the call may be a retry, else new ones."""
        engine = self.models.host.engine
        earlier = self._kept_answers.take(requests) if may_be_retry else None
        if earlier is not None:
            earlier.repeat(call_id)
            return earlier
        if may_be_retry and all(request.tools for request in requests):
            return RepeatableAnswers(engine, requests, call_id, self.activity, self._kept_answers.keep)
        return QueuedAnswers(engine, requests, call_id, self.activity)


async def answer(request: Request, body: AnswerRequestBody) -> ASGIApp:
    """Answer a call to any of the endpoints for answers. Raises `ApiError`."""
    api: Api = request.app.state.api
    return await api.answer(request, body)
