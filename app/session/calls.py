"""The tool calls of an answer, as their cards show them and as the model reads them. No Qt in here."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from app.conversations.database.records import (
    INTERRUPTED,
    STREAMING,
    Attachment,
    Message,
    SourceFile,
    ToolUse,
    pictures_in,
)
from app.text.thinking import parts_of
from app.tools.questions import QuestionReply, ServerQuestion
from app.tools.tool import Tool, ToolFailed, ToolPicture, ToolProgress, ToolResult
from engine.documents.text.invisible_characters import INVISIBLE, without_invisible
from engine.documents.text.parts import PAGE, counted_words, left_out_line, pictures_line

# The texts that the model reads in place of a result, by error code; for other codes it reads the error itself.
_FOR_MODEL = {
    "denied": "The user denied this call. Do not repeat it; answer without it.",
    "stopped": "The user stopped this call.",
    "too-many-calls": "This call did not run: an answer may make at most {count} calls. Answer with what you know.",
    "unclear-end": "This call did not run: a text in it has tags of calls in it, and it cannot be told where that text "
    "ends. Write it in several calls without such tags, or tell the user what you wanted to write.",
    "lost-session": "The server had lost its session ({detail}), so this call has no result. Call the tool again.",
    "unreachable": "The connection to the server failed ({detail}), and it is not known whether the call ran. "
    "If nothing speaks against it, call the tool again.",
    "sign-in-needed": "This call did not run, because the user has to sign in to the server first, in the settings of "
    "Tandem. Tell the user so, and do not repeat the call.",
    "web-other-site": "The page was not read, because its address leads to another site. To read that page, "
    "call the tool again with the address {address}",
    "bad-arguments": "This call did not run, because its arguments do not fit the tool: {detail}",
}
_INTERRUPTED_FOR_MODEL = "This call was interrupted before it had a result."


class CallState(Enum):
    """ASKS while the user has to allow the call, RUNS until it has a result or an error, then ENDED.

    INTERRUPTED is a call that had not ended when the app did.
    """

    WAITS = "waits"
    ASKS = "asks"
    RUNS = "runs"
    ENDED = "ended"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class OpenQuestion:
    """A question that the server of a running call asks the person; `reply` takes what they do with it.

    `is_over` says of a question that was asked before that the server needs no reply any more.
    """

    question: ServerQuestion
    reply: Callable[[QuestionReply], object]
    is_over: bool = False


@dataclass(eq=False)
class ToolRun:
    """The execution of one tool call. `text` is its result or the text that the model reads in place of a result.

    `error` is a code with arguments if the call failed. `id` is the id of its message on disk, and `tool` the tool that
    it calls, None for a stored call. `begun_at` is monotonic time, and `progress` the last report of the tool. `unread`
    holds the pictures in the result until the model has them, and `pictures` the same pictures once they are on disk.
    `question` is what the server asks the person meanwhile.
    """

    use: ToolUse
    state: CallState = CallState.WAITS
    text: str = ""
    error: tuple[str, Mapping[str, Any]] | None = None
    id: int | None = None
    tool: Tool | None = None
    begun_at: float = 0.0
    progress: ToolProgress | None = None
    pictures: tuple[Attachment, ...] = ()
    unread: tuple[ToolPicture, ...] = ()
    question: OpenQuestion | None = None

    @property
    def ended(self) -> bool:
        """Whether it has ended, or was interrupted when the app ended."""
        return self.state in (CallState.ENDED, CallState.INTERRUPTED)

    @property
    def has_outcome(self) -> bool:
        """Whether it ended without being stopped, or was denied, so that the model can continue from it."""
        return self.state is CallState.ENDED and (self.error is None or self.error[0] != "stopped")

    @property
    def failed(self) -> bool:
        """Whether it ended without a result, or with an error that the tool reported."""
        return self.error is not None or self.use.failed

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments as an object, empty if the text of a damaged or imported call is not an object."""
        try:
            arguments = json.loads(self.use.arguments)
        except (ValueError, RecursionError):
            return {}
        return arguments if isinstance(arguments, dict) else {}

    def ask(self, question: OpenQuestion) -> None:
        """Show a question of the server, or remove it if it is over. It is cancelled if the call has ended."""
        if question.is_over:
            if self.question is not None and self.question.question is question.question:
                self.question = None
        elif self.ended:
            question.reply(QuestionReply("cancel"))
        else:
            self.question = question

    def reply(self, reply: QuestionReply) -> None:
        """Pass on what the person does with the question."""
        if self.question is not None:
            self.question.reply(reply)
            self.question = None

    def end(self, outcome: ToolResult | ToolFailed) -> None:
        """End the call with its result, or with the reason why there is none."""
        self.state = CallState.ENDED
        self.question = None
        if isinstance(outcome, ToolResult):
            self.text = _as_seen(outcome.text)
            for_person = _as_seen(outcome.for_person)
            self.use = replace(self.use, seconds=outcome.seconds, failed=outcome.failed, for_person=for_person)
            self.unread = outcome.pictures
            return
        self.error = outcome.code, outcome.arguments
        words = _FOR_MODEL.get(outcome.code, "The call failed: {0}.").format(outcome, **outcome.arguments)
        self.text = _as_seen(words)
        if self.begun_at:
            self.use = replace(self.use, seconds=time.monotonic() - self.begun_at)


