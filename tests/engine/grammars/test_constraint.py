"""A constraint gives every row the same mask as a fresh constraint, whatever it was asked before."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from engine.errors import GrammarNotUsable
from engine.grammars.compiling import compile_by_byte
from engine.grammars.constraint import CompiledGrammar, Constraint, Spelling, Thinking
from engine.grammars.grammar import Grammar
from engine.grammars.native import ModelTokens
from tests.engine.grammars.schemas import SCHEMAS, grammar_of

# Single bytes, some longer tokens, some with the same bytes, and control tokens at the end.
TOKENS: list[bytes | None] = [bytes([byte]) for byte in range(256)]
TOKENS += [b'{"', b'": "', b'": ', b", ", b'", "', b"name", b"na", b"true", b"tr", b"23", b'"}', b"}}", b"name", None]
CONTROLS = [None, None, None, None]
TOKENS += CONTROLS
END, OTHER_END, THINK, THOUGHT = range(len(TOKENS) - 4, len(TOKENS))
ENDS = frozenset({END, OTHER_END})
PROMPT = [1, 2, 3]


def compiled(grammar: Grammar, vocabulary: int = len(TOKENS)) -> CompiledGrammar:
    tokens, lark = ModelTokens(TOKENS, [f"<{token}>" for token in range(len(TOKENS))], ENDS), grammar.as_lark()
    spelling, bytewise = Spelling(tokens), compile_by_byte(lark)
    return CompiledGrammar(tokens.compile(lark), bytewise, tokens, vocabulary, ENDS, END, spelling)


def ids(text: str) -> list[int]:
    return list(text.encode())


def written(tokens: Sequence[int]) -> bytes:
    return b"".join(TOKENS[token] or b"" for token in tokens)


def answer_at_random(constraint: Constraint, rng: random.Random, most: int) -> list[int]:
    """Draw an answer from the allowed tokens, up to its end or `most` tokens."""
    answer: list[int] = []
    while len(answer) < most and not ENDS.intersection(answer):
        [allowed] = constraint.allowed([*PROMPT, *answer], [], 1)
        answer.append(rng.choice(np.flatnonzero(allowed).tolist()))
    return answer


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_row_is_what_a_fresh_constraint_says_there(name: str) -> None:
    grammar, rng = compiled(grammar_of(SCHEMAS[name])), random.Random(name)
    asked = Constraint(grammar, len(PROMPT))
    answer = answer_at_random(Constraint(grammar, len(PROMPT)), rng, 60)
    position = 0
    while position < len(answer):
        committed = [*PROMPT, *answer[:position]]
        right = rng.randrange(5)
        drafted = answer[position : position + right] + [rng.randrange(len(TOKENS)) for _ in range(rng.randrange(3))]
        rows = asked.allowed(committed, drafted, len(drafted) + 1)
        permitted = asked.accepted_length(committed, drafted)
        assert permitted >= min(right, len(answer) - position)
        for row in range(permitted + 1):
            seen = [*committed, *drafted[:row]]
            if ENDS.isdisjoint(seen):
                assert (rows[row] == Constraint(grammar, len(PROMPT)).allowed(seen, [], 1)[0]).all()
        if permitted < len(drafted) and ENDS.isdisjoint(drafted[:permitted]):
            assert not rows[permitted, drafted[permitted]]
        position += rng.randrange(1, right + 2)


@pytest.mark.first
def test_an_answer_ends_only_where_the_grammar_does_and_with_any_of_the_tokens_that_end_a_turn() -> None:
    constraint = Constraint(compiled(Grammar("regex", "ab?")), len(PROMPT))
    rows = constraint.allowed(PROMPT, ids("ab"), 3)
    assert [np.flatnonzero(row).tolist() for row in rows] == [[97], [98, END, OTHER_END], [END, OTHER_END]]
    assert constraint.accepted_length(PROMPT, [97, END, 98]) == 2
    assert constraint.accepted_length(PROMPT, [END]) == 0
    assert constraint.forced_text([*PROMPT, *ids("a")]) == (b"", [])
    assert constraint.forced_text([*PROMPT, *ids("ab")]) == (b"", [END])


@pytest.mark.parametrize("more", [-4, 0, 3, 77])
def test_a_model_may_have_other_rows_than_the_tokenizer_has_tokens(more: int) -> None:
    constraint = Constraint(compiled(Grammar("regex", "ab?"), len(TOKENS) + more), len(PROMPT))
    [row] = constraint.allowed(PROMPT, [], 1)
    assert (len(row), np.flatnonzero(row).tolist()) == (len(TOKENS) + more, [97])


def test_what_is_forced_is_known_up_to_the_next_choice() -> None:
    constraint = Constraint(compiled(grammar_of(SCHEMAS["call"])), len(PROMPT))
    assert constraint.forced(PROMPT) == b'{"name": "get_weather", "arguments": {"city": "'
    assert constraint.forced([*PROMPT, *ids('{"name": "get')]) == b'_weather", "arguments": {"city": "'
    assert constraint.forced([*PROMPT, *ids('{"name": "get_weather", "arguments": {"city": "')]) == b""


def test_forced_text_is_spelled_as_the_model_spelled_it_before_and_else_with_the_longest_tokens() -> None:
    spelling = compiled(Grammar("json_object")).spelling
    text = b'{"name": "'
    longest = spelling.spell(text)
    assert written(longest) == text
    assert len(longest) == 3
    spelling.learn(text, ids('{"na'))
    assert spelling.spell(text)[:4] == ids('{"na')
    assert written(spelling.spell(text)) == text
    spelling.learn(text, [TOKENS.index(b'": "')])
    assert spelling.spell(text)[:4] == ids('{"na')


def test_half_a_character_is_not_spelled() -> None:
    assert compiled(Grammar("json_object")).spelling.spell("é".encode()[:1]) == []


@pytest.mark.parametrize("begins", [True, False])
def test_thinking_is_free_and_the_answer_behind_it_is_not(begins: bool) -> None:
    grammar = compiled(Grammar("regex", "ab"))
    constraint = Constraint(grammar, len(PROMPT), thinking=Thinking(THOUGHT, THINK if begins else None))
    thoughts = [THINK, *ids("hm")] if begins else ids("hm")
    rows = constraint.allowed(PROMPT, [*thoughts, THOUGHT, 97], len(thoughts) + 3)
    if begins:
        assert np.flatnonzero(rows[0]).tolist() == [97, THINK]
    for row in rows[begins : len(thoughts) + 1]:
        assert set(np.flatnonzero(~row).tolist()) == ENDS
    assert [np.flatnonzero(row).tolist() for row in rows[-2:]] == [[97], [98]]
    assert constraint.forced(PROMPT) == constraint.forced([*PROMPT, *thoughts]) == b""
    assert constraint.forced([*PROMPT, *thoughts, THOUGHT]) == b"ab"
    assert constraint.accepted_length([*PROMPT, *thoughts], [END]) == 0


def test_an_answer_that_may_think_need_not() -> None:
    constraint = Constraint(compiled(Grammar("regex", "ab")), len(PROMPT), thinking=Thinking(THOUGHT, THINK))
    assert np.flatnonzero(constraint.allowed(PROMPT, [97], 2)[1]).tolist() == [98]


def test_an_answer_goes_on_from_text_that_follows_the_grammar_and_from_no_other() -> None:
    grammar = compiled(grammar_of(SCHEMAS["enumeration"]))
    assert Constraint(grammar, len(PROMPT), '{"mood": "ba').forced(PROMPT) == b'd", "sure": '
    with pytest.raises(GrammarNotUsable) as refused:
        Constraint(grammar, len(PROMPT), "Well, ")
    assert refused.value.reason == "continued"


def test_committed_text_that_does_not_follow_fails_loudly() -> None:
    constraint = Constraint(compiled(Grammar("regex", "ab")), len(PROMPT))
    with pytest.raises(GrammarNotUsable) as failed:
        constraint.allowed([*PROMPT, 120], [], 1)
    assert failed.value.reason == "lost"
