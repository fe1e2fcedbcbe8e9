"""The wheel's C interface is the version that Tandem expects, and matches grammars token by token."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import GrammarNotUsable
from engine.grammars import native
from engine.grammars.native import ModelTokens

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


def test_what_is_not_allowed_leaves_no_trace_and_a_copy_goes_its_own_way() -> None:
    matcher, bits = tokens().compile('start: "name" /[a-c]+/'), np.zeros((len(TABLE) + 31) // 32, np.uint32)
    assert matcher.consume([256, 97, 98, 120, 97]) == 3
    assert matcher.consume([120]) == 0
    assert matcher.error == ""
    assert (matcher.accepting, matcher.stopped) == (True, False)
    copied = matcher.copy()
    matcher.rollback(2)
    assert not matcher.accepting
    for one, expected in ((matcher, [97, 98, 99]), (copied, [97, 98, 99, END])):
        assert one.mask(bits)
        assert np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")).tolist() == expected
        assert one.consume([99]) == 1


def test_text_is_written_with_the_longest_tokens() -> None:
    assert tokens().tokenize('name": "서울') == [256, 257, 258]


@pytest.mark.parametrize("source", ["start: missing", 'start: "a\0b"', '{"grammars": [}'])
def test_what_is_wrong_is_an_error(source: str) -> None:
    with pytest.raises(GrammarNotUsable):
        tokens().compile(source)
