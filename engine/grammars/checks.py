"""Checks of grammars and of answers by a schema, in a sandbox."""

from __future__ import annotations

import json
from functools import partial
from itertools import islice

from engine.errors import GrammarNotUsable
from engine.grammars.grammar import Grammar
from engine.sandbox.errors import SandboxError
from engine.sandbox.process import Sandbox
from engine.sandbox.tasks import sendable, task

# Seconds for compiling a grammar or checking an answer. Ordinary ones take milliseconds.
COMPILE_S = 3
# The most problems that are returned.
_MOST_PROBLEMS = 8
# The most characters of a problem.
_MOST_CHARACTERS = 300
_SANDBOX = Sandbox("engine.grammars.compiling", __name__)


@task
def check_answer(schema: str, text: str) -> list[str]:
    """Check a JSON text against a schema, and return what is wrong with it, in sentences."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    try:
        content = json.loads(schema)
        # The empty registry fetches nothing.
        check = validator_for(content, Draft202012Validator)(content, registry=Registry())
        errors = islice(check.iter_errors(json.loads(text)), _MOST_PROBLEMS)
        return [sendable(f"{error.json_path}: {error.message}"[:_MOST_CHARACTERS]) for error in errors]
    # A schema may be none, name others that do not exist, or have patterns that Python does not know.
    except Exception as error:
        return [sendable(f"It cannot be checked: {' '.join(str(error).split())}"[:_MOST_CHARACTERS])]


def answer_problems(schema: str, text: str) -> list[str]:
    """Return what is wrong with a JSON text by a schema. Waits; thread-safe. A pattern in a schema can take forever."""
    try:
        return _SANDBOX.run(partial(check_answer, schema, text), COMPILE_S)
    except SandboxError:
        return ["The check did not end within its limits."]


def check_grammar(grammar: Grammar) -> None:
    """Raise `GrammarNotUsable` for a grammar that does not compile within limits. Waits; thread-safe."""
    # Not at the top: checks of answers need no grammar.
    from engine.grammars.compiling import trial

    try:
        problem = _SANDBOX.run(partial(trial, grammar.as_lark()), COMPILE_S)
    except SandboxError as error:
        if error.reason == "too-slow":
            raise GrammarNotUsable("too-slow", str(COMPILE_S)) from error
        raise GrammarNotUsable("too-complex") from error
    if problem:
        raise GrammarNotUsable("invalid", problem)
