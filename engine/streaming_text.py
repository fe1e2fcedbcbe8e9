"""Ids to text while they stream, as mlx-lm's detokenizers do it, by the tokenizers library alone."""

from __future__ import annotations

from collections.abc import Mapping

from tokenizers import Tokenizer

_SPACE = "\u2581".encode()


class Written(dict[int, bytes]):
    """What each id writes, found out when it is first asked for: all of them take longer than to read a prompt."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._name_of = tokenizer.id_to_token
        self._byte_of = _bytes_by_letter()

    def __missing__(self, token: int) -> bytes:
        name, byte_of = self._name_of(token), self._byte_of
        if name is None:
            return b"!"
        # A byte of 0 is written as its letter, as by mlx-lm.
        self[token] = b"".join(
            bytes((byte_of.get(letter, 0),)) if byte_of.get(letter) else letter.encode() for letter in name
        )
        return self[token]


def _bytes_by_letter() -> dict[str, int]:
    """The bytes that the letters of byte-level tokens stand for (GPT-2's table)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = (byte for byte in range(256) if byte not in printable)
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}


class StreamingText:
    """Tokens to text, whole characters only. What mlx-lm's `BPEStreamingDetokenizer` does, under its names."""

    def __init__(self, written: Mapping[int, bytes]) -> None:
        """`written` has the bytes that each id writes."""
        self._written = written
        self._held = b""
        self._read = 0
        self.text = ""

    @property
    def last_segment(self) -> str:
        """The text since this was asked last."""
        segment = self.text[self._read :]
        self._read = len(self.text)
        return segment

    def add_token(self, token: int) -> None:
        written = self._written[token]
        self._held += written
        text = self._held.decode("utf-8", "replace")
        # A single space waits for what follows it.
        if not text.endswith("\ufffd") and written != b" ":
            self.text += text if self.text else text.removeprefix(" ")
            self._held = b""

    def finalize(self) -> None:
        """Write what was held back, incomplete or not."""
        text = self._held.decode("utf-8", "replace")
        self.text += text if self.text else text.removeprefix(" ")
        self._held = b""


class WrittenPieces(dict[int, bytes]):
    """What each id of a vocabulary in SentencePiece's style writes: its text, or the one byte that it names."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._name_of = tokenizer.id_to_token

    def __missing__(self, token: int) -> bytes:
        name = self._name_of(token)
        if name is None:
            raise IndexError(f"there is no token {token}")
        self[token] = bytes((int(name[3:5], 16),)) if name.startswith("<0x") else name.encode()
        return self[token]


class StreamingPieces(StreamingText):
    """The same for a vocabulary in SentencePiece's style. What mlx-lm's `SPMStreamingDetokenizer` does."""

    def __init__(self, written: Mapping[int, bytes], *, trims: bool) -> None:
        """`trims`: whether a text begins without the space before its first word."""
        super().__init__(written)
        self._trims = trims

    def add_token(self, token: int) -> None:
        self._held += self._written[token]
        text = self._held.replace(_SPACE, b" ").decode("utf-8", "replace")
        if not text.endswith("\ufffd"):
            self._write(text)

    def finalize(self) -> None:
        self._write(self._held.replace(_SPACE, b" ").decode("utf-8", "replace"))

    def _write(self, text: str) -> None:
        self.text += text if self.text or not self._trims else text.removeprefix(" ")
        self._held = b""
