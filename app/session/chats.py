"""Chats and their turns as the window holds them, made from the store's records. No Qt in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.conversations.chat_settings import filled, own_of, set_aside_of
from app.conversations.records import FAILED, INTERRUPTED, STREAMING, Attachment, Conversation, Message
from app.session.answer import Answer, State
from app.text.fences import fenced
from app.text.thinking import without_thoughts
from engine.errors import EngineError
from engine.stats import RequestStats

# The key of the read position in a chat's settings.
READ_POSITION = "place"
# More pixels than the height of any turn.
_FARTHEST = 2**24
_REASONS = {"length": State.LENGTH, "cancelled": State.CANCELLED}


@dataclass(frozen=True, slots=True)
class MessageNode:
    """A message in its chat's tree: `id` is None until it is on disk, `position` its index among `count`
    siblings.
    """

    id: int | None = None
    position: int = 0
    count: int = 1


@dataclass(eq=False)
class Turn:
    """One question and its answer. `asks` is False for an answer without a question, as in some imported chats.

    `left_edit` is the unfinished edit of the question when another chat was shown, with the key that sends it.
    """

    question: str
    answer: Answer
    attachments: tuple[Attachment, ...] = ()
    question_node: MessageNode = MessageNode()
    answer_node: MessageNode = MessageNode()
    asks: bool = True
    left_edit: tuple[str, str] | None = None

    def text_for_model(self) -> str:
        """Return the question after its attachments, each in a fence under its name."""
        return with_attachments(self.question, self.attachments)


@dataclass(eq=False)
class Chat:
    """A chat as it is shown. `id` is None and `uid` "" until it is on disk, `title` "" before the first question."""

    id: int | None = None
    title: str = ""
    turns: list[Turn] = field(default_factory=list)
    system_prompt: str = ""
    unsent: str = ""
    unsent_attachments: tuple[Attachment, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    uid: str = ""
    # Turns whose answers are being written, also those on a branch that is not shown.
    answering: list[Turn] = field(default_factory=list)

    @property
    def stored_ids(self) -> list[int]:
        """The ids of the shown messages that are on disk."""
        nodes = (node for turn in self.turns for node in (turn.question_node, turn.answer_node))
        return [node.id for node in nodes if node.id is not None]

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
        return any(not turn.answer.ended for turn in self.turns)

    @property
    def own(self) -> dict[str, Any]:
        """Its own settings, by the keys of the settings window."""
        return own_of(self.settings)

    @property
    def set_aside(self) -> tuple[str, dict[str, Any]] | None:
        """The system prompt and the settings that a preset replaced."""
        return set_aside_of(self.settings)

    def messages(self, upto: Turn, variables: Mapping[str, str] | None = None) -> list[dict[str, str]]:
        """Return the messages for the engine: the system prompt with its `variables` filled in, every answered question
        with its answer, then the question of `upto`, with its answer so far if that is to be continued.

        Questions with empty answers are left out, because chat templates require alternating roles. Answers have no
        thoughts, because templates with channels require that.
        """
        prompt = filled(self.system_prompt, variables or {}).strip()
        messages = [{"role": "system", "content": prompt}] if prompt else []
        for turn in self.turns[: self.turns.index(upto)]:
            said = without_thoughts(turn.answer.text)
            if said and turn.asks:
                messages.append({"role": "user", "content": turn.text_for_model()})
                messages.append({"role": "assistant", "content": said})
        messages.append({"role": "user", "content": upto.text_for_model()})
        if before := without_thoughts(upto.answer.before):
            messages.append({"role": "assistant", "content": before})
        return messages

    def context_tokens(self) -> int:
        """Return the tokens in the context after the newest answer with figures; 0 without one."""
        for turn in reversed(self.turns):
            if turn.answer.stats.prompt_tokens:
                return turn.answer.stats.prompt_tokens + turn.answer.stats.generated_tokens
        return 0


class RecordedError(EngineError):
    """An error that ended an answer, read back from disk."""

    def __init__(self, code: str, arguments: Mapping[str, Any]) -> None:
        super().__init__(code)
        self.code, self.arguments = code, dict(arguments)


def with_attachments(question: str, attachments: Sequence[Attachment]) -> str:
    parts = [f"{attachment.name}\n{fenced(attachment.text.rstrip())}" for attachment in attachments]
    return "\n\n".join([*parts, question] if question else parts)


def chat_of(conversation: Conversation, path: Sequence[Message]) -> Chat:
    return Chat(
        conversation.id,
        conversation.title,
        turns_of(path, ()),
        conversation.system_prompt,
        conversation.unsent,
        conversation.unsent_attachments,
        conversation.settings,
        conversation.uid,
    )


def turns_of(path: Sequence[Message], known: Sequence[Turn]) -> list[Turn]:
    """Return the turns of a path of messages, with the objects of `known` where it has them: they may be on screen."""
    by_ids = {(turn.question_node.id, turn.answer_node.id): turn for turn in known}
    pairs: list[tuple[Message | None, Message | None]] = []
    for message in path:
        if message.role == "user":
            pairs.append((message, None))
        elif message.role == "assistant":
            question = pairs.pop()[0] if pairs and pairs[-1][1] is None else None
            pairs.append((question, message))
    return [_turn(question, answer, by_ids) for question, answer in pairs]


def node_of(message: Message | None) -> MessageNode:
    return MessageNode() if message is None else MessageNode(message.id, message.position, message.sibling_count)


def _turn(
    question: Message | None, answer: Message | None, known: Mapping[tuple[int | None, int | None], Turn]
) -> Turn:
    nodes = node_of(question), node_of(answer)
    turn = known.get((nodes[0].id, nodes[1].id))
    if turn is None:
        shown = Answer(state=State.DONE) if answer is None else stored_answer(answer)
        turn = Turn("", shown, asks=False) if question is None else Turn(question.content, shown, question.attachments)
    turn.question_node, turn.answer_node = nodes
    return turn


def stored_answer(message: Message) -> Answer:
    """Return a stored answer, without its tokens and rounds, which are read only when needed."""
    state = _REASONS.get(message.finish_reason or "", State.DONE)
    if message.state in (INTERRUPTED, STREAMING):
        state = State.INTERRUPTED
    error = None
    if message.state == FAILED:
        state, error = State.FAILED, RecordedError(*(message.error or ("engine", {})))
    return Answer(
        state,
        message.content,
        stats=message.stats or RequestStats(),
        error=error,
        model=message.source.main_model,
        asked_at=message.created_at,
    )
