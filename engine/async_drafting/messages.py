"""What engine and asynchronous drafter write to each other: frames of plain numbers, and nothing that runs.

A frame is four bytes of length, one of version, one of kind, and a payload in little-endian order. Whatever cannot be
read is `BadMessage`: the connection ends, and with it at most one round's proposal.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

from engine.errors import BadRequest
from engine.requests import MAX_DEPTH, SamplingSettings

VERSION = 2
# A text of two million tokens in one message. A peer that has not proved who it is gets far less.
LARGEST_FRAME = 2**23
LARGEST_GREETING = 256
KEY_BYTES = 32
# How an answer came about: from the tree cache, drafted when the verdict was known, not yet, or not at all, because the
# drafter has to read the text first.
HIT, JUST_IN_TIME, MISS, BEHIND = 0, 1, 2, 3
LONGEST_DEADLINE_S = 60.0
LONGEST_WINDOW = 2**20

_HEAD = struct.Struct("<IBB")
_BEGIN = struct.Struct("<QQIdIddddIId")
_BIAS = struct.Struct("<Id")
_VERDICT = struct.Struct("<QIIB?fI")
_ANSWER = struct.Struct("<QIIBHfB")
_READY = struct.Struct(f"<{KEY_BYTES}sI")
_PROOF = struct.Struct(f"<{KEY_BYTES}s{KEY_BYTES}s")


class BadMessage(Exception):
    """Bytes that are no message of this version."""


class Message(Protocol):
    """What travels in a frame. `read` raises `BadMessage`, `struct.error` or `BadRequest`."""

    kind: ClassVar[int]

    def payload(self) -> bytes: ...

    @classmethod
    def read(cls, payload: memoryview) -> Self: ...


@dataclass(frozen=True, slots=True)
class Challenge:
    """The drafter asks for a proof of the shared secret; `nonce` is new for every connection."""

    kind: ClassVar[int] = 1
    nonce: bytes

    def payload(self) -> bytes:
        return self.nonce

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        return cls(_key(payload))


@dataclass(frozen=True, slots=True)
class Proof:
    """The engine's `proof` over the drafter's nonce, and a `nonce` over which the drafter has to prove it too."""

    kind: ClassVar[int] = 2
    proof: bytes
    nonce: bytes

    def payload(self) -> bytes:
        return _PROOF.pack(self.proof, self.nonce)

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        return cls(*_PROOF.unpack(payload))


@dataclass(frozen=True, slots=True)
class CounterProof:
    """The drafter's `proof` over both nonces."""

    kind: ClassVar[int] = 3
    proof: bytes

    def payload(self) -> bytes:
        return self.proof

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        return cls(_key(payload))


@dataclass(frozen=True, slots=True)
class Ready:
    """The drafter has its model, of `size` MiB; `vocabulary` is the digest of its ids."""

    kind: ClassVar[int] = 4
    vocabulary: bytes
    size: int

    def payload(self) -> bytes:
        return _READY.pack(self.vocabulary, self.size)

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        return cls(*_READY.unpack(payload))


@dataclass(frozen=True, slots=True)
class Refused:
    """The drafter cannot draft; `reason` is a code."""

    kind: ClassVar[int] = 5
    reason: str

    def payload(self) -> bytes:
        return self.reason.encode()[:64]

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        if len(payload) > 64 or not bytes(payload).isascii():
            raise BadMessage("a reason that is no code")
        return cls(bytes(payload).decode())


