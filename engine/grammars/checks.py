"""Checks of grammars and of answers by a schema, in a sandbox."""

from __future__ import annotations

from functools import partial

from engine.errors import GrammarNotUsable
from engine.grammars.grammar import Grammar
from engine.grammars.tasks import check_answer, try_grammar
from engine.sandbox.errors import SandboxError
from engine.sandbox.process import Sandbox

# Seconds for compiling a grammar or checking an answer. Ordinary ones take milliseconds.
COMPILE_S = 3
_SANDBOX = Sandbox("engine.grammars.tasks")


def answer_problems(schema: str, text: str) -> list[str]:
    """Return what is wrong with a JSON text by a schema. Waits; thread-safe.

    A pattern in a schema can take forever.
    """
    try:
        return _SANDBOX.run(partial(check_answer, schema, text), COMPILE_S)
    except SandboxError:
        return ["The check did not end within its limits."]


def check_grammar(grammar: Grammar) -> None:
    """Raise `GrammarNotUsable` for a grammar that does not compile within limits. Waits; thread-safe.

    A grammar of a few hundred bytes can take minutes or all memory, or overflow the stack.
    """
    try:
        problem = _SANDBOX.run(partial(try_grammar, grammar.as_lark()), COMPILE_S)
    except SandboxError as error:
        if error.reason == "too-slow":
            raise GrammarNotUsable("too-slow", str(COMPILE_S)) from error
        raise GrammarNotUsable("too-complex") from error
    if problem:
        raise GrammarNotUsable("invalid", problem)
