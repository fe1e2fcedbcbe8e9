"""The wheel's C interface is the version that Tandem expects, and agrees with the Python classes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from llguidance import LLMatcher

from engine.errors import GrammarNotUsable
from engine.grammars import native
from engine.grammars.native import ModelTokens
from tests.engine.grammars.python_tokens import python_tokens
from tests.engine.grammars.schemas import SCHEMAS, grammar_of

TABLE: list[bytes | None] = [bytes([byte]) for byte in range(256)] + [b"name", b'": "', "서울".encode(), None, None]
END = len(TABLE) - 1
NAMES = [f"<{index}>" for index in range(len(TABLE))]


def tokens() -> ModelTokens:
    return ModelTokens(TABLE, NAMES, [END])


def test_the_limits_are_where_they_are_taken_to_be() -> None:
    init = native._MatcherInit()
    native._short.llg_constraint_init_set_defaults(init, None)
    limits = init.limits
    assert (limits.max_items_in_row, limits.initial_lexer_fuel, limits.step_lexer_fuel) == (2000, 1_000_000, 200_000)
    assert (limits.step_max_items, limits.max_lexer_states, limits.max_grammar_size) == (50_000, 250_000, 500_000)


@pytest.mark.parametrize("name", sorted(SCHEMAS)[:4])
def test_it_allows_what_the_python_class_allows(name: str) -> None:
    lark, draw = grammar_of(SCHEMAS[name]).as_lark(), random.Random(name)
    known = LLMatcher(python_tokens(TABLE, NAMES, [END]), lark, log_level=0)
    matcher, bits = tokens().compile(lark), np.zeros((len(TABLE) + 31) // 32, np.uint32)
    read = 0
    for _ in range(60):
        assert matcher.mask(bits)
        own = np.unpackbits(bits.view(np.uint8), count=len(TABLE), bitorder="little")
        expected = np.unpackbits(np.frombuffer(known.compute_bitmask(), np.uint8), count=len(TABLE), bitorder="little")
        assert (own == expected).all()
        assert (matcher.accepting, matcher.stopped) == (known.is_accepting(), known.is_stopped())
        if read and draw.random() < 0.2:
            matcher.rollback(1)
            known.rollback(1)
            read -= 1
        elif choices := [token for token in np.flatnonzero(own).tolist() if token < END - 1]:
            chosen = draw.choice(choices)
            copied = matcher.copy()
            assert (copied.consume([chosen]), matcher.consume([chosen])) == (1, known.try_consume_tokens([chosen]))
            read += 1
        else:
            break


def test_what_is_not_allowed_leaves_no_trace() -> None:
    matcher = tokens().compile('start: "name" /[a-c]+/')
    assert matcher.consume([256, 97, 98, 120, 97]) == 3
    assert matcher.consume([120]) == 0
    assert matcher.error == ""
    assert matcher.consume([99]) == 1


def test_text_is_written_with_the_longest_tokens() -> None:
    assert tokens().tokenize('name": "서울') == [256, 257, 258]


@pytest.mark.parametrize("source", ["start: missing", 'start: "a\0b"', '{"grammars": [}'])
def test_what_is_wrong_is_an_error(source: str) -> None:
    with pytest.raises(GrammarNotUsable):
        tokens().compile(source)
