"""The chats of a dialect that sends only what is new of a chat, and names the answer that it follows.

They are in memory only, within limits, and end with the server. A chat can be continued from any of its answers, by
the caller that asked for it and by nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.api.requests.conversation import EngineMessage, PictureBytes

# The most answers that are kept, and the most bytes that their pictures and the texts of their chats have in all.
MOST_CHATS = 256
MOST_BYTES = 64 * 2**20


@dataclass(frozen=True)
class KeptChat:
    """A conversation up to an answer, and the pictures in it by their digests."""

    messages: Sequence[EngineMessage] = ()
    pictures: PictureBytes = field(default_factory=dict)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = sum(_length(message) for message in self.messages)
        return texts + sum(map(len, self.pictures.values()))


class KeptChats:
    """Chats by the name of their last answer and by caller, the oldest first. Used on the server's loop only."""

    def __init__(self) -> None:
        self._chats: dict[tuple[str, str], KeptChat] = {}
        self._bytes = 0

    def keep(self, caller: str, answer: str, chat: KeptChat) -> None:
        """Keep a chat under the name of its last answer; the oldest go if there are too many, or they are too large."""
        self._chats[caller, answer] = chat
        self._bytes += chat.size
        while len(self._chats) > 1 and (len(self._chats) > MOST_CHATS or self._bytes > MOST_BYTES):
            oldest = next(iter(self._chats))
            self._bytes -= self._chats.pop(oldest).size

    def get(self, caller: str, answer: str) -> KeptChat | None:
        """Return the chat of the caller that ends with this answer; None if it is not kept."""
        return self._chats.get((caller, answer))


def _length(message: Mapping[str, object]) -> int:
    content = message["content"]
    parts = content if isinstance(content, list) else [{"text": content}]
    return sum(len(str(part.get("text", ""))) for part in parts) + len(str(message.get("reasoning_content", "")))
