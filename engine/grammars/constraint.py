"""Applies a grammar to an answer: which tokens each row of a pass may draw, and which text is forced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import GrammarNotUsable

# Every request imports this module, but few have a grammar.
if TYPE_CHECKING:
    from llguidance import LLMatcher

    from engine.grammars.native import ModelTokens, NativeMatcher

# The most forced texts of a grammar whose spelling is remembered.
MOST_SPELLED = 4096


@dataclass(frozen=True, slots=True)
class CompiledGrammar:
    """A grammar compiled for the `vocabulary` ids of one model; `ends` end a turn, usually `end`. Threads may share it.

    `matcher` reads tokens and tells which may follow; `bytewise` reads their bytes and tells which bytes must follow.
    `left_out` are the places in schemas of what it does not check.
    """

    matcher: NativeMatcher
    bytewise: LLMatcher
    tokens: ModelTokens
    vocabulary: int
    ends: frozenset[int]
    end: int
    spelling: Spelling
    left_out: tuple[str, ...] = ()

    def starting_with(self, text: str) -> NativeMatcher:
        """Return a matcher that has read `text`, which an answer continues. Raises `GrammarNotUsable` if it differs."""
        matcher = self.matcher.copy()
        begun = self.tokens.tokenize(text) if text else []
        if matcher.consume(begun) < len(begun):
            raise GrammarNotUsable("continued")
        return matcher


class _Bytewise:
    """Matches the bytes of an answer that continues `begun`; fast while the answer only grows."""

    def __init__(self, grammar: CompiledGrammar, begun: str) -> None:
        self._grammar = grammar
        self._begun = begun
        self._read_tokens: list[int] = []
        self._matcher = self._start()

    def forced(self, answer: Sequence[int]) -> bytes:
        """Return the bytes that must follow `answer`; none if that is unknown."""
        if self._read_tokens != answer[: len(self._read_tokens)]:
            self._matcher = self._start()
            self._read_tokens = []
        table = self._grammar.tokens.tokens
        new = b"".join(table[token] for token in answer[len(self._read_tokens) :])
        self._read_tokens = list(answer)
        self._matcher.try_consume_tokens(list(new))
        return b"" if self._matcher.is_error() else self._matcher.compute_ff_bytes()

    def _start(self) -> LLMatcher:
        matcher = self._grammar.bytewise.deep_copy()
        matcher.try_consume_tokens(list(self._begun.encode()))
        return matcher


class Spelling:
    """Predicts the tokens with which the main model writes forced text. They are only proposed."""

    def __init__(self, tokens: ModelTokens) -> None:
        self._tokens = tokens
        # For each forced text, the token with which the main model began it last.
        self._begun_with: dict[bytes, int] = {}

    def spell(self, text: bytes) -> list[int]:
        """Return tokens for the whole characters of `text`: those used before, or else the longest."""
        spelled: list[int] = []
        while text and (token := self._begun_with.get(text)) is not None:
            spelled.append(token)
            text = text[len(self._tokens.tokens[token]) :]
        return spelled + self._longest(text)

    def learn(self, text: bytes, tokens: Sequence[int]) -> None:
        """Remember that the main model wrote `tokens` for the forced `text`; they may be shorter or longer than it."""
        for token in tokens:
            written = self._tokens.tokens[token]
            if not text or not written or not text.startswith(written):
                return
            if len(self._begun_with) < MOST_SPELLED or text in self._begun_with:
                self._begun_with[text] = token
            text = text[len(written) :]

    def _longest(self, text: bytes) -> list[int]:
        try:
            characters = text.decode()
        except UnicodeDecodeError as error:
            characters = text[: error.start].decode()
        return self._tokens.tokenize(characters) if characters else []


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking before the answer, to which no grammar applies.

    The token `end` ends it. If `start` is None, it has begun in the prompt; else the answer may begin with `start`.
    """

    end: int
    start: int | None = None


