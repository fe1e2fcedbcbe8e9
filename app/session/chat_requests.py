"""What the engine is asked for a turn of a chat. No Qt in here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from app.conversations.chat_settings import GenerationSettings, grammar_of
from app.conversations.database.records import pictures_in
from app.conversations.projects import picture_files, start_of
from app.conversations.store import ConversationStore
from app.session import prompt_variables
from app.session.chat_service import ChatService
from app.session.chats import Chat, Turn
from app.session.help_matching import grammar_of_help, is_prepared, prepare
from app.session.model_names import STARTER
from app.session.model_service import ModelService, Pair
from app.session.project_service import ProjectService
from app.session.settings_service import SettingsService
from app.session.store_client import StoreClient
from app.session.tool_service import ToolService
from app.tools.tool import instructions_of
from engine.call_forms.writing import CallsNotExpressible
from engine.errors import EngineError, as_engine_error
from engine.grammars.grammar import Grammar, calls_in_text
from engine.grammars.grammar import calls_of as calls_of_grammar
from engine.requests import ChatRequest, SpeculationSettings


@dataclass(frozen=True)
class OtherModel:
    """A main model that can answer in addition to the window's own.

    `title` is shown, `name` is stored with figures, and `path` and `draft` are the folders of it and of its drafter
    (None: it has none).
    """

    title: str
    name: str
    path: str
    draft: str | None = None


@dataclass(frozen=True)
class Services:
    """The services that an answer uses."""

    models: ModelService
    chats: ChatService
    settings: SettingsService
    store: StoreClient
    tools: ToolService
    projects: ProjectService


class _PossibleAnswer(NamedTuple):
    """What an answer may be, how it is drafted, and the tools that it may call, with their instructions."""

    grammar: Grammar | None
    speculation: SpeculationSettings
    tools: list[Mapping[str, Any]]
    instructions: str


def prepare_request(
    chat: Chat,
    turn: Turn,
    generation: GenerationSettings,
    services: Services,
    then: Callable[[ChatRequest], object],
    refused: Callable[[EngineError], object],
    other: Pair | None = None,
) -> None:
    """Make the request that the engine gets for a turn, once its pictures and the help are read, and pass it to `then`.

    An error goes to `refused`. Lost pictures are left out. A model that cannot see gets those of questions, which it
    refuses, but none of documents, tools and the chat's folder, which the question did not ask for. The other
    arguments are those of `chat_request`.
    """
    sees = (other or services.models.pair).sees
    digests = chat.pictures(turn, sees=sees)
    if sees:
        files = picture_files(services.projects.folder(chat.folder_id))
        digests |= {picture.digest for picture in pictures_in(files)}
    # The help is read off the Qt thread.
    waits_for_help = _is_of_starter(other or services.models.pair) and not is_prepared()

    def read(store: ConversationStore) -> dict[str, bytes]:
        if waits_for_help:
            prepare()
        return {digest: content for digest in digests if (content := store.pictures.get(digest)) is not None}

    def make(pictures: Mapping[str, bytes]) -> None:
        try:
            request = chat_request(chat, turn, generation, services, pictures, other)
        except EngineError as error:
            refused(error)
        else:
            then(request)

    if digests or waits_for_help:
        services.store.of(chat).run(read, make, lambda error: refused(as_engine_error(error)))
    else:
        make({})


def chat_request(
    chat: Chat,
    turn: Turn,
    generation: GenerationSettings,
    services: Services,
    pictures: Mapping[str, bytes],
    other: Pair | None = None,
) -> ChatRequest:
    """Return the engine's request for a turn, with its tools.

    `pictures` are the contents of the pictures that the request has, by their digests. The `other` models answer
    instead of the window's own, if they are given. The Starter answers a question about Tandem with the help, unless
    the question has files or the chat another format of answers. Raises `errors.BadRequest` of the engine, and its
    `GrammarNotUsable` if the chat's format of answers is not usable.
    """
    pair = other or services.models.pair
    form = pair.main.tool_format if pair.main else ""
    answer = _possible_answer(turn, generation, pair)
    variables = prompt_variables.values(pair)
    sampling = generation.sampling
    folder = services.projects.folder(chat.folder_id)
    start = "\n\n".join(filter(None, (start_of(folder, variables), answer.instructions)))
    files = picture_files(folder)
    # The engine answers with the window's own models if the request names none.
    named_main = str(other.main.path) if other is not None and other.main is not None else None
    stored = services.store.persistent and chat.uid and not chat.temporary
    return ChatRequest(
        chat.messages(turn, variables, with_calls=bool(form), pictures=pictures, start=start, files=files),
        replace(sampling, thinking_budget=pair.thinking.budget(generation.thinking, sampling.thinking_budget)),
        answer.speculation,
        max_tokens=generation.max_tokens,
        overflow=generation.overflow,
        template_options=pair.thinking.options(generation.thinking),
        # Only the caches of stored chats may be kept under a name.
        conversation=chat.uid if stored else "",
        tools=answer.tools,
        grammar=answer.grammar,
        pictures=pictures,
        main=named_main,
    )


def _possible_answer(turn: Turn, generation: GenerationSettings, pair: Pair) -> _PossibleAnswer:
    """Return what the answer to a turn may be: of the chat's format, from the help, or with calls of its tools.

    Raises the engine's `GrammarNotUsable` if the chat's format of answers is not usable.
    """
    speculation = generation.speculation
    grammar = grammar_of(generation.answer_format)
    if grammar is None and (from_help := _help_for(turn, pair)) is not None:
        # The draft is to show what it knows by heart; the help needs no tools.
        return _PossibleAnswer(from_help, replace(speculation, proposes_forced=False), [], "")
    form = pair.main.tool_format if pair.main else ""
    tools: list[Mapping[str, Any]] = [tool.for_template() for tool in turn.tools]
    instructions = instructions_of(turn.tools)
    if tools and grammar is not None:
        try:
            grammar = calls_of_grammar(form, tools, parallel=True, answer=grammar)
        except CallsNotExpressible:
            # The format of the answer was asked for in this chat; nothing else keeps it.
            tools = []
            instructions = ""
    elif tools:
        grammar = calls_in_text(form, tools, parallel=True)
    return _PossibleAnswer(grammar, speculation, tools, instructions)


def _help_for(turn: Turn, pair: Pair) -> Grammar | None:
    """Return what the help makes the Starter answer to the text of a turn; None for other models and questions."""
    if not _is_of_starter(pair) or turn.attachments or turn.steps:
        return None
    return grammar_of_help(turn.question, turn.answer.before)


def _is_of_starter(pair: Pair) -> bool:
    return pair.main is not None and pair.main.name == STARTER
