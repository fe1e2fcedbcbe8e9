"""Re-encoding: text drafted in one model's tokens, encoded in another's.

The main model verifies only its own ids, and the ids of a text depend on the text before it. Therefore drafted text is
encoded together with the last committed tokens, and the ids after a token boundary that both share are used
(string-level exact match of Timor et al., arXiv:2502.05202).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engine.tokenizers.prompts import shared_prefix
from engine.tokenizers.vocabulary import Vocabulary, bytes_by_id

LOOK_BACK = 16
# Tokenizers merge it with nothing that follows, except another newline.
SEPARATOR = b"\n"


@dataclass(frozen=True, slots=True)
class Followed:
    """The ids of a continued text: the first `kept` held ids, then `fresh`; `pending` is an incomplete character."""

    kept: int
    fresh: list[int]
    pending: bytes


class Reencoder:
    """Encodes text in the ids of one tokenizer; `encode` maps a text to ids without adding control tokens."""

    def __init__(self, vocabulary: Vocabulary, encode: Callable[[str], Sequence[int]]) -> None:
        self._bytes = bytes_by_id(vocabulary)
        self._encode = encode

    def text(self, ids: Sequence[int]) -> bytes:
        """Return the bytes of `ids`; control tokens have none."""
        return b"".join(self._bytes_of(token) or b"" for token in ids)

    def continuation(self, committed: Sequence[int], drafted: bytes) -> list[int]:
        """Return ids that continue `committed` with the text `drafted`, up to its last whole character.

        `drafted` follows the last whole character of `committed`. The ids spell exactly the bytes that come next. []
        if the draft disagrees with bytes already committed, or no token boundary fits.
        """
        known = self.text(self._window(committed))
        split = known[len(known) - incomplete(known) :]
        drafted = drafted[: len(drafted) - incomplete(drafted)]
        if len(drafted) <= len(split) or not drafted.startswith(split):
            return []
        together = self._beyond(known + drafted[len(split) :], len(known))
        return together or self._beyond(SEPARATOR + drafted, len(SEPARATOR) + len(split))

    def follow(self, held: Sequence[int], appended: bytes) -> Followed:
        """Return the ids of the text of `held` continued with `appended`; the last few may be encoded anew."""
        whole = len(appended) - incomplete(appended)
        text, pending = appended[:whole], appended[whole:]
        if not text:
            return Followed(len(held), [], pending)
        window = self._window(held)
        written = self._exactly(self.text(window) + text)
        if written:
            shared = shared_prefix(window, written)
            return Followed(len(held) - len(window) + shared, written[shared:], pending)
        alone = self._exactly(text) or list(self._encode(text.decode(errors="replace")))
        return Followed(len(held), alone, pending)

    def _window(self, ids: Sequence[int]) -> list[int]:
        """Return the last few ids, starting after the last control token and at the start of a character."""
        window = list(ids[-LOOK_BACK:])
        for index in range(len(window) - 1, -1, -1):
            if self._bytes_of(window[index]) is None:
                window = window[index + 1 :]
                break
        for index, token in enumerate(window):
            if not _continues_a_character(self._bytes_of(token) or b""):
                return window[index:]
        return []

    def _exactly(self, text: bytes) -> list[int]:
        """Return ids that spell exactly `text`, or []."""
        return self._beyond(text, 0) or self._beyond(SEPARATOR + text, len(SEPARATOR))

    def _beyond(self, text: bytes, boundary: int) -> list[int]:
        """Return the ids after the first `boundary` bytes of `text` if a token starts there; else []."""
        try:
            ids = list(self._encode(text.decode()))
        except UnicodeDecodeError:
            return []
        pieces = [self._bytes_of(token) or b"" for token in ids]
        written = b"".join(pieces)
        # Some tokenizers prepend a space; any other difference means that the text was normalised.
        if written not in (text, b" " + text):
            return []
        starts = list(accumulate((len(piece) for piece in pieces), initial=0))
        start = boundary + len(written) - len(text)
        return ids[starts.index(start) :] if start in starts else []

    def _bytes_of(self, token: int) -> bytes | None:
        return self._bytes[token] if 0 <= token < len(self._bytes) else None


def _continues_a_character(piece: bytes) -> bool:
    return bool(piece) and 0x80 <= piece[0] < 0xC0


def incomplete(text: bytes) -> int:
    """Return the number of bytes at the end of `text` that start a UTF-8 character without completing it."""
    for length in range(1, min(3, len(text)) + 1):
        byte = text[-length]
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return length if length < needed else 0
        if byte < 0x80:
            return 0
    return 0
