"""Log-probabilities in the form of the OpenAI API, and the tokens that make up an answer's message."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from engine.events import Token
from engine.requests import MOST_ALTERNATIVES

# The number of alternatives for each token.
TopLogprobs = Annotated[int, Meta(ge=0, le=MOST_ALTERNATIVES)]


def token_logprobs(tokens: Sequence[Token]) -> list[dict[str, Any]]:
    """Return tokens with their log-probabilities. The texts of all tokens add up to the answer's text.

    An alternative's text is that of the token alone.
    """
    return [
        {
            **_entry(token.text, token.logprob),
            "top_logprobs": [_entry(other.text, other.logprob) for other in token.alternatives],
        }
        for token in tokens
    ]


def _entry(text: str, logprob: float) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": list(text.encode())}


class MessageTokens:
    """Finds the tokens of an answer's message among those of its thoughts, calls and marks."""

    def __init__(self) -> None:
        # Tokens that are not assigned yet, each with its start in `_text`, the text since the last piece.
        self._waiting: deque[tuple[int, Token]] = deque()
        self._text = ""

    def add(self, token: Token) -> None:
        """Add the answer's next token."""
        self._waiting.append((len(self._text), token))
        self._text += token.text

    def take(self, piece: str, held: int) -> list[Token]:
        """Return the tokens of the message's next piece, which ends `held` characters before the end of their text.

        Tokens before the piece belong to no message. A token that is only partly in it counts once.
        """
        end = len(self._text) - held
        if not self._text.endswith(piece, 0, end):
            # The marks after it were removed.
            end = self._text.rfind(piece) + len(piece)
        start, found = end - len(piece), []
        while self._waiting and self._waiting[0][0] < end:
            begin, token = self._waiting.popleft()
            if begin >= start or begin + len(token.text) > start:
                found.append(token)
        self._text = self._text[end:]
        self._waiting = deque((begin - end, token) for begin, token in self._waiting)
        return found
