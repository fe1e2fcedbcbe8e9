"""Holds the calls of functions within free text to a grammar, each from its opening mark to its end."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from engine.errors import GrammarNotUsable
from engine.grammars.calls import Opening
from engine.grammars.constraint import CompiledGrammar, Constraint, Thinking

log = logging.getLogger(__name__)

# The most tokens at the beginning of a reply in which the function of a call without a mark is looked for.
_MOST_HEAD = 48


@dataclass(frozen=True, slots=True)
class _Place:
    """The place after some text of an answer.

    In a `call`, `tokens` are those that its grammar has read, and `closes` says whether free text may follow the call.
    In free text they are the newest ones, in which a call may have begun, and all of the reply if `head`. `thinking` is
    None before the first token of an answer that may begin with thoughts.
    """

    call: Constraint | None = None
    closes: bool = False
    tokens: tuple[int, ...] = ()
    head: bool = False
    thinking: bool | None = False


class CallsInText:
    """Holds the calls in an answer, which begins at `position` of its sequence, to a grammar; other text is free.

    `thinking` may precede the answer, which continues another text if `begun`. `mark` is the token of the opening's
    mark, None if that is several tokens. A call whose mark has no end lasts until the answer ends, and so does one
    whose text may go on after what may be its end. `start_compiling` starts to compile the grammar; the first call does
    so and waits for it, because most answers have no call. If the grammar cannot be used, calls are free, with a log
    record. `bytes_of` returns the bytes of a token, or a control token's name. Belongs to the engine's thread.
    """

    def __init__(
        self,
        start_compiling: Callable[[], Future[CompiledGrammar]],
        bytes_of: Callable[[int], bytes],
        opening: Opening,
        mark: int | None,
        position: int,
        thinking: Thinking | None = None,
        *,
        begun: bool = False,
    ) -> None:
        self._opening = opening
        self._mark = mark
        self._thinking = thinking
        self._start_compiling = start_compiling
        self._bytes_of = bytes_of
        self._compiling: Future[CompiledGrammar] | None = None
        self._spelled = opening.mark.encode() if mark is None else b""
        names = b"|".join(re.escape(name.encode()) for name in opening.names)
        self._named = re.compile(rb"(?<![\w.-])(?:%b)[^\w.-]" % names)
        self._usable = True
        # The number of committed tokens that were read, and the place after them.
        self._read_length = position
        thinks = thinking is not None and (True if thinking.start is None else None)
        self._place = _Place(head=not begun, thinking=thinks)

    @property
    def holds(self) -> bool:
        """Whether the next token belongs to a call, as far as the committed tokens are known."""
        return self._place.call is not None

    @property
    def left_out(self) -> tuple[str, ...]:
        """The places in the schemas of functions of what the calls so far were not held to."""
        grammar = self._compiled() if self._compiling is not None else None
        return () if grammar is None else grammar.left_out

    def allowed(self, committed: Sequence[int], drafted: Sequence[int], rows: int) -> NDArray[np.bool_] | None:
        """Return which tokens may come next, bool (rows, vocabulary); None if no row excludes anything.

        The rows are as in `Constraint.allowed`. A grammar that has become too complex is given up, and excludes
        nothing from then on.
        """
        masks = None
        first = len(drafted) - rows + 1
        places = enumerate(self._places(committed, drafted))
        in_calls = [(index, place) for index, place in places if place.call is not None and index >= first]
        for call, rows_of_call in groupby(in_calls, key=lambda entry: entry[1].call):
            assert call is not None
            indices, of_call = zip(*rows_of_call, strict=True)
            tokens = of_call[-1].tokens
            known = len(self._place.tokens) if call is self._place.call else 0
            try:
                mask = call.allowed(tokens[:known], tokens[known:], len(indices))
            except GrammarNotUsable as error:
                self._give_up(error)
                break
            masks = np.ones((rows, mask.shape[1]), dtype=np.bool_) if masks is None else masks
            masks[indices[0] - first : indices[-1] - first + 1] = mask
        return masks

    def accepted_length(self, committed: Sequence[int], proposed: Sequence[int]) -> int:
        """Return how many of the `proposed` tokens may follow `committed`."""
        return sum(1 for _ in self._places(committed, proposed)) - 1

    def forced_text(self, committed: Sequence[int]) -> tuple[bytes, list[int]]:
        """Return what `Constraint.forced_text` returns; nothing in free text."""
        self._follow_committed(committed)
        call = self._place.call
        return (b"", []) if call is None else call.forced_text(self._place.tokens)

    def learn(self, text: bytes, tokens: Sequence[int]) -> None:
        """See `Constraint.learn`."""
        if text and (grammar := self._compiled()) is not None:
            grammar.spelling.learn(text, tokens)

    def _follow_committed(self, committed: Sequence[int]) -> None:
        for token in committed[self._read_length :]:
            self._place = self._after(self._place, token) or _Place()
        self._read_length = len(committed)

    def _places(self, committed: Sequence[int], drafted: Sequence[int]) -> Iterator[_Place]:
        """Yield the places after `committed` and after each of the `drafted` tokens, up to one that is excluded."""
        self._follow_committed(committed)
        yield (place := self._place)
        for token in drafted:
            if (after := self._after(place, token)) is None:
                return
            yield (place := after)

    def _after(self, place: _Place, token: int) -> _Place | None:
        """Return the place after one more token; None if the call's grammar excludes it."""
        if place.call is not None:
            return self._after_in_call(place.call, place, token)
        if place.thinking is not False and (thinking := self._thinking) is not None:
            if place.thinking:
                return _Place(head=True) if token == thinking.end else place
            if token == thinking.start:
                return _Place(thinking=True)
        if token == self._mark:
            return self._call(closes=self._opening.closes, tokens=(token,)) or self._bare_call() or _Place()
        if not (self._spelled or (place.head and self._opening.bare)):
            return _Place()
        return self._after_spelled((*place.tokens, token), head=place.head and self._opening.bare)

    def _after_in_call(self, call: Constraint, place: _Place, token: int) -> _Place | None:
        """Return the place after `token` within a call.

        None if it cannot follow, an empty place if the call is over.
        """
        tokens = (*place.tokens, token)
        complete = call.complete_after(tokens)
        if complete is None:
            grammar = self._compiled()
            ends = grammar is not None and token in grammar.ends and call.complete_after(place.tokens)
            return _Place() if ends else None
        return _Place() if complete and place.closes and call.over else replace(place, tokens=tokens)

    def _after_spelled(self, tokens: tuple[int, ...], *, head: bool) -> _Place:
        """Return the place after the newest `tokens`, the last of which may have begun a call without a single mark."""
        if not self._usable:
            return _Place()
        if not head and self._spelled[-1:] not in self._bytes_of(tokens[-1]):
            # It does not complete the mark.
            return _Place(tokens=tokens[-len(self._spelled) :])
        texts = [*map(self._bytes_of, tokens)]
        text = b"".join(texts)
        head = head and len(tokens) < _MOST_HEAD and text.lstrip()[:1] in (b"", b"{", b"[")
        if head and self._named.search(text):
            begun = text.lstrip().decode(errors="replace")
            return self._call(closes=False, tokens=tokens) or self._call(closes=False, begun=begun) or _Place()
        if not self._spelled or (at := text.rfind(self._spelled)) < 0:
            return _Place(tokens=tokens if head else tokens[-len(self._spelled) :], head=head)
        before = 0
        while len(b"".join(texts[:before])) < at:
            before += 1
        aligned = len(b"".join(texts[:before])) == at
        closes = self._opening.closes
        begun = text[at:].decode(errors="replace")
        place = self._call(closes=closes, tokens=tokens[before:]) if aligned else None
        return place or self._call(closes=closes, begun=begun) or self._bare_call() or _Place()

    def _bare_call(self) -> _Place | None:
        """Return the place after a mark that the grammar does not begin with."""
        return self._call(closes=self._opening.closes) if self._opening.bare else None

    def _call(self, *, closes: bool, begun: str = "", tokens: tuple[int, ...] = ()) -> _Place | None:
        """Return the place in a call after the text `begun` or `tokens`; None if these do not follow the grammar."""
        if (grammar := self._compiled()) is None:
            return None
        try:
            call = Constraint(grammar, 0, begun)
        except GrammarNotUsable:
            return None
        return None if call.complete_after(tokens) is None else _Place(call, closes, tokens)

    def _compiled(self) -> CompiledGrammar | None:
        """Compile the grammar unless it is, and return it; None if it cannot be used."""
        if not self._usable:
            return None
        try:
            if self._compiling is None:
                self._compiling = self._start_compiling()
            return self._compiling.result()
        # Whatever the compiler raised: the answer goes on without it.
        except Exception as error:
            self._give_up(error)
            return None

    def _give_up(self, error: Exception) -> None:
        log.info("the calls in an answer are free from now on: %s", type(error).__name__)
        self._usable = False
        self._place = _Place()
