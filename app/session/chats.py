"""Chats and their turns as the window holds them, made from the store's records. No Qt in here."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import convert

from app.conversations.chat_settings import filled, overrides_of, replaced_by_preset
from app.conversations.database.records import (
    FAILED,
    GIVEN_BEFORE,
    INTERRUPTED,
    LOOPS,
    REPEATING,
    STOPPED_REPEATING,
    STREAMING,
    TOOL,
    AnswerSource,
    Attachment,
    Conversation,
    Message,
    Picture,
    SourceFile,
    attached_pictures,
    pictures_in,
)
from app.session.answer import Answer, State
from app.session.calls import ToolRun, content_of, step_messages, stored_call
from app.text.fences import file_block
from app.text.thinking import without_thoughts
from app.tools.tool import Tool
from engine.errors import EngineError
from engine.requests import SamplingSettings
from engine.stats import RequestStats

# The key of the read position in a chat's settings.
READ_POSITION = "place"
# More pixels than the height of any turn.
_FARTHEST = 2**24
_STATE_BY_REASON = {
    "length": State.LENGTH,
    "cancelled": State.CANCELLED,
    REPEATING: State.REPEATING,
    STOPPED_REPEATING: State.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A message in its chat's tree: `id` is None until it is on disk, `position` its index among `count` siblings."""

    id: int | None = None
    position: int = 0
    count: int = 1


@dataclass(frozen=True)
class AnswerStep:
    """An answer that called tools, and was followed by another one from their results."""

    answer: Answer
    node: MessageNode


@dataclass(eq=False)
class Turn:
    """One question and its answer.

    `asks` is False for an answer without a question, as in some imported chats. `steps` are the answers before it that
    called tools, and `tools` the tools that a request since then offered. `left_edit` is the unfinished edit of the
    question when another chat was shown, with the key that sends it; None if there is none.
    """

    question: str
    answer: Answer
    attachments: tuple[Attachment, ...] = ()
    question_node: MessageNode = MessageNode()
    answer_node: MessageNode = MessageNode()
    asks: bool = True
    left_edit: tuple[str, str] | None = None
    steps: list[AnswerStep] = field(default_factory=list)
    tools: Sequence[Tool] = ()

    @property
    def calls(self) -> list[ToolRun]:
        """The calls of all of its answers."""
        return [call for answer in self.answers for call in answer.calls]

    @property
    def answers(self) -> list[Answer]:
        """The answers that called tools, then the one from their results."""
        return [*(step.answer for step in self.steps), self.answer]

    @property
    def step_figures(self) -> tuple[RequestStats, ...]:
        """The figures of the requests that called tools."""
        return tuple(step.answer.stats for step in self.steps)

    @property
    def version_node(self) -> MessageNode:
        """The last of its answers that has siblings, or else the first: it stands for the whole answer."""
        nodes = [*(step.node for step in self.steps), self.answer_node]
        return next((node for node in reversed(nodes) if node.count > 1), nodes[0])

    @property
    def stored_ids(self) -> list[int]:
        """The ids of its messages that are on disk, in order."""
        ids = [self.question_node.id]
        for answer, node in zip(self.answers, [*(step.node for step in self.steps), self.answer_node], strict=True):
            ids += [node.id, *(call.id for call in answer.calls)]
        return [message_id for message_id in ids if message_id is not None]

    def text_for_model(self) -> str:
        """Return the question after its attached texts, each in a fence under its name."""
        texts = [attachment for attachment in self.attachments if attachment.picture is None]
        files = [file_block(attachment.name, attachment.text) for attachment in texts]
        return "\n\n".join([*files, self.question] if self.question else files)

    def pictures(self, sees: bool) -> list[Picture]:
        """Return the pictures of the question; for a model that `sees`, those in documents and tools' results, too."""
        if not sees:
            return attached_pictures(self.attachments)
        return pictures_in([*self.attachments, *(picture for call in self.calls for picture in call.pictures)])

    def asked_messages(
        self, with_calls: bool, pictures: Container[str], files: Sequence[SourceFile]
    ) -> list[dict[str, Any]]:
        """Return the messages for the engine before the answer: the question, and the calls that were made for it.

        The question has the pictures among `files` before its own. Calls are left out unless `with_calls`, and pictures
        unless their digests are in `pictures`.
        """
        content = content_of(self.text_for_model(), (*files, *self.attachments), pictures)
        asked: list[dict[str, Any]] = [{"role": "user", "content": content}]
        for step in self.steps if with_calls else ():
            asked += step_messages(step.answer.text, step.answer.calls, pictures)
        return asked