@dataclass(frozen=True, slots=True)
class Begin:
    """An answer begins: its `conversation` key, and what the main model's draws depend on."""

    kind: ClassVar[int] = 6
    conversation: int
    seed: int
    vocabulary: int
    sampling: SamplingSettings

    def payload(self) -> bytes:
        s = self.sampling
        numbers = (s.temperature, s.top_k, s.top_p, s.min_p, s.repetition_penalty, s.presence_penalty)
        head = _BEGIN.pack(
            self.conversation, self.seed, self.vocabulary, *numbers, s.penalty_window, len(s.logit_bias),
            s.frequency_penalty,
        )  # fmt: skip
        return head + b"".join(_BIAS.pack(token, value) for token, value in s.logit_bias.items())

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        *keys, vocabulary, temperature, top_k, top_p, min_p, repetition, presence, window, biased, frequency = (
            _BEGIN.unpack_from(payload)
        )
        if len(payload) != _BEGIN.size + biased * _BIAS.size:
            raise BadMessage("a bias that is cut off")
        bias = dict(_BIAS.iter_unpack(payload[_BEGIN.size :]))
        numbers = (temperature, top_p, min_p, repetition, presence, frequency, *bias.values())
        if not all(map(math.isfinite, numbers)) or not 0 < vocabulary <= 2**24 or window > LONGEST_WINDOW:
            raise BadMessage("numbers out of bounds")
        sampling = SamplingSettings(
            temperature, top_k, top_p, min_p, repetition, presence, frequency, window, logit_bias=bias
        )
        return cls(keys[0], keys[1], vocabulary, sampling)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a round committed: the text from `position` on is `tokens`, the last of them the recovery token.

    `depth` draft tokens are wanted to follow it, 0 if none, within `deadline_s` seconds where they are not there yet.
    With `stops_early` they end where they become unlikely. `round` comes back in the answer.
    """

    kind: ClassVar[int] = 7
    conversation: int
    round: int
    position: int
    tokens: tuple[int, ...]
    depth: int = 0
    stops_early: bool = False
    deadline_s: float = 0.0

    def payload(self) -> bytes:
        head = _VERDICT.pack(
            self.conversation, self.round, self.position, self.depth, self.stops_early, self.deadline_s,
            len(self.tokens),
        )  # fmt: skip
        return head + struct.pack(f"<{len(self.tokens)}I", *self.tokens)

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        key, number, position, depth, early, deadline, count = _VERDICT.unpack_from(payload)
        if len(payload) != _VERDICT.size + 4 * count or not count:
            raise BadMessage("a text that is cut off")
        if depth > MAX_DEPTH or not 0.0 <= deadline <= LONGEST_DEADLINE_S:
            raise BadMessage("numbers out of bounds")
        tokens = struct.unpack_from(f"<{count}I", payload, _VERDICT.size)
        return cls(key, number, position, tokens, depth, early, deadline)


@dataclass(frozen=True, slots=True)
class Answer:
    """Draft `tokens` to follow the text of `position` tokens, which is also where their noise begins.

    `status` is HIT, JUST_IN_TIME, MISS, after which a second answer follows, or BEHIND. `probabilities` are the draft
    model's own of each token. `branches` were prepared for the verdict, in `drafted_s` seconds behind the main model's
    pass.
    """

    kind: ClassVar[int] = 8
    conversation: int
    round: int
    position: int
    status: int
    tokens: tuple[int, ...] = ()
    probabilities: tuple[float, ...] = ()
    branches: int = 0
    drafted_s: float = 0.0

    def payload(self) -> bytes:
        count = len(self.tokens)
        head = _ANSWER.pack(
            self.conversation, self.round, self.position, self.status, self.branches, self.drafted_s, count
        )
        return head + struct.pack(f"<{count}I{count}f", *self.tokens, *self.probabilities)

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        key, number, position, status, branches, drafted_s, count = _ANSWER.unpack_from(payload)
        if len(payload) != _ANSWER.size + 8 * count or count > MAX_DEPTH:
            raise BadMessage("draft tokens that are cut off")
        if status not in (HIT, JUST_IN_TIME, MISS, BEHIND) or not 0.0 <= drafted_s < math.inf:
            raise BadMessage("numbers out of bounds")
        values = struct.unpack_from(f"<{count}I{count}f", payload, _ANSWER.size)
        return cls(key, number, position, status, values[:count], values[count:], branches, drafted_s)


@dataclass(frozen=True, slots=True)
class End:
    """The answer has ended; nothing more is drafted for it."""

    kind: ClassVar[int] = 9
    conversation: int

    def payload(self) -> bytes:
        return struct.pack("<Q", self.conversation)

    @classmethod
    def read(cls, payload: memoryview) -> Self:
        return cls(*struct.unpack("<Q", payload))


_KINDS: dict[int, type[Message]] = {
    kind.kind: kind for kind in (Challenge, Proof, CounterProof, Ready, Refused, Begin, Verdict, Answer, End)
}


def frame(message: Message) -> bytes:
    """The bytes of a message."""
    payload = message.payload()
    return _HEAD.pack(len(payload), VERSION, message.kind) + payload


def take(received: bytearray, largest: int = LARGEST_FRAME) -> Message | None:
    """Remove the first whole message from `received` and return it; None while there is none. Raises `BadMessage`."""
    if len(received) < _HEAD.size:
        return None
    length, version, kind = _HEAD.unpack_from(received)
    if version != VERSION or kind not in _KINDS or length > largest:
        raise BadMessage(f"version {version}, kind {kind}, {length} bytes")
    end = _HEAD.size + length
    if len(received) < end:
        return None
    payload = bytes(received[_HEAD.size : end])
    del received[:end]
    try:
        return _KINDS[kind].read(memoryview(payload))
    except (struct.error, BadRequest, ValueError) as error:
        raise BadMessage(str(error)) from error


def _key(payload: memoryview) -> bytes:
    if len(payload) != KEY_BYTES:
        raise BadMessage(f"{len(payload)} bytes of key")
    return bytes(payload)
