"""The tasks of the sandbox for grammars."""

from __future__ import annotations

from engine.sandbox.tasks import sendable, task


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