@dataclass(eq=False)
class Chat:
    """A chat as it is shown.

    `id` is None and `uid` "" until it is stored, `title` "" before the first question. A `temporary` one is stored in
    memory alone.
    """

    id: int | None = None
    title: str = ""
    turns: list[Turn] = field(default_factory=list)
    system_prompt: str = ""
    unsent: str = ""
    unsent_attachments: tuple[Attachment, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    uid: str = ""
    folder_id: int | None = None
    temporary: bool = False
    # Turns whose answers are being written, also those on a branch that is not shown.
    answering: list[Turn] = field(default_factory=list)
    # Questions that are asked as soon as they can be answered, in this order; none is on disk as a message.
    waiting: list[Turn] = field(default_factory=list)

    @property
    def stored_ids(self) -> list[int]:
        """The ids of the shown messages that are on disk."""
        return [message_id for turn in self.turns for message_id in turn.stored_ids]

    @property
    def not_asked(self) -> tuple[str, tuple[Attachment, ...]]:
        """What was written and is not asked: the questions that wait, then the unsent message, and the files of all."""
        texts = [*(question.question for question in self.waiting), self.unsent]
        files = [file for question in self.waiting for file in question.attachments]
        return "\n\n".join(filter(None, texts)), (*files, *self.unsent_attachments)

    def put_back(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Put a question that was not asked before the unsent message, and its files before those of the message."""
        self.unsent = "\n\n".join(filter(None, (text, self.unsent)))
        self.unsent_attachments = (*attachments, *self.unsent_attachments)

    @property
    def read_position(self) -> tuple[int, int] | None:
        """The last read position: a turn's index and pixels below its top; None for the end."""
        stored = self.settings.get(READ_POSITION)
        if not isinstance(stored, (list, tuple)) or [type(part) for part in stored] != [int, int]:
            return None
        turn, offset = stored
        # An imported chat may have impossible positions.
        return (turn, offset) if turn >= 0 and abs(offset) < _FARTHEST else None

    @property
    def streaming(self) -> bool:
        """Whether an answer that is shown is being written."""
        return any(not turn.answer.ended for turn in self.turns)

    @property
    def own(self) -> dict[str, Any]:
        """Its own settings, by the keys of the settings window."""
        return overrides_of(self.settings)

    @property
    def set_aside(self) -> tuple[str, dict[str, Any]] | None:
        """The system prompt and the settings that a preset replaced."""
        return replaced_by_preset(self.settings)

    def pictures(self, upto: Turn, *, sees: bool) -> set[str]:
        """Return the digests of the pictures that a request for `upto` may have, as `Turn.pictures` does."""
        turns = self.turns[: self.turns.index(upto) + 1]
        return {picture.digest for turn in turns for picture in turn.pictures(sees)}

    def messages(
        self,
        upto: Turn,
        variables: Mapping[str, str] | None = None,
        *,
        with_calls: bool = False,
        pictures: Container[str] = (),
        start: str = "",
        files: Sequence[SourceFile] = (),
    ) -> list[dict[str, Any]]:
        """Return the messages for the engine: instructions, answered questions with their answers, then the question.

        The instructions are `start`, from the chat's folder and tools, and the system prompt with its `variables`
        filled in. The last question is that of `upto`, with its answer so far if that is to be continued. The first
        question has the pictures among `files`, which are the folder's: models know pictures in questions, and
        templates refuse them in system prompts.

        Questions with empty answers are left out, because chat templates require alternating roles. Answers have no
        thoughts, because templates with channels require that. Calls of tools are left out unless `with_calls`, and
        pictures unless their digests are in `pictures`.
        """
        prompts = start, filled(self.system_prompt, variables or {}).strip()
        prompt = "\n\n".join(part for part in prompts if part)
        messages: list[dict[str, Any]] = [{"role": "system", "content": prompt}] if prompt else []
        for turn in self.turns[: self.turns.index(upto)]:
            said = without_thoughts(turn.answer.text)
            if said and turn.asks:
                messages += turn.asked_messages(with_calls, pictures, files)
                files = ()
                messages.append({"role": "assistant", "content": said})
        messages += upto.asked_messages(with_calls, pictures, files)
        if before := without_thoughts(upto.answer.before):
            messages.append({"role": "assistant", "content": before})
        return messages

    def context_tokens(self) -> int:
        """Return the tokens in the context after the newest answer with figures; 0 without one."""
        for answer in (answer for turn in reversed(self.turns) for answer in reversed(turn.answers)):
            if answer.stats.prompt_tokens:
                return answer.stats.prompt_tokens + answer.stats.generated_tokens
        return 0

    @property
    def uncounted_turns(self) -> list[Turn]:
        """The turns after the newest answer with figures, which `context_tokens` does not include; all without one."""
        turns: list[Turn] = []
        for turn in reversed(self.turns):
            if any(answer.stats.prompt_tokens for answer in turn.answers):
                break
            turns.append(turn)
        return turns[::-1]


class RecordedError(EngineError):
    """An error that ended an answer, read back from disk."""

    def __init__(self, code: str, arguments: Mapping[str, Any]) -> None:
        super().__init__(code)
        self.code = code
        self.arguments = dict(arguments)


def chat_of(conversation: Conversation, path: Sequence[Message]) -> Chat:
    """Return the chat of a stored conversation that shows this path of messages."""
    return Chat(
        conversation.id,
        conversation.title,
        turns_of(path, ()),
        conversation.system_prompt,
        conversation.unsent,
        conversation.unsent_attachments,
        conversation.settings,
        conversation.uid,
        conversation.folder_id,
    )


def turns_of(path: Sequence[Message], known: Sequence[Turn]) -> list[Turn]:
    """Return the turns of a path of messages, with the objects of `known` where it has them: they may be on screen.

    Each question begins a turn, and so does an answer that neither follows a question nor the results of calls.
    """
    by_ids = {(turn.question_node.id, turn.answer_node.id): turn for turn in known}
    exchanges: list[_Exchange] = []
    for message in path:
        if message.role == "user" or (message.role == "assistant" and not (exchanges and exchanges[-1].open)):
            exchanges.append(_Exchange(message if message.role == "user" else None))
        if message.role == "assistant":
            exchanges[-1].answers.append((message, []))
        elif message.role == TOOL and exchanges and exchanges[-1].answers:
            exchanges[-1].answers[-1][1].append(message)
    return [_turn(exchange, by_ids) for exchange in exchanges]


@dataclass
class _Exchange:
    """The messages of one turn: a question, and answers, each with the calls below it."""

    question: Message | None
    answers: list[tuple[Message, list[Message]]] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether the next answer belongs to it: the first one, or one from the results of calls."""
        return not self.answers or bool(self.answers[-1][1])


def node_of(message: Message | None) -> MessageNode:
    """Return the place of a message in its tree; for None, that of one that is not stored."""
    return MessageNode() if message is None else MessageNode(message.id, message.position, message.sibling_count)


def _turn(exchange: _Exchange, known: Mapping[tuple[int | None, int | None], Turn]) -> Turn:
    """Return the turn of an exchange: the known one with the same question and answer, or a new one.

    A known one gets the places of its messages anew, as they may have new siblings.
    """
    question = exchange.question
    answers: Sequence[tuple[Message | None, list[Message]]] = exchange.answers or [(None, [])]
    *step_nodes, answer_node = [node_of(message) for message, _ in answers]
    question_node = node_of(question)
    turn = known.get((question_node.id, answer_node.id))
    if turn is None:
        *shown, last = [stored_answer(message, calls) for message, calls in answers]
        turn = Turn("", last, asks=False) if question is None else Turn(question.content, last, question.attachments)
        turn.steps = [AnswerStep(answer, node) for answer, node in zip(shown, step_nodes, strict=True)]
        last.earlier = turn.step_figures
    turn.question_node = question_node
    turn.answer_node = answer_node
    # The places may be new; the answers are not.
    turn.steps = [AnswerStep(step.answer, node) for step, node in zip(turn.steps, step_nodes, strict=True)]
    return turn


def _sampling_of(source: AnswerSource) -> SamplingSettings | None:
    """Return how a stored answer was drawn; None if that is not known."""
    try:
        return convert(source.settings.get("sampling"), SamplingSettings, strict=False, str_keys=True)
    except (EngineError, ValueError):
        return None


def stored_answer(message: Message | None, calls: Sequence[Message] = ()) -> Answer:
    """Return a stored answer with its calls, without its tokens and rounds, which are read only when needed."""
    if message is None:
        return Answer(state=State.DONE)
    state = _STATE_BY_REASON.get(message.finish_reason or "", State.DONE)
    if message.state in (INTERRUPTED, STREAMING):
        state = State.INTERRUPTED
    error = None
    if message.state == FAILED:
        state = State.FAILED
        error = RecordedError(*(message.error or ("engine", {})))
    return Answer(
        state,
        message.content,
        stats=message.stats or RequestStats(),
        error=error,
        model=message.source.main_model,
        pair=message.source.pair,
        asked_at=message.created_at,
        calls=[stored_call(call) for call in calls],
        repeats=message.finish_reason in LOOPS,
        given_before=message.finish_reason == GIVEN_BEFORE,
        sampling=_sampling_of(message.source),
    )