def _as_seen(text: str) -> str:
    """Return what a tool says without the characters that nobody sees, with a line that says how many these were."""
    seen, invisible = without_invisible(text)
    return f"{seen}\n{left_out_line([counted_words(INVISIBLE, invisible)])}" if invisible else seen


def stored_call(message: Message) -> ToolRun:
    """Return the call of a stored message."""
    assert message.tool_use is not None
    state = CallState.INTERRUPTED if message.state in (INTERRUPTED, STREAMING) else CallState.ENDED
    return ToolRun(message.tool_use, state, message.content, message.error, message.id, pictures=message.attachments)


def content_of(
    text: str, attachments: Iterable[Attachment | SourceFile], pictures: Container[str]
) -> str | list[dict[str, Any]]:
    """Return the content of a message for the engine: those attached pictures that are in `pictures`, then the text.

    Before the text, a line says which pages of documents the pictures are.
    """
    files = list(attachments)
    shown = [picture.digest for picture in pictures_in(files) if picture.digest in pictures]
    parts = [{"type": "image", "digest": digest} for digest in shown]
    if parts and text:
        documents = [
            file
            for file in files
            if isinstance(file, Attachment) and all(page.digest in pictures for page in pictures_in([file]))
        ]
        parts.append({"type": "text", "text": "\n\n".join([*page_lines(documents), text])})
    return parts or text


def page_lines(documents: Iterable[Attachment]) -> list[str]:
    """Return what a model is told of the pages that it sees of documents; the text of a scan says it itself."""
    return [
        pictures_line(PAGE, document.pages, document.name)
        for document in documents
        if document.pages and not document.is_scan
    ]


def step_messages(text: str, calls: Sequence[ToolRun], pictures: Container[str] = ()) -> list[dict[str, Any]]:
    """Return an answer that made calls, and their results with those of `pictures`, as messages for the engine."""
    parts = parts_of(text)
    turn: dict[str, Any] = {"role": "assistant", "content": parts.reply.strip()}
    turn["tool_calls"] = [
        {"id": call.use.call_id, "type": "function", "function": {"name": call.use.called, "arguments": call.arguments}}
        for call in calls
    ]
    if parts.thought is not None:
        turn["reasoning_content"] = parts.thought
    results = []
    for call in calls:
        text = _INTERRUPTED_FOR_MODEL if call.state is CallState.INTERRUPTED and not call.text else call.text
        result: dict[str, Any] = {"role": "tool", "tool_call_id": call.use.call_id}
        results.append(result | {"content": content_of(text, call.pictures, pictures)})
    return [turn, *results]
