"""One answer in progress: its turn is stored, the engine generates it, its events are shown and written to disk.

An answer that calls tools is one step: its calls run, and another answer is generated from their results. The methods
are in the order of the stages. There are no widgets in here. The store and the engine work on their own threads; their
results arrive on the Qt thread, events once a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial

from app.conversations.answer_writer import AnswerWriter
from app.conversations.chat_settings import GenerationSettings
from app.conversations.database.records import (
    REFUSED,
    REPEATING,
    STOPPED_REPEATING,
    AnswerSource,
    Attachment,
    Message,
    Picture,
)
from app.conversations.store import ConversationStore
from app.session.answer import Answer, State
from app.session.calls import ToolRun, step_messages
from app.session.chat_requests import OtherModel, Services, prepare_request
from app.session.chats import AnswerStep, Chat, Turn, node_of
from app.session.model_service import Pair
from app.session.stored_chats import ensure_stored
from app.session.tool_calls import ToolCalls, calls_of
from app.text.answer_parts import AnswerParts
from app.tools.tool import Tool
from engine.call_forms.form import ToolCall
from engine.call_forms.table import call_form
from engine.client import RequestStream
from engine.errors import EngineError
from engine.events import Event, Failed, Finished
from engine.files.reading_time import ReadingTime
from engine.requests import ChatRequest
from engine.status import LoadedPair

# Writes a turn; returns the ids of its question, None for some imported answers, and of its answer.
WriteTurn = Callable[[ConversationStore], tuple[int | None, int]]


class AnswerStage(Enum):
    """Where an answer stands, in the order of the stages, and what `StreamingAnswer.cancel` does there.

    STORING: the turn is being written. The answer ends once that is on disk.
    READING_FILES: files of the chat's folder are read that have changed. The answer ends at once.
    STARTING_TOOLS: servers of tools start. The answer ends at once.
    PREPARING: the request is made, for which models may load. The answer ends instead of being submitted.
    GENERATING: the engine answers. It ends the answer within one round.
    STORING_CALLS: the calls of the answer are being written. They are stopped before they run.
    CALLING: the calls run, or wait for the person's consent. They are stopped, and the answer ends.
    STORING_NEXT: the answer from the results of the calls is being written. It ends instead of being submitted.
    ENDED: nothing more happens, and there is nothing to cancel.

    After STORING_NEXT follows PREPARING, for the next answer.
    """

    STORING = auto()
    READING_FILES = auto()
    STARTING_TOOLS = auto()
    PREPARING = auto()
    GENERATING = auto()
    STORING_CALLS = auto()
    CALLING = auto()
    STORING_NEXT = auto()
    ENDED = auto()


@dataclass(frozen=True)
class _WrittenTurn:
    """A turn on disk. `path` has the ids of the messages that its chat showed when the turn was written."""

    question: Message | None
    answer: Message
    path: list[int]


class StreamingAnswer:
    """The requests of one turn, from `store` to the answer's end on disk. `source` names the models of its answers.

    `arrived` is called after each change to show: a frame's events, a change of a call, the name of the file it waits
    for. `end_not_stored` is called if the store could not write the answer's end; `store_end` may then be called again.
    The `other` model answers instead of the window's own, if it is given. `AnswerStage` says where the answer stands.
    """

    def __init__(
        self,
        chat: Chat,
        turn: Turn,
        generation: GenerationSettings,
        source: AnswerSource,
        services: Services,
        arrived: Callable[[StreamingAnswer], object],
        end_not_stored: Callable[[StreamingAnswer], object],
        other: OtherModel | None = None,
    ) -> None:
        self.chat = chat
        self.turn = turn
        self.generation = generation
        self.source = source
        self._services = services
        self._arrived = arrived
        self._end_not_stored = end_not_stored
        self._store = services.store.of(chat)
        self._other = other
        # The models of `other` once they are loaded.
        self._other_pair: Pair | None = None
        self._writer: AnswerWriter | None = None
        self._stage = AnswerStage.STORING
        # Whether the person has stopped the answer or the app ends, at whatever stage.
        self._is_stopped = False
        # The engine's stream of the latest request; None before the first one and before the next step's.
        self._stream: RequestStream | None = None
        # The time in which the files of the chat's folder are read.
        self._reading_time = ReadingTime()
        self._write_error_reported = False
        # How many characters of the answer's text are stored. A continued answer begins with its earlier text, without
        # the end that was added to it to close its thoughts.
        self._written = len(turn.answer.before) - len(turn.answer.closing)
        self._finish_reason = ""
        self._request: ChatRequest | None = None
        # The calls that run.
        self._calls: ToolCalls | None = None
        # How many calls the model made in all answers of the turn.
        self._call_count = 0

    def cancel(self) -> None:
        """Stop the answer and its calls because the person wants that; `AnswerStage` says what happens when."""
        self.interrupt()
        if self._stage in (AnswerStage.READING_FILES, AnswerStage.STARTING_TOOLS):
            self.turn.tools = ()
            self._end_cancelled()
        elif self._calls is not None:
            self._calls.cancel()

    def interrupt(self) -> None:
        """Stop the request under way, and let no other follow. Calls that run are left alone.

        This alone is enough when the app ends: the next start finds the calls interrupted.
        """
        self._is_stopped = True
        self._reading_time.abandoned.set()
        if self._stream is not None:
            self._stream.cancel()

    def choose(self, call: ToolRun, choice: str) -> None:
        """Apply the person's choice to a call that asks, see `ToolCalls.choose`."""
        if self._calls is not None:
            self._calls.choose(call, choice)

    def store(self, write: WriteTurn, on_stored: Callable[[], object], on_not_stored: Callable[[], object]) -> None:
        """Write the turn, then submit its request: the engine gets no question that is not on disk.

        Calls `on_stored` once the turn is on disk, or `on_not_stored` if it could not be written; no request is
        submitted then.
        """
        take_written = partial(self._take_written, on_stored)
        self._store.run(partial(_write_turn, self.chat, write), take_written, lambda _error: on_not_stored())

    def _take_written(self, on_stored: Callable[[], object], written: _WrittenTurn) -> None:
        """Take the ids of the turn on disk, then read the files of its folder and submit its request."""
        self.turn.question_node = node_of(written.question)
        self.turn.answer_node = node_of(written.answer)
        self._writer = self._store.writer(written.answer.id)
        self._services.chats.note_written(self.chat)
        on_stored()
        if written.path == self.chat.stored_ids:
            self._read_files()
        else:
            # The user chose another branch meanwhile.
            self._services.chats.show_branch_of(self.chat, written.answer.id, self._read_files)

    def _read_files(self) -> None:
        """Read those files of the chat's folder again that have changed on the disk, then get the chat's tools."""
        if self._is_stopped:
            self._end_cancelled()
            return
        self._stage = AnswerStage.READING_FILES
        read_again = self._services.projects.read_again
        self._reading_time = read_again(self.chat.folder_id, self._gather_tools, self._show_file)

    def _show_file(self, name: str) -> None:
        """Show for which file the answer waits."""
        if self._stage is AnswerStage.READING_FILES:
            self.turn.answer.waits_for = name
            self._arrived(self)

    def _gather_tools(self) -> None:
        """Get the chat's tools, for which servers may have to start, then submit the request."""
        if self._stage is not AnswerStage.READING_FILES:
            # The answer was stopped while files were read.
            return
        self._stage = AnswerStage.STARTING_TOOLS
        self.turn.answer.waits_for = ""
        self.turn.answer.state = State.STARTING
        self._services.tools.gather(self.chat, self._take_tools)
        if self._stage is AnswerStage.STARTING_TOOLS:
            self._arrived(self)

    def _take_tools(self, tools: Sequence[Tool]) -> None:
        """Take the chat's tools, then load the other model if there is one, and make the request."""
        if self._stage is not AnswerStage.STARTING_TOOLS:
            # The answer was stopped while servers started.
            return
        self._stage = AnswerStage.PREPARING
        self.turn.tools = tools
        self.turn.answer.state = State.WAITING
        if self._is_stopped:
            self._end_cancelled()
        elif self._other is None:
            self._prepare()
        else:
            main = self._other.path
            draft = self._other.draft
            self._services.models.load_additional(main, draft, self._take_other, self._end_failed)

    def _take_other(self, loaded: LoadedPair) -> None:
        self._other_pair = Pair(loaded.main, loaded.draft)
        self._prepare()

    def _prepare(self) -> None:
        """Make the request, then submit it; an error ends the answer."""
        prepare_request(
            self.chat, self.turn, self.generation, self._services, self._submit, self._end_failed, self._other_pair
        )

    @property
    def _pair(self) -> Pair:
        """The models that answer."""
        return self._other_pair or self._services.models.pair

    def _end_failed(self, error: EngineError) -> None:
        """End the answer with an error."""
        self._receive([Failed(error, "")])

    def _end_cancelled(self) -> None:
        """End an answer that was stopped before its request reached the engine."""
        self._receive([Finished("cancelled", "", (), self.turn.answer.stats)])

    def _submit(self, request: ChatRequest) -> None:
        """Pass the request to the engine, whose events then arrive at `_receive`."""
        if self._is_stopped:
            self._end_cancelled()
            return
        self._stage = AnswerStage.GENERATING
        self._request = request
        # Another model may have been loaded while tools ran.
        main = self._pair.main
        if request.tools and self._services.tools.usable and main is not None:
            form = call_form(main.tool_format)
            self.turn.answer.separator = AnswerParts(form, request.tools)
        try:
            self._stream = self._services.models.submit(request, self._receive)
        except EngineError as error:
            self._end_failed(error)

    def _receive(self, events: list[Event]) -> None:
        """Apply the events of one frame to the answer, and write what they added.

        An answer that repeats itself is stopped. After the last event the answer's end is stored, then its calls are
        stored and run if it made any.
        """
        answer = self.turn.answer
        token_count = len(answer.tokens)
        round_count = len(answer.rounds)
        answer.apply(events)
        self._write_new(token_count, round_count)
        if isinstance(events[-1], Finished):
            self._finish_reason = _stored_reason(answer, events[-1].reason, is_stopped=self._is_stopped)
            if self._finish_reason == REPEATING:
                # The answer is paused: the person may have it continued.
                answer.state = State.REPEATING
        elif answer.repeats_anew and self._stream is not None:
            self._stream.cancel()
        if answer.ended:
            calls = self._calls_in(answer)
            self.store_end()
            if calls:
                self._store_calls(answer, calls)
            else:
                self._stage = AnswerStage.ENDED
        self._arrived(self)

    def _calls_in(self, answer: Answer) -> list[ToolRun]:
        """Return the calls that an answer makes, unless it was cut off; one whose end is unclear has no arguments."""
        if answer.state is not State.DONE or answer.separator is None:
            return []
        # The name of a call whose end is unclear; "" if there is none.
        name = answer.separator.unclear
        unclear = [ToolCall(name, "")] if name else []
        return calls_of([*answer.separator.calls, *unclear], self.turn.tools)

    def _store_calls(self, answer: Answer, calls: list[ToolRun]) -> None:
        """Write the calls, then run them: nothing runs that is not on disk."""
        self._stage = AnswerStage.STORING_CALLS
        answer.calls = calls
        answer.state = State.CALLING
        answer_id = self.turn.answer_node.id
        assert answer_id is not None

        def run(ids: list[int]) -> None:
            for call, message_id in zip(calls, ids, strict=True):
                call.id = message_id
            self._run_calls(calls)

        def end_without_calls(_error: Exception) -> None:
            answer.calls = []
            self._end_stored(State.DONE)

        self._store.run(
            lambda store: store.answers.start_calls(answer_id, [call.use for call in calls]), run, end_without_calls
        )

    def _end_stored(self, state: State) -> None:
        """End an answer that is already on disk as a whole."""
        self._stage = AnswerStage.ENDED
        self.turn.answer.state = state
        self._arrived(self)

    def _run_calls(self, calls: list[ToolRun]) -> None:
        """Run the calls, or ask for the person's consent to them; `_calls_ended` follows after the last one."""
        self._stage = AnswerStage.CALLING
        allowed = self.generation.most_calls - self._call_count
        self._call_count += len(calls)
        changed = partial(self._arrived, self)
        self._calls = ToolCalls(self.chat, calls, self._services.tools, changed, self._write_call, self._calls_ended)
        if self._is_stopped:
            self._calls.cancel()
        else:
            self._calls.start(allowed, self.generation.most_calls)

    def _write_call(self, call: ToolRun) -> None:
        """Write the end of a call and the pictures in its result, then show these from the store.

        If the store cannot write them, the next start finds the call interrupted.
        """
        assert call.id is not None
        message_id = call.id
        # The store's thread reads this copy, while the call itself may change on the Qt thread.
        ended = replace(call)
        pictures = tuple(
            Attachment(
                name=f"{call.use.tool}.{tool_picture.kind}",
                media_type=f"image/{tool_picture.kind}",
                text="",
                picture=Picture(tool_picture.digest, tool_picture.width, tool_picture.height),
            )
            for tool_picture in call.unread
        )

        def write(store: ConversationStore) -> None:
            for picture in ended.unread:
                store.pictures.add(picture.content)
            store.answers.end_call(message_id, ended.use, ended.text, ended.error, pictures)

        def written(_: None) -> None:
            if pictures:
                call.pictures = pictures
                self._arrived(self)

        self._store.run(write, written)

    def _calls_ended(self) -> None:
        """Start the answer from the results, unless the person stopped it or the model made too many calls."""
        calls = self.turn.answer.calls
        self._calls = None
        if self._is_stopped:
            self._end_stored(State.CANCELLED)
            return
        # Calls beyond the limit are refused, and their results say so. The model answers from these results once more.
        # If it calls again there, the limit was exceeded before these calls, and no further answer follows.
        earlier_count = self._call_count - len(calls)
        if earlier_count > self.generation.most_calls:
            self._end_stored(State.DONE)
            return
        self._stage = AnswerStage.STORING_NEXT
        parent = calls[-1].id
        assert parent is not None

        def start(store: ConversationStore) -> Message:
            return store.messages.get(store.answers.start(parent, self.source))

        self._store.run(start, self._begin_next, lambda _error: self._end_stored(State.DONE))

    def _begin_next(self, message: Message) -> None:
        """Ask for the next answer, to be written to `message`: the same request, then the calls and their results."""
        self._stage = AnswerStage.PREPARING
        turn = self.turn
        before = turn.answer
        request = self._request
        assert request is not None
        before.state = State.DONE
        turn.steps.append(AnswerStep(before, turn.answer_node))
        turn.answer = Answer(
            model=before.model,
            pair=before.pair,
            pair_speedup=before.pair_speedup,
            told_story=before.has_story,
            asked_at=before.asked_at,
            earlier=turn.step_figures,
            sampling=before.sampling,
        )
        turn.answer_node = node_of(message)
        self._writer = self._store.writer(message.id)
        self._written = 0
        self._stream = None
        # The continued text is part of the answer now.
        messages = request.messages[:-1] if request.continues else request.messages
        pictures = dict(request.pictures)
        for call in before.calls:
            if self._pair.sees:
                pictures |= {picture.digest: picture.content for picture in call.unread}
            call.unread = ()
        messages = [*messages, *step_messages(before.text, before.calls, pictures)]
        self._arrived(self)
        self._submit(replace(request, messages=messages, pictures=pictures))

    def _write_new(self, token_count: int, round_count: int) -> None:
        """Pass new text to the writer, with the tokens and rounds after the first `token_count` and `round_count`."""
        answer = self.turn.answer
        assert self._writer is not None
        if len(answer.tokens) > token_count or len(answer.text) > self._written:
            self._writer.append(answer.text[self._written :], answer.tokens[token_count:], answer.rounds[round_count:])
            self._written = len(answer.text)
        write_error = self._writer.write_error
        if not answer.ended and write_error is not None and not self._write_error_reported:
            self._write_error_reported = True
            self._store.report_error(write_error)

    @property
    def writing_fails(self) -> bool:
        """Whether its text could not be written so far."""
        return self._writer is not None and self._writer.write_error is not None

    def store_end(self) -> None:
        """Write the end, then update the list of chats or report that the store could not write it."""
        self._store.watch_end(self.write_end(), partial(self._end_not_stored, self))
        answer_id = self.turn.answer_node.id
        answer = self.turn.answer
        if answer_id is not None and self._may_be_copied:
            self._store.run(
                lambda store: store.answers.is_given_before(answer_id), partial(self._note_given_before, answer)
            )

    def _note_given_before(self, answer: Answer, given_before: bool) -> None:
        if given_before:
            answer.note_given_before()
            self._arrived(self)

    def write_end(self) -> Future[None]:
        """Write the rest of the ended answer with its figures and its error, if any."""
        assert self._writer is not None
        answer = self.turn.answer
        error = None if answer.error is None else (answer.error.code, answer.error.arguments)
        reason = None if error else self._finish_reason
        return self._writer.finish(reason, answer.stats, error, compare=self._may_be_copied)

    @property
    def _may_be_copied(self) -> bool:
        """Whether the answer's speed does not count if its text was given before: it was copied from there."""
        answer = self.turn.answer
        return answer.state is State.DONE and answer.is_looked_up and answer.speed_counts


def _stored_reason(answer: Answer, reason: str, *, is_stopped: bool) -> str:
    """Return why an answer ended, as it is stored: the engine's `reason`, or another one.

    REFUSED if the Starter declined the question. For an answer that repeats itself STOPPED_REPEATING if the person
    stopped it, else REPEATING.
    """
    if answer.repeats:
        return STOPPED_REPEATING if is_stopped else REPEATING
    return REFUSED if answer.refuses and answer.state is State.DONE else reason


def _write_turn(chat: Chat, write: WriteTurn, store: ConversationStore) -> _WrittenTurn:
    """Write a turn, all of it or nothing, and read it back. Runs on the store's thread."""
    # In a transaction of its own: the chat keeps its id if the turn is not written.
    ensure_stored(store, chat)

    def write_whole(store: ConversationStore) -> _WrittenTurn:
        with store.database.write():
            question_id, answer_id = write(store)
            answer = store.messages.get(answer_id)
            # A chat that is continued leaves the trash.
            store.conversations.restore(answer.conversation_id)
            path = store.messages.path_ids(answer.conversation_id)
            return _WrittenTurn(None if question_id is None else store.messages.get(question_id), answer, path)

    return store.run(write_whole)
