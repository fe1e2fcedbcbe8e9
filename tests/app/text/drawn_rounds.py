"""Answers in random rounds of a real tokenizer, as Hypothesis draws them: a failing one is made short and printed.

The tests with `FEW` examples are in the default tier, those with `MANY` in the full one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, cycle, pairwise, takewhile
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from tests.app.answers_with_calls import AnswerWithCalls, case_of, unended_case_of
from tests.app.random_rounds import (
    BLOCKS,
    BLOCKS_WITHIN,
    LINES,
    RESULT_LINES,
    RESULTS_WITHIN,
    starter_tokenizer,
    token_texts,
)

FEW = settings(max_examples=30)
MANY = settings(max_examples=500)
# The most tokens of a round: short rounds alone, or any.
_MOST_TOKENS = (1, 4, 16)


@st.composite
def sizes_of_rounds(draw: st.DrawFn) -> list[int]:
    """Draw the numbers of tokens of an answer's first rounds, which the later ones repeat."""
    most = draw(st.sampled_from(_MOST_TOKENS))
    return draw(st.lists(st.integers(1, most), min_size=1, max_size=12))


def rounds_of_sizes(text: str, sizes: Sequence[int]) -> list[str]:
    """Return the texts of the rounds in which an answer arrives with these numbers of the Starter's tokens."""
    pieces = token_texts(text, starter_tokenizer())
    ends = takewhile(lambda end: end < len(pieces), accumulate(cycle(sizes)))
    return ["".join(pieces[start:end]) for start, end in pairwise([0, *ends, len(pieces)])]


def in_rounds(answers: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """Return the strategy of the rounds in which one of the answers arrives."""
    return st.builds(rounds_of_sizes, answers, sizes_of_rounds())


def _joined(texts: Sequence[str], between: str) -> str:
    """Join blocks, whose "@" become their numbers. Each ends with its line, but the last one as it does."""
    *above, last = (text.replace("@", str(number)) for number, text in enumerate(texts, start=1))
    return between.join([*(text if text.endswith("\n") else f"{text}\n" for text in above), last])


_BETWEEN = st.sampled_from(("\n", ""))
_SHORT_RESULTS = [text for name, text in RESULTS_WITHIN.items() if name != "in a long list"]
_ANY_BLOCK = st.sampled_from([*BLOCKS.values(), *BLOCKS_WITHIN.values()])
# Answers of one to four blocks of any kinds, with blank lines between them or none.
blocks = st.builds(_joined, st.lists(_ANY_BLOCK, min_size=1, max_size=4), _BETWEEN)
# Answers of a few lines, some of which make nothing whole.
lines = st.builds(
    lambda lines, between, end: between.join(lines) + end,
    st.lists(st.sampled_from(LINES), min_size=2, max_size=8),
    st.sampled_from(("\n", "\n\n")),
    _BETWEEN,
)
# Answers of the result of a tool in a list or a quotation, with a block above or below it.
blocks_with_results = st.builds(
    _joined,
    st.tuples(st.sampled_from(_SHORT_RESULTS), st.sampled_from(list(BLOCKS.values()))).flatmap(st.permutations),
    _BETWEEN,
)
# Answers of a few lines, half of them of results in lists and quotations.
lines_with_results = st.lists(
    st.one_of(st.sampled_from(LINES), st.sampled_from(RESULT_LINES)), min_size=2, max_size=10
).map("\n".join)


class CallsInRounds(NamedTuple):
    """An answer with the form of its model's calls, as its rounds deliver it; `cut` says that it was cut off."""

    form: str
    rounds: list[str]
    cut: bool


def calls_in(case: AnswerWithCalls, sizes: Sequence[int]) -> CallsInRounds:
    return CallsInRounds(case.form, rounds_of_sizes(case.text, sizes), case.cut)


# Calls are written under a grammar, byte by byte, which takes more choices than Hypothesis makes: it draws a seed.
_SEEDS = st.integers(0, 2**32 - 1)
# Answers with calls in any form, and those that consist of thoughts.
answers_with_calls = st.tuples(_SEEDS.map(case_of), sizes_of_rounds()).map(lambda drawn: calls_in(*drawn))
thoughts_with_calls = st.tuples(_SEEDS.map(unended_case_of), sizes_of_rounds()).map(lambda drawn: calls_in(*drawn))