class Constraint:
    """Matches one answer, which begins at `position` of its sequence and continues the text `begun`.

    Each call rolls the matcher back to where the given tokens differ from the previous ones, so rejected draft tokens
    leave no trace. Belongs to the engine's thread.
    """

    holds = True

    def __init__(
        self, grammar: CompiledGrammar, position: int, begun: str = "", thinking: Thinking | None = None
    ) -> None:
        self._grammar = grammar
        self._start_position = position
        self._begun = begun
        self._thinking = thinking
        self._matcher = grammar.starting_with(begun)
        self._bytewise = _Bytewise(grammar, begun)
        # A bit for each token that the library knows, which may be more or fewer than the model's vocabulary.
        self._bits = np.zeros((len(grammar.tokens.tokens) + 31) // 32, np.uint32)
        # The tokens that the matcher has read; the first `_committed_length` of them are committed.
        self._read_tokens: list[int] = []
        self._committed_length = 0
        # The number of committed tokens that are known to be thoughts.
        self._thoughts = 0

    def allowed(self, committed: Sequence[int], drafted: Sequence[int], rows: int) -> NDArray[np.bool_]:
        """Return which tokens may come next, as (rows, vocabulary).

        The last row follows `committed` and all of `drafted`, the row before it all but the last of them, and so on.
        Rows after the end of the answer, or after a draft token that is not allowed, exclude nothing: no round reaches
        them. Raises `GrammarNotUsable` if the grammar has become too complex to go on.
        """
        masks = np.ones((rows, self._grammar.vocabulary), dtype=np.bool_)
        answer = self._follow_committed(committed)
        first = len(drafted) - rows + 1
        for row in range(rows):
            if not self._fill(masks[row], [*answer, *drafted[: first + row]], certain=first + row == 0):
                break
        return masks

    def accepted_length(self, committed: Sequence[int], proposed: Sequence[int]) -> int:
        """Return how many of the `proposed` tokens may follow `committed`, up to one that ends the answer."""
        answer = self._follow_committed(committed)
        for index, token in enumerate(proposed):
            read = self._read_to(answer)
            ends = token in self._grammar.ends
            if ends:
                return index + 1 if read and self._matcher.accepting else index
            answer.append(token)
            if read is False or self._read_to(answer) is False:
                return index
        return len(proposed)

    def forced(self, committed: Sequence[int]) -> bytes:
        """Return the bytes that must follow `committed`; none while the model thinks, or may begin to."""
        answer = self._follow_committed(committed)
        may_think = self._thinking is not None and not answer
        part = self._under_grammar(answer)
        if may_think or part is None or not self._read_to(answer):
            return b""
        return self._bytewise.forced(part)

    def forced_text(self, committed: Sequence[int]) -> tuple[bytes, list[int]]:
        """Return the text that must follow `committed`, and the tokens that the model probably writes for it."""
        text = self.forced(committed)
        tokens = self._grammar.spelling.spell(text)
        read = self._read_to([*self._follow_committed(committed), *tokens])
        if read and self._matcher.stopped:
            return text, [*tokens, self._grammar.end]
        return text, tokens

    def learn(self, text: bytes, tokens: Sequence[int]) -> None:
        """Remember that the model wrote `tokens` for the forced `text`."""
        self._grammar.spelling.learn(text, tokens)

    def complete_after(self, answer: Sequence[int]) -> bool | None:
        """Whether the text may end after all of `answer`; None if that does not follow the grammar."""
        return self._matcher.accepting if self._read_to(list(answer)) else None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The places in schemas of what the answer was not held to."""
        return self._grammar.left_out

    @property
    def over(self) -> bool:
        """Whether the text that `complete_after` read last cannot go on."""
        return self._matcher.stopped

    def _follow_committed(self, committed: Sequence[int]) -> list[int]:
        """Return the answer so far. Tokens that the matcher has read are not compared again later."""
        answer = list(committed[self._start_position :])
        if self._read_to(answer):
            self._committed_length = len(self._read_tokens)
        elif self._under_grammar(answer) is not None and not self._grammar.ends.intersection(answer):
            raise GrammarNotUsable("lost", self._matcher.error[:200])
        if self._under_grammar(answer) is None:
            self._thoughts = len(answer)
        return answer

    def _fill(self, mask: NDArray[np.bool_], answer: list[int], *, certain: bool) -> bool:
        """Exclude the tokens that may not follow `answer`; return False if they are unknown."""
        if (read := self._read_to(answer)) is None:
            mask[list(self._grammar.ends)] = False
            return True
        if not read:
            return False
        if not self._matcher.mask(self._bits):
            problem = self._matcher.error[:200]
            self._matcher = self._grammar.starting_with(self._begun)
            self._read_tokens = []
            self._committed_length = 0
            if certain:
                raise GrammarNotUsable("lost", problem)
            return False
        mask[:] = np.unpackbits(self._bits.view(np.uint8), count=len(mask), bitorder="little")
        if not answer and self._thinking is not None and self._thinking.start is not None:
            mask[self._thinking.start] = True
        return True

    def _read_to(self, answer: list[int]) -> bool | None:
        """Make the matcher read exactly `answer`. False if it ends or is not allowed; None during the thinking."""
        part = self._under_grammar(answer)
        if part is None:
            return None
        known = self._read_tokens[self._committed_length :]
        wanted = part[self._committed_length :]
        same = next((i for i, pair in enumerate(zip(known, wanted, strict=False)) if pair[0] != pair[1]), None)
        same = min(len(known), len(wanted)) if same is None else same
        if len(known) > same:
            self._matcher.rollback(len(known) - same)
            del self._read_tokens[self._committed_length + same :]
        for token in wanted[same:]:
            if token in self._grammar.ends or not self._matcher.consume([token]):
                return False
            self._read_tokens.append(token)
        return True

    def _under_grammar(self, answer: list[int]) -> list[int] | None:
        """Return the tokens after the thinking; None during it."""
        thinking = self._thinking
        if thinking is None or (thinking.start is not None and answer[:1] != [thinking.start]):
            return answer
        try:
            end = answer.index(thinking.end, self._thoughts)
        except ValueError:
            return None
        return answer[end + 1 :]
