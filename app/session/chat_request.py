"""Makes the engine's request for a turn of a chat. No Qt in here."""

from __future__ import annotations

from app.conversations.chat_settings import Generation, grammar_of
from app.conversations.projects import Project
from app.session import prompt_variables
from app.session.chats import Chat, Turn
from app.session.model_service import ModelService
from app.session.store_client import StoreClient
from engine.call_forms.writing import CallsNotExpressible
from engine.grammars.grammar import calls_in_text
from engine.grammars.grammar import calls_of as calls_of_grammar
from engine.requests import ChatRequest


def chat_request(
    chat: Chat, turn: Turn, generation: Generation, models: ModelService, store: StoreClient, project: Project | None
) -> ChatRequest:
    """Return the engine's request for a turn, with its tools and with what the `project` of its chat begins with.

    Raises `BadRequest` and `GrammarNotUsable`.
    """
    pair = models.pair
    variables = prompt_variables.values(pair)
    start = "" if project is None else project.prompt(variables)
    form = pair.main.tool_format if pair.main else ""
    tools, grammar = [tool.for_template() for tool in turn.tools], grammar_of(generation.answer_format)
    if tools and grammar is not None:
        try:
            grammar = calls_of_grammar(form, tools, parallel=True, answer=grammar)
        except CallsNotExpressible:
            # The format of the answer was asked for in this chat; nothing else keeps it.
            tools = []
    elif tools:
        grammar = calls_in_text(form, tools, parallel=True)
    return ChatRequest(
        chat.messages(turn, variables, with_calls=bool(form), start=start),
        generation.sampling,
        generation.speculation,
        max_tokens=generation.max_tokens,
        overflow=generation.overflow,
        template_options=pair.thinking.options(generation.thinking),
        conversation=chat.uid if store.persistent and chat.uid else None,
        tools=tools,
        grammar=grammar,
    )
