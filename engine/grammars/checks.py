"""Checks of grammars and of answers by a schema, in a sandbox."""

from __future__ import annotations

from functools import partial

from engine.errors import GrammarNotUsable
from engine.grammars.grammar import Grammar
from engine.sandbox.errors import SandboxError
from engine.sandbox.process import Sandbox
from engine.sandbox.tasks import sendable, task

# Seconds for compiling a grammar or checking an answer. Ordinary ones take milliseconds.
COMPILE_S = 3
_SANDBOX = Sandbox(__name__)


@task
def try_grammar(lark: str) -> str:
    """Compile a grammar, and return its error, or ""."""
    from engine.grammars.compiling import trial

    return sendable(trial(lark))


@task
def check_answer(schema: str, text: str) -> list[str]:
    """Check a JSON text against a schema, and return what is wrong with it."""
    from engine.grammars.checking import problems_of

    return [sendable(problem) for problem in problems_of(schema, text)]


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
