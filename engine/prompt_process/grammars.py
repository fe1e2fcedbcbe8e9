"""Tries grammars in a process of their own: some of a few hundred bytes take minutes, all memory, or the stack.

Neither MLX nor a model is needed for it.
"""

from __future__ import annotations

import atexit

from engine.errors import GrammarNotUsable, TemplateFailed
from engine.grammars.grammar import Grammar
from engine.prompt_process.client import PromptProcess

GRAMMAR_PROCESS = PromptProcess()
atexit.register(GRAMMAR_PROCESS.end)
# Seconds of computing. Ordinary grammars take milliseconds.
COMPILE_S = 3


def check_grammar(grammar: Grammar) -> None:
    """Raise `GrammarNotUsable` for a grammar that does not compile within limits. Waits; for any thread."""
    try:
        problem = GRAMMAR_PROCESS.try_grammar(grammar.as_lark(), COMPILE_S)
    except TemplateFailed as error:
        if error.reason == "too-slow":
            raise GrammarNotUsable("too-slow", str(COMPILE_S)) from error
        raise GrammarNotUsable("too-complex") from error
    if problem:
        raise GrammarNotUsable("invalid", problem)
