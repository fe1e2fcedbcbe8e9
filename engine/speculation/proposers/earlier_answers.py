"""Lookup across chats: proposes what followed the last tokens in the answers of earlier chats.

It works like prompt lookup, but in the index of answers. After SuffixDecoding (arXiv:2411.04975) and REST
(arXiv:2311.08252). The newest matches vote, so that frequent continuations win and old ones fade.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from engine.answer_index.index import RUN, AnswerIndex
from engine.speculation.proposers.context import ProposerContext
from engine.speculation.proposers.ngram import MAX_MATCH, NgramProposer
from engine.speculation.proposers.suffix_index import LookupIndex, Match

# The most occurrences to compare, the newest first: each costs host time.
NEWEST_OCCURRENCES = 8


def build(context: ProposerContext) -> EarlierAnswersProposer | None:
    """Return None without an index of answers, and for a request that names no chat.

    Programs must not find out from speeds what chats contain, and a comparison would find the answer that it repeats.
    """
    if context.answers is None or not context.conversation.name:
        return None
    main = context.main
    settings = context.settings
    excluded = frozenset(main.tokenizer.all_special_ids)
    rows = main.rows or main.vocabulary
    adaptive = settings.depth is None
    return EarlierAnswersProposer(settings.depth_limit, excluded, context.answers, rows, adaptive=adaptive)


class EarlierAnswersProposer(NgramProposer):
    """Proposes by looking the last tokens up in `answers`. Ids from `rows` on, of a damaged file, end a proposal."""

    source = "chats"

    def __init__(
        self, max_depth: int, excluded: AbstractSet[int], answers: AnswerIndex, rows: int, *, adaptive: bool = True
    ) -> None:
        self._answers = answers
        self._rows = rows
        super().__init__(max_depth, excluded, adaptive=adaptive)

    def _new_index(self) -> LookupIndex:
        return _EarlierAnswers(self._answers, self._excluded, self._rows)


class _EarlierAnswers(LookupIndex):
    """Searches `answers` for the end of one conversation; positions are those of the index of answers.

    Ids from `rows` on, which the model has no embedding of, and `excluded` ones end what follows a match.
    """

    def __init__(self, answers: AnswerIndex, excluded: AbstractSet[int], rows: int) -> None:
        self._answers = answers
        self._excluded = excluded
        self._rows = rows
        # The last tokens of the conversation, without those before an excluded one.
        self._newest: list[int] = []

    def extend(self, tokens: Sequence[int]) -> None:
        newest = [*self._newest, *tokens[-MAX_MATCH:]][-MAX_MATCH:]
        while not self._excluded.isdisjoint(newest):
            newest.pop(0)
        self._newest = newest

    def matches(self, limit: int, longest: int) -> list[Match]:
        if len(self._newest) < RUN:
            return []
        occurrences = self._answers.occurrences(self._newest[-longest:], min(limit, NEWEST_OCCURRENCES))
        return [Match(end, length) for end, length in occurrences]

    def next_like_last(self, start: int, reach: int) -> int | None:
        searched = self.following(start, reach)
        newest = self._newest[-1] if self._newest else None
        return start + searched.index(newest) + 1 if newest in searched else None

    def following(self, end: int, count: int) -> list[int]:
        tokens = self._answers.following(end, count)
        for offset, token in enumerate(tokens):
            if token >= self._rows or token in self._excluded:
                return tokens[:offset]
        return tokens
